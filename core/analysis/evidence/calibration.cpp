#include "evidence/calibration.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <thread>

#include "evidence/calibration_bands.h"
#include "evidence/calibration_cases.h"
#include "evidence/calibration_fit.h"

namespace shardscope {
namespace {

CrossValidation summarize_errors(const std::vector<CalibrationCase>& cases,
                                 const std::vector<double>& log_errors) {
    CrossValidation out;
    const std::vector<double> reference = common_times(with_settings(cases));
    struct Family {
        std::vector<double> errors;
        std::vector<std::string> folds;
    };
    std::map<std::string, Family> families;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const double error = std::exp(log_errors[i] + cases[i].log_measured) / reference[i] - 1;
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

// Returns a case with the constants of a fit that has seen no run of its stack.
CalibrationCase blind_case(const CalibrationFit& fitter, std::size_t i, const std::vector<double>& x) {
    CalibrationCase out = fitter.with_constants(i, x);
    forget_own_runs(out);
    return out;
}

// The errors of each fold when it is predicted by a calibration on the others.
std::vector<double> left_out_errors(const CalibrationFit& fitter, const std::vector<std::string>& fold_of) {
    std::set<std::string> names(fold_of.begin(), fold_of.end());
    const std::vector<std::string> folds(names.begin(), names.end());
    const std::vector<CalibrationCase>& cases = fitter.cases();
    std::vector<double> errors(cases.size(), 0);
    // A stack may have all of its runs in one fold.
    std::map<std::string, std::set<std::string>> folds_of_stack;
    for (std::size_t i = 0; i < cases.size(); ++i) folds_of_stack[cases[i].stack].insert(fold_of[i]);
    in_parallel(folds.size(), [&](std::size_t f) {
        const auto index_of = [&](const CalibrationCase& item) {
            return static_cast<std::size_t>(&item - cases.data());
        };
        const FittedUnknowns result = fitter.fit_without(
            [&](const CalibrationCase& item) { return fold_of[index_of(item)] == folds[f]; });
        Compiled scratch;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            if (fold_of[i] != folds[f]) continue;
            const bool is_blind = folds_of_stack.at(cases[i].stack).size() == 1;
            errors[i] =
                is_blind ? log_error(blind_case(fitter, i, result.x).settings, cases[i].log_measured, scratch)
                         : fitter.residual(i, result.x, scratch);
        }
    });
    return errors;
}

}  // namespace

CalibrationOptions for_own_runs() {
    CalibrationOptions out;
    out.everywhere = out.needs_support = false;
    out.prior_width_factor = 0.5;
    return out;
}

Calibration calibrate(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue,
                      const CalibrationOptions& options) {
    Calibration out;
    std::vector<CalibrationCase> all = cases_of(runs, catalogue, options, out.skipped);
    for (const CalibrationCase& item : all) out.used.push_back(item.run);
    if (all.empty()) return out;
    const CalibrationFit fitter(std::move(all), options);
    const std::vector<CalibrationCase>& cases = fitter.cases();
    const FittedUnknowns result = fitter.fit_without({});
    for (std::size_t j = 0; j < fitter.unknowns().size(); ++j) {
        const UnknownConstant& unknown = fitter.unknowns()[j];
        const double value = result.identified[j] ? outward(*unknown.row, result.x[j]) : unknown.prior;
        (result.identified[j] ? out.constants : out.unidentified)
            .push_back(
                {unknown.row->id, unknown.part, unknown.prior, value, result.uncertainty[j], result.runs[j]});
    }
    Compiled scratch;
    std::vector<double> errors;
    for (std::size_t i = 0; i < cases.size(); ++i) errors.push_back(fitter.residual(i, result.x, scratch));
    out.fitted = summarize_errors(cases, errors);
    if (!options.cross_validate) return out;

    std::vector<std::string> models, names, machines, families, stacks;
    for (const CalibrationCase& item : cases) {
        names.push_back(item.run->model);
        models.push_back(item.fold);
        machines.push_back(item.machine);
        families.push_back(item.run->family);
        stacks.push_back(item.stack);
    }
    const auto one_fold = [](const std::vector<std::string>& folds) {
        return std::ranges::all_of(folds, [&](const std::string& fold) { return fold == folds.front(); });
    };
    // With one model on one machine, each run is one fold, together with those of equal settings.
    out.single_model = one_fold(models);
    if (out.single_model) {
        const std::vector<std::size_t> like = first_equals(with_settings(cases));
        for (std::size_t i = 0; i < models.size(); ++i) models[i] = std::to_string(like[i]);
    }
    const auto left_out = [&](const std::vector<std::string>& folds, CrossValidation& validation) {
        validation = summarize_errors(cases, left_out_errors(fitter, folds));
        return LeftOut{validation.error, distances_of(cases, folds)};
    };
    if (one_fold(models)) return out;
    const LeftOut of_models = left_out(models, out.new_model);
    LeftOut of_names, of_machines, of_families, of_stacks;
    if (options.everywhere && !one_fold(names)) of_names = left_out(names, out.unseen_model);
    if (!one_fold(machines)) of_machines = left_out(machines, out.new_machine);
    if (options.everywhere && !one_fold(families)) of_families = left_out(families, out.new_family);
    if (!one_fold(stacks)) of_stacks = left_out(stacks, out.new_stack);
    const bool several = !of_machines.errors.empty() && !of_stacks.errors.empty();
    const BandEvidence evidence{of_models, of_stacks, out.fitted.error};
    if (options.everywhere && several) out.distance_band = distance_band_of(cases, evidence, of_machines);
    else out.distance_band = cases.front().settings[P::distance_band];
    const Bands found = bands(cases, evidence, out.distance_band, options.everywhere);
    out.band = found.of_stack;
    out.unknown_stack_band = found.unknown_stack;
    out.shows_distance = options.everywhere && several;
    const auto judge = [&](CrossValidation& validation, const LeftOut& judged,
                           const std::vector<std::string>& folds, bool known) {
        if (judged.errors.empty()) return;
        validation.within_band =
            share_within(cases, judged, folds, evidence, out.distance_band, options.everywhere, known);
    };
    judge(out.new_model, of_models, models, true);
    judge(out.unseen_model, of_names, names, true);
    judge(out.new_machine, of_machines, machines, true);
    judge(out.new_family, of_families, families, true);
    judge(out.new_stack, of_stacks, stacks, false);
    return out;
}

namespace {

// Returns the errors of the cases in `judged` after a calibration on those in `given`, as a user makes it:
// only the constants of GPU and stack are fitted, from the values that the cases have. A given run whose
// settings equal those of judged ones weighs less.
std::vector<double> errors_after(const std::vector<CalibrationCase>& cases,
                                 const std::set<std::size_t>& given, const std::vector<std::size_t>& judged) {
    CalibrationOptions options = for_own_runs();
    options.stacks_are_new = true;
    const CalibrationFit fitter(cases, options);
    const FittedUnknowns result = fitter.fit_without([&](const CalibrationCase& item) {
        return !given.contains(static_cast<std::size_t>(&item - fitter.cases().data()));
    });
    Compiled scratch;
    std::vector<double> out;
    out.reserve(judged.size());
    for (const std::size_t i : judged) out.push_back(fitter.residual(i, result.x, scratch));
    return out;
}

}  // namespace

std::vector<NewStack> new_stacks(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue) {
    constexpr std::size_t kRunsGiven = 8;
    std::vector<Validation::Skipped> skipped;
    const CalibrationOptions options;
    const CalibrationFit fitter(cases_of(runs, catalogue, options, skipped), options);
    const std::vector<CalibrationCase>& cases = fitter.cases();
    if (cases.empty()) return {};
    const std::vector<double> reference = common_times(with_settings(cases));
    std::map<std::string, std::vector<std::size_t>> stacks;
    for (std::size_t i = 0; i < cases.size(); ++i) stacks[cases[i].run->software].push_back(i);

    std::vector<NewStack> out;
    out.reserve(stacks.size());
    for (const auto& entry : stacks)
        out.push_back({entry.first, static_cast<int>(entry.second.size()), 0, 0, 0});
    in_parallel(out.size(), [&](std::size_t at) {
        NewStack& stack = out[at];
        const std::vector<std::size_t>& own = stacks.at(stack.software);
        const auto is_own = [&](const CalibrationCase& item) { return item.run->software == stack.software; };
        const std::vector<double> others = fitter.fit_without(is_own).x;
        std::vector<CalibrationCase> blind;  // the stack's runs with the constants of the other stacks
        blind.reserve(own.size());
        for (const std::size_t i : own) blind.push_back(blind_case(fitter, i, others));
        const auto summary = [&](const std::vector<double>& log_errors,
                                 const std::vector<std::size_t>& judged) {
            std::vector<double> errors;
            for (std::size_t k = 0; k < judged.size(); ++k) {
                const std::size_t i = own[judged[k]];
                errors.push_back(std::exp(log_errors[k] + cases[i].log_measured) / reference[i] - 1);
            }
            return summary_of(errors);
        };
        std::vector<std::size_t> all(own.size());
        std::iota(all.begin(), all.end(), 0);
        Compiled scratch;
        std::vector<double> log_errors;
        log_errors.reserve(own.size());
        for (const CalibrationCase& item : blind)
            log_errors.push_back(log_error(item.settings, item.log_measured, scratch));
        const FamilySummary before = summary(log_errors, all);
        stack.blind = before.mean_abs_error;
        stack.bias = before.bias;
        if (own.size() > kRunsGiven + 1) {
            // The calibration uses eight runs, spread evenly over the table, and is judged by the others.
            std::set<std::size_t> given;
            for (std::size_t k = 0; k < kRunsGiven; ++k) given.insert(k * own.size() / kRunsGiven);
            std::vector<std::size_t> rest = all;
            std::erase_if(rest, [&](std::size_t i) { return given.contains(i); });
            stack.calibrated = summary(errors_after(blind, given, rest), rest).mean_abs_error;
        } else if (own.size() > 1) {
            // There are too few runs for that, so that each is predicted from all others.
            for (const std::size_t i : all) {
                std::set<std::size_t> given(all.begin(), all.end());
                given.erase(i);
                stack.calibrated += summary(errors_after(blind, given, {i}), {i}).mean_abs_error /
                                    static_cast<double>(own.size());
            }
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
