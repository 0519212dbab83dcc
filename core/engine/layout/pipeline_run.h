// A simulation of a pipeline. It computes the start of each pass from the schedule's order, the dependencies
// between passes and their durations. E20 computes only the length of a step, by sums; the simulation gives
// the timeline as well.
//
// A forward pass waits for the forward pass of the same micro-batch on the stage before, a backward pass for
// the backward pass on the stage behind. With virtual stages, the first stage's next virtual stage follows
// the last stage. A schedule whose micro-batches take another route defines it in `Schedule::position`.
#pragma once

#include <array>
#include <vector>

#include "schedules/schedule.h"

namespace shardscope {

// The seconds of one pass in three parts. Other stages wait only for the middle one.
struct PassSeconds {
    double lead = 0;   // before the pass needs the neighbour's message, while weights are gathered
    double chain = 0;  // from then until its own result is ready
    double tail = 0;   // from then until the GPU can start the next pass
    [[nodiscard]] double total() const { return lead + chain + tail; }
};

// The durations of one virtual stage's passes.
struct StageSeconds {
    std::array<PassSeconds, kPassKinds> pass;
    PassSeconds first_forward;  // the first forward pass of each virtual stage
    PassSeconds last_gradient;  // the last pass of each virtual stage that computes weight gradients
};

struct TimedPass : Pass {
    double start = 0;
    PassSeconds seconds;
    bool first = false;  // first forward pass of its virtual stage
    bool last = false;   // last pass of its virtual stage that computes weight gradients
    [[nodiscard]] double end() const { return start + seconds.total(); }
};

struct PipelineRun {
    std::vector<std::vector<TimedPass>> stages;  // in the order of their starts
    double stage_delay = 0;  // s from the result of a pass until a neighbouring stage has received it
    double span = 0;  // s, length of the step; where steps overlap, the longest time that one stage is in it
};

// Simulates one step; `seconds` has one element per stage.
PipelineRun simulate_pipeline(const Schedule& schedule, const PipelineShape& shape,
                              const std::vector<StageSeconds>& seconds, double stage_delay);

// Simulates one step with the longest stage delay for which it lasts `span` seconds. The stage delay is
// negative if the step is longer than `span` even without message times. If the passes of the busiest stage
// alone take longer than `span`, the result is longer than `span`.
PipelineRun simulate_pipeline_within(const Schedule& schedule, const PipelineShape& shape,
                                     const std::vector<StageSeconds>& seconds, double span);

// Returns the largest number of micro-batches whose activations a GPU holds at one time. The unit is all
// activations that one micro-batch leaves on the GPU.
double max_in_flight(const std::vector<TimedPass>& passes, const PipelineShape& shape, bool splits_backward);

}  // namespace shardscope
