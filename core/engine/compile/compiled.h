// The result of compile, the first of the three steps compile → estimate → explain: everything that the
// estimate needs, as plain numbers.
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

// The passes of a layer in one step; all of them are alike. They are grouped into visits: a visit is one pass
// or, with a layered schedule, all passes of the step. FSDP gathers a layer's weights once per visit.
struct Passes {
    double count = 1;             // passes of each layer
    double share = 1;             // share of a micro-batch that one pass processes
    double passes_per_visit = 1;  // passes of a layer per visit
    double layers_per_visit =
        1;  // layers that are visited together: those of one virtual stage of a layered schedule
    // An interleaved schedule runs this many passes of a virtual stage before those of the next one, and the
    // virtual stage has this many layers; else 1.
    double group = 1;
    double layers_per_group = 1;
    [[nodiscard]] double visits() const { return count / passes_per_visit; }
};

// Returns the groups of passes with which the traffic of one direction overlaps. Traffic of every visit, such
// as that of FSDP, overlaps with the passes of the visit. Traffic that occurs once per step, such as that of
// ZeRO-1, overlaps with a whole group: Megatron-Core gathers the weights of the next virtual stage while the
// group of micro-batches passes through this one, and reduces the gradients of the previous one
// (param_sync_func and grad_sync_func in pipeline_parallel/schedules.py).
inline Passes passes_beside_traffic(bool of_every_visit, Passes passes) {
    if (!of_every_visit && passes.group > 1) {
        passes.passes_per_visit = passes.group;
        passes.layers_per_visit = passes.layers_per_group;
    }
    return passes;
}

// Data-parallel traffic of one layer of each kind and of what stages hold in addition to their layers: the
// first one the embedding, the last one the head, and one of them the prediction layers (MTP).
struct Traffic {
    BoundedList<UnitTraffic, kLayerKinds> layers;
    UnitTraffic first_end, last_end;
    UnitTraffic predictions;  // of prediction layers on a stage between the first and the last one
};

struct Compiled {  // everything that an estimate needs from a scenario
    Settings settings;
    OperatorList operators;
    bool complete = false;  // whether `compile` has computed every part from these settings

    // These values do not depend on the plan.
    GpuRates gpu;
    NetworkRates network;  // rates of the fabric
    HostLink host;
    double width = 0;              // elements that one token passes from layer to layer
    double compute_bytes = 2;      // of one activation, or of one weight ready for a matrix product
    double gathered_bytes = 2;     // of one weight on the data-parallel links
    double parameters = 0;         // of the whole model
    double active_parameters = 0;  // parameters that a token passes through
    double layer_parameters = 0;   // of one layer, summed over all GPUs
    double root_parameters = 0;    // of embedding and head, summed over all GPUs
    double flops_per_token = 0;    // model FLOPs by the chosen convention, forward and backward
    double peak = 0;               // FLOP/s that the MFU refers to
    double bf16_peak = 0;          // the bf16 peak, for comparing fp8 runs
    double training_tokens = 0;

    // These values depend on the plan; see the parts of compile below.
    Layout layout;
    StateBytes state;
    Work work;
    Stages stages;
    Traffic traffic;
    const Schedule* schedule = nullptr;
    PipelineShape pipeline;
    Passes passes;
    Time message;                         // one pass's message between neighbouring stages
    double tokens_per_micro_batch = 0;    // on one GPU
    double tokens_per_gpu = 0;            // tokens of the global batch ÷ GPUs
    double executed_flops_per_token = 0;  // forward, backward and recomputed FLOPs of the kernels that run
    IdealInputs ideal;
};

// Fills `out` and reuses its storage. It keeps the operators in `out` if the new settings do not change them.
// The settings must be valid (`check`).
void compile(const Settings& settings, Compiled& out);
Compiled compile(const Settings& settings);

// Partitions the layers into pipeline stages. `c.layout` must be set.
Stages stages_of(const Compiled& c);
// Returns the number of different kinds of layers.
inline std::size_t kinds_of_layers(const Compiled& c) { return c.work.layers.size(); }

// Returns the bytes of an activation with the full width for the tokens of one micro-batch on one GPU.
inline double activation_tensor_bytes(const Compiled& c) {
    return c.compute_bytes * c.tokens_per_micro_batch * c.width;
}

// The parts of compile, in this order, for searches over plans. Each reads `c.settings` and the results of
// the parts before it. The plan parameters that a part depends on come after “from”.
void compile_machine(Compiled& c);    // rates, from no plan parameter
void compile_operators(Compiled& c);  // layout, operators and their times, from degrees and micro-batch
void compile_sharding(Compiled& c);   // layout, state bytes, stages, traffic, from degrees, sharding, group
void compile_tokens(Compiled& c);     // tokens, from degrees and micro-batches
void compile_schedule(Compiled& c);   // schedule, passes, messages, from stages, micro-batches, chunks
void compile_outputs(Compiled& c);    // values that only outputs need

}  // namespace shardscope
