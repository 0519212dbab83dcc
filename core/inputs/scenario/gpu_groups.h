// How many GPUs work together under a plan: on the same data, the same weights, or one copy of the state.
#pragma once

#include "parameters/settings.h"

namespace shardscope {

// GPUs that hold different data; those that hold the same weights and can share them out (data and context
// parallel); and those that do share one copy of the sharded state.
int data_parallel(const Settings& settings);
// GPUs that one copy of the model takes: tensor × context × pipeline parallel.
double model_gpus(const Settings& settings);
int sharing_gpus(const Settings& settings);
// GPUs that can share out the state of one set of weights: those, in every copy that the pipeline holds.
int state_sharers(const Settings& settings);
// Weights are gathered layer by layer: zero3 and hsdp.
inline bool is_fsdp(const Settings& settings) {
    const auto sharding = settings.choice<Sharding>(P::sharding);
    return sharding == Sharding::zero3 || sharding == Sharding::hsdp;
}
int shard_group(const Settings& settings);

}  // namespace shardscope
