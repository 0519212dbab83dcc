// E18: the data-parallel collectives of ZeRO++, which quantizes what FSDP sends.
//
// Weights are gathered in int8 before the forward pass. Every node keeps them once more in the compute
// precision, sharded over its GPUs (secondary shards), from which the backward pass gathers without traffic
// between nodes. Gradients are reduced in int4: an all-to-all inside each node, a sum, and an all-to-all
// between the nodes. The scaling factors, one for hundreds of values, are negligible. Source: Wang et al.
// 2023, arXiv 2306.10209.
#pragma once

#include "effects/collectives.h"
#include "effects/model_states.h"

namespace shardscope {

inline constexpr double kQuantizedWeight = 1;      // bytes
inline constexpr double kQuantizedGradient = 0.5;  // bytes
// The memory traffic of quantization, in bytes per parameter: the gathered weights are read in int8 and
// written in 16 bits, the gradients are read in 16 bits, written in int4, and read again to be added up.
inline constexpr double kQuantizationTraffic = 6;

// E3: returns the bytes of the secondary shards on one GPU, with `bytes` per parameter. The GPUs of the shard
// group in one node hold them.
inline double secondary_shard_bytes(double bytes, const ModelParameters& parameters, const RingGroup& shard,
                                    const RingGroup& expert_shard) {
    return sharded_bytes(bytes, parameters, in_one_node(shard).size(), in_one_node(expert_shard).size());
}

inline Time quantized_gather_time(double parameters, const RingGroup& shard, const NetworkRates& network) {
    return all_gather_time(kQuantizedWeight * parameters, shard, network);
}

// Returns the time of a gather of `bytes` from the secondary shards.
inline Time node_gather_time(double bytes, const RingGroup& shard, const NetworkRates& network) {
    return all_gather_time(bytes, in_one_node(shard), network);
}

inline Time quantized_reduce_time(double parameters, const RingGroup& shard, const NetworkRates& network) {
    const double bytes = kQuantizedGradient * parameters;
    // Each GPU of a node exchanges the part that it has summed with one GPU of every other node.
    return all_to_all_time(bytes, in_one_node(shard), network) +
           all_to_all_time(bytes / shard.local, one_in_each_node(shard), network);
}

}  // namespace shardscope
