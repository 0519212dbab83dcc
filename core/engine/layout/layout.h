// E14: which GPUs work together, and where they lie.
//
// Ranks are numbered with tensor parallelism innermost, then context, data and pipeline parallelism: a tensor
// group's members are neighbours, a pipeline's stages lie farthest apart. Experts are shared out among GPUs
// that differ in data and context. A pipeline with two copies of the weights adds those of its other half to
// a group; they are counted as neighbours, though they lie as far apart as the stages do. Source:
// Megatron-LM's order tp-cp-ep-dp-pp.
#pragma once

#include "effects/collectives.h"
#include "parameters/settings.h"

namespace shardscope {

struct Layout {                                                // how the plan lays the model over the GPUs
    double tensor = 1, context = 1, expert = 1, pipeline = 1;  // degrees
    double copies = 1;  // of the weights in one pipeline: GPUs that hold the same ones lie at its two ends
    RingGroup tensor_group, context_group, expert_group;
    RingGroup shard;                         // GPUs that share one copy of the sharded state
    RingGroup replica;                       // GPUs that hold the same part of it
    RingGroup expert_shard, expert_replica;  // the same for experts' weights
    bool stages_cross_nodes = false;  // some neighbouring stages lie in different nodes: they set the pace
};

Layout layout_of(const Settings& settings);

}  // namespace shardscope
