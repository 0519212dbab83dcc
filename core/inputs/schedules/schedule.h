// E20: the order in which a pipeline works through its micro-batches. One file a schedule, each with its
// rule, its bubble, what it keeps in memory, and its source; `schedules()` lists them. To add one: a file
// with a Schedule, a line in schedule.cpp, and its name in the parameter table.
#pragma once

#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "parameters/parameter.h"
#include "parameters/settings.h"
#include "schedules/stages.h"
#include "time/rates.h"

namespace shardscope {

struct PipelineShape {           // what a schedule arranges
    double stages = 1;           // p, GPUs in a row
    double virtual_stages = 1;   // v, pieces of the model each of them holds
    double micro_batches = 1;    // m, of one optimizer step
    double sequence_pieces = 1;  // k, passes a micro-batch is cut into
};

// What a schedule asks of the number of micro-batches.
struct MicroBatchRule {
    double least = 1;
    double multiple = 1;
    [[nodiscard]] bool allows(double micro_batches) const {
        return micro_batches >= least && std::fmod(micro_batches, multiple) == 0;
    }
};

// One micro-batch on one stage, all of its pieces.
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
struct Pass {  // one GPU's work on one micro-batch in one direction
    PassKind kind = PassKind::forward;
    int micro_batch = 0;  // from 0; where sequences are cut, one piece: micro-batch · k + its place in it
    int piece = 0;        // of the GPU's, from 0
    // Runs as one with the pass after it: none of them begins before all can, and what they give is there
    // when the last ends.
    bool joined = false;
    bool operator==(const Pass&) const = default;
};
// Where a micro-batch is worked on.
struct Place {
    int stage = 0;
    int piece = 0;  // of that GPU's
};

struct Schedule {  // the rule of one schedule, in numbers
    ScheduleKind kind = ScheduleKind::one_f_one_b;
    std::string_view title;  // in English, as rule and source
    std::string_view rule;
    std::string_view source;
    bool interleaves = false;      // holds as many virtual stages as are asked for
    bool splits_backward = false;  // its bubble is filled with weight gradients
    bool fills_gaps = false;       // its bubble depends on the filling times
    // All micro-batches pass through a piece before the next piece's turn, so that weights are gathered and
    // gradients reduced once a step; without a pipeline a piece is a layer.
    bool layered = false;
    // All forward passes come before the first backward pass; so they do in a layered one, piece by piece.
    bool in_turns = false;
    bool cuts_sequences = false;  // passes work on a piece of each sequence
    // Copies of the weights in one pipeline: with two, half of the micro-batches travel the other way.
    int copies = 1;
    // Public training stacks run it: an automatic schedule is one of these.
    bool common = false;
    // A stage begins the next step without waiting for the others: the step lasts as long as the busiest
    // stage takes from its first pass to its last, not from the first stage's first to the last of all.
    bool steps_overlap = false;

    // Pieces that every GPU holds of each copy, whatever is asked for. Null: as asked, one without
    // `interleaves`.
    double (*pieces)(double layers_per_gpu) = nullptr;
    // Null: any number.
    MicroBatchRule (*micro_batches)(const PipelineShape&) = nullptr;
    // Where a micro-batch goes at step `step` of `stages` · `virtual_stages`. Null: from the first GPU to the
    // last, then again for every further piece.
    Place (*place)(const PipelineShape&, int micro_batch, int step) = nullptr;

    // Time a GPU waits in a step. None with one stage. The pipeline fills and drains with passes of the
    // `average` stage, and passes of the slowest stage fill some of its gaps. `filling` says by how much each
    // of those lengthens that stage's step: a pass below longer communication, or below longer work of the
    // host, fills no gap. The bubble falls with `filling` by at most m times as much, so that a step never
    // becomes longer where a pass becomes shorter.
    Time (*bubble)(const PipelineShape&, const StageTimes& average, const StageTimes& filling) = nullptr;
    // Micro-batches whose activations lie on the GPU `position` places from the front at its fullest moment,
    // in units of everything one micro-batch leaves on it; at most m.
    double (*in_flight)(const PipelineShape&, double position) = nullptr;
    // All passes of the GPU `position` places from the front in the order in which it runs them; each begins
    // as soon as the one before has ended and what it needs has arrived.
    std::vector<Pass> (*order)(const PipelineShape&, int position) = nullptr;

    // Whether it can cut `layers` into `stages` stages, more than one.
    [[nodiscard]] bool suits(double stages, double layers) const {
        if (copies > 1 && std::fmod(stages, 2) != 0) return false;
        if (!pieces) return true;
        const double held = pieces(layers / stages);
        return held == std::floor(held) && held >= 1 && stages * held <= layers;
    }
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

// What the settings make of their schedule: virtual stages as it cuts them, sequences as it cuts them.
PipelineShape pipeline_shape(const Settings& settings);
MicroBatchRule micro_batch_rule(const Settings& settings);
// Whether the schedule can cut sequences as it is told: alike on every GPU that shares them.
bool cuts_whole_pieces(const Settings& settings, const Schedule& schedule);
// How the settings deal the layers, and whether a schedule can work with it: one that cuts the layers itself,
// or keeps two copies of them, needs stages alike, and so do virtual stages.
Partition partition_of(const Settings& settings);
bool takes_partition(const Schedule& schedule, double virtual_stages, const Settings& settings);
// Copies of the weights in one pipeline.
double weight_copies(const Settings& settings);
Place place_of(const Schedule& schedule, const PipelineShape& shape, int micro_batch, int step);

extern const Schedule kOneFOneB, kGpipe, kInterleaved, kBreadthFirst, kModular, kZbH1, kZbH2, kDualPipe,
    kBitPipe, kSeq1f1b;

}  // namespace shardscope
