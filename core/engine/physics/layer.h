// E2, E18, E20: one kind of layer under the plan, and the stage that sets the pace: what the length of a step
// and its timeline are both made of.
#pragma once

#include "estimate/compiled.h"

namespace shardscope {

// What one kind of layer computes.
struct Computed {
    const BlockWork& work;
    Time recompute;               // E2: what the backward pass computes a second time
    Time both;                    // forward and backward pass with that
    double recomputed_flops = 0;  // executed for it on the average GPU
};
Computed computed(const BlockWork& work, const Compiled& c);

// The weights of one layer of a kind under the plan's sharding.
struct Held {
    UnitTraffic traffic;    // what comes from the host included
    double parameters = 0;  // on one GPU, before data-parallel sharding
    double updated = 0;     // of them by this GPU's optimizer
};
Held held(const BlockWork& work, const UnitTraffic& traffic, const Compiled& c);

// Of one of the model's ends.
Time both_passes(const BlockWork& end);

// The stage that computes longest. Whether its step is the longest, too, depends on what else it does.
const Stage& busiest_stage(const Compiled& c, const Computed& dense, const Computed& sparse);

// What data parallelism moves for the ends of the model that the stage holds.
UnitTraffic end_traffic(const Stage& stage, const Compiled& c);

}  // namespace shardscope
