// How torchtitan divides the layers of a model into pipeline stages, and its schedules.
//
// Source: generate_llm_fqn_per_model_part in torchtitan/distributed/pipeline_parallel.py of early 2026;
// torch.distributed.pipelining.schedules.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "launch/stage_layers.h"
#include "parameters/parameter.h"

namespace shardscope::launch {

// A schedule of torch.distributed.
struct TorchSchedule {
    std::string_view name;
    ScheduleKind kind;
    bool several;  // whether each GPU runs several stages
    bool exact;    // whether it is the schedule `kind`, not only similar to it
};
inline constexpr std::array kTorchSchedules{
    TorchSchedule{"1F1B", ScheduleKind::one_f_one_b, false, true},
    TorchSchedule{"GPipe", ScheduleKind::gpipe, false, true},
    TorchSchedule{"Interleaved1F1B", ScheduleKind::interleaved, true, true},
    TorchSchedule{"LoopedBFS", ScheduleKind::breadth_first, true, true},
    TorchSchedule{"ZBVZeroBubble", ScheduleKind::zb_v, true, true},
    TorchSchedule{"DualPipeV", ScheduleKind::dualpipe_v, true, true},
    // These differ from the engine's schedules: one has several stages on each GPU, the other one weight
    // copy.
    TorchSchedule{"InterleavedZeroBubble", ScheduleKind::zb_h1, true, false},
    TorchSchedule{"DualPipeV", ScheduleKind::dualpipe, true, false},
    // The interleaved schedule of 2024 that accepts any number of micro-batches.
    TorchSchedule{"FlexibleInterleaved1F1B", ScheduleKind::interleaved, true, true},
};

// By how many layers the first and the last stage are shorter than the others, because they also contain the
// embedding and the output head.
struct EndLayers {
    double first = 0;
    double last = 0;
};

// Returns the layers of each model part as torchtitan divides them. Embedding and head count as `less`
// layers, and each of the first parts gets one of the layers that remain. Returns nothing where torchtitan
// does not start.
std::optional<StageLayers> split_layers(double layers, double parts, EndLayers less);
// Returns the `EndLayers` with which the first stage has `first` layers and the last one `last`; nothing
// where there is none. Zeros are preferred, then values with which no layers remain after an even division.
std::optional<EndLayers> end_layers_for(double layers, double stages, double first, double last);

}  // namespace shardscope::launch
