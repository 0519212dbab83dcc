// One optimizer step as a picture: what each pipeline stage computes and sends when, and what lies in its
// memory meanwhile.
//
// The engine knows a step as a sum (E17–E20); this arranges the same terms in time. What computes, what
// communication stays visible and what the bubble takes add up to the engine's terms on the stage that sets
// the pace, and the end is the engine's step time.
//
// Without a pipeline the layers come in turn. With one, passes wait for each other in the schedule's order,
// each stage's layers in one go, and one number joins the picture to the sum: the hop, the time between a
// pass and the one that waits for it on the next stage, is the one for which the step ends when the engine
// says. It holds the messages and what the slowest stage takes more than the average one; it is a little
// below zero where the picture's stages hold each other up in a way the engine's sum does not know. What data
// parallelism shows of itself is the slowest stage's, on all of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "estimate/estimate.h"

namespace shardscope {

enum class Activity : unsigned char {
    // Of the computing lane.
    forward,
    backward,
    weight_gradient,  // of schedules that split the backward pass
    recompute,
    copies,
    optimizer,
    host_link,
    host,
    bubble,  // waits for other stages
    folded,  // micro-batches that are like those around them and not drawn
    // Of the communicating lane.
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
    bool exposed = true;    // communication: nothing computes meanwhile
    bool previous = false;  // of the step before, where steps overlap
    int micro_batch = 0;    // from 1; 0: of the whole step
    int piece = 0;          // of the stage's, from 1; 0: it has one
    int layer = 0;          // from 1; 0: of several layers
    [[nodiscard]] double seconds() const { return end - start; }
};

struct MemoryPoint {
    double time = 0;
    double bytes = 0;
};

struct StageTimeline {
    int position = 0;                     // places from the front
    std::vector<Interval> compute;        // in the order of their starts, one after the other
    std::vector<Interval> communication;  // in the order of their starts
    std::vector<MemoryPoint> memory;      // straight lines between them
};

struct Timeline {
    std::vector<StageTimeline> stages;  // those drawn; of long pipelines the first and the last
    int stage_count = 1;                // all
    std::size_t pacing = 0;             // in `stages`: the slowest
    std::size_t fullest = 0;            // in `stages`: of them the one with the most memory
    double end = 0;                     // s; the step time
    double hop = 0;                     // s, see above; 0 without a pipeline
    int micro_batches = 1;
    int pieces = 1;  // on each stage
    int folded = 0;  // micro-batches that are not drawn
    bool steps_overlap = false;
};

Timeline timeline(const Compiled& compiled, const Estimate& estimate);

// What more than this many stages are drawn as: the first and the last ones.
inline constexpr int kMostStages = 16;

}  // namespace shardscope
