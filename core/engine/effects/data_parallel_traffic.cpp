#include "effects/data_parallel_traffic.h"

#include <algorithm>

#include "effects/quantized_traffic.h"

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
        time_.regather = time_.gather;
        if (policy_.quantizes) {
            time_.gather = quantized_gather_time(bucket, shard_, network_);
            time_.regather = node_gather_time(policy_.weight_bytes * bucket, shard_, network_);
            time_.reduce = quantized_reduce_time(bucket, shard_, network_);
        }
        time_.replica_reduce =
            all_reduce_time(policy_.gradient_bytes * bucket / shard_.size(), replica_, network_);
    }
    const double buckets = parameters / bucket;
    out.gather += buckets * time_.gather;
    out.regather += buckets * time_.regather;
    out.reduce += buckets * time_.reduce;
    out.replica_reduce += buckets * time_.replica_reduce;
}

TrafficPolicy traffic_policy(const TrafficChoices& choices) {
    const bool fsdp = is_fsdp(choices.sharding);
    const bool reshards = fsdp && choices.reshards_after_forward;
    const bool gathers_each_visit = fsdp && (reshards || !choices.defers_reductions);
    // FSDP and ZeRO-2 reduce during the backward pass, because they do not keep unsharded gradients.
    const bool reduces_each_visit =
        (fsdp && !choices.defers_reductions) || choices.sharding == Sharding::zero2;
    return {.gathers_each_visit = gathers_each_visit,
            .gathers_again = reshards,
            .recompute_gathers = reshards ? choices.recompute_gathers : 0,
            .gathers_once = choices.sharding != Sharding::ddp && !gathers_each_visit,
            .reduces_each_visit = reduces_each_visit,
            .overlaps_gathers = fsdp || choices.overlaps_gathers,
            .overlaps_reductions = fsdp || reduces_each_visit || choices.overlaps_reductions};
}

double sent_bytes(const TrafficPolicy& when, const BucketPolicy& how, const RingGroup& shard,
                  const RingGroup& replica, double visits) {
    const auto sent = [](double gpus) { return (gpus - 1) / gpus; };
    const double gathers = when.gathers_each_visit ? visits : when.gathers_once ? 1 : 0;
    const double gathers_again = when.gathers_again ? (1 + when.recompute_gathers) * visits : 0;
    const double reductions = when.reduces_each_visit ? visits : 1;
    const RingGroup again = how.quantizes ? in_one_node(shard) : shard;
    return sent(shard.size()) * (gathers * (how.quantizes ? kQuantizedWeight : how.weight_bytes) +
                                 reductions * (how.quantizes ? kQuantizedGradient : how.gradient_bytes)) +
           sent(again.size()) * gathers_again * how.weight_bytes +
           2 * sent(replica.size()) * reductions * how.gradient_bytes /
               shard.size();  // all-reduce of replicas
}

LayerTraffic forward_traffic(const TrafficPolicy& policy, const UnitTraffic& layer, bool at_end,
                             bool first_visit) {
    LayerTraffic out;
    const bool gathers_now =
        policy.gathers_each_visit ? !at_end : policy.gathers_once && policy.overlaps_gathers && first_visit;
    if (gathers_now) out.gather = layer.gather;
    return out;
}

LayerTraffic backward_traffic(const TrafficPolicy& policy, const UnitTraffic& layer, bool at_end,
                              bool last_visit) {
    LayerTraffic out;
    if (policy.gathers_again) out.gather = (1 + policy.recompute_gathers) * layer.regather;
    const bool reduces_now = policy.reduces_each_visit || (last_visit && policy.overlaps_reductions);
    if (!at_end && reduces_now) out.reduce = layer.gradients();
    return out;
}

Time gathers_before(const TrafficPolicy& policy, const StageTraffic& stage, bool first_visit) {
    if (policy.gathers_each_visit) return stage.ends.gather + stage.last_layer.gather;
    if (!policy.gathers_once || !first_visit) return {};
    return policy.overlaps_gathers ? stage.ends.gather : stage.ends.gather + stage.layers.gather;
}

Time reductions_after(const TrafficPolicy& policy, const StageTraffic& stage, bool last_visit) {
    if (!policy.reduces_each_visit && !last_visit) return {};
    const UnitTraffic& layers = policy.overlaps_reductions ? stage.last_layer : stage.layers;
    return layers.gradients() + stage.ends.gradients();
}

}  // namespace shardscope
