// E22: the time of one optimizer step under data, tensor, context, expert and pipeline parallelism. It is the
// sum over the trace of the step.
#pragma once

#include <array>
#include <cstddef>

#include "compile/compiled.h"
#include "model/step_terms.h"

namespace shardscope {

struct StepTime {                            // of one optimizer step
    std::array<double, kStepTerms> terms{};  // exposed s; their sum is total
    double total = 0;
    double hidden_communication = 0;  // s that compute hides
    Time attribution;                 // total by the rate that bounds it, E29
    std::size_t stage = 0;            // index in `Stages` of the stage to which these times belong

    [[nodiscard]] double term(StepTerm which) const { return terms[static_cast<std::size_t>(which)]; }
};

// Returns the step time of the slowest pipeline stage.
StepTime step_time(const Compiled& compiled);
// Returns the step time of this pipeline stage, without its index.
StepTime step_time(const Compiled& compiled, const Stage& stage);

}  // namespace shardscope
