#include "explore/step_gap.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

struct ClassRow {
    std::string_view name;
    const char* label;
};
constexpr std::array<ClassRow, kGapClasses> kRows{{
    {"model", translatable("Model")},
    {"gpu_count", translatable("Number of GPUs")},
    {"batch", translatable("Batch and sequence")},
    {"plan", translatable("Parallelism and schedule")},
    {"gpu", translatable("GPU")},
    {"network", translatable("Network")},
    {"precision", translatable("Precision")},
    {"recompute", translatable("Recomputation")},
    {"overlap", translatable("Overlap")},
    {"routing", translatable("Routing of experts")},
    {"software", translatable("Software version")},
    {"rest", translatable("Other inputs")},
}};

struct Member {
    P id;
    GapClass kind;
};
// Parameters whose class does not follow from their group.
constexpr std::array kMembers{
    Member{P::gpus, GapClass::gpu_count},
    Member{P::software, GapClass::software},
    Member{P::software_version, GapClass::software},
    Member{P::price_per_gpu_hour, GapClass::rest},
    Member{P::sequence_length, GapClass::batch},
    Member{P::micro_batch, GapClass::batch},
    Member{P::accumulation, GapClass::batch},
    Member{P::global_batch, GapClass::batch},
    Member{P::packing, GapClass::batch},
    Member{P::precision, GapClass::precision},
    Member{P::fp8_recipe, GapClass::precision},
    Member{P::fp8_param_gather, GapClass::precision},
    Member{P::bf16_layers, GapClass::precision},
    Member{P::gradient_precision, GapClass::precision},
    Member{P::main_gradient_precision, GapClass::precision},
    Member{P::optimizer_precision, GapClass::precision},
    Member{P::moment_precision, GapClass::precision},
    Member{P::recompute, GapClass::recompute},
    Member{P::recompute_modules, GapClass::recompute},
    Member{P::activation_offload, GapClass::recompute},
    Member{P::overlap_grad_reduce, GapClass::overlap},
    Member{P::overlap_param_gather, GapClass::overlap},
    Member{P::async_tensor_parallel, GapClass::overlap},
    Member{P::cuda_graphs, GapClass::overlap},
    Member{P::overlap, GapClass::overlap},
    Member{P::moe_dispatcher, GapClass::routing},
    Member{P::moe_overlap, GapClass::routing},
    Member{P::static_expert_buffers, GapClass::routing},
    Member{P::fp8_dispatch, GapClass::precision},
    Member{P::fp8_activation_inputs, GapClass::precision},
    Member{P::expert_imbalance, GapClass::routing},
    Member{P::network_efficiency, GapClass::network},
    Member{P::intra_node_efficiency, GapClass::network},
    Member{P::switch_reduction_efficiency, GapClass::network},
    Member{P::gemm_efficiency, GapClass::gpu},
    Member{P::gemm_half_depth, GapClass::gpu},
    Member{P::gemm_half_area, GapClass::gpu},
    Member{P::attention_efficiency, GapClass::gpu},
    Member{P::naive_attention_efficiency, GapClass::gpu},
    Member{P::scan_efficiency, GapClass::gpu},
    Member{P::attention_half_head, GapClass::gpu},
    Member{P::attention_ceiling, GapClass::gpu},
    Member{P::flash2_ceiling, GapClass::gpu},
    Member{P::flash2_efficiency, GapClass::gpu},
    Member{P::native_attention, GapClass::gpu},
    Member{P::fp8_efficiency, GapClass::gpu},
    Member{P::memory_efficiency, GapClass::gpu},
    Member{P::kernel_launch, GapClass::gpu},
    Member{P::host_bandwidth, GapClass::gpu},
    Member{P::host_memory_bandwidth, GapClass::gpu},
    Member{P::nvme_bandwidth, GapClass::gpu},
    Member{P::context_imbalance, GapClass::rest},
    Member{P::mfu_override, GapClass::rest},
    Member{P::tensor_across_nodes, GapClass::rest},  // these two change no step
    Member{P::flops_convention, GapClass::rest},
};

// Classes that change together.
using Classes = std::vector<GapClass>;
// A run on more GPUs usually has a larger batch, too.
const Classes kScale{GapClass::gpu_count, GapClass::batch};
using Groups = std::vector<Classes>;
using Changed = std::bitset<kGapClasses>;

// Computes step times of mixtures of two scenarios.
class MixedScenario {
  public:
    MixedScenario(const Settings& from, const Settings& to) : from_(from), to_(to) {}

