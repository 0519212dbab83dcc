#include "physics/layer.h"

#include "scenario/gpu_groups.h"

namespace shardscope {

Computed computed(const BlockWork& work, const Compiled& c) {
    const Settings& s = c.settings;
    Computed out{work, {}, {}};
    if (s[P::recompute] == kRecomputeSelective) {
        const Time policy = s[P::selective_cost] * work.forward.time;
        const bool attention = work.forward.attention.total() >= policy.total();
        out.recompute = attention ? work.forward.attention : policy;
        out.recomputed_flops = attention ? work.attention_flops : s[P::selective_cost] * work.forward_flops;
    } else {
        const double share = s[P::recompute] * s[P::recompute_share];
        out.recompute = share * work.forward.time;
        out.recomputed_flops = share * work.forward_flops;
    }
    out.both = work.forward.time + work.backward.time + out.recompute;
    return out;
}

Held held(const BlockWork& work, const UnitTraffic& traffic, const Compiled& c) {
    const Settings& s = c.settings;
    Held out{traffic, work.weights + work.experts, 0};
    const double shard = work.weights / c.layout.shard.size() + work.experts / c.layout.expert_shard.size();
    if (is_fsdp(s) && s.choice<Offload>(P::offload) == Offload::optimizer_and_parameters) {
        // Every GPU brings its shard from the host before it is gathered.
        out.traffic.gather += {Rate::latency, c.compute_bytes * shard / s[P::host_bandwidth]};
    }
    const bool shares = s.choice<Sharding>(P::sharding) != Sharding::ddp;
    out.updated = shares ? shard : out.parameters;
    return out;
}

Time both_passes(const BlockWork& end) { return end.forward.time + end.backward.time; }

const Stage& busiest_stage(const Compiled& c, const Computed& dense, const Computed& sparse) {
    const Stage* out = &c.stages.first;
    if (c.stages.count <= 1) return *out;
    const double dense_layer = dense.both.total();
    const double sparse_layer = sparse.both.total();
    const double embedding = both_passes(c.work.embedding).total();
    const double head = both_passes(c.work.head).total();
    double longest = 0;
    for (const Stage* candidate : {&c.stages.first, &c.stages.middle, &c.stages.last}) {
        double seconds = candidate->dense * dense_layer + candidate->sparse * sparse_layer;
        if (candidate->embedding) seconds += embedding;
        if (candidate->head) seconds += head;
        if (seconds <= longest) continue;
        longest = seconds;
        out = candidate;
    }
    return *out;
}

UnitTraffic end_traffic(const Stage& stage, const Compiled& c) {
    return stage.embedding ? c.traffic.first_end : stage.head ? c.traffic.last_end : UnitTraffic{};
}

}  // namespace shardscope
