#include "evidence/calibration_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "step/step.h"

namespace shardscope {
namespace {

constexpr std::string_view kUnknownStack =
    "stack-other";                   // its priors are defaults: `prior_width_factor` is not used
constexpr double kRunScale = 0.025;  // the loss of larger residuals is linear

bool gives(const Preset* part, P id) {
    return part && std::ranges::find(part->values, id, &Values::value_type::first) != part->values.end();
}

// Returns the part that owns a constant of a case: the nearest one that gives it a value, or the most
// general one.
std::string owner_of(const ConstantRow& row, const CalibrationCase& item) {
    if (row.scope == Scope::everywhere) return {};
    std::string out;
    for (const Preset* part = row.scope == Scope::gpu ? item.gpu_part : item.stack_part; part;
         part = part->calibration) {
        out = part->name;
        if (gives(part, row.id)) break;
    }
    return out;
}

FitConstant constant_of(const ConstantRow& row, double prior, double prior_width_factor) {
    FitConstant out;
    out.low = inward(row, row.low);
    out.high = inward(row, row.high);
    out.prior = std::clamp(inward(row, prior), out.low, out.high);
    out.width = row.width * prior_width_factor;
    if (row.has_threshold) {
        for (const double widths : {1.0, 2.0, 3.0})
            out.starts.push_back(std::min(out.prior + widths * out.width, out.high));
    }
    return out;
}

}  // namespace

CalibrationFit::CalibrationFit(std::vector<CalibrationCase> cases, const CalibrationOptions& options)
    : cases_(std::move(cases)), are_public_(options.needs_support) {
    for (std::size_t i = 0; i < cases_.size(); ++i) {
        cases_[i].constants.clear();
        Compiled scratch;
        compile(cases_[i].settings, scratch);
        const double before = step_time(scratch).total;
        for (const ConstantRow& row : calibration_constants()) {
            if (row.scope == Scope::everywhere && !options.everywhere) continue;
            if (gives(cases_[i].fabric_part, row.id)) continue;
            const std::string part = owner_of(row, cases_[i]);
            if (row.scope != Scope::everywhere && part.empty()) continue;
            const double value = cases_[i].settings[row.id];
            // The stack is assumed not to have this effect. A user's own runs may show it.
            if (value <= 0 && (row.logarithmic || (row.has_threshold && are_public_))) continue;
            // At 1 the stack fuses its operators, or recomputes the whole forward pass.
            if ((row.id == P::composed_traffic || row.id == P::recompute_share) && value == 1) continue;
            auto found = std::ranges::find_if(unknowns_, [&](const UnknownConstant& unknown) {
                return unknown.row == &row && unknown.part == part;
            });
            if (found == unknowns_.end()) {
                unknowns_.push_back({&row, part, value});
                const bool is_new =
                    row.scope == Scope::stack && (options.stacks_are_new || part == kUnknownStack);
                problem_.constants.push_back(
                    constant_of(row, value, is_new ? 1 : options.prior_width_factor));
                found = unknowns_.end() - 1;
            }
            const auto j = static_cast<std::size_t>(found - unknowns_.begin());
            // The lowest limit of the runs counts.
            FitConstant& constant = problem_.constants[j];
            constant.high = std::min(constant.high, inward(row, highest_of(row, part, cases_[i].settings)));
            constant.prior = std::min(constant.prior, constant.high);
            // A constant without effect at its prior may have one elsewhere, so that all of them are
            // applied.
            cases_[i].constants.push_back(j);
            if (!changes_step_time(i, row, before, scratch)) continue;
            problem_.constants[j].affected_residuals.push_back(i);
        }
    }
    problem_.scale = kRunScale;
    problem_.residuals = cases_.size();
    like_ = first_equals(with_settings(cases_));
}

CalibrationCase CalibrationFit::with_constants(std::size_t i, const std::vector<double>& x) const {
    CalibrationCase out = cases_[i];
    set_constants(i, x, out.settings);
    return out;
}

double CalibrationFit::residual(std::size_t i, const std::vector<double>& x, Compiled& scratch) const {
    Settings settings = cases_[i].settings;
    set_constants(i, x, settings);
    return log_error(settings, cases_[i].log_measured, scratch);
}

void CalibrationFit::set_constants(std::size_t i, const std::vector<double>& x, Settings& settings) const {
    for (const std::size_t j : cases_[i].constants)
        settings.set(unknowns_[j].row->id, outward(*unknowns_[j].row, x[j]), Origin::calibration);
}

FittedUnknowns CalibrationFit::fit_without(
    const std::function<bool(const CalibrationCase&)>& left_out) const {
    FitProblem problem = problem_;
    std::vector<char> used(cases_.size(), 1);
    for (std::size_t i = 0; i < cases_.size(); ++i) used[i] = left_out && left_out(cases_[i]) ? 0 : 1;
    for (FitConstant& constant : problem.constants)
        std::erase_if(constant.affected_residuals, [&](std::size_t i) { return !used[i]; });
    Compiled scratch;
    problem.residual = [&](std::size_t i, const std::vector<double>& x) { return residual(i, x, scratch); };
    problem.weights = weights_of(used);
    if (are_public_) leave_unsupported_constants(problem);
    const FitResult first = fit(problem);
    FittedUnknowns out{first.x, first.uncertainty, {}, {}};
    for (std::size_t j = 0; j < problem.constants.size(); ++j) {
        out.runs.push_back(static_cast<int>(problem.constants[j].affected_residuals.size()));
        out.identified.push_back(first.uncertainty[j] <= kUnidentified ? 1 : 0);
        if (!out.identified[j]) problem.constants[j].affected_residuals.clear();
    }
    if (std::ranges::count(out.identified, 0) == 0) return out;
    problem.start = first.x;
    const FitResult second = fit(problem);
    out.x = second.x;
    for (std::size_t j = 0; j < problem.constants.size(); ++j) {
        if (out.identified[j]) out.uncertainty[j] = second.uncertainty[j];
    }
    return out;
}

// Runs with equal settings have the weight of one run together. Of public runs, the many of one fold do not
// outweigh the others in proportion to their number, and one stack on one machine has a limited weight,
// because its runs share what is particular to that machine. A stack that was seen on one machine only has
// less weight: its own constants are not fitted, so its bias would go into those of the GPU and the network.
std::vector<double> CalibrationFit::weights_of(const std::vector<char>& used) const {
    constexpr double kMostOfMachine = 8;
    constexpr double kMostOfOnlyMachine = 1.5;
    std::map<std::string, std::set<std::string>> machines;
    std::map<std::string, double> runs_of_fold, weight_of_machine;
    std::map<std::size_t, double> equals;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
        if (!used[i]) continue;
        machines[cases_[i].stack].insert(cases_[i].machine);
        if (++equals[like_[i]] == 1) ++runs_of_fold[cases_[i].fold];
    }
    std::vector<double> out(cases_.size(), 0);
    for (std::size_t i = 0; i < cases_.size(); ++i) {
        if (!used[i]) continue;
        // Equal runs count in the fold of the first of them, so that another fold may count none.
        const double runs_in_fold = are_public_ ? std::max(1.0, runs_of_fold[cases_[i].fold]) : 1;
        out[i] = 1 / (equals[like_[i]] * std::sqrt(runs_in_fold));
        weight_of_machine[cases_[i].machine + cases_[i].stack] += out[i];
    }
    for (std::size_t i = 0; i < cases_.size() && are_public_; ++i) {
        if (!used[i]) continue;
        const double most = machines[cases_[i].stack].size() > 1 ? kMostOfMachine : kMostOfOnlyMachine;
        out[i] *= std::min(1.0, most / weight_of_machine[cases_[i].machine + cases_[i].stack]);
    }
    return out;
}

