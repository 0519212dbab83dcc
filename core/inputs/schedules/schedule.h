// E20: pipeline schedules, the order in which a pipeline processes its micro-batches. Each schedule has a
// file with its rule, its bubble, its micro-batches in flight and its source; `schedules()` lists them. To
// add a schedule, write a file with a Schedule and add a line to core/inputs/parameters/schedules.inc.
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

inline constexpr std::string_view kEveryStack = "*";

struct PipelineShape {           // the sizes that a schedule depends on
    double stages = 1;           // p, GPUs of one pipeline
    double virtual_stages = 1;   // v, virtual stages on each GPU
    double micro_batches = 1;    // m, of one optimizer step
    double sequence_chunks = 1;  // k, sequence chunks; each is one pass of its micro-batch
};

// The numbers of micro-batches that a schedule supports.
struct MicroBatchRule {
    double least = 1;
    double multiple = 1;
    [[nodiscard]] double fewest() const { return std::ceil(least / multiple) * multiple; }
    [[nodiscard]] bool allows(double micro_batches) const {
        return micro_batches >= least && std::fmod(micro_batches, multiple) == 0;
    }
};

// Times of one micro-batch on one stage, summed over its virtual stages.
struct StageTimes {
    Time forward;
    Time backward;         // input and weight gradients, recomputation included
    Time weight_gradient;  // the part of `backward` that no other stage waits for
};

// The kind of a pass.
enum class PassKind : unsigned char {
    forward,
    backward,         // if the schedule splits it: the input gradients and the recomputation for them
    weight_gradient,  // only of a schedule that splits the backward pass
    count
};
inline constexpr std::size_t kPassKinds = static_cast<std::size_t>(PassKind::count);
struct Pass {  // one GPU's work on one micro-batch in one direction
    PassKind kind = PassKind::forward;
    int micro_batch = 0;    // from 0; with sequence chunks: micro-batch · k + index of the chunk
    int virtual_stage = 0;  // virtual stage of the GPU, from 0
    // Runs as one unit with the next pass: joined passes start when all of them can start, and their outputs
    // are available when the last one ends.
    bool joined_with_next = false;
    bool operator==(const Pass&) const = default;
};
// Where a pass runs.
struct PipelinePosition {
    int stage = 0;
    int virtual_stage = 0;  // virtual stage of that GPU
};

// A schedule of a pipeline with the rules that apply to it.
struct Schedule {
    ScheduleKind kind = ScheduleKind::one_f_one_b;
    std::string_view title;  // in English, like `rule` and `source`
    std::string_view rule;
    std::string_view source;
    bool interleaves = false;      // supports the parameter `virtual_stages`
    bool splits_backward = false;  // weight-gradient passes fill its bubble
    bool fills_gaps = false;       // its bubble depends on `filling`, see below
    // All micro-batches pass through one virtual stage before the next one starts, so that weights are
    // gathered and gradients are reduced once per step. Without a pipeline each layer acts as a virtual
    // stage.
    bool layered = false;
    // All forward passes come before the first backward pass. This also holds for layered schedules, which do
    // not set it.
    bool all_forward_first = false;
    bool splits_sequences = false;  // each pass processes one chunk of every sequence
    // Weight copies in one pipeline. With two, half of the micro-batches travel in the opposite direction.
    int weight_copies = 1;
    // Every GPU holds two virtual stages in the shape of a V: the model runs from the first GPU to the last
    // and back, so the first GPU holds both of its ends.
    bool folded = false;
    // The software for which the planner may choose the schedule, because a public release has it: the
    // beginnings of its names, separated by spaces, or kEveryStack. Unknown software may have every schedule.
    std::string_view stacks{};
    // A stage begins the next step without waiting for the others. The step then lasts from the first to the
    // last pass of the busiest stage, not from the first pass of the first stage to the last pass of all.
    bool steps_overlap = false;

    // The fixed number of virtual stages per GPU and weight copy. Null: the parameter `virtual_stages`
    // decides if `interleaves` is set, else there is one.
    double (*fixed_virtual_stages)(double layers_per_gpu) = nullptr;
    // Returns whether a GPU ends all backward passes of one virtual stage before it begins those of the next
    // one, so that the gradients of only one are incomplete at a time. Null: no. Layered schedules, which do
    // not set it, always do so.
    bool (*completes_virtual_stages)(const PipelineShape&) = nullptr;
    // Null: any number is supported.
    MicroBatchRule (*micro_batches)(const PipelineShape&) = nullptr;
    // Where a micro-batch is processed at step `step` of `stages` · `virtual_stages` steps. Null: it travels
    // from the first GPU to the last, once per virtual stage.
    PipelinePosition (*position)(const PipelineShape&, int micro_batch, int step) = nullptr;

