// E19: context parallelism. Keys and values travel around a ring while attention processes those that have
// arrived; the backward pass sends their gradients as well. Where they are gathered instead, the backward
// pass gathers them again before it reduces their gradients (Transformer Engine,
// AttnFuncWithCPAndKVAllGather). Causal attention makes the work of these GPUs unequal; GPUs that exchange
// heads for parts of the sequence have equal work. Source: Liu et al. 2023
// (ring attention), arXiv 2310.01889.
#pragma once

#include "effects/overlap.h"

namespace shardscope {

inline constexpr double kForwardRings = 1;
inline constexpr double kBackwardRings = 2;  // keys and values again, and their gradients
inline constexpr double kBackwardGathers = 2;

// Returns the exposure of the ring that overlaps with attention on the busiest GPU. `imbalance` is the work
// of the busiest GPU relative to the average one; for `omega` see effects/overlap.h.
inline Exposure context_parallel_exposure(const Time& attention, const Time& ring, double imbalance,
                                          double omega) {
    return exposure(imbalance * attention, ring, omega);
}

}  // namespace shardscope
