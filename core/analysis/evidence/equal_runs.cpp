#include "evidence/equal_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "text/translate.h"

namespace shardscope {
namespace {

// Inputs on which no step time depends.
constexpr std::array kNotOfStep{P::price_per_gpu_hour,  P::tdp,
                                P::training_tokens,     P::critical_batch_law,
                                P::flops_convention,    P::risk_margin,
                                P::error_band,          P::distance_band,
                                P::critical_batch,      P::loss_parameters,
                                P::loss_exponent,       P::loss_batch,
                                P::loss_batch_exponent, P::data_batch,
                                P::data_batch_exponent, P::mtbf_hours_per_gpu,
                                P::checkpoint_interval, P::checkpoint_time,
                                P::storage_bandwidth,   P::restart_time};

// A key that is equal for runs with equal settings. Programs that are not known are all `other`, but differ.
std::string settings_key(const RunWithSettings& item) {
    const Settings& settings = *item.settings;
    std::string out;
    if (settings.choice<Software>(P::software) == Software::other) out = item.run->software + ",";
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (std::ranges::find(kNotOfStep, id) == kNotOfStep.end()) out += exact(settings[id]) + ",";
    }
    return out;
}

}  // namespace

std::vector<std::size_t> first_equals(const std::vector<RunWithSettings>& runs) {
    std::map<std::string, std::size_t> first;
    std::vector<std::size_t> out;
    out.reserve(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::string key = runs[i].run->family + "," + settings_key(runs[i]);
        out.push_back(first.emplace(key, i).first->second);
    }
    return out;
}

std::vector<double> common_times(const std::vector<RunWithSettings>& runs) {
    const std::vector<std::size_t> first = first_equals(runs);
    std::map<std::size_t, std::pair<double, int>> groups;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto& [sum, n] = groups[first[i]];
        sum += std::log(runs[i].run->step_time);
        ++n;
    }
    std::vector<double> out;
    out.reserve(runs.size());
    for (const std::size_t group : first) out.push_back(std::exp(groups[group].first / groups[group].second));
    return out;
}

std::vector<std::string> contradictions(const std::vector<RunWithSettings>& runs) {
    struct Extremes {
        const MeasuredRun* fastest = nullptr;
        const MeasuredRun* slowest = nullptr;
    };
    std::map<std::string, Extremes> groups;  // of all families
    std::vector<const Extremes*> extremes_of;
    for (const RunWithSettings& item : runs) {
        Extremes& group = groups[settings_key(item)];
        if (!group.fastest || item.run->step_time < group.fastest->step_time) group.fastest = item.run;
        if (!group.slowest || item.run->step_time > group.slowest->step_time) group.slowest = item.run;
        extremes_of.push_back(&group);
    }
    std::vector<std::string> out;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const MeasuredRun& run = *runs[i].run;
        const auto& [fastest, slowest] = *extremes_of[i];
        if (slowest->step_time <= kContradiction * fastest->step_time) {
            out.emplace_back();
            continue;
        }
        const bool is_fast = run.step_time < std::sqrt(fastest->step_time * slowest->step_time);
        const MeasuredRun& other = is_fast ? *slowest : *fastest;
        out.push_back(translate(
            "it took {1}, but {2} took {3} with the same settings: times more than {4} apart show that "
            "something else differs",
            {format(run.step_time, Quantity::seconds), other.id, format(other.step_time, Quantity::seconds),
             exact(kContradiction) + " ×"}));
    }
    return out;
}

}  // namespace shardscope
