#include "evidence/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <thread>

#include "evidence/coverage.h"
#include "evidence/least_squares.h"
#include "evidence/likely_range.h"
#include "scenario/domain.h"
#include "step/step.h"
#include "text/translate.h"

namespace shardscope {
namespace {

enum class Scope : unsigned char { everywhere, gpu, stack };

// A constant that a calibration may change: its scope, how far it may be from its prior, and its physical
// range. A fit that wants to leave the range shows that an effect is missing.
struct ConstantRow {
    P id;
    Scope scope;
    double width;  // one standard deviation, in ln(value), or in the value itself
    double low, high;
    bool logarithmic = true;  // false where 0 is a good value
};

// The widths are the spread of measured values over stacks and GPUs. Sources of the ranges: no kernel is
// faster than published benchmarks of its kind (stas00/ml-engineering, Dao 2023, Shah et al. 2024), no link
// faster than nccl-tests tables show, and no kernel moves fewer bytes than its operands have.
constexpr std::array kConstants{
    ConstantRow{P::gemm_efficiency, Scope::gpu, 0.1, 0.3, 0.93},
    ConstantRow{P::attention_efficiency, Scope::gpu, 0.1, 0.15, 0.75},
    ConstantRow{P::flash2_efficiency, Scope::gpu, 0.1, 0.15, 0.75},
    ConstantRow{P::gemm_half_depth, Scope::gpu, 0.5, 20, 2000},
    ConstantRow{P::gemm_half_area, Scope::gpu, 0.4, 2e5, 4e6},
    ConstantRow{P::fp8_efficiency, Scope::gpu, 0.1, 0.5, 1},
    ConstantRow{P::attention_half_sequence, Scope::everywhere, 0.7, 50, 2000},
    ConstantRow{P::attention_half_head, Scope::everywhere, 0.7, 1, 128},
    ConstantRow{P::naive_attention_efficiency, Scope::everywhere, 0.3, 0.1, 0.8},
    ConstantRow{P::softmax_traffic, Scope::everywhere, 0.3, 4, 30},
    ConstantRow{P::elementwise_backward, Scope::everywhere, 0.2, 1, 3},
    ConstantRow{P::memory_efficiency, Scope::everywhere, 0.1, 0.5, 0.95},
    ConstantRow{P::intra_node_efficiency, Scope::everywhere, 0.1, 0.7, 0.9},
    ConstantRow{P::network_efficiency, Scope::everywhere, 0.1, 0.7, 0.95},
    ConstantRow{P::inter_node_latency, Scope::everywhere, 0.15, 5e-6, 3.3e-5},
    ConstantRow{P::collective_latency, Scope::everywhere, 0.25, 5e-6, 6.6e-5},
    ConstantRow{P::step_overhead, Scope::everywhere, 0.5, 1e-3, 0.1},
    ConstantRow{P::unaligned_heads, Scope::everywhere, 0.3, 2, 30},
    ConstantRow{P::expert_overhead, Scope::stack, 0.5, 1e-4, 1e-2},
    ConstantRow{P::expert_cast_overhead, Scope::everywhere, 0.5, 2e-5, 4e-4},
    ConstantRow{P::layer_overhead, Scope::stack, 0.4, 3e-5, 5e-3},
    ConstantRow{P::overlap, Scope::stack, 0.1, 0.1, 1, false},
    ConstantRow{P::attention_generation, Scope::stack, 0.2, 0.4, 1.1},
    ConstantRow{P::elementwise_traffic, Scope::stack, 0.3, 0.95, 5},  // assumed: caches save at most 5 %
    ConstantRow{P::composed_traffic, Scope::stack, 0.4, 1, 6},
    ConstantRow{P::copy_traffic, Scope::stack, 0.5, 6, 60},
    ConstantRow{P::gradient_traffic, Scope::stack, 0.2, 2, 4},
    ConstantRow{P::collective_efficiency, Scope::stack, 0.4, 0.1, 1},
    ConstantRow{P::recompute_share, Scope::stack, 0.1, 0.7, 1, false},
    ConstantRow{P::selective_cost, Scope::stack, 0.15, 0, 0.6, false},
};

// The best share of peak that a search over shapes of matrix products found (stas00/ml-engineering, 744d01e,
// compute/accelerator), of the slowest GPU that a part describes. A fit keeps the constants below it. The
// efficiency in fp8 is relative to that in bf16.
struct Ceiling {
    std::string_view part;
    P id;
    double highest;
};
constexpr std::array kCeilings{
    Ceiling{"gpu-a100", P::gemm_efficiency, 252.9 / 312},  // of the PCIe card; 271.2 of the SXM module
    Ceiling{"gpu-h100", P::gemm_efficiency, 794.5 / 989},
    Ceiling{"gpu-h100", P::fp8_efficiency, 1402.6 / (2 * 794.5)},
    Ceiling{"gpu-h100-500w", P::gemm_efficiency, 794.5 / 989},
    Ceiling{"gpu-h100-500w", P::fp8_efficiency, 1402.6 / (2 * 794.5)},
    Ceiling{"gpu-h200", P::gemm_efficiency, 794.5 / 989},
    Ceiling{"gpu-h200", P::fp8_efficiency, 1453.4 / (2 * 794.5)},
    Ceiling{"gpu-b200", P::gemm_efficiency, 1745.0 / 2250},
    Ceiling{"gpu-b200", P::fp8_efficiency, 3432.5 / (2 * 1745.0)},
    Ceiling{"gpu-gb300", P::gemm_efficiency, 1745.0 / 2250},  // of B200: no search on GB300 is published
    Ceiling{"gpu-mi300", P::gemm_efficiency, 668.4 / 1300},   // of the MI300X
};

double highest_of(const ConstantRow& row, std::string_view part) {
    for (const Ceiling& ceiling : kCeilings)
        if (ceiling.part == part && ceiling.id == row.id) return std::min(row.high, ceiling.highest);
    return row.high;
}

constexpr std::string_view kUnknownStack = "stack-other";  // its priors are defaults: `tightness` is not used

constexpr double kContradiction = 1.5;  // the largest ratio of the times of runs with equal settings

constexpr double kScale = 0.025;  // the loss of larger residuals is linear

// One run, ready to be predicted with other constants.
struct Case {
    const MeasuredRun* run = nullptr;
    Settings settings;
    const Preset* gpu_part = nullptr;  // the constants of its GPU and stack; either may extend others
    const Preset* stack_part = nullptr;
    std::string stack;    // name of the stack's part
    std::string machine;  // GPU, node, network
    std::string fold;     // machine × software × model
    double log_measured = 0;
    std::vector<std::size_t> constants;  // of its GPU, of its stack, and those that are the same everywhere
};

const Preset* part_of(const Preset* gpu) { return gpu ? gpu->calibration : nullptr; }

// A key that is equal for runs with equal settings.
std::string settings_key(const Case& item) {
    std::string out;
    for (std::size_t p = 0; p < kParameters; ++p)
        out += std::to_string(item.settings[static_cast<P>(p)]) + ",";
    return out;
}

// Leaves out runs with the same settings whose times are far apart, because they must differ in something
// that no column contains. The message of each names the run that contradicts it most.
void leave_out_contradictions(std::vector<Case>& cases, std::vector<Validation::Skipped>& skipped) {
    std::map<std::string, std::pair<const Case*, const Case*>> groups;  // the fastest and the slowest
    for (const Case& item : cases) {
        auto& [fastest, slowest] = groups.try_emplace(settings_key(item), &item, &item).first->second;
        if (item.log_measured < fastest->log_measured) fastest = &item;
        if (item.log_measured > slowest->log_measured) slowest = &item;
    }
    std::set<const MeasuredRun*> left_out;
    for (const Case& item : cases) {
        const auto& [fastest, slowest] = groups.at(settings_key(item));
        if (slowest->log_measured - fastest->log_measured <= std::log(kContradiction)) continue;
        const double middle = (fastest->log_measured + slowest->log_measured) / 2;
        const MeasuredRun& other = item.log_measured < middle ? *slowest->run : *fastest->run;
        left_out.insert(item.run);
        skipped.push_back(
            {item.run,
             translate("it took {1}, but {2} took {3} with the same settings: times more than {4} apart show "
                       "that something else differs",
                       {format(item.run->step_time, Quantity::seconds), other.id,
                        format(other.step_time, Quantity::seconds), exact(kContradiction) + " ×"}),
             false});
    }
    std::erase_if(cases, [&](const Case& item) { return left_out.contains(item.run); });
}

std::vector<Case> cases_of(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue,
                           const CalibrationOptions& options, std::vector<Validation::Skipped>& skipped) {
    std::vector<Case> out;
    for (const MeasuredRun& run : runs) {
        if (options.take && !options.take(run)) continue;
        if (!(run.step_time > 0)) {
            skipped.push_back({&run, translate("no step time and no tokens/s"), false});
            continue;
        }
        if (run.has_layer_pattern) {
            skipped.push_back(
                {&run, translate("no constant is fitted to models with a layer pattern"), false});
            continue;
        }
        if (!run.has_good_time()) {
            skipped.push_back(
                {&run, translate("the quality of its step time is “{1}”", {name_of(run.quality)}), false});
            continue;
        }
        Problems problems;
        const Scenario scenario = scenario_of(run, catalogue, problems);
        if (!problems.empty()) {
            skipped.push_back({&run, problems.front().text(), run.not_modelled.empty()});
            continue;
        }
        Case item;
        item.run = &run;
        item.settings = resolve(scenario);
        item.gpu_part = part_of(scenario.gpu_preset());
        item.stack_part = catalogue.stack(item.settings[P::software], item.settings[P::software_version]);
        if (item.stack_part) item.stack = item.stack_part->name;
        item.machine = run.gpu + "|" + exact(item.settings[P::gpus_per_node]) + "|" +
                       exact(item.settings[P::inter_node_bandwidth]);
        item.fold = item.machine + "|" + run.software + "|" + run.model;
        item.log_measured = std::log(run.step_time);
        out.push_back(std::move(item));
    }
    leave_out_contradictions(out, skipped);
    return out;
}

// For each run the index of the first run of its family that has the same settings.
std::vector<std::size_t> first_equals(const std::vector<Case>& cases) {
    std::map<std::string, std::size_t> first;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        out.push_back(first.emplace(cases[i].run->family + "," + settings_key(cases[i]), i).first->second);
    }
    return out;
}

// One unknown of the solver: a constant of a part.
struct Unknown {
    const ConstantRow* row = nullptr;
    std::string part;
    double prior = 0;  // in the unit of the parameter
};

double inward(const ConstantRow& row, double value) { return row.logarithmic ? std::log(value) : value; }
double outward(const ConstantRow& row, double x) { return row.logarithmic ? std::exp(x) : x; }

using PartConstant = std::pair<P, std::string>;  // a constant of a part

class Fitter {
  public:
    // The constants in `left` stay at their priors.
    Fitter(std::vector<Case> cases, const CalibrationOptions& options, const std::set<PartConstant>& left)
        : cases_(std::move(cases)) {
        for (std::size_t i = 0; i < cases_.size(); ++i) {
            cases_[i].constants.clear();
            Compiled scratch;
            compile(cases_[i].settings, scratch);
            const double before = step_time(scratch).total;
            for (const ConstantRow& row : kConstants) {
                if (row.scope == Scope::everywhere && !options.everywhere) continue;
                const std::string part = owner_of(row, cases_[i]);
                if (row.scope != Scope::everywhere && part.empty()) continue;
                const double value = cases_[i].settings[row.id];
                if (row.logarithmic && value <= 0) continue;  // the part does not have this effect
                // At 1 the stack fuses its operators, or recomputes the whole forward pass.
                if ((row.id == P::composed_traffic || row.id == P::recompute_share) && value == 1) continue;
                if (left.contains({row.id, part})) continue;
                auto found = std::ranges::find_if(unknowns_, [&](const Unknown& unknown) {
                    return unknown.row == &row && unknown.part == part;
                });
                if (found == unknowns_.end()) {
                    unknowns_.push_back({&row, part, value});
                    problem_.constants.push_back(
                        constant_of(row, part, value, part == kUnknownStack ? 1 : options.tightness));
                    found = unknowns_.end() - 1;
                }
                const auto j = static_cast<std::size_t>(found - unknowns_.begin());
                // A constant without effect at its prior may have one elsewhere, so that all of them are
                // applied.
                cases_[i].constants.push_back(j);
                if (!changes_step_time(i, row, before, scratch)) continue;
                problem_.constants[j].affected_residuals.push_back(i);
            }
        }
        if (options.needs_support) leave_unsupported_constants();
        problem_.scale = kScale;
        problem_.residuals = cases_.size();
        set_weights(options.needs_support);
    }

