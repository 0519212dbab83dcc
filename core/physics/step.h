// E17, E18, E21: the time of one optimizer step under data parallelism and its sharded forms.
#pragma once

#include "estimate/estimate.h"

namespace shardscope {

StepTime step_time(const Compiled& compiled);

// The time of one layer's two passes, by what it is spent on.
struct PassTimes {
    Time matmul, attention, elementwise;
    [[nodiscard]] Time total() const { return matmul + attention + elementwise; }
};
PassTimes forward_pass(const Block& block, const GpuRates& gpu);
PassTimes backward_pass(const Block& block, const GpuRates& gpu);

}  // namespace shardscope
