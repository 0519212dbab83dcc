// A pipeline at work: when each pass begins, from the schedule's order, from what each pass waits for, and
// from how long it takes. E20 knows a step's length from sums alone; this knows the picture behind it.
//
// A forward pass waits for the same micro-batch's on the stage before, a backward pass for the one on the
// stage behind; with virtual stages the last stage hands over to the first one's next piece. Where a
// schedule's micro-batches go another way, it says so (`Schedule::place`).
#pragma once

#include <array>
#include <vector>

#include "schedules/schedule.h"

namespace shardscope {

// Seconds of one pass. Only the middle of it takes part in what other stages wait for.
struct PassSeconds {
    double lead = 0;   // before it needs what the neighbour sends: weights on their way
    double chain = 0;  // until its own result is there
    double tail = 0;   // what the GPU does before it can go on
    [[nodiscard]] double total() const { return lead + chain + tail; }
};

// Each of one piece.
struct StageSeconds {
    std::array<PassSeconds, kPassKinds> pass;
    PassSeconds first_forward;  // the first forward pass of every piece
    PassSeconds last_gradient;  // the last pass of every piece that gives weight gradients
};

struct TimedPass : Pass {
    double start = 0;
    PassSeconds seconds;
    bool first = false;  // forward pass of its piece
    bool last = false;   // pass of its piece that gives weight gradients
    [[nodiscard]] double end() const { return start + seconds.total(); }
};

struct PipelineRun {
    std::vector<std::vector<TimedPass>> stages;  // in the order of their starts
    double hop = 0;   // s between the end of a pass and the start of the one that waits for it next door
    double span = 0;  // s; of all stages, or of the longest where steps overlap
};

// One step of as many stages as there are `seconds`.
PipelineRun run_pipeline(const Schedule& schedule, const PipelineShape& shape,
                         const std::vector<StageSeconds>& seconds, double hop);

// The same with the longest hop for which it lasts `span` seconds. Below zero where even stages that need not
// wait for a message take longer. No hop can make it shorter than the busiest stage's passes.
PipelineRun run_pipeline_within(const Schedule& schedule, const PipelineShape& shape,
                                const std::vector<StageSeconds>& seconds, double span);

// Micro-batches, in units of everything one leaves on the GPU, whose activations lie there at most.
double most_in_flight(const std::vector<TimedPass>& passes, const PipelineShape& shape, bool splits_backward);

}  // namespace shardscope