// Keeps constants that too few runs, models or machines show at their priors: they would absorb properties of
// a machine or a model. Those of a GPU may come from one machine. A run shows a constant if its step time
// changes with it; a constant with a threshold is moved to the end of its range for this.
void CalibrationFit::leave_unsupported_constants(FitProblem& problem) const {
    constexpr std::size_t kFewestRuns = 8;
    constexpr std::size_t kFewestModels = 3;
    constexpr std::size_t kFewestMachines = 2;
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
        std::set<std::string> models, machines;
        for (const std::size_t i : problem.constants[j].affected_residuals) {
            models.insert(cases_[i].run->model);
            machines.insert(cases_[i].machine);
        }
        const bool supported = problem.constants[j].affected_residuals.size() >= kFewestRuns &&
                               models.size() >= kFewestModels &&
                               (machines.size() >= kFewestMachines || unknowns_[j].row->scope == Scope::gpu);
        if (!supported) problem.constants[j].affected_residuals.clear();
    }
}

// Returns whether the constant changes the case's step time, `before`, at all.
bool CalibrationFit::changes_step_time(std::size_t i, const ConstantRow& row, double before,
                                       Compiled& scratch) const {
    Settings moved = cases_[i].settings;
    const double beside = outward(row, inward(row, moved[row.id]) + 0.1 * row.width);
    moved.set(row.id, row.has_threshold ? row.high : beside, Origin::calibration);
    compile(moved, scratch);
    return std::fabs(step_time(scratch).total / before - 1) > 1e-9;
}

}  // namespace shardscope
