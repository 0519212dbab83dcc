// The range that contains four of five measured runs.
#pragma once

#include "planner/answer.h"

namespace shardscope {

inline constexpr double kLikelyShare = 0.8;  // of the runs

struct LikelyRange {  // tokens/s/GPU
    double low = 0;
    double high = 0;
};
// The range is the prediction's error for a new model on the stack, widened with the distance to the nearest
// measured run. A step set by hand has no width. `answer` must be valid.
LikelyRange likely_range(const Answer& answer);

// The half width, in the logarithm of the step time, of a stack with the band `error_band` at a distance of 0
// … 1. `distance_band` is the additional half width for one difference in kind, which is a distance of 63 %.
// It grows with the square of the differences, −ln(1 − distance), up to two.
double half_width(double error_band, double distance_band, double distance);

}  // namespace shardscope
