// Measured runs with equal settings: they weigh as one, and none weighs if their times contradict each other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evidence/runs.h"

namespace shardscope {

// Equal settings with times that are further apart differ in something that no setting expresses.
inline constexpr double kContradiction = 1.5;

struct RunWithSettings {
    const MeasuredRun* run = nullptr;  // with a step time
    const Settings* settings = nullptr;
};

// Return one entry for each run.
// The index of the first run of the same family with the same settings. Inputs on which no step depends, such
// as the price of a GPU, may differ.
std::vector<std::size_t> first_equals(const std::vector<RunWithSettings>& runs);
// The geometric mean of the step times of the runs that are equal to it, in s.
std::vector<double> common_times(const std::vector<RunWithSettings>& runs);
// Why it weighs nothing: the run of the same settings that contradicts it most; "" if none does.
std::vector<std::string> contradictions(const std::vector<RunWithSettings>& runs);

}  // namespace shardscope