    [[nodiscard]] const std::vector<Case>& cases() const { return cases_; }
    [[nodiscard]] const std::vector<Unknown>& unknowns() const { return unknowns_; }
    [[nodiscard]] const FitProblem& problem() const { return problem_; }

    // ln(predicted ÷ measured) of one case. Every thread must pass its own `scratch`.
    [[nodiscard]] double residual(std::size_t i, const std::vector<double>& x, Compiled& scratch) const {
        const Case& item = cases_[i];
        Settings settings = item.settings;
        for (const std::size_t j : item.constants)
            settings.set(unknowns_[j].row->id, outward(*unknowns_[j].row, x[j]), Origin::calibration);
        compile(settings, scratch);
        return std::log(step_time(scratch).total) - item.log_measured;
    }

    // Fits all cases but those of `left_out` (empty: all), starting at `start`.
    [[nodiscard]] FitResult fit_without(const std::function<bool(const Case&)>& left_out,
                                        const std::vector<double>& start, int iterations) const {
        FitProblem problem = problem_;
        std::vector<char> used(cases_.size(), 1);
        for (std::size_t i = 0; i < cases_.size(); ++i) used[i] = left_out && left_out(cases_[i]) ? 0 : 1;
        for (FitConstant& constant : problem.constants)
            std::erase_if(constant.affected_residuals, [&](std::size_t i) { return !used[i]; });
        Compiled scratch;
        problem.residual = [&, used](std::size_t i, const std::vector<double>& x) {
            return used[i] ? residual(i, x, scratch) : 0.0;
        };
        problem.start = start;
        problem.most_iterations = iterations;
        return fit(problem);
    }