    // Returns the step time where the classes in `changed` have the values of `to`; NaN where that is not
    // valid.
    double step(Changed changed) {
        const auto [known, is_new] = steps_.try_emplace(changed.to_ulong(), std::nan(""));
        if (!is_new) return known->second;
        Settings mixed = from_;
        for (std::size_t i = 0; i < kGapClasses; ++i) {
            if (changed[i]) take(static_cast<GapClass>(i), mixed);
        }
        // The work of a step is its global batch; the accumulation follows from it and from the plan.
        const double parallel = data_parallel(mixed) * mixed[P::micro_batch];
        if (parallel > 0) mixed.set(P::accumulation, mixed[P::global_batch] / parallel, Origin::derived);
        const P peak = peak_of(mixed);
        mixed.set(P::peak_flops, mixed[peak], mixed.origin(peak));
        if (!is_valid(mixed)) return known->second;
        compile(mixed, compiled_);
        const Estimate found = estimate(compiled_);
        if (is_possible(found)) known->second = found.step.total;
        return known->second;
    }

    [[nodiscard]] bool differs(GapClass kind) const {
        if (kind == GapClass::model && from_.listed() != to_.listed()) return true;
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            if (class_of(id) == kind && !same_value(from_[id], to_[id])) return true;
        }
        return false;
    }

  private:
    void take(GapClass kind, Settings& mixed) const {
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            if (class_of(id) == kind) mixed.set(id, to_[id], to_.origin(id));
        }
        if (kind == GapClass::model) mixed.set_listed(to_.listed());
    }

    const Settings& from_;
    const Settings& to_;
    Compiled compiled_;
    std::map<unsigned long, double> steps_;  // found before
};

Changed classes_of(const Classes& group) {
    Changed out;
    for (const GapClass kind : group) out.set(static_cast<std::size_t>(kind));
    return out;
}

// Finds the first order of changes in which every scenario between the two is valid.
class OrderSearch {
  public:
    // Groups are tried in their order.
    OrderSearch(MixedScenario& mixed, const Groups& groups) : mixed_(mixed), groups_(groups) {
        for (const Classes& group : groups) all_ |= classes_of(group);
    }
    // Returns the order; empty if there is none. Up to `most` groups may change together, as few as possible.
    Groups find(std::size_t most) {
        order_.clear();
        tried_.clear();
        return extend({}, most) ? order_ : Groups{};
    }

  private:
    bool extend(Changed changed, std::size_t most) {
        if (changed == all_) return true;
        if (!tried_.insert(changed.to_ulong()).second) return false;
        for (std::size_t count = 1; count <= most; ++count) {
            if (add(changed, {}, 0, count, most)) return true;
        }
        return false;
    }
    // Adds `count` further groups to `together`, those from `first` on.
    bool add(Changed changed, const Classes& together, std::size_t first, std::size_t count,
             std::size_t most) {
        if (count == 0) {
            const Changed next = changed | classes_of(together);
            if (next != all_ && std::isnan(mixed_.step(next))) return false;
            order_.push_back(together);
            if (extend(next, most)) return true;
            order_.pop_back();
            return false;
        }
        for (std::size_t i = first; i < groups_.size(); ++i) {
            if ((changed & classes_of(groups_[i])).any()) continue;
            Classes more = together;
            more.insert(more.end(), groups_[i].begin(), groups_[i].end());
            if (add(changed, more, i + 1, count - 1, most)) return true;
        }
        return false;
    }

    MixedScenario& mixed_;
    const Groups& groups_;
    Changed all_;
    Groups order_;
    std::set<unsigned long> tried_;
};

// Returns the change of the step time by each group, in an order in which all scenarios are valid.
std::map<Classes, double> changes_in(const Groups& order, MixedScenario& mixed, double start, double end) {
    std::map<Classes, double> out;
    Changed changed;
    double before = start;
    for (const Classes& group : order) {
        changed |= classes_of(group);
        const double now = &group == &order.back() ? end : mixed.step(changed);
        out[group] = now - before;
        before = now;
    }
    return out;
}

// Inputs that change no step: aliases and what follows from others, and constants of ranges.
constexpr std::array kNotListed{P::peak_flops,  P::accumulation,    P::error_band,     P::distance_band,
                                P::risk_margin, P::training_tokens, P::memory_reserve, P::fragmentation};

std::vector<GapInput> inputs_of(const std::vector<GapClass>& classes, const Answer& from, const Answer& to) {
    std::vector<GapInput> out;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (std::ranges::find(classes, class_of(id)) == classes.end()) continue;
        const double a = from.settings[id];
        const double b = to.settings[id];
        const bool listed = std::ranges::find(kNotListed, id) == kNotListed.end();
        if (!same_value(a, b) && listed) out.push_back({id, a, b});
    }
    return out;
}

// Returns a bar for each of the groups, some of which may have to change together.
std::vector<GapBar> bars_of(const Groups& classes, MixedScenario& mixed, const Answer& from,
                            const Answer& to) {
    Groups forward;
    for (std::size_t most = 1; forward.empty() && most <= classes.size(); ++most)
        forward = OrderSearch(mixed, classes).find(most);
    Groups reversed = forward;
    std::ranges::reverse(reversed);
    // The reverse order where it is valid, else the nearest one that is.
    const Groups backward = OrderSearch(mixed, reversed).find(1);
    const auto changes = [&](const Groups& order) {
        return changes_in(order, mixed, from.estimate.step.total, to.estimate.step.total);
    };
    const auto first = changes(forward);
    const auto second = changes(backward);
    std::vector<GapBar> out;
    // In this order the sums on the way are step times of valid scenarios, or near them.
    for (const Classes& group : forward) {
        const double one = first.at(group);
        const double two = second.at(group);
        out.push_back({group, (one + two) / 2, one, two, inputs_of(group, from, to)});
    }
    return out;
}

