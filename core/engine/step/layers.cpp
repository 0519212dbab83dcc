#include "step/layers.h"

#include <algorithm>

#include "compile/effect_inputs.h"
#include "effects/host.h"
#include "effects/model_states.h"
#include "effects/offload.h"
#include "memory/kept_activations.h"
#include "scenario/gpu_groups.h"

namespace shardscope {

Layer layer_of(const BlockWork& work, const UnitTraffic& traffic, const Compiled& c) {
    const Settings& s = c.settings;
    Layer out{work,    recompute(work.forward_work(), recompute_policy(c.settings)),
              traffic, keeps_weights_on_host(s),
              {},      work.weights + work.experts};
    out.updated = updated_parameters({work.weights, work.experts}, sharding_of(s), c.layout.shard.size(),
                                     c.layout.expert_shard.size());
    if (out.fetches) out.fetch = host_fetch_time(c.compute_bytes * out.updated, c.host);
    const HostWork host = host_work(s);
    const bool has_experts = work.experts > 0;
    out.forward_host = layer_host_time(host, work.launches.forward, has_experts);
    // Kernels that are recomputed are launched again; the further host time of experts counts once per pass.
    const double forward = work.forward.time.total();
    const double repeated = forward > 0 ? out.recompute.time.total() / forward : 0;
    out.backward_host =
        layer_host_time(host, work.launches.backward + repeated * work.launches.forward, has_experts);
    if (s[P::activation_offload] > 0)
        out.offload = host_fetch_time(s[P::activation_offload] * kept_activations(work, c).kept, c.host);
    return out;
}

End prediction_of(const Compiled& c) {
    const BlockWork& work = c.work.prediction;
    End out{work.forward, work.backward};
    if (c.work.predictions > 0) {
        const Time repeated = recompute(work.forward_work(), recompute_policy(c.settings)).time;
        out.backward.terms[static_cast<std::size_t>(StepTerm::recompute)] += repeated.total();
        out.backward.time += repeated;
    }
    return out;
}

LayerPositions layer_positions(double layers, bool last, const Passes& passes) {
    LayerPositions out{layers, 0, 0};
    if (!last) return out;
    out.at_end = std::min(1.0, layers);
    out.beside_end = std::min(passes.layers_per_visit - 1, layers - out.at_end);
    out.inner = layers - out.at_end - out.beside_end;
    return out;
}

const Stage& busiest_stage(const Compiled& c, const Layers& layers) {
    const Stage* out = &c.stages.first;
    if (c.stages.count <= 1) return *out;
    LayerCounts layer{};
    for (std::size_t i = 0; i < layers.kinds(); ++i) layer[i] = layers.of_kind[i].both_passes().total();
    double longest = 0;
    for (std::size_t k = 0; k < c.stages.size(); ++k) {
        const Stage& candidate = c.stages[k];
        double seconds = 0;
        for (std::size_t i = 0; i < layers.kinds(); ++i) seconds += candidate.counts[i] * layer[i];
        each_end(candidate, layers,
                 [&](const End& end, double times) { seconds += times * end.both_passes().total(); });
        if (seconds <= longest) continue;
        longest = seconds;
        out = &candidate;
    }
    return *out;
}

UnitTraffic end_traffic(const Stage& stage, const Compiled& c) {
    if (stage.embedding) return c.traffic.first_end;
    if (stage.head) return c.traffic.last_end;
    return stage.predictions > 0 ? c.traffic.predictions : UnitTraffic{};
}

StageTraffic stage_traffic(const Stage& stage, const Layers& layers, double on_host, const Compiled& c) {
    UnitTraffic made;
    StageTraffic out{end_traffic(stage, c), {}, {}};
    if (stage.layers() > 0) out.last_layer = layers.last(stage).traffic_with_fetch(on_host, made);
    for (std::size_t i = 0; i < layers.kinds(); ++i) {
        const double count = stage.counts[i];
        const UnitTraffic& layer = layers.of_kind[i].traffic_with_fetch(on_host, made);
        out.layers.gather += count * layer.gather;
        out.layers.reduce += count * layer.reduce;
        out.layers.replica_reduce += count * layer.replica_reduce;
    }
    return out;
}

}  // namespace shardscope
