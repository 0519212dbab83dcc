#include "effects/data_parallel_traffic.h"

#include <algorithm>

namespace shardscope {

void BucketTimes::add(UnitTraffic& out, double parameters) {
    constexpr double kBucketPerGpu = 1e6;
    if (parameters <= 0) return;
    const double gpus = shard_.size() * replica_.size();
    if (gpus <= 1) return;
    double bucket = parameters / policy_.collectives_per_unit;
    if (!policy_.per_unit) {
        bucket = std::min(std::max(policy_.bucket_size, kBucketPerGpu * gpus),
                          std::max(parameters, policy_.stage_parameters));
    }
    if (timed_ != bucket) {
        timed_ = bucket;
        time_.gather = all_gather_time(policy_.weight_bytes * bucket, shard_, network_);
        time_.reduce = policy_.gradient_bytes == policy_.weight_bytes
                           ? time_.gather
                           : reduce_scatter_time(policy_.gradient_bytes * bucket, shard_, network_);
        time_.replica_reduce =
            all_reduce_time(policy_.gradient_bytes * bucket / shard_.size(), replica_, network_);
    }
    const double buckets = parameters / bucket;
    out.gather += buckets * time_.gather;
    out.reduce += buckets * time_.reduce;
    out.replica_reduce += buckets * time_.replica_reduce;
}

TrafficPolicy traffic_policy(const Settings& s) {
    const auto sharding = s.choice<Sharding>(P::sharding);
    const bool fsdp = sharding == Sharding::zero3 || sharding == Sharding::hsdp;
    return {.gathers_each_visit = fsdp,
            .gathers_again = fsdp && s.on(P::reshard_after_forward),
            .gathers_once = !fsdp && sharding != Sharding::ddp,
            .reduces_each_visit = fsdp || sharding == Sharding::zero2};
}

LayerTraffic forward_traffic(const TrafficPolicy& policy, const UnitTraffic& layer, bool at_end,
                             bool first_visit) {
    LayerTraffic out;
    if (policy.gathers_each_visit ? !at_end : policy.gathers_once && first_visit) out.gather = layer.gather;
    return out;
}

LayerTraffic backward_traffic(const TrafficPolicy& policy, const UnitTraffic& layer, bool at_end,
                              bool last_visit) {
    LayerTraffic out;
    if (policy.gathers_again) out.gather = layer.gather;
    if (!at_end && (policy.reduces_each_visit || last_visit)) out.reduce = layer.gradients();
    return out;
}

Time gathers_before(const TrafficPolicy& policy, const UnitTraffic& ends, const UnitTraffic& layer,
                    bool first_visit) {
    if (policy.gathers_each_visit) return ends.gather + layer.gather;
    return policy.gathers_once && first_visit ? ends.gather : Time{};
}

Time reductions_after(const TrafficPolicy& policy, const UnitTraffic& ends, const UnitTraffic& layer,
                      bool last_visit) {
    if (!policy.reduces_each_visit && !last_visit) return {};
    return layer.gradients() + ends.gradients();
}

}  // namespace shardscope
