// The largest and smallest plausible values of a table of measured runs.
#pragma once

#include <cstddef>

namespace shardscope {

inline constexpr std::size_t kMostRows = 10'000;
inline constexpr double kLargestMemory = 1e14;  // bytes
inline constexpr double kShortestStep = 1e-6;   // s
inline constexpr double kLongestStep = 1e6;     // s
inline constexpr double kMostTokens = 1e9;      // a second and GPU

}  // namespace shardscope
