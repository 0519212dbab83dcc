// E19: context parallelism. Keys and values travel round a ring while attention works on what has arrived;
// the backward pass sends their gradients as well. Causal attention leaves some GPUs more work than others.
// Source: Liu et al. 2023 (ring attention), arXiv 2310.01889.
#pragma once

#include "effects/overlap.h"

namespace shardscope {

inline constexpr double kForwardRings = 1;
inline constexpr double kBackwardRings = 2;  // keys and values again, and their gradients

// Attention on the busiest GPU with the ring below it. `imbalance`: work of the busiest GPU relative to the
// average one; `omega`: see effects/overlap.h.
inline Exposure context_parallel_exposure(const Time& attention, const Time& ring, double imbalance,
                                          double omega) {
    return exposure(imbalance * attention, ring, omega);
}

}  // namespace shardscope
