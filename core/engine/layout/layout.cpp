#include "layout/layout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "scenario/gpu_groups.h"
#include "schedules/schedule.h"

namespace shardscope {

namespace {

// Places groups of the GPUs that hold the same stage, which are numbered without the pipeline in between.
class StageGroups {
  public:
    StageGroups(const Settings& s, double node)
        : neighbours_(s[P::tensor_parallel] * s[P::context_parallel]),
          between_(s.choice<RankOrder>(P::rank_order) == RankOrder::pipeline_before_data
                       ? s[P::pipeline_parallel]
                       : 1),
          node_(node) {}
    // Returns the group of every `stride`-th of these GPUs. Where a pipeline is between the replicas, its
    // members are `stride` ranks apart up to the end of a replica's stage, and then as far as the next
    // replica.
    [[nodiscard]] RingGroup every(double stride, double size) const {
        if (between_ <= 1) return ring_group(size, stride, node_);
        const double in_stage = neighbours_ / stride;
        const double near = in_stage >= 1 && in_stage == std::floor(in_stage)
                                ? static_cast<double>(std::gcd(static_cast<std::int64_t>(size),
                                                               static_cast<std::int64_t>(in_stage)))
                                : 1;
        if (size <= near) return ring_group(size, stride, node_);
        const RingGroup inner = ring_group(near, stride, node_);
        const RingGroup outer = ring_group(size / near, std::max(stride, neighbours_) * between_, node_);
        const bool inside = inner.nodes <= 1;
        const double local = inside ? inner.local * outer.local : inner.local;
        const double nodes = inside ? outer.nodes_with_members() : inner.nodes_with_members() * outer.size();
        return {local, size / local, outer.stride / near, nodes == size / local ? 0 : nodes};
    }
    // Returns the distance of one stage from the next one; ranks.
    [[nodiscard]] double stage(const Settings& s) const {
        return between_ > 1 ? neighbours_ : s[P::tensor_parallel] * data_context_parallel(s);
    }

  private:
    double neighbours_;  // GPUs of one stage of one replica
    double between_;     // stages between two replicas
    double node_;
};

}  // namespace

Layout layout_of(const Settings& s) {
    Layout out;
    out.tensor = s[P::tensor_parallel];
    out.context = s[P::context_parallel];
    out.expert = s[P::expert_parallel];
    out.pipeline = s[P::pipeline_parallel];
    // The ranks of a job that is smaller than a node are all in it.
    const double node = std::min(s[P::gpus], s[P::gpus_used_per_node]);
    out.weight_copies = weight_copies(s);
    const double same_weights = max_shard_group(s);  // GPUs that hold the same weights
    const double group = shard_group(s);
    out.tensor_group = ring_group(out.tensor, 1, node);
    out.context_group = ring_group(out.context, out.tensor, node);
    const double inner = context_parallel_inner(s);
    out.context_inner_group = ring_group(inner, out.tensor, node);
    out.context_outer_group = ring_group(out.context / inner, out.tensor * inner, node);
    out.expert_tensor = expert_tensor_parallel(s);
    out.expert_tensor_group = ring_group(out.expert_tensor, 1, node);
    out.expert_group = ring_group(out.expert, out.expert_tensor, node);
    const StageGroups groups(s, node);
    out.shard = groups.every(out.tensor, group);
    out.replica = groups.every(out.tensor * group, same_weights / group);
    const double apart = out.expert_tensor * out.expert;            // ranks between two copies of an expert
    const double same_experts = same_weights * out.tensor / apart;  // GPUs that hold the same experts
    const double expert_group = std::clamp(group * out.tensor / apart, 1.0, std::max(1.0, same_experts));
    out.expert_shard = groups.every(apart, expert_group);
    out.expert_replica = groups.every(apart * expert_group, std::max(1.0, same_experts / expert_group));
    out.stages = ring_group(out.pipeline, groups.stage(s), node);
    return out;
}

}  // namespace shardscope
