// E22: the time of one optimizer step under data, tensor, context, expert and pipeline parallelism: the
// sum over its trace.
#pragma once

#include <array>

#include "compile/compiled.h"
#include "model/step_terms.h"

namespace shardscope {

struct StepTime {                            // of one optimizer step
    std::array<double, kStepTerms> terms{};  // exposed s; they sum to total
    double total = 0;
    double hidden_communication = 0;         // s below compute
    Time attribution;                        // the same total by the rate that bounds it, E29
    StagePlace slowest = StagePlace::first;  // the pipeline stage whose step this is: no other takes longer
};

StepTime step_time(const Compiled& compiled);
// The step as long as one of the pipeline's stages would take it.
StepTime step_time(const Compiled& compiled, StagePlace place);

}  // namespace shardscope
