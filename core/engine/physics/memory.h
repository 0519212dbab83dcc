// E3–E8: what lies in one GPU's memory at each moment of a step.
#pragma once

#include "estimate/estimate.h"

namespace shardscope {

// Of the fullest GPU.
MemoryUse memory_use(const Compiled& compiled);
// Of one stage's.
MemoryUse memory_use(const Stage& stage, const Compiled& compiled);

// The peaks of all GPUs of the run; bytes.
double total_memory(const Compiled& compiled);

// E4: parameters of one GPU of a stage that are whole at once although they are shared out.
struct GatheredUnits {
    double weights = 0;
    double gradients = 0;  // in the backward pass, until they are reduced
};
GatheredUnits gathered_units(const Stage& stage, const Compiled& compiled);

// The same in parts, for searches over plans. What lies on one GPU of a stage…
// … of the state: by degrees, sharding and offload; bytes,
struct StateMemory {
    double weights = 0, gradients = 0, optimizer = 0;
    double gathered_forward = 0, gathered_backward = 0;  // FSDP's whole units
};
StateMemory state_memory(const Stage& stage, const Compiled& compiled);
// … and of the work: by degrees, micro-batch, schedule and recomputation; bytes.
struct WorkMemory {
    double resident = 0;  // activations of all micro-batches in flight
    double working = 0;   // of the layer that is computed again
    double logits = 0;
};
WorkMemory work_memory(const Stage& stage, const Compiled& compiled);
// E6: micro-batches whose activations a stage holds at once.
double held_micro_batches(const Stage& stage, const Compiled& compiled);
// The fullest moment of a GPU that holds both; bytes.
double peak_memory(const StateMemory& state, const WorkMemory& work, const Compiled& compiled);

// Parameters of the embedding and the head on one GPU of a stage, before data-parallel sharding. A tied head
// on a stage of its own keeps a copy of the embedding.
double end_parameters(const Stage& stage, const Compiled& compiled);

// Bytes per parameter by number format and optimizer, E3.
// Source: Rajbhandari et al. 2020, arXiv 1910.02054, section 3; optimizers from their papers' state counts.
// With the optimizer's state in bf16 there is no fp32 master copy.
StateBytes state_bytes(Precision precision, Precision gradients, Optimizer optimizer,
                       Precision optimizer_precision = Precision::fp32);

}  // namespace shardscope
