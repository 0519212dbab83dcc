#include "layout/layout.h"

#include <algorithm>

#include "scenario/gpu_groups.h"
#include "schedules/schedule.h"

namespace shardscope {

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
    out.shard = ring_group(group, out.tensor, node);
    out.replica = ring_group(same_weights / group, out.tensor * group, node);
    const double apart = out.expert_tensor * out.expert;            // ranks between two copies of an expert
    const double same_experts = same_weights * out.tensor / apart;  // GPUs that hold the same experts
    const double expert_group = std::clamp(group * out.tensor / apart, 1.0, std::max(1.0, same_experts));
    out.expert_shard = ring_group(expert_group, apart, node);
    out.expert_replica = ring_group(std::max(1.0, same_experts / expert_group), apart * expert_group, node);
    out.stages = ring_group(out.pipeline, out.tensor * data_context_parallel(s), node);
    return out;
}

}  // namespace shardscope