  private:
    // Returns the part that owns a constant of a case: the nearest one that gives it a value, or the most
    // general one.
    static std::string owner_of(const ConstantRow& row, const Case& item) {
        if (row.scope == Scope::everywhere) return {};
        std::string out;
        for (const Preset* part = row.scope == Scope::gpu ? item.gpu_part : item.stack_part; part;
             part = part->calibration) {
            out = part->name;
            if (std::ranges::find(part->values, row.id, &Values::value_type::first) != part->values.end())
                break;
        }
        return out;
    }

    // Runs with equal settings have the weight of one run together. The many runs of one fold do not outweigh
    // the others in proportion to their number, and one stack on one machine has a limited weight, because
    // its runs share what is particular to that machine. A stack that was seen on one machine only has less
    // weight: its own constants are not fitted, so its bias would go into those of the GPU and the network.
    void set_weights(bool limits_machines) {
        constexpr double kMostOfMachine = 8;
        constexpr double kMostOfOnlyMachine = 1.5;
        std::map<std::string, std::set<std::string>> machines;
        for (const Case& item : cases_) machines[item.stack].insert(item.machine);
        const std::vector<std::size_t> like = first_equals(cases_);
        std::map<std::size_t, double> equals;
        std::map<std::string, double> runs_of_fold, weight_of_machine;
        for (const std::size_t first : like) ++equals[first];
        for (std::size_t i = 0; i < cases_.size(); ++i) runs_of_fold[cases_[i].fold] += like[i] == i ? 1 : 0;
        for (std::size_t i = 0; i < cases_.size(); ++i) {
            const double weight =
                1 / (equals[like[i]] * std::sqrt(std::max(1.0, runs_of_fold[cases_[i].fold])));
            problem_.weights.push_back(weight);
            weight_of_machine[cases_[i].machine + cases_[i].stack] += weight;
        }
        for (std::size_t i = 0; i < cases_.size() && limits_machines; ++i) {
            const Case& item = cases_[i];
            const double most = machines[item.stack].size() > 1 ? kMostOfMachine : kMostOfOnlyMachine;
            problem_.weights[i] *= std::min(1.0, most / weight_of_machine[item.machine + item.stack]);
        }
    }