    // The idle time of a GPU in a step; zero with one stage. Passes of the `average` stage determine how long
    // the pipeline fills and drains, and passes of the slowest stage fill some of the gaps. `filling` has,
    // for each kind of pass, the time by which one such pass lengthens its stage's step; it is 0 for a pass
    // that longer communication or host work hides, which fills no gap. If `filling` grows by x, the bubble
    // shrinks by at most m·x, so that a shorter pass never makes the step longer.
    Time (*bubble)(const PipelineShape&, const StageTimes& average, const StageTimes& filling) = nullptr;
    // The peak number of micro-batches whose activations are stored on the GPU at `position` (0 is the first
    // stage), in units of all activations that one micro-batch leaves there; at most m.
    double (*in_flight)(const PipelineShape&, double position) = nullptr;
    // All passes of the GPU at `position` in the order in which it runs them. Each begins as soon as the
    // previous one has ended and its inputs have arrived.
    std::vector<Pass> (*order)(const PipelineShape&, int position) = nullptr;

    // Returns whether stages may have different numbers of layers. A fixed number of virtual stages and two
    // weight copies require equal ones.
    [[nodiscard]] bool supports_uneven_stages() const { return !fixed_virtual_stages && weight_copies <= 1; }

    // Returns whether the schedule can split `layers` into `stages` stages; `stages` is more than one.
    [[nodiscard]] bool can_split(double stages, double layers) const {
        if (weight_copies > 1 && std::fmod(stages, 2) != 0) return false;
        if (!fixed_virtual_stages) return true;
        const double held = fixed_virtual_stages(layers / stages);
        return held == std::floor(held) && held >= 1 && stages * held <= layers;
    }
};

// Return the order of 1F1B schedules: `warm_up` forward passes, then one forward and one backward pass
// alternately, then the remaining backward passes. With a split backward pass, the weight-gradient passes lag
// `delay` micro-batches behind the input-gradient passes.
std::vector<Pass> alternating(const std::vector<Pass>& forward, const std::vector<Pass>& backward,
                              std::size_t warm_up);
std::vector<Pass> alternating_split(const PipelineShape& shape, std::size_t warm_up, std::size_t delay);
// Returns the passes of one kind in the order of the micro-batches.
std::vector<Pass> all_of(PassKind kind, const PipelineShape& shape);

// Returns whether the scenario's software has the schedule.
bool is_available(const Schedule& schedule, const Settings& settings);

const Schedule& schedule_of(ScheduleKind kind);
const Schedule& schedule_of(const Settings& settings);
std::span<const Schedule* const> schedules();

// Returns the sizes of the pipeline, with the virtual stages and sequence chunks that its schedule uses.
PipelineShape pipeline_shape(const Settings& settings);
MicroBatchRule micro_batch_rule(const Settings& settings);
// Returns whether the schedule can split the sequences into equal chunks on every context-parallel GPU; true
// if it does not split sequences.
bool splits_sequences_evenly(const Settings& settings);
// Returns the partition of the layers that the settings request.
Partition partition_of(const Settings& settings);
// Returns whether the schedule supports that partition. Virtual stages require equal stages, except in a
// layout by hand.
bool supports_partition(const Settings& settings);
// Returns the number of weight copies in one pipeline.
double weight_copies(const Settings& settings);
PipelinePosition pipeline_position(const Schedule& schedule, const PipelineShape& shape, int micro_batch,
                                   int step);

// Returns the position of a micro-batch in a folded pipeline, see Schedule::position.
PipelinePosition folded_position(const PipelineShape& shape, int micro_batch, int step);
// Every GPU of a folded pipeline holds two virtual stages.
constexpr double folded_virtual_stages(double) { return 2; }

#define SHARDSCOPE_SCHEDULE(kind, name, label, schedule) extern const Schedule schedule;
#include "parameters/schedules.inc"
#undef SHARDSCOPE_SCHEDULE

}  // namespace shardscope
