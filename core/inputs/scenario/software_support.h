// What a software stack does not offer. The planner leaves out plans that need it, and an answer with such a
// plan says so. Schedules name their stacks themselves (Schedule::stacks).
#pragma once

#include <string>
#include <vector>

#include "parameters/settings.h"

namespace shardscope {

// Returns whether the scenario's software shards the model states in this way. Sources: pytorch/torchtitan
// and PyTorch's fully_shard, which always shard the weights or replicate everything; huggingface/nanotron,
// which shards the optimizer at most; DeepSpeed's PipelineEngine, which asserts a ZeRO stage below 2.
bool offers_sharding(Sharding sharding, const Settings& settings);

// Returns whether Megatron-Core can overlap the exchange of experts with compute under these stages and this
// recomputation: a pipeline needs virtual stages, and experts must not be recomputed. Source:
// core/transformer/transformer_config.py, overlap_moe_expert_parallel_comm.
bool megatron_overlaps_experts(const Settings& settings);
// Returns whether the scenario's software can do so.
bool offers_expert_overlap(const Settings& settings);

// Returns one sentence for each choice of the plan that the software does not offer.
std::vector<std::string> missing_in_software(const Settings& settings);

}  // namespace shardscope