    // Keeps the constants of stacks that too few runs, models or machines show at their priors: they would
    // absorb properties of a machine or a model.
    void leave_unsupported_constants() {
        constexpr std::size_t kFewestRuns = 8;
        constexpr std::size_t kFewestModels = 3;
        constexpr std::size_t kFewestMachines = 2;
        for (std::size_t j = 0; j < unknowns_.size(); ++j) {
            if (unknowns_[j].row->scope != Scope::stack) continue;
            std::set<std::string> models, machines;
            for (const std::size_t i : problem_.constants[j].affected_residuals) {
                models.insert(cases_[i].run->model);
                machines.insert(cases_[i].machine);
            }
            const bool supported = problem_.constants[j].affected_residuals.size() >= kFewestRuns &&
                                   models.size() >= kFewestModels && machines.size() >= kFewestMachines;
            if (!supported) problem_.constants[j].affected_residuals.clear();
        }
    }

    static FitConstant constant_of(const ConstantRow& row, std::string_view part, double prior,
                                   double tightness) {
        FitConstant out;
        out.low = inward(row, row.low);
        out.high = inward(row, highest_of(row, part));
        out.prior = std::clamp(inward(row, prior), out.low, out.high);
        out.width = row.width * tightness;
        return out;
    }

    // Whether the constant changes the case's step time, `before`, at all.
    [[nodiscard]] bool changes_step_time(std::size_t i, const ConstantRow& row, double before,
                                         Compiled& scratch) const {
        Settings moved = cases_[i].settings;
        moved.set(row.id, outward(row, inward(row, moved[row.id]) + 0.1 * row.width), Origin::calibration);
        compile(moved, scratch);
        return std::fabs(step_time(scratch).total / before - 1) > 1e-9;
    }

