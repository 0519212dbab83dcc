// E20: the order in which a pipeline works through its micro-batches. One file a schedule, each with its
// rule, its bubble, what it keeps in memory, and its source; `schedules()` lists them. To add one: a file
// with a Schedule, a line in schedule.cpp, and its name in the parameter table.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "parameters/parameter.h"
#include "physics/rates.h"

namespace shardscope {

struct PipelineShape {
    double stages = 1;          // p, GPUs in a row
    double virtual_stages = 1;  // v, pieces of the model each of them holds
    double micro_batches = 1;   // m, of one optimizer step
};

// One micro-batch on the average stage, all of its pieces.
struct StageTimes {
    Time forward;
    Time backward;         // both gradients, recomputation included
    Time weight_gradient;  // the part of `backward` that no other stage waits for
};

// What a GPU does in one go.
enum class PassKind : unsigned char {
    forward,
    backward,         // of a schedule that splits it: the input gradients, and what they recompute
    weight_gradient,  // of such a schedule
    count
};
inline constexpr std::size_t kPassKinds = static_cast<std::size_t>(PassKind::count);
struct Pass {
    PassKind kind = PassKind::forward;
    int micro_batch = 0;  // from 0
    int piece = 0;        // of the GPU's, from 0
    bool operator==(const Pass&) const = default;
};

struct Schedule {
    ScheduleKind kind = ScheduleKind::one_f_one_b;
    std::string_view title;
    std::string_view rule;
    std::string_view source;
    bool interleaves = false;      // holds virtual stages; micro-batches come in groups of p
    bool splits_backward = false;  // its bubble is filled with weight gradients
    // A stage begins the next step without waiting for the others: the step lasts as long as the busiest
    // stage takes from its first pass to its last, not from the first stage's first to the last of all.
    bool steps_overlap = false;

    // Time a GPU waits in a step because the pipeline fills and drains. None with one stage.
    Time (*bubble)(const PipelineShape&, const StageTimes&) = nullptr;
    // Micro-batches whose activations lie on the GPU `position` places from the front at its fullest moment,
    // in units of everything one micro-batch leaves on it; at most m.
    double (*in_flight)(const PipelineShape&, double position) = nullptr;
    // All passes of the GPU `position` places from the front in the order in which it runs them; each begins
    // as soon as the one before has ended and what it needs has arrived.
    std::vector<Pass> (*order)(const PipelineShape&, int position) = nullptr;
};

// The order of schedules that alternate: `warm_up` forward passes, then one forward and one backward in turn,
// then what is left. Where the backward pass is split, `delay` of them are run before the first weight
// gradient, which from then on follow one by one.
std::vector<Pass> alternating(const std::vector<Pass>& forward, const std::vector<Pass>& backward,
                              std::size_t warm_up);
std::vector<Pass> alternating_split(const PipelineShape& shape, std::size_t warm_up, std::size_t delay);
// The passes of one kind, micro-batch by micro-batch.
std::vector<Pass> all_of(PassKind kind, const PipelineShape& shape);

const Schedule& schedule_of(ScheduleKind kind);
std::span<const Schedule* const> schedules();

extern const Schedule kOneFOneB, kGpipe, kInterleaved, kZbH1, kZbH2;

}  // namespace shardscope
