// The intervals of a curve's axis in which nothing fits, those in which one wall binds, and how a curve
// treats the plan.
#pragma once

#include <vector>

#include "estimate/estimate.h"
#include "widgets/chart/axis_range.h"

namespace shardscope {

// Returns the intervals in which nothing fits, from the last value that fits to the next one that does. `x`
// need not be ascending: where parts of the curve overlap, an interval fits if any of them fits.
std::vector<AxisRange> unfit_ranges(const std::vector<double>& x, const std::vector<bool>& fits);

// A point of a curve; neighbouring points that the same wall binds form a WallRange.
struct WallSample {
    double x = 0;
    bool fits = false;
    Wall wall = Wall::compute;
};
struct WallRange : AxisRange {
    Wall wall = Wall::compute;
};
std::vector<WallRange> wall_ranges(const std::vector<WallSample>& samples);

// How a curve treats the plan: `as_set` if nothing is automatic, else held fixed or re-planned at every
// point.
enum class CurvePlan { as_set, held, replanned };

}  // namespace shardscope
