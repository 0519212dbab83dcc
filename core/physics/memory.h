// E3–E8: what lies in one GPU's memory at each moment of a step.
#pragma once

#include "estimate/estimate.h"

namespace shardscope {

MemoryUse memory_use(const Compiled& compiled);

// Bytes per parameter by number format and optimizer, E3.
// Source: Rajbhandari et al. 2020, arXiv 1910.02054, section 3; optimizers from their papers' state counts.
StateBytes state_bytes(Precision precision, Precision gradients, Optimizer optimizer);

}  // namespace shardscope
