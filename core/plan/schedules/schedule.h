// E20: the order in which a pipeline works through its micro-batches. One file a schedule, each with its
// rule, its bubble, what it keeps in memory, and its source; `schedules()` lists them. To add one: a file
// with a Schedule, a line in schedule.cpp, and its name in the parameter table.
#pragma once

#include <span>
#include <string_view>

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

struct Schedule {
    ScheduleKind kind = ScheduleKind::one_f_one_b;
    std::string_view title;
    std::string_view rule;
    std::string_view source;
    bool interleaves = false;      // holds virtual stages; micro-batches come in groups of p
    bool splits_backward = false;  // its bubble is filled with weight gradients

    // Time a GPU waits in a step because the pipeline fills and drains. None with one stage.
    Time (*bubble)(const PipelineShape&, const StageTimes&) = nullptr;
    // Micro-batches whose activations lie on the GPU `position` places from the front at its fullest moment,
    // in units of everything one micro-batch leaves on it; at most m.
    double (*in_flight)(const PipelineShape&, double position) = nullptr;
};

const Schedule& schedule_of(ScheduleKind kind);
std::span<const Schedule* const> schedules();

extern const Schedule kOneFOneB, kGpipe, kInterleaved, kZbH1, kZbH2;

}  // namespace shardscope
