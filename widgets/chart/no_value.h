// The value of a point that does not exist and is not drawn.
#pragma once

#include <limits>

namespace shardscope {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

}  // namespace shardscope
