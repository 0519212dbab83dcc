// The number of a result that does not exist, such as the step time of a plan that is not valid. Tables leave
// its cell empty, and plots do not draw it.
#pragma once

#include <limits>

namespace shardscope {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

}  // namespace shardscope
