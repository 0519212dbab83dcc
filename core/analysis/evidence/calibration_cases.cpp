#include "evidence/calibration_cases.h"

#include <cmath>
#include <map>
#include <set>

#include "text/translate.h"

namespace shardscope {
namespace {

constexpr double kContradiction = 1.5;  // the largest ratio of the times of runs with equal settings

const Preset* part_of(const Preset* gpu) { return gpu ? gpu->calibration : nullptr; }

// A key that is equal for runs with equal settings.
std::string settings_key(const CalibrationCase& item) {
    std::string out;
    for (std::size_t p = 0; p < kParameters; ++p)
        out += std::to_string(item.settings[static_cast<P>(p)]) + ",";
    return out;
}

// Leaves out runs with the same settings whose times are far apart, because they must differ in something
// that no column contains. The message of each names the run that contradicts it most.
void leave_out_contradictions(std::vector<CalibrationCase>& cases,
                              std::vector<Validation::Skipped>& skipped) {
    std::map<std::string, std::pair<const CalibrationCase*, const CalibrationCase*>>
        groups;  // the fastest and the slowest
    for (const CalibrationCase& item : cases) {
        auto& [fastest, slowest] = groups.try_emplace(settings_key(item), &item, &item).first->second;
        if (item.log_measured < fastest->log_measured) fastest = &item;
        if (item.log_measured > slowest->log_measured) slowest = &item;
    }
    std::set<const MeasuredRun*> left_out;
    for (const CalibrationCase& item : cases) {
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
    std::erase_if(cases, [&](const CalibrationCase& item) { return left_out.contains(item.run); });
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

std::vector<std::size_t> first_equals(const std::vector<CalibrationCase>& cases) {
    std::map<std::string, std::size_t> first;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        out.push_back(first.emplace(cases[i].run->family + "," + settings_key(cases[i]), i).first->second);
    }
    return out;
}

}  // namespace shardscope
