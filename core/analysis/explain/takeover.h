// The values of a rate at which the wall changes: "inter-node bandwidth is the wall up to 150 Gbit/s".
#pragma once

#include <optional>

#include "planner/answer.h"

namespace shardscope {

struct Takeover {
    double value = 0;  // of the rate, in SI units; the other wall binds at it and beyond
    Wall next = Wall::compute;
};

// The nearest changes of the wall in both directions along one input. Nothing where the wall stays the same
// up to the slider's end.
struct Takeovers {
    P input = P::inter_node_bandwidth;
    std::optional<Takeover> below;  // the first change at smaller values
    std::optional<Takeover> above;  // the first change at larger values
};

// Varies the bandwidth of the network's slowest link or, if the wall is the same at every value of it, the
// rate of the wall itself; where the host's link is the wall, its bandwidth; if the scenario does not fit,
// the GPU's memory, whose change is at the least memory that fits with the margin to spare. The plan is held,
// also where it is automatic: choosing it again at every value would take seconds.
Takeovers takeovers(const Answer& answer);

}  // namespace shardscope
