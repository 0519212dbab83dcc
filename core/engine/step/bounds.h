// E25: lower bounds of the step, for searches: a plan's step takes at least the sum of the three.
#pragma once

#include "step/layers.h"

namespace shardscope {

// What the slowest stage computes, recomputation included, and the bubble: whatever the sharding and the
// network do; s.
struct LayerFloor {
    double count = 0;     // layers of a kind
    double forward = 0;   // of one of them, with one micro-batch
    double backward = 0;  // recomputation included
};
struct ComputeFloor {
    double computing = 0;
    StageTimes average, filling;  // of one micro-batch, messages left out; see Schedule::bubble
    LayerFloor dense, sparse;
};
ComputeFloor compute_floor(const Compiled& compiled);
double with_bubble(const ComputeFloor& floor, const Compiled& compiled);

// What no compute hides, whatever is recomputed and however the pipeline works: first gathers, last
// reductions, copies, optimizer, host; s. A plan's step takes that of one of its stages.
struct UnhiddenFloor {
    double once = 0;              // a step,
    double per_turn = 0;          // and every turn of a layer,
    double per_pass = 0;          // every pass,
    double per_further_pass = 0;  // those of a turn beyond its first
    [[nodiscard]] double total(const Passes& passes) const {
        return once + passes.turns() * per_turn + passes.count * per_pass +
               (passes.count - passes.turns()) * per_further_pass;
    }
};
UnhiddenFloor unhidden_floor(const Stage& stage, const Compiled& compiled);

// What data parallelism moves while one layer of a kind computes; s.
struct LayerTrafficFloor {
    double forward_first = 0, forward_other = 0;  // in the first turn of the step, and in every other one
    double backward_last = 0, backward_other = 0;
};
struct TrafficFloor {
    LayerTrafficFloor dense, sparse;
};
TrafficFloor traffic_floor(const Compiled& compiled);
// What stays visible of it at least; s.
double visible_floor(const ComputeFloor& computing, const TrafficFloor& traffic, const Compiled& compiled);

}  // namespace shardscope
