// E25: lower bounds of the step time, for searches. The step of a plan takes at least the sum of compute with
// bubble, unhidden terms and exposed traffic.
#pragma once

#include <array>

#include "step/trace.h"

namespace shardscope {

// The compute of the slowest stage, including recomputation, and the bubble; s. They do not depend on the
// sharding and the network.
struct LayerFloor {
    double count = 0;     // layers of a kind
    double forward = 0;   // one layer's pass over one micro-batch
    double backward = 0;  // including recomputation
    double host = 0;      // the host's time to issue one pass
};
struct ComputeFloor {
    double computing = 0;
    StageTimes average, filling;  // of one micro-batch without messages; see Schedule::bubble
    BoundedList<LayerFloor, kLayerKinds> layers;
    std::size_t last_kind = 0;  // of the stage's last layer
};
ComputeFloor compute_floor(const Compiled& compiled);
double with_bubble(const ComputeFloor& floor, const Compiled& compiled);

// The terms that no compute hides: first gathers, last reductions, memory copies, optimizer and host; s. They
// depend neither on recomputation nor on the schedule's order. A plan's step contains the terms of one of its
// stages.
struct UnhiddenFloor {
    std::array<double, kFrequencies> seconds{};  // of one occurrence, by frequency
    [[nodiscard]] double total(const Passes& passes) const {
        const auto times = occurrences(passes);
        double out = 0;
        for (std::size_t i = 0; i < kFrequencies; ++i) out += seconds[i] * times[i];
        return out;
    }
};
UnhiddenFloor unhidden_floor(const Stage& stage, const Compiled& compiled);

// The time of the data-parallel collectives that run while one layer of a kind computes; s.
struct LayerTrafficFloor {
    double forward_first = 0, forward_other = 0;  // in the first visit, in each other one
    double backward_last = 0, backward_other = 0;
};
using TrafficFloor = BoundedList<LayerTrafficFloor, kLayerKinds>;
TrafficFloor traffic_floor(const Compiled& compiled);
// The passes beside which that traffic runs; they depend on the schedule and the sharding.
struct TrafficPasses {
    Passes forward, backward;
};
TrafficPasses traffic_passes(const Compiled& compiled);
// Returns a lower bound of the exposed part of that traffic; s. `omega` is that of effects/overlap.h.
double exposed_traffic_floor(const ComputeFloor& computing, const TrafficFloor& traffic,
                             const TrafficPasses& beside, double omega);

}  // namespace shardscope
