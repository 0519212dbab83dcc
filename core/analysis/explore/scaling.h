// Scaling over the GPU count: weak (the per-GPU batch held) and strong (the global batch held).
#pragma once

#include <stop_token>

#include "explore/sweep.h"

namespace shardscope {

struct Scaling {
    Curve weak;
    Curve strong;      // ends where the global batch leaves nothing to split
    double node = 8;   // GPUs of one node
    double gpus = 64;  // the scenario's
    double knee =
        0;  // weak: GPUs from which on an added GPU brings less than half of the first ones' share; 0: none
};

// `lowest` to `highest` GPUs on the values a slider takes. What is automatic is planned anew at every count;
// where that takes its time, the counts are powers of two. A stopped one means nothing.
Scaling scaling(const Scenario& scenario, double lowest = 1, double highest = 16384,
                const std::stop_token& stop = {});

}  // namespace shardscope
