// E13, E14 and E15: the time of a collective operation over a group of GPUs.
//
// A ring moves (g−1)/g of the tensor through every member. Between nodes its bandwidth is the sum over the
// adapters of the node's local ranks: 8 GPUs × 50 GB/s = 400 GB/s, not 50 GB/s. Bandwidth grows with the
// message along a sigmoid in log2 of its size, which includes the latency: with sharpness k = ln 2 the time
// is exactly t = α + V/B. The message size at which half of the bandwidth is reached, 2^x0 = α·B, depends on
// the group: all-gather and reduce-scatter rarely use a tree algorithm, so their latency grows with its size.
//
// A switch gives any group the full bandwidth of its GPUs. In a mesh a group uses only the links among its
// members, and in a torus only the axes along which it extends, one after the other. A group that is larger
// than a pod shares the oversubscribed links between pods: a ring leaves each pod once, an all-to-all with
// everything that is for other pods. Switches that reduce (NVLS in a node, SHARP between nodes) need each
// tensor once from every GPU, or node, instead of almost twice.
//
// Sources: ring volumes: Patarasuk and Yuan 2009; sigmoid after Lu et al. 2024, arXiv 2407.02081
// (reconstructed); hop latencies and sharpness: fits to public nccl-tests tables (stas00/ml-engineering,
// network).
#pragma once

#include "hardware/network_rates.h"
#include "time/rates.h"

namespace shardscope {

// The members of a ring: `local` GPUs in each of `nodes` nodes. Their ranks are `stride` apart.
struct RingGroup {
    double local = 1;
    double nodes = 1;
    double stride = 1;
    [[nodiscard]] double size() const { return local * nodes; }
    [[nodiscard]] double span() const { return size() * stride; }  // GPUs from the first to the last rank
};

// Returns the group of `size` GPUs whose ranks are `stride` apart.
RingGroup ring_group(double size, double stride, double gpus_per_node);

// The bottleneck of a ring through the group: the links inside a node or the adapters of a node.
struct RingLink {
    double bandwidth = 0;  // B/s
    Rate rate = Rate::intra_node;
};
// Returns the B/s that a collective of the group reaches inside a node, per GPU.
double inside_bandwidth(const RingGroup& group, const NetworkRates& network);
RingLink ring_bottleneck(const RingGroup& group, const NetworkRates& network);
// Returns the start latency of a ring plus the latency of its hops, once through every member; s.
double ring_latency(const RingGroup& group, const NetworkRates& network);

// `bytes` is the size of the whole tensor: after the gather, or before the reduction. A group of one GPU
// takes no time.
Time all_gather_time(double bytes, const RingGroup& group, const NetworkRates& network);
inline Time reduce_scatter_time(double bytes, const RingGroup& group, const NetworkRates& network) {
    return all_gather_time(bytes, group, network);
}
// Returns the time of the fastest of a ring (twice a gather), a double binary tree and, if the switches can
// add up the data, a reduction in them.
Time all_reduce_time(double bytes, const RingGroup& group, const NetworkRates& network);
// `bytes` is the total that one member sends. Every GPU sends through its own adapter to other nodes and, at
// the same time, through the links inside its node to the other members there. Rings, and messages between
// stages, stay on one rail; an all-to-all of a rail-only network forwards data inside the node before it
// leaves it (Wang et al. 2023, arXiv 2307.12169, who find 8.2 to 11.2 % more time).
Time all_to_all_time(double bytes, const RingGroup& group, const NetworkRates& network);
// Returns the time in which `bytes` (of all members together) travel once around the ring, hop by hop. A hop
// between nodes uses the adapter of one GPU.
Time ring_exchange_time(double bytes, const RingGroup& group, const NetworkRates& network);
// Returns the time of one message between two GPUs.
Time send_time(double bytes, bool crosses_nodes, const NetworkRates& network);

}  // namespace shardscope