// Returns two groups whose bars are far longer than both steps and cancel each other out: between a small
// and a large run these are the number of GPUs and the batch, otherwise the first and the last group. They
// are shown as one bar.
std::optional<std::pair<Classes, Classes>> groups_to_join(const StepGap& gap) {
    constexpr double kFarLonger = 4;
    if (gap.bars.size() < 2) return std::nullopt;
    const double longest = std::max({gap.from, gap.to, gap.predicted_from, gap.predicted_to});
    const auto length = [](const GapBar& bar) { return std::fabs(bar.seconds); };
    if (length(*std::ranges::max_element(gap.bars, {}, length)) <= kFarLonger * longest) return std::nullopt;
    const auto of_class = [&](GapClass kind) {
        return std::ranges::find_if(gap.bars,
                                    [&](const GapBar& bar) { return bar.classes == Classes{kind}; });
    };
    const auto gpus = of_class(GapClass::gpu_count);
    const auto batch = of_class(GapClass::batch);
    if (gpus != gap.bars.end() && batch != gap.bars.end()) return std::pair(gpus->classes, batch->classes);
    const auto [least, most] = std::ranges::minmax_element(gap.bars, {}, &GapBar::seconds);
    return std::pair(least->classes, most->classes);
}

// Makes one group of two. A group of several classes may consist of some that `classes` has one by one.
void join(Groups& classes, const Classes& one, const Classes& other) {
    Classes both = one;
    both.insert(both.end(), other.begin(), other.end());
    std::ranges::sort(both);
    const Changed all = classes_of(both);
    std::erase_if(classes, [&](const Classes& group) { return (classes_of(group) & all).any(); });
    classes.push_back(both);
    std::ranges::sort(classes);
}

// Adds what rounding has left to the shortest bar that is not zero.
void add_up(StepGap& gap) {
    const auto length = [](const GapBar& bar) {
        return bar.seconds == 0 ? std::numeric_limits<double>::infinity() : std::fabs(bar.seconds);
    };
    const auto shortest = std::ranges::min_element(gap.bars, {}, length);
    if (shortest != gap.bars.end() && shortest->seconds != 0) shortest->seconds += gap.to - gap.sum();
}

}  // namespace

std::string_view name_of(GapClass kind) { return kRows[static_cast<std::size_t>(kind)].name; }
std::string label_of(GapClass kind) { return translate(kRows[static_cast<std::size_t>(kind)].label); }

GapClass class_of(P id) {
    const auto found = std::ranges::find(kMembers, id, &Member::id);
    if (found != kMembers.end()) return found->kind;
    switch (parameter(id).group) {
        case Group::cluster: return GapClass::network;
        case Group::gpu: return GapClass::gpu;
        case Group::model: return GapClass::model;
        case Group::plan: return GapClass::plan;
        case Group::assumptions: return GapClass::software;
        case Group::training: break;
    }
    return GapClass::rest;
}

std::string label_of(const GapBar& bar) {
    if (bar.classes == kScale) return translate("Scale: GPUs and batch");
    return joined(bar.classes, " + ", [](GapClass kind) { return label_of(kind); });
}

double StepGap::sum() const {
    // Bars may be far longer than the steps and cancel each other out.
    long double out = from;
    out += unexplained_from;
    for (const GapBar& bar : bars) out += bar.seconds;
    return static_cast<double>(out + unexplained_to);
}

StepGap step_gap(const Answer& from, double measured_from, const Answer& to, double measured_to) {
    StepGap out;
    out.predicted_from = from.estimate.step.total;
    out.predicted_to = to.estimate.step.total;
    out.from = measured_from > 0 ? measured_from : out.predicted_from;
    out.to = measured_to > 0 ? measured_to : out.predicted_to;
    out.unexplained_from = out.predicted_from - out.from;
    out.unexplained_to = out.to - out.predicted_to;
    MixedScenario mixed(from.settings, to.settings);
    Groups classes;
    for (std::size_t i = 0; i < kGapClasses; ++i)
        if (mixed.differs(static_cast<GapClass>(i))) classes.push_back({static_cast<GapClass>(i)});
    out.bars = bars_of(classes, mixed, from, to);
    while (const auto joint = groups_to_join(out)) {
        join(classes, joint->first, joint->second);
        out.bars = bars_of(classes, mixed, from, to);
    }
    add_up(out);
    return out;
}

}  // namespace shardscope
