// The sizes of the GPU groups of a plan.
#pragma once

#include <array>

#include "parameters/settings.h"

namespace shardscope {

// An NVLink domain of more GPUs than this is a rack, not a node.
inline constexpr double kLargestNode = 16;

// The degrees to which a plan splits a model.
inline constexpr std::array kDegrees{P::tensor_parallel, P::context_parallel,       P::pipeline_parallel,
                                     P::expert_parallel, P::expert_tensor_parallel, P::virtual_stages};

// Returns the data-parallel degree: GPUs that process different samples.
int data_parallel(const Settings& settings);
// Returns the GPUs of one model replica: tensor × context × pipeline parallel.
double gpus_per_replica(const Settings& settings);
// Returns the GPUs that hold the same weights of one stage: data × context parallel.
int data_context_parallel(const Settings& settings);
// Returns the GPUs among which the state of one set of weights can be sharded: data × context parallel, times
// the weight copies of the pipeline.
int max_shard_group(const Settings& settings);
// Returns whether every shard group is one of several GPUs that hold the same weights.
bool shards_over_one_gpu(const Settings& settings);
// Returns how the model states are sharded: not at all over one GPU, which is plain data parallelism.
inline Sharding sharding_of(const Settings& settings) {
    const auto kind = settings.choice<Sharding>(P::sharding);
    const bool may_be_one = kind == Sharding::hsdp || settings[P::shard_group] == 1;
    return may_be_one && shards_over_one_gpu(settings) ? Sharding::ddp : kind;
}
inline bool is_fsdp(const Settings& settings) { return is_fsdp(settings.choice<Sharding>(P::sharding)); }
// Returns whether FSDP shards the weights, see sharding_of.
inline bool shards_weights(const Settings& settings) { return is_fsdp(sharding_of(settings)); }
// Returns whether the sharded weights are in the host's memory. Without FSDP no layer is fetched, so the
// weights stay on the GPU.
inline bool keeps_weights_on_host(const Settings& settings) {
    return shards_weights(settings) &&
           settings.choice<Offload>(P::offload) == Offload::optimizer_and_parameters;
}
// Returns whether the host keeps and accumulates the sharded gradients.
inline bool keeps_gradients_on_host(const Settings& settings) {
    return settings.choice<Offload>(P::offload) != Offload::none && sharding_of(settings) >= Sharding::zero2;
}
// Returns the part of a node's host memory that one GPU in use has, in bytes: the limit of its offloaded
// state and activations together.
double host_memory_share(const Settings& settings);
// Returns whether plans may have this degree of tensor parallelism: it stays in a node unless the scenario
// allows more.
bool is_planned_tensor_degree(double degree, const Settings& settings);
// Returns the tokens on the busiest expert-parallel GPU relative to the average one: at most as many as there
// are GPUs, because a GPU cannot have more than all tokens.
double expert_imbalance(const Settings& settings);
// Returns the GPUs over which each expert's matrices are split.
double expert_tensor_parallel(const Settings& settings);
// Returns the GPUs of an inner group of the context-parallel kind a2a+p2p.
double context_parallel_inner(const Settings& settings);
// Returns whether the software supports context parallelism of this kind with the model's sliding windows and
// attention sinks.
bool supports_attention(ContextParallelKind kind, const Settings& settings);
// Returns the kind that is used if the scenario gives none.
ContextParallelKind usual_context_kind(const Settings& settings);
// Returns the GPUs among which context parallelism exchanges heads for parts of the sequence; 1: it does not.
double head_exchange_group(const Settings& settings);
// Returns the attention work of the busiest context-parallel GPU relative to the average one, ≥ 1. Only the
// GPUs of a ring or a gather have different parts of the sequence and so of the causal triangle; those that
// exchange heads have the same part of it for some heads each. A GPU has at most the work of all parts.
double context_imbalance(const Settings& settings);
// Returns the GPUs that can hold different experts: data × context × tensor ÷ expert tensor parallel.
double max_expert_parallel(const Settings& settings);
// Returns the GPUs among which the state is sharded.
int shard_group(const Settings& settings);

}  // namespace shardscope
