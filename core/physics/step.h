// E17–E21: the time of one optimizer step under data, tensor, context, expert and pipeline parallelism.
#pragma once

#include "estimate/estimate.h"

namespace shardscope {

StepTime step_time(const Compiled& compiled);

// One pass of one block over one micro-batch, tensor, context and expert communication included.
struct PassTime {
    std::array<double, kStepTerms> terms{};  // exposed s; they sum to time.total()
    Time time;
    Time attention;     // the attention core alone
    double hidden = 0;  // s of communication below compute
};
PassTime forward_pass(const Block& block, const Compiled& compiled);
PassTime backward_pass(const Block& block, const Compiled& compiled);

// E19: the time of one collective operator, nothing hidden.
Time exchange_time(const Operator& op, const Compiled& compiled);

}  // namespace shardscope
