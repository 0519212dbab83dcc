#include "step/bounds.h"

#include <algorithm>

#include "compile/effect_inputs.h"
#include "effects/host.h"
#include "effects/overlap.h"
#include "memory/memory.h"

namespace shardscope {

ComputeBound compute_bound(const Compiled& c) {
    const Layers layers(c);
    const Stage& stage = busiest_stage(c, layers);
    ComputeBound out;
    out.last_kind = stage.last_kind;
    // A schedule that splits micro-batches makes the host issue more passes.
    Passes whole;
    whole.count = c.settings[P::accumulation] / c.stages.weight_copies;
    const double per_micro_batch = 1 / c.settings[P::accumulation];
    const auto pass = [&](std::size_t kind, Phase phase) {
        const LayerPasses passes = computing_passes(stage, layers, kind, phase, whole);
        const PassBound bound{passes.busy.total(), passes.host};
        out.computing += passes.count * host_bound_time(bound.busy, bound.host);
        if (c.stages.count > 1) {
            // No pass lengthens the step by more than its compute time.
            const double share = passes.count * per_micro_batch;
            (phase == Phase::forward ? out.filling.forward : out.filling.backward) += share * passes.busy;
            out.filling.weight_gradient += share * passes.weight_gradient;
        }
        return bound;
    };
    for (std::size_t i = 0; i < layers.kinds(); ++i) {
        LayerBound& layer = out.layers.add({stage.counts[i], {}, {}});
        if (layer.count <= 0) continue;
        layer.forward = pass(i, Phase::forward);
        layer.backward = pass(i, Phase::backward);
    }
    each_end(stage, layers, [&](const End& end, double times) {
        out.computing += whole.count * times * end.both_passes().total();
        if (c.stages.count <= 1) return;
        out.filling.forward += whole.count * per_micro_batch * times * end.forward.time;
        out.filling.backward += whole.count * per_micro_batch * times * end.backward.time;
    });
    if (c.stages.count > 1) out.average = average_stage(c, layers);
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
    double on_host = 1;  // on the stage that fetches the least
    for (std::size_t i = 0; i < c.stages.size(); ++i)
        on_host = std::min(on_host, state_share_on_host(c.stages[i], c));
    const auto kind = [&](const Layer& layer) {
        UnitTraffic made;
        const UnitTraffic& unit = layer.traffic_with_fetch(on_host, made);
        const auto forward = [&](bool first) {
            return forward_traffic(policy, unit, false, first).both().total();
        };
        const auto backward = [&](bool last) {
            return backward_traffic(policy, unit, false, last).both().total();
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
    // Returns the exposed time of one direction of `count` layers: `once` is the communication of the first
    // or the last visit, `other` that of each other one.
    const auto direction = [&](const Passes& passes, const PassBound& pass, double count, double once,
                               double other, bool last) {
        const double busy = passes.passes_per_visit * passes.share * pass.busy;
        const double launch = passes.passes_per_visit * pass.host;
        const double alone = host_bound_time(busy, launch);
        const auto exposed = [&](double communication) {
            return host_bound_time(overlapped(busy, communication, omega), launch) - alone;
        };
        // No compute hides the traffic of the layer at the end, which is part of `unhidden_bound`. The layers
        // visited together with it hide less than the others, but the bound may leave them out.
        const double layers = layer_positions(count, last, passes).inner;
        return layers > 0 ? layers * (exposed(once) + (passes.visits() - 1) * exposed(other)) : 0.0;
    };
    const auto kind = [&](const LayerBound& layer, const LayerTrafficBound& unit, bool last) {
        return direction(beside.forward, layer.forward, layer.count, unit.forward_first, unit.forward_other,
                         last) +
               direction(beside.backward, layer.backward, layer.count, unit.backward_last,
                         unit.backward_other, last);
    };
    double out = 0;
    for (std::size_t i = 0; i < traffic.size(); ++i)
        out += kind(computing.layers[i], traffic[i], i == computing.last_kind);
    return out;
}

}  // namespace shardscope
