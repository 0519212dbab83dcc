#include "explore/step_gap.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "scenario/gpu_groups.h"
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
    Member{P::expert_imbalance, GapClass::routing},
    Member{P::network_efficiency, GapClass::network},
    Member{P::intra_node_efficiency, GapClass::network},
    Member{P::gemm_efficiency, GapClass::gpu},
    Member{P::gemm_half_depth, GapClass::gpu},
    Member{P::gemm_half_area, GapClass::gpu},
    Member{P::attention_efficiency, GapClass::gpu},
    Member{P::naive_attention_efficiency, GapClass::gpu},
    Member{P::scan_efficiency, GapClass::gpu},
    Member{P::attention_half_head, GapClass::gpu},
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

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Classes that change together, in the order of their first one.
using Groups = std::vector<std::vector<GapClass>>;

// Computes step times of mixtures of two scenarios.
class MixedScenario {
  public:
    MixedScenario(const Settings& from, const Settings& to) : from_(from), to_(to) {}

    // Returns the step time where the groups in `changed` have the values of `to`; NaN where that is not
    // valid.
    double step(const Groups& groups, const std::vector<bool>& changed) {
        Settings mixed = from_;
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (!changed[g]) continue;
            for (const GapClass kind : groups[g]) take(kind, mixed);
        }
        // The work of a step is its global batch; the accumulation follows from it and from the plan.
        const double parallel = data_parallel(mixed) * mixed[P::micro_batch];
        if (parallel > 0) mixed.set(P::accumulation, mixed[P::global_batch] / parallel, Origin::derived);
        const P peak = peak_of(mixed.choice<Precision>(P::precision));
        mixed.set(P::peak_flops, mixed[peak], mixed.origin(peak));
        if (!is_valid(mixed)) return std::nan("");
        compile(mixed, compiled_);
        const Estimate found = estimate(compiled_);
        return is_possible(found) ? found.step.total : std::nan("");
    }

    [[nodiscard]] bool differs(GapClass kind) const {
        if (kind == GapClass::model && from_.listed() != to_.listed()) return true;
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            if (class_of(id) == kind && !same(from_[id], to_[id])) return true;
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
};

// Returns the changes of the groups in one order, or the position in `groups` after which no scenario is
// valid.
struct Walk {
    std::vector<double> change;
    std::size_t invalid_after = 0;
    bool valid = true;
};
Walk walk(MixedScenario& mixed, const Groups& groups, bool backward, double start) {
    Walk out;
    out.change.assign(groups.size(), 0);
    std::vector<bool> changed(groups.size(), false);
    double before = start;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::size_t g = backward ? groups.size() - 1 - i : i;
        changed[g] = true;
        const double now = mixed.step(groups, changed);
        if (std::isnan(now) && i + 1 < groups.size()) {
            out.valid = false;
            // The pair of neighbours that has to change together.
            out.invalid_after = backward ? g - 1 : g;
            return out;
        }
        out.change[g] = now - before;
        before = now;
    }
    return out;
}

void merge_after(Groups& groups, std::size_t at) {
    const auto next = groups.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    groups[at].insert(groups[at].end(), next->begin(), next->end());
    groups.erase(next);
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
        if (!same(a, b) && listed) out.push_back({id, a, b});
    }
    return out;
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
    std::string out;
    for (const GapClass kind : bar.classes) out += (out.empty() ? "" : " + ") + label_of(kind);
    return out;
}

double StepGap::sum() const {
    double out = from + unexplained_from;
    for (const GapBar& bar : bars) out += bar.seconds;
    return out + unexplained_to;
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
    Groups groups;
    for (std::size_t i = 0; i < kGapClasses; ++i)
        if (mixed.differs(static_cast<GapClass>(i))) groups.push_back({static_cast<GapClass>(i)});
    while (!groups.empty()) {
        const Walk forward = walk(mixed, groups, false, out.predicted_from);
        const Walk backward = walk(mixed, groups, true, out.predicted_from);
        if (forward.valid && backward.valid) {
            for (std::size_t g = 0; g < groups.size(); ++g) {
                const double mean = (forward.change[g] + backward.change[g]) / 2;
                out.bars.push_back(
                    {groups[g], mean, forward.change[g], backward.change[g], inputs_of(groups[g], from, to)});
            }
            break;
        }
        merge_after(groups, forward.valid ? backward.invalid_after : forward.invalid_after);
    }
    return out;
}

}  // namespace shardscope
