// E17–E21: the time of one optimizer step under data, tensor, context, expert and pipeline parallelism.
#pragma once

#include "estimate/estimate.h"

namespace shardscope {

StepTime step_time(const Compiled& compiled);

}  // namespace shardscope
