// What a software stack does not offer. The planner leaves out plans that need it, and an answer with such a
// plan says so. Schedules name their stacks themselves (Schedule::stacks).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parameters/settings.h"

namespace shardscope {

// Returns whether the scenario's software shards the model states in this way. Sources: pytorch/torchtitan
// and PyTorch's fully_shard, which always shard the weights or replicate everything; huggingface/nanotron,
// which shards the optimizer at most; DeepSpeed's PipelineEngine, which asserts a ZeRO stage below 2.
bool offers_sharding(Sharding sharding, const Settings& settings);

// Returns whether the scenario's software keeps this on the host. Sources: PyTorch's CPUOffloadPolicy, which
// offloads all states together; --optimizer-cpu-offload of NVIDIA/Megatron-LM; offload_optimizer and
// offload_param of DeepSpeed (NVMe and weights with ZeRO-3 only); optimizer_memory_host_offload and
// parameter_memory_host_offload of MaxText; huggingface/nanotron and older Megatron-LM, which have none.
bool offers_offload(Offload offload, const Settings& settings);

// Returns whether the scenario's software sends tokens to their experts in this way. Sources:
// expert_parallel_comm_backend of pytorch/torchtitan, which has no all-gather; use_ring_of_experts of
// MaxText, which has no DeepEP, like other programs in JAX; _AllToAll in deepspeed/moe/sharded_moe.py of
// DeepSpeed. The other programs that only have the all-to-all are older than DeepEP (February 2025).
bool offers_dispatcher(MoeDispatcher dispatcher, const Settings& settings);

// Returns whether the software runs on GPUs of this vendor, one of kVendors; true where it is not known.
bool runs_on(Software software, std::string_view vendor);

// Returns whether Megatron-Core can overlap the exchange of experts with compute under these stages and this
// recomputation: a pipeline needs virtual stages, and experts must not be recomputed. Source:
// core/transformer/transformer_config.py, overlap_moe_expert_parallel_comm.
bool megatron_overlaps_experts(const Settings& settings);
// Returns whether the scenario's software can do so.
bool offers_expert_overlap(const Settings& settings);

// Returns one sentence for each choice of the plan that the software does not offer.
std::vector<std::string> missing_in_software(const Settings& settings);

}  // namespace shardscope