    std::vector<Case> cases_;
    std::vector<Unknown> unknowns_;
    FitProblem problem_;
};

// The log times that predictions are compared with: the geometric mean of all runs with equal settings.
std::vector<double> reference_times(const std::vector<Case>& cases) {
    const std::vector<std::size_t> like = first_equals(cases);
    std::map<std::size_t, std::pair<double, int>> groups;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        auto& [sum, n] = groups[like[i]];
        sum += cases[i].log_measured;
        ++n;
    }
    std::vector<double> out;
    out.reserve(like.size());
    for (const std::size_t first : like) out.push_back(groups[first].first / groups[first].second);
    return out;
}

CrossValidation summarize_errors(const std::vector<Case>& cases, const std::vector<double>& log_error) {
    CrossValidation out;
    const std::vector<double> reference = reference_times(cases);
    struct Family {
        std::vector<double> errors;
        std::vector<std::string> folds;
    };
    std::map<std::string, Family> families;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const double error = std::exp(log_error[i] + cases[i].log_measured - reference[i]) - 1;
        out.error.push_back(error);
        for (Family* family : {&families[cases[i].run->family], &families[kAllRuns]}) {
            family->errors.push_back(error);
            family->folds.push_back(cases[i].fold);
        }
    }
    for (const auto& [name, family] : families) {
        FamilySummary& summary = out.summary[name] = summary_of(family.errors);
        summary.mean_over_folds = mean_over_folds(family.errors, family.folds);
    }
    return out;
}

// Runs that were left out of the fit, and their distances from the nearest run that was not.
struct LeftOut {
    std::vector<double> errors;
    std::vector<double> distances;
};

// The distance of each case from the nearest case of another fold.
std::vector<double> distances_of(const std::vector<Case>& cases, const std::vector<std::string>& fold_of) {
    std::vector<Position> at;
    at.reserve(cases.size());
    for (const Case& item : cases) at.push_back(position_of(item.settings));
    std::vector<double> out(cases.size(), 1);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        for (std::size_t j = 0; j < cases.size(); ++j) {
            if (fold_of[j] != fold_of[i]) out[i] = std::min(out[i], distance_between(at[i], at[j]));
        }
    }
    return out;
}

