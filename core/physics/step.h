// E17–E21: the time of one optimizer step under data, tensor, context, expert and pipeline parallelism.
#pragma once

#include "estimate/estimate.h"

namespace shardscope {

StepTime step_time(const Compiled& compiled);

// Lower bounds of the step, for searches: a plan's step takes at least the sum of the two.
//
// What the slowest stage computes, recomputation included, and the bubble: whatever the sharding and the
// network do; s.
struct ComputeFloor {
    double computing = 0;
    StageTimes average;  // of one micro-batch, messages left out
};
ComputeFloor compute_floor(const Compiled& compiled);
double with_bubble(const ComputeFloor& floor, const Compiled& compiled);
// What no compute hides, whatever is recomputed and however the pipeline works: first gathers, last
// reductions, copies, optimizer, host; s.
double unhidden_floor(const Compiled& compiled);

}  // namespace shardscope
