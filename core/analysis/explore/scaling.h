// Scaling over the GPU count: weak (the per-GPU batch held) and strong (the global batch held).
#pragma once

#include <stop_token>

#include "explore/sweep.h"

namespace shardscope {

struct Scaling {
    Curve weak;
    // At the counts that divide the global batch into the plan's micro-batches; it ends where the batch
    // cannot be split further.
    Curve strong;
    double node = 8;   // GPUs of one node
    double gpus = 64;  // the scenario's
    // The GPU count of the weak curve from which on an added GPU adds less than half of the throughput that
    // each of the first ones has; 0: none.
    double knee = 0;
};

// Removes the points of a curve over GPU counts that need another plan than the scenario's.
void keep_plan(Curve& curve, const Scenario& scenario);

// Computes both curves from `lowest` to `highest` GPUs. Automatic parameters are re-planned at every
// count; the counts are then powers of two (of nodes), beside the scenario's own. The result is meaningless
// when it was stopped.
Scaling scaling(const Scenario& scenario, double lowest = 1, double highest = 16384,
                const std::stop_token& stop = {});

}  // namespace shardscope
