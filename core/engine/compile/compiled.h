// First of the three steps compile → estimate → explain: everything the estimate needs, as plain numbers.
#pragma once

#include "block/block_work.h"
#include "effects/data_parallel_traffic.h"
#include "effects/model_states.h"
#include "effects/offload.h"
#include "hardware/gpu_rates.h"
#include "hardware/network_rates.h"
#include "ideal/closed_form.h"
#include "layout/layout.h"
#include "model/operators.h"
#include "parameters/settings.h"
#include "schedules/schedule.h"
#include "schedules/stages.h"

namespace shardscope {

// How often the layers of a GPU work in a step: passes, all alike.
struct Passes {
    double count = 1;  // of each layer
    double share = 1;  // of a micro-batch that one works on
    // Passes of a layer that follow each other before another layer's turn. FSDP gathers its weights once for
    // all of them.
    double turn = 1;
    double layers = 1;  // that take turns together
    [[nodiscard]] double turns() const { return count / turn; }
};

// Data-parallel traffic of one layer of each kind, and of the ends of the model: what the first and the last
// stage hold beyond their layers (both of them where there is one stage).
struct Traffic {
    UnitTraffic dense, sparse, first_end, last_end;
};

struct Compiled {  // what an estimate needs of a scenario, worked out once
    Settings settings;
    OperatorList operators;
    bool whole = false;  // `compile` made all of it of these settings

    // What no plan changes.
    GpuRates gpu;
    NetworkRates network;        // as the fabric gives it
    NetworkRates data_parallel;  // as the stack's data-parallel collectives use it
    HostLink host;
    StateBytes state;
    double width = 0;              // elements of one token between two layers
    double compute_bytes = 2;      // of one gathered weight
    double parameters = 0;         // of the whole model
    double active_parameters = 0;  // that a token passes through
    double layer_parameters = 0;   // of one layer, all GPUs together
    double root_parameters = 0;    // embedding and head, all GPUs together
    double flops_per_token = 0;    // model FLOPs by the chosen convention, forward and backward
    double peak = 0;               // FLOP/s the MFU is measured against
    double bf16_peak = 0;          // the same in bf16, for fp8 runs
    double training_tokens = 0;

    // What a plan changes, see the parts of compile below.
    Layout layout;
    Work work;
    Stages stages;
    Traffic traffic;
    const Schedule* schedule = nullptr;
    PipelineShape pipeline;
    Passes passes;
    Time message;                         // of one pass, between neighbouring stages
    double tokens_per_micro_batch = 0;    // on one GPU
    double tokens_per_gpu = 0;            // per optimizer step, of all tokens of the batch
    double executed_flops_per_token = 0;  // recomputed ones and both passes of the kernels that run
    IdealInputs ideal;
};

// Fills `out`, reusing its storage, and its operators where the settings leave them as they are. The settings
// must be valid (`check`).
void compile(const Settings& settings, Compiled& out);
Compiled compile(const Settings& settings);

// How layers are dealt out under the layout; needs operators and layout.
Stages stages_of(const Compiled& c);

// The same in parts, for searches over plans, each of what it needs of `c.settings` and the parts before it.
void compile_machine(Compiled& c);    // rates, state: no plan parameter
void compile_operators(Compiled& c);  // layout, operators, their times and totals: degrees, micro-batch
void compile_sharing(Compiled& c);    // layout, stages, traffic: degrees, sharding and its group
void compile_pipeline(Compiled& c);   // messages, tokens: stages, micro-batches
void compile_schedule(Compiled& c);   // schedule: stages, micro-batches, their pieces
void compile_outputs(Compiled& c);    // what only outputs need

}  // namespace shardscope
