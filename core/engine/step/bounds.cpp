#include "step/bounds.h"

#include <algorithm>

#include "compile/effect_inputs.h"
#include "effects/host.h"
#include "effects/overlap.h"

namespace shardscope {
namespace {

// The compute times of one micro-batch on a stage. No pass lengthens the step by more than its compute time.
StageTimes computing_stage(const Stage& stage, const Layers& layers, const Compiled& c) {
    const double share = 1 / c.stages.weight_copies;
    StageTimes out;
    const auto add = [&](const Time& forward, const Time& backward, double blocks) {
        out.forward += share * blocks * forward;
        out.backward += share * blocks * backward;
    };
    for (std::size_t i = 0; i < layers.kinds(); ++i) {
        const Layer& layer = layers.of_kind[i];
        add(layer.work.forward.time, layer.backward(), stage.counts[i]);
        out.weight_gradient += share * stage.counts[i] * layer.work.weight_gradient;
    }
    each_end(stage, layers,
             [&](const End& end, double times) { add(end.forward.time, end.backward.time, times); });
    return out;
}

}  // namespace

ComputeBound compute_bound(const Compiled& c) {
    const Settings& s = c.settings;
    const Layers layers(c);
    const Stage& stage = busiest_stage(c, layers);
    ComputeBound out;
    const auto kind = [&](double count, const Layer& layer) {
        if (count <= 0) return LayerBound{};
        const LayerBound bound{count, layer.work.forward.time.total(), layer.backward().total(), layer.host};
        // A pass takes at least as long as the host needs to issue it.
        out.computing += count * (host_bound_time(bound.forward, bound.host) +
                                  host_bound_time(bound.backward, bound.host));
        return bound;
    };
    for (std::size_t i = 0; i < layers.kinds(); ++i) out.layers.add(kind(stage.counts[i], layers.of_kind[i]));
    out.last_kind = stage.last_kind;
    each_end(stage, layers,
             [&](const End& end, double times) { out.computing += times * end.both_passes().total(); });
    out.computing *= s[P::accumulation] / c.stages.weight_copies;
    if (c.stages.count > 1) {
        out.average = average_stage(c, layers);
        out.filling = computing_stage(stage, layers, c);
    }
    return out;
}

double with_bubble(const ComputeBound& bound, const Compiled& c) {
    if (c.stages.count <= 1) return bound.computing;
    return bound.computing +
           c.schedule->bubble(c.pipeline, with_messages(bound.average, c), with_messages(bound.filling, c))
               .total();
}

UnhiddenBound unhidden_bound(const Stage& stage, const Compiled& c) {
    const Layers layers(c);
    UnhiddenBound out;
    const UnhiddenTerms terms = unhidden_terms(stage, layers, c);
    for (const UnhiddenTerm& term : terms.items())
        out.seconds[static_cast<std::size_t>(term.frequency)] += term.time.total();
    return out;
}

TrafficBound traffic_bound(const Compiled& c) {
    const Layers layers(c);
    const TrafficPolicy policy = traffic_policy(c.settings);
    const auto kind = [&](const Layer& layer) {
        const auto forward = [&](bool first) {
            return forward_traffic(policy, layer.traffic, false, first).both().total();
        };
        const auto backward = [&](bool last) {
            return backward_traffic(policy, layer.traffic, false, last).both().total();
        };
        return LayerTrafficBound{forward(true), forward(false), backward(true), backward(false)};
    };
    TrafficBound out;
    for (const Layer& layer : layers.of_kind.items()) out.add(kind(layer));
    return out;
}

TrafficPasses traffic_passes(const Compiled& c) {
    const TrafficPolicy policy = traffic_policy(c.settings);
    return {passes_beside_traffic(policy.gathers_each_visit, c.passes),
            passes_beside_traffic(policy.reduces_each_visit, c.passes)};
}

double exposed_traffic_bound(const ComputeBound& computing, const TrafficBound& traffic,
                             const TrafficPasses& beside, double omega) {
    // Returns the exposed time of one direction: `once` is the communication of the first or the last visit,
    // `other` that of each other one.
    const auto direction = [&](const Passes& passes, const LayerBound& layer, double seconds, double once,
                               double other, bool last) {
        const double busy = passes.passes_per_visit * passes.share * seconds;
        const double launch = passes.passes_per_visit * layer.host;
        const auto exposed = [&](double communication) {
            return host_bound_time(overlapped(busy, communication, omega), launch) -
                   host_bound_time(busy, launch);
        };
        // No compute hides the traffic of the layer at the end, which is part of `unhidden_bound`. The layers
        // visited together with it hide less than the others, but the bound may leave them out.
        const double layers = layer_positions(layer.count, last, passes).inner;
        return layers > 0 ? layers * (exposed(once) + (passes.visits() - 1) * exposed(other)) : 0.0;
    };
    const auto kind = [&](const LayerBound& layer, const LayerTrafficBound& unit, bool last) {
        return direction(beside.forward, layer, layer.forward, unit.forward_first, unit.forward_other, last) +
               direction(beside.backward, layer, layer.backward, unit.backward_last, unit.backward_other,
                         last);
    };
    double out = 0;
    for (std::size_t i = 0; i < traffic.size(); ++i)
        out += kind(computing.layers[i], traffic[i], i == computing.last_kind);
    return out;
}

}  // namespace shardscope