// The smallest half width that contains four of five; it is shrunk to `prior`, which has the weight of ten
// runs.
double band_of(const std::vector<double>& half_widths, double prior) {
    constexpr double kPriorRuns = 10;
    if (half_widths.empty()) return prior;
    const auto n = static_cast<double>(half_widths.size());
    return (n * quantile(half_widths, kLikelyShare) + kPriorRuns * prior) / (n + kPriorRuns);
}

struct Bands {
    std::map<std::string, double> of_stack;  // half widths by part
    double unknown_stack = 0;                // of a stack without runs
};

// The bands of the stacks, given the additional half width at distance 1: they contain four of five runs
// whose model was left out. Runs with equal settings count once. From scratch, a stack's band is shrunk to
// that of all stacks. With a user's runs it is shrunk to the stack's previous one, and stacks with few runs
// get no new band.
Bands bands(const std::vector<Case>& cases, const LeftOut& models, double distance_band, bool from_scratch) {
    constexpr std::size_t kFewestRuns = 8;
    const std::vector<std::size_t> like = first_equals(cases);
    struct Stack {
        std::vector<double> half_widths;
        double before = 0;
    };
    std::map<std::string, Stack> stacks;
    std::vector<double> all;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        Stack& stack = stacks[cases[i].stack];
        stack.before = std::log1p(cases[i].settings[P::error_band]);
        if (like[i] != i) continue;
        const double error = std::fabs(std::log1p(models.errors[i]));
        const double from_distance = half_width(0, distance_band, models.distances[i]);
        const double own = std::sqrt(std::max(0.0, error * error - from_distance * from_distance));
        stack.half_widths.push_back(own);
        all.push_back(own);
    }
    const double most = parameter(P::error_band).maximum;
    const double pooled = band_of(all, 0);
    Bands out;
    out.unknown_stack = std::min(std::expm1(pooled), most);
    for (const auto& [name, stack] : stacks) {
        if (!from_scratch && stack.half_widths.size() < kFewestRuns) continue;
        out.of_stack[name] =
            std::min(std::expm1(band_of(stack.half_widths, from_scratch ? pooled : stack.before)), most);
    }
    return out;
}

// The share of errors within their bands. `known` is whether the stack of each case is known; it then has its
// band, or its previous one if it got no new one.
double share_within(const std::vector<Case>& cases, const LeftOut& left_out, const Bands& bands,
                    double distance_band, bool known = true) {
    double within = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto found = bands.of_stack.find(cases[i].stack);
        const double own = !known                          ? bands.unknown_stack
                           : found == bands.of_stack.end() ? cases[i].settings[P::error_band]
                                                           : found->second;
        const double half = half_width(own, distance_band, left_out.distances[i]);
        if (std::fabs(std::log1p(left_out.errors[i])) <= half) within += 1;
    }
    return within / static_cast<double>(cases.size());
}

// The smallest additional half width at distance 1 with which four of five runs lie in their bands, for
// machines left out whole and for stacks left out whole.
double distance_band_of(const std::vector<Case>& cases, const LeftOut& models, const LeftOut& machines,
                        const LeftOut& stacks) {
    constexpr double kStep = 0.01;
    const double most = parameter(P::distance_band).maximum;
    for (double width = 0; width < most; width += kStep) {
        const Bands found = bands(cases, models, width, true);
        if (share_within(cases, machines, found, width) >= kLikelyShare &&
            share_within(cases, stacks, found, width, false) >= kLikelyShare)
            return width;
    }
    return most;
}

// Runs `work(i)` for i = 0 … n − 1 on all processors.
template <typename Work>
void in_parallel(std::size_t n, Work&& work) {
    const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> pool;
    for (std::size_t t = 0; t < threads; ++t) {
        pool.emplace_back([&, t] {
            for (std::size_t i = t; i < n; i += threads) work(i);
        });
    }
    for (std::thread& thread : pool) thread.join();
}

