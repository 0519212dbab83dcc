// The letters by which people tell the current scenario and the pinned ones apart.
#pragma once

#include <cstddef>

namespace shardscope {

inline constexpr std::size_t kMostPins = 6;
inline constexpr char kCurrentScenario = 'A';
inline constexpr char kFirstPin = 'B';

}  // namespace shardscope
