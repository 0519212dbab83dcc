// An interval of an axis, in axis values.
#pragma once

namespace shardscope {

struct AxisRange {
    double from = 0;
    double to = 0;
};

}  // namespace shardscope
