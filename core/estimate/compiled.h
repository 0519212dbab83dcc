// First of the three steps compile → estimate → explain: everything the estimate needs, as plain numbers.
#pragma once

#include "ideal/closed_form.h"
#include "model/operators.h"
#include "physics/collectives.h"
#include "physics/kernels.h"
#include "scenario/settings.h"

namespace shardscope {

// Bytes per parameter of the states, E3.
struct StateBytes {
    double weights = 0;
    double gradients = 0;
    double optimizer = 0;  // master copy and moments
};

struct Compiled {
    Settings settings;
    OperatorList operators;

    GpuRates gpu;
    NetworkRates network;
    RingGroup shard;    // GPUs that share one copy of the sharded state
    RingGroup replica;  // GPUs that hold the same part of it
    StateBytes state;
    double compute_bytes = 2;  // of one gathered weight

    double parameters = 0;
    double layer_parameters = 0;  // of one layer
    double root_parameters = 0;   // embedding and head
    double tokens_per_micro_batch = 0;
    double tokens_per_gpu = 0;   // per optimizer step
    double flops_per_token = 0;  // model FLOPs by the chosen convention, forward and backward
    double recomputed_flops_per_token = 0;
    double peak = 0;       // FLOP/s the MFU is measured against
    double bf16_peak = 0;  // the same in bf16, for fp8 runs
    double training_tokens = 0;
    IdealInputs ideal;
};

// Fills `out`, reusing its storage. The settings must be valid (`check`).
void compile(const Settings& settings, Compiled& out);
Compiled compile(const Settings& settings);

}  // namespace shardscope
