// E35: Muon orthogonalizes the momentum of every matrix before it updates the weights.
//
// Five Newton-Schulz steps compute X ← a·X + (b·A + c·A²)·X with A = X·Xᵀ for an n×m matrix with m ≤ n. Each
// step has two products of n·m² and one of m³ multiply-adds. The matrices of a layer are distributed over the
// GPUs that shard the optimizer, each of which processes whole matrices, or whole tensor-parallel parts of
// them, so more GPUs than matrices save no time. The momentum is gathered in half precision first. The
// embedding, the head and vectors use AdamW. Sources: Jordan et al. 2024 (kellerjordan.github.io/posts/muon);
// Liu et al. 2025, arXiv 2502.16982, section 2.3; Megatron-Core (muon_num_ns_steps 5, muon_tp_mode
// blockwise).
#pragma once

#include <algorithm>

#include "effects/collectives.h"

namespace shardscope {

inline constexpr double kNewtonSchulzSteps = 5;
inline constexpr double kMomentumBytes = 2;  // of one gathered element

// Returns the FLOPs of orthogonalizing one matrix.
constexpr double orthogonalization_flops(double rows, double columns) {
    const double n = std::max(rows, columns);
    const double m = std::min(rows, columns);
    return kNewtonSchulzSteps * 2 * (2 * n * m * m + m * m * m);
}

// The matrices of a stage that share one shard group.
struct MuonWork {
    double flops = 0;        // FLOPs of orthogonalizing all of them
    double largest = 0;      // FLOPs of the largest one
    double parameters = 0;   // on one GPU before sharding
    RingGroup sharded_over;  // the GPUs that shard the optimizer
};
// Returns the time in which the GPUs gather the momentum of the matrices and orthogonalize them; `rate` in
// FLOP/s. Each matrix is processed by one GPU, so the time is at least that of the largest matrix.
inline Time muon_time(const MuonWork& work, double rate, const NetworkRates& network) {
    const double gpus = work.sharded_over.size();
    Time out{Rate::compute, std::max(work.flops / gpus, work.largest) / rate};
    if (gpus > 1 && work.parameters > 0)
        out += all_gather_time(kMomentumBytes * work.parameters, work.sharded_over, network);
    return out;
}

}  // namespace shardscope