// The errors of each fold when it is predicted by a calibration on the others.
std::vector<double> left_out_errors(const Fitter& fitter, const std::vector<std::string>& fold_of,
                                    const std::vector<double>& start) {
    std::set<std::string> names(fold_of.begin(), fold_of.end());
    const std::vector<std::string> folds(names.begin(), names.end());
    const std::vector<Case>& cases = fitter.cases();
    std::vector<double> errors(cases.size(), 0);
    in_parallel(folds.size(), [&](std::size_t f) {
        const auto index_of = [&](const Case& item) {
            return static_cast<std::size_t>(&item - cases.data());
        };
        const FitResult result = fitter.fit_without(
            [&](const Case& item) { return fold_of[index_of(item)] == folds[f]; }, start, 15);
        Compiled scratch;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (fold_of[i] == folds[f]) errors[i] = fitter.residual(i, result.x, scratch);
        }
    });
    return errors;
}

}  // namespace

std::vector<PriorWidth> prior_widths() {
    std::vector<PriorWidth> out;
    for (const ConstantRow& row : kConstants)
        out.push_back({row.id, row.width, row.low, row.high, row.logarithmic});
    return out;
}

Calibration calibrate(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue,
                      const CalibrationOptions& options) {
    Calibration out;
    std::vector<Case> all = cases_of(runs, catalogue, options, out.skipped);
    for (const Case& item : all) out.used.push_back(item.run);
    if (all.empty()) return out;
    // A constant that the runs do not identify stays at its prior, because fitting it only adds noise to the
    // others.
    std::set<PartConstant> left;
    {
        const Fitter first(all, options, left);
        const FitResult found = first.fit_without({}, {}, 100);
        for (std::size_t j = 0; j < first.unknowns().size(); ++j) {
            if (found.uncertainty[j] <= kUnidentified) continue;
            const Unknown& unknown = first.unknowns()[j];
            left.insert({unknown.row->id, unknown.part});
            out.unidentified.push_back(
                {unknown.row->id, unknown.part, unknown.prior, unknown.prior, found.uncertainty[j],
                 static_cast<int>(first.problem().constants[j].affected_residuals.size())});
        }
    }
    const Fitter fitter(std::move(all), options, left);
    const std::vector<Case>& cases = fitter.cases();
    const FitResult result = fitter.fit_without({}, {}, 100);
    for (std::size_t j = 0; j < fitter.unknowns().size(); ++j) {
        const Unknown& unknown = fitter.unknowns()[j];
        out.constants.push_back({unknown.row->id, unknown.part, unknown.prior,
                                 outward(*unknown.row, result.x[j]), result.uncertainty[j],
                                 static_cast<int>(fitter.problem().constants[j].affected_residuals.size())});
    }
    Compiled scratch;
    std::vector<double> errors;
    for (std::size_t i = 0; i < cases.size(); ++i) errors.push_back(fitter.residual(i, result.x, scratch));
    out.fitted = summarize_errors(cases, errors);
    if (!options.cross_validate) return out;

    std::vector<std::string> models, machines, stacks;
    for (const Case& item : cases) {
        models.push_back(item.fold);
        machines.push_back(item.machine);
        stacks.push_back(item.stack);
    }
    const auto one_fold = [](const std::vector<std::string>& folds) {
        return std::ranges::all_of(folds, [&](const std::string& fold) { return fold == folds.front(); });
    };
    // With one model on one machine, each run is one fold, together with those of equal settings.
    out.single_model = one_fold(models);
    if (out.single_model) {
        const std::vector<std::size_t> like = first_equals(cases);
        for (std::size_t i = 0; i < models.size(); ++i) models[i] = std::to_string(like[i]);
    }
    const auto left_out = [&](const std::vector<std::string>& folds, CrossValidation& validation) {
        validation = summarize_errors(cases, left_out_errors(fitter, folds, result.x));
        return LeftOut{validation.error, distances_of(cases, folds)};
    };
    if (one_fold(models)) return out;
    const LeftOut of_models = left_out(models, out.new_model);
    LeftOut of_machines, of_stacks;
    if (!one_fold(machines)) of_machines = left_out(machines, out.new_machine);
    if (!one_fold(stacks)) of_stacks = left_out(stacks, out.new_stack);
    const bool several = !of_machines.errors.empty() && !of_stacks.errors.empty();
    if (options.everywhere && several)
        out.distance_band = distance_band_of(cases, of_models, of_machines, of_stacks);
    else out.distance_band = cases.front().settings[P::distance_band];
    const Bands found = bands(cases, of_models, out.distance_band, options.everywhere);
    out.band = found.of_stack;
    out.unknown_stack_band = found.unknown_stack;
    out.shows_distance = options.everywhere && several;
    out.new_model.within_band = share_within(cases, of_models, found, out.distance_band);
    if (!of_machines.errors.empty())
        out.new_machine.within_band = share_within(cases, of_machines, found, out.distance_band);
    if (!of_stacks.errors.empty())
        out.new_stack.within_band = share_within(cases, of_stacks, found, out.distance_band, false);
    return out;
}

