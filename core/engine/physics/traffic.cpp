#include "physics/traffic.h"

#include <algorithm>

#include "estimate/compiled.h"
#include "physics/memory.h"
#include "scenario/gpu_groups.h"

namespace shardscope {
namespace {

// Buckets are alike, so the last one's times are remembered.
struct Bucket {
    double parameters = 0;
    UnitTraffic time;
};

void add(UnitTraffic& out, const Compiled& c, double parameters, Bucket& last, const RingGroup& shard,
         const RingGroup& replica) {
    constexpr double kBucketPerGpu = 1e6;
    if (parameters <= 0) return;
    const double gpus = shard.size() * replica.size();
    if (gpus <= 1) return;
    double bucket = parameters / c.settings[P::unit_collectives];
    if (!is_fsdp(c.settings)) {
        const double all = c.parameters * c.layout.copies / c.layout.tensor / c.layout.pipeline;
        bucket =
            std::min(std::max(c.settings[P::bucket_size], kBucketPerGpu * gpus), std::max(parameters, all));
    }
    if (last.parameters != bucket) {
        last.parameters = bucket;
        last.time.gather = all_gather_time(c.compute_bytes * bucket, shard, c.sharing);
        last.time.reduce = c.state.gradients == c.compute_bytes
                               ? last.time.gather
                               : reduce_scatter_time(c.state.gradients * bucket, shard, c.sharing);
        last.time.combine = all_reduce_time(c.state.gradients * bucket / shard.size(), replica, c.sharing);
    }
    const double times = parameters / bucket;
    out.gather += times * last.time.gather;
    out.reduce += times * last.time.reduce;
    out.combine += times * last.time.combine;
}

}  // namespace

void time_traffic(Compiled& c) {
    Bucket shared, experts;
    const auto unit = [&](double weights, double expert_weights) {
        UnitTraffic out;
        add(out, c, weights, shared, c.layout.shard, c.layout.replica);
        add(out, c, expert_weights, experts, c.layout.expert_shard, c.layout.expert_replica);
        return out;
    };
    c.traffic.dense = unit(c.work.dense.weights, c.work.dense.experts);
    c.traffic.sparse = unit(c.work.sparse.weights, c.work.sparse.experts);
    c.traffic.first_end = unit(end_parameters(c.stages.first, c), 0);
    if (c.stages.count > 1) c.traffic.last_end = unit(end_parameters(c.stages.last, c), 0);
}

}  // namespace shardscope
