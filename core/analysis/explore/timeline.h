// The timeline of one optimizer step: when each pipeline stage computes and communicates, and how much memory
// it uses over time.
//
// The engine computes a step as a sum of terms (E17–E20); the timeline arranges the same terms in time. On
// the slowest stage compute, exposed communication and bubble sum to the engine's terms, and the timeline
// ends at the engine's step time.
//
// Without a pipeline the timeline shows layer after layer. With a pipeline each pass of a virtual stage is
// one unit, and the passes wait for each other in the schedule's order. One number reconciles the timeline
// with the engine's sum: the stage delay, which is the time from the end of a pass to the start of the
// dependent pass on the next stage. It is chosen so that the step ends at the engine's step time. The
// stage_delay includes the messages and the extra time of the slowest stage over the average one. It is
// slightly negative if stages delay each other in a way that the engine's sum does not model. All stages show
// the exposed data-parallel communication of the slowest stage.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "estimate/estimate.h"

namespace shardscope {

enum class Activity : unsigned char {
    // In the compute lane:
    forward,
    backward,
    weight_gradient,  // of schedules that split the backward pass
    recompute,
    memory_copies,  // FSDP's copies, gradient accumulation
    optimizer,
    host_link,
    host,
    bubble,   // waits for other stages
    omitted,  // micro-batches that are omitted because they are like those around them
    // In the communication lane:
    gather,
    reduce,
    tensor_exchange,
    context_exchange,
    expert_exchange,
    stage_message,
    count
};
inline constexpr std::size_t kActivities = static_cast<std::size_t>(Activity::count);
std::string_view name_of(Activity activity);  // "weight-gradient"
std::string label_of(Activity activity);      // "weight gradients"

struct Interval {
    double start = 0;  // s
    double end = 0;
    Activity activity = Activity::forward;
    bool exposed = true;    // communication that overlaps with no compute
    bool previous = false;  // belongs to the previous step, if steps overlap
    int micro_batch = 0;    // from 1; 0: the whole step
    int virtual_stage = 0;  // virtual stage of the GPU, from 1; 0: it has only one
    int layer = 0;          // from 1; 0: several layers
    [[nodiscard]] double seconds() const { return end - start; }
};

struct MemoryPoint {
    double time = 0;
    double bytes = 0;
};

struct StageTimeline {
    int position = 0;                     // index of the stage in the pipeline, from 0
    std::vector<Interval> compute;        // sorted by start, without overlap
    std::vector<Interval> communication;  // sorted by start
    std::vector<MemoryPoint> memory;      // points of a piecewise linear curve
};

struct StepTimeline {
    std::vector<StageTimeline> stages;  // the stages drawn: of long pipelines the first and the last ones
    int stage_count = 1;                // of the pipeline
    std::size_t slowest = 0;            // index in `stages` of the slowest stage
    std::size_t fullest = 0;            // index in `stages` of the drawn stage with the highest peak memory
    double end = 0;                     // s; the step time
    double stage_delay = 0;             // s, see above; 0 without a pipeline
    int micro_batches = 1;
    int virtual_stages = 1;  // virtual stages on each GPU
    int omitted = 0;         // omitted micro-batches
    bool steps_overlap = false;
};

StepTimeline step_timeline(const Compiled& compiled, const Estimate& estimate);

// A longer pipeline is drawn with its first and last stages only.
inline constexpr int kMostStages = 16;

}  // namespace shardscope
