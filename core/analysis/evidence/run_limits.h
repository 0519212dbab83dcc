// The largest and smallest plausible values of a table of measured runs, and its step times and rates.
#pragma once

#include <cstddef>

#include "evidence/runs.h"

namespace shardscope {

inline constexpr std::size_t kMostRows = 10'000;
inline constexpr double kLargestMemory = 1e14;  // bytes
inline constexpr double kShortestStep = 1e-6;   // s
inline constexpr double kLongestStep = 1e6;     // s
inline constexpr double kMostTokens = 1e9;      // a second and GPU

// Fills in the step time or the tokens per second, whichever is missing, from `tokens`, those of one step of
// all GPUs. Reports a value that is not plausible, at `place` and the name of its field.
void complete_rate(MeasuredRun& run, double tokens, const std::string& place);

}  // namespace shardscope
