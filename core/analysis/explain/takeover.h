// The value of a rate at which another wall starts to bind: "inter-node takes over below 150 Gbit/s".
#pragma once

#include <optional>

#include "planner/answer.h"

namespace shardscope {

struct Takeover {
    P rate;             // the input that was varied
    double value = 0;   // the other wall binds beyond it
    bool below = true;  // beyond means below that value, else above
    Wall next = Wall::compute;
};

// Finds the nearest change of the wall along the network's bandwidth: downwards if the network is not the
// wall, upwards if it is. Returns nothing if the wall is the same over the slider's whole range, or if it is
// memory.
std::optional<Takeover> nearest_takeover(const Answer& answer);

}  // namespace shardscope
