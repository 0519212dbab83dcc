// E17–E21: the time of one optimizer step under data, tensor, context, expert and pipeline parallelism.
#pragma once

#include "estimate/estimate.h"

namespace shardscope {

StepTime step_time(const Compiled& compiled);

// What no sharding, network or optimizer changes: the slowest stage's compute with what it computes again,
// and the bubble; s. The step takes at least that.
double step_floor(const Compiled& compiled);

}  // namespace shardscope