std::vector<NewStack> new_stacks(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue) {
    constexpr std::size_t kRunsGiven = 8;
    std::vector<Validation::Skipped> skipped;
    const CalibrationOptions options;
    const Fitter fitter(cases_of(runs, catalogue, options, skipped), options, {});
    const std::vector<Case>& cases = fitter.cases();
    if (cases.empty()) return {};
    const std::vector<double> start = fitter.fit_without({}, {}, 100).x;
    // A calibration with a stack's own runs fits all of its constants.
    CalibrationOptions with_own_runs;
    with_own_runs.needs_support = false;
    const Fitter own_fitter(cases, with_own_runs, {});
    const std::vector<double> reference = reference_times(cases);
    std::map<std::string, std::vector<std::size_t>> stacks;
    for (std::size_t i = 0; i < cases.size(); ++i) stacks[cases[i].run->software].push_back(i);

    std::vector<NewStack> out;
    out.reserve(stacks.size());
    for (const auto& entry : stacks)
        out.push_back({entry.first, static_cast<int>(entry.second.size()), 0, 0, 0});
    in_parallel(out.size(), [&](std::size_t at) {
        NewStack& stack = out[at];
        const std::vector<std::size_t>& own = stacks.at(stack.software);
        Compiled scratch;
        // The errors of `judged` after a calibration without `left_out`.
        const auto errors_of = [&](const Fitter& of, const std::set<std::size_t>& left_out,
                                   const std::vector<std::size_t>& judged) {
            const FitResult result = of.fit_without(
                [&](const Case& item) {
                    return left_out.contains(static_cast<std::size_t>(&item - of.cases().data()));
                },
                start, 15);
            std::vector<double> errors;
            for (const std::size_t i : judged) {
                const double log_error =
                    of.residual(i, result.x, scratch) + cases[i].log_measured - reference[i];
                errors.push_back(std::exp(log_error) - 1);
            }
            return summary_of(errors);
        };
        const FamilySummary blind = errors_of(fitter, {own.begin(), own.end()}, own);
        stack.blind = blind.mean_abs_error;
        stack.bias = blind.bias;
        if (own.size() > kRunsGiven + 1) {
            // The calibration uses eight runs, spread evenly over the table, and is judged by the others.
            std::set<std::size_t> rest(own.begin(), own.end());
            for (std::size_t k = 0; k < kRunsGiven; ++k) rest.erase(own[k * own.size() / kRunsGiven]);
            stack.calibrated = errors_of(own_fitter, rest, {rest.begin(), rest.end()}).mean_abs_error;
        } else if (own.size() > 1) {
            // There are too few runs for that, so that each is predicted from all others.
            for (const std::size_t i : own)
                stack.calibrated +=
                    errors_of(own_fitter, {i}, {i}).mean_abs_error / static_cast<double>(own.size());
        } else {
            stack.calibrated = std::nan("");
        }
    });
    return out;
}

std::vector<PartValues> parts_of(const Calibration& calibration) {
    std::vector<PartValues> out;
    const auto part = [&](const std::string& name) -> PartValues& {
        const auto found = std::ranges::find(out, name, &PartValues::part);
        return found == out.end() ? out.emplace_back(PartValues{name, {}}) : *found;
    };
    for (const FittedConstant& constant : calibration.constants)
        part(constant.part).values.emplace_back(constant.id, constant.value);
    for (const auto& [name, band] : calibration.band) part(name).values.emplace_back(P::error_band, band);
    if (calibration.shows_distance) {
        part({}).values.emplace_back(P::error_band, calibration.unknown_stack_band);
        part({}).values.emplace_back(P::distance_band, calibration.distance_band);
    }
    std::ranges::sort(out, {}, &PartValues::part);
    return out;
}

}  // namespace shardscope
