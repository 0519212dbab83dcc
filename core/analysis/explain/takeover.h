// Where the wall changes hands along one rate: "inter-node takes over below 150 Gbit/s".
#pragma once

#include <optional>

#include "planner/answer.h"

namespace shardscope {

struct Takeover {
    P rate = P::count;  // the input that was varied
    double value = 0;   // where the wall changes
    bool below = true;  // it changes below that value, else above
    Wall next = Wall::compute;
};

// The nearest change along the network's bandwidth: downwards when the network is not the wall, upwards when
// it is. Nothing when one wall holds over the slider's whole range, or memory is the wall.
std::optional<Takeover> nearest_takeover(const Answer& answer);

}  // namespace shardscope
