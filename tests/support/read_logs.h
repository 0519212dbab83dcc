// Reads training logs for tests, which fail where a reader reports a problem.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "logs/training_log.h"
#include "support/logs.h"

namespace shardscope::testing {

inline constexpr double kMebi = 1024.0 * 1024.0;
inline constexpr double kGibi = 1024 * kMebi;

inline TrainingLog read_log(const std::string& text) {
    Problems problems;
    TrainingLog log = read_training_log(text, problems);
    for (const Problem& problem : problems) UNSCOPED_INFO(problem.text());
    CHECK(problems.empty());
    return log;
}

inline double peak(const TrainingLog& log, logs::Peak kind) {
    return log.contents.peaks[static_cast<std::size_t>(kind)].value;
}

// Returns the scenario that the log alone states.
inline LogScenario log_scenario_of(const TrainingLog& log) {
    Problems problems;
    LogScenario out = log_scenario(log, nullptr, Catalogue::shipped(), problems);
    for (const Problem& problem : problems) UNSCOPED_INFO(problem.text());
    CHECK(problems.empty());
    return out;
}

inline bool is_missing(const Scenario& scenario, const std::string& what) {
    for (const MissingInput& input : missing_inputs(scenario))
        if (input.what.find(what) != std::string::npos) return true;
    return false;
}

// Returns n lines with the same step time, in the words of a tool.
template <typename Line>
std::string lines(int n, Line&& line) {
    std::string out;
    for (int i = 1; i <= n; ++i) out += line(i);
    return out;
}

}  // namespace shardscope::testing
