// E2, E18: one kind of layer under the plan, and which stage of a pipeline sets the pace: what the step's
// length and its timeline are both made of.
#pragma once

#include "estimate/compiled.h"

namespace shardscope {

struct Layer {
    const BlockWork& work;
    Time recompute;         // E2: what the backward pass computes a second time
    Time both;              // forward and backward pass with that
    UnitTraffic traffic;    // of its weights, what comes from the host included
    double parameters = 0;  // on one GPU, before data-parallel sharding
    double updated = 0;     // of them by this GPU's optimizer
};
Layer layer_of(const BlockWork& work, const UnitTraffic& traffic, const Compiled& c);

// E20: the slowest stage, which all others wait for.
const Stage& pacing_stage(const Compiled& c, const Layer& dense, const Layer& sparse);

// What data parallelism moves for the stage's ends of the model.
UnitTraffic end_traffic(const Stage& stage, const Compiled& c);

}  // namespace shardscope
