#include "evidence/calibration_cases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "step/step.h"
#include "text/translate.h"

namespace shardscope {
namespace {

const Preset* part_of(const Preset* gpu) { return gpu ? gpu->calibration : nullptr; }

// Leaves out runs with the same settings whose times are far apart.
void leave_out_contradictions(std::vector<CalibrationCase>& cases,
                              std::vector<Validation::Skipped>& skipped) {
    const std::vector<std::string> reasons = contradictions(with_settings(cases));
    std::vector<CalibrationCase> kept;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (reasons[i].empty()) kept.push_back(std::move(cases[i]));
        else skipped.push_back({cases[i].run, reasons[i], false});
    }
    cases = std::move(kept);
}

}  // namespace

std::vector<CalibrationCase> cases_of(const std::vector<MeasuredRun>& runs, const Catalogue& catalogue,
                                      const CalibrationOptions& options,
                                      std::vector<Validation::Skipped>& skipped) {
    std::vector<CalibrationCase> out;
    for (const MeasuredRun& run : runs) {
        if (options.take && !options.take(run)) continue;
        if (!(run.step_time > 0)) {
            skipped.push_back({&run, translate("no step time and no tokens/s"), false});
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
        CalibrationCase item;
        item.run = &run;
        item.settings = resolve(scenario);
        item.gpu_part = part_of(scenario.gpu_preset());
        item.stack_part = catalogue.stack(item.settings[P::software], item.settings[P::software_version]);
        item.fabric_part = scenario.cluster ? scenario.cluster->calibration : scenario.calibration;
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

double log_error(const Settings& settings, double log_measured, Compiled& scratch) {
    compile(settings, scratch);
    return std::log(step_time(scratch).total) - log_measured;
}

void forget_own_runs(CalibrationCase& item) {
    constexpr std::string_view kStack = "stack-nanotron";
    constexpr std::array kConstants{P::launch_overhead, P::pipeline_layer_overhead};
    if (item.stack != kStack) return;
    for (const P id : kConstants) {
        double value = parameter(id).fallback;
        for (const Preset* part = item.stack_part->calibration; part; part = part->calibration) {
            const auto found = std::ranges::find(part->values, id, &Values::value_type::first);
            if (found == part->values.end()) continue;
            value = found->second;
            break;
        }
        item.settings.set(id, value, Origin::calibration);
    }
}

std::vector<RunWithSettings> with_settings(const std::vector<CalibrationCase>& cases) {
    std::vector<RunWithSettings> out;
    out.reserve(cases.size());
    for (const CalibrationCase& item : cases) out.push_back({item.run, &item.settings});
    return out;
}

}  // namespace shardscope
