// E14: the groups of GPUs that communicate, and their placement in nodes.
//
// Ranks are numbered with tensor parallelism innermost, then context, data and pipeline parallelism. So the
// members of a tensor group have neighbouring ranks, and the stages of a pipeline have the most distant ones.
// With the rank order tp-cp-ep-pp-dp, which has no expert parallelism, the replicas are furthest apart
// instead. Experts are partitioned over GPUs that hold the same layers: those that differ in data and context
// and, where experts are split over fewer GPUs than other matrices, in tensor rank. In a pipeline with two
// copies of the weights, GPUs of both halves hold the same weights and belong to one group. The layout counts
// them as neighbours although they are as far apart as stages are. Where groups of one kind lie differently
// in the nodes, each is the slowest one, see ring_group: a rack or node that a group leaves halfway has its
// adapters as the bottleneck. Source: Megatron-LM's order tp-cp-ep-dp-pp.
#pragma once

#include "effects/collectives.h"
#include "parameters/settings.h"

namespace shardscope {

struct Layout {                                                // how the plan maps the model to the GPUs
    double tensor = 1, context = 1, expert = 1, pipeline = 1;  // degrees
    double expert_tensor = 1;                                  // GPUs over which each expert is split
    double weight_copies =
        1;  // weight copies per pipeline; with two, GPUs at opposite places hold the same weights
    RingGroup tensor_group, context_group, expert_group, expert_tensor_group;
    RingGroup context_inner_group, context_outer_group;  // of hierarchical context parallelism
    RingGroup shard;                         // GPUs over which one replica of the state is sharded
    RingGroup replica;                       // GPUs that hold the same shard
    RingGroup expert_shard, expert_replica;  // the same for experts' weights
    RingGroup stages;                        // GPUs at the same place of all pipeline stages
};

Layout layout_of(const Settings& settings);

}  // namespace shardscope
