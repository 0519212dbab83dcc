// E25: lower bounds of the step time, for searches. The step of a plan takes at least the sum of compute with
// bubble, unhidden terms and exposed traffic.
#pragma once

#include <array>

#include "step/trace.h"

namespace shardscope {

// The compute of one micro-batch in one direction of one kind of layer, and the host's time to issue it; s.
// Transfers of offloaded activations are left out. Recomputation shortens them, so that with them a plan
// without recomputation might not be the fastest.
struct PassBound {
    double busy = 0;  // including recomputation
    double host = 0;
};
struct LayerBound {
    double count = 0;  // layers of a kind
    PassBound forward, backward;
};
// The compute time of the busiest stage, with recomputation, and what its bubble depends on; s. None of them
// depends on the sharding or the network.
struct ComputeBound {
    double computing = 0;         // sum over the passes of the trace, without traffic
    StageTimes average, filling;  // of one micro-batch without messages; see Schedule::bubble
    BoundedList<LayerBound, kLayerKinds> layers;
    std::size_t last_kind = 0;  // of the stage's last layer
};
ComputeBound compute_bound(const Compiled& compiled);
double with_bubble(const ComputeBound& bound, const Compiled& compiled);

// The sums of the trace's terms that no compute hides: first gathers, last reductions, memory copies,
// optimizer and host; s. They depend neither on recomputation nor on the schedule's order. A plan's step
// contains the terms of one of its stages.
struct UnhiddenBound {
    std::array<double, kFrequencies> seconds{};  // of one occurrence, by frequency
    [[nodiscard]] double total(const Passes& passes) const {
        const auto times = occurrences(passes);
        double out = 0;
        for (std::size_t i = 0; i < kFrequencies; ++i) out += seconds[i] * times[i];
        return out;
    }
};
UnhiddenBound unhidden_bound(const Stage& stage, const Compiled& compiled);

// The time of the data-parallel collectives that run while one layer of a kind computes; s.
struct LayerTrafficBound {
    double forward_first = 0, forward_other = 0;  // in the first visit, in each other one
    double backward_last = 0, backward_other = 0;
};
using TrafficBound = BoundedList<LayerTrafficBound, kLayerKinds>;
TrafficBound traffic_bound(const Compiled& compiled);
// The passes with which that traffic overlaps; they depend on the schedule and the sharding.
struct TrafficPasses {
    Passes forward, backward;
};
TrafficPasses traffic_passes(const Compiled& compiled);
// Returns a lower bound of the exposed part of that traffic; s. `omega` is that of effects/overlap.h.
double exposed_traffic_bound(const ComputeBound& computing, const TrafficBound& traffic,
                             const TrafficPasses& beside, double omega);

}  // namespace shardscope
