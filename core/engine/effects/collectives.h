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
// than a pod shares the oversubscribed links between pods: a ring leaves each pod once, also with the
// messages that its members pass on hop by hop, an all-to-all with everything that is for other pods.
// Switches that reduce (NVLS in a node, SHARP between nodes) need each tensor once from every GPU, or node,
// instead of almost twice.
//
// Sources: ring volumes: Patarasuk and Yuan 2009; sigmoid after Lu et al. 2024, arXiv 2407.02081
// (reconstructed); hop latencies and sharpness: fits to public nccl-tests tables (stas00/ml-engineering,
// network).
#pragma once

#include "hardware/network_rates.h"
#include "time/rates.h"

namespace shardscope {

// The members of a ring: `local` GPUs in each of `nodes` nodes. Their ranks are `stride` apart. If the nodes
// hold different numbers of members, `local` is the lowest one and `nodes` is size ÷ local. These two decide
// the traffic between nodes exactly: a ring leaves the node of the fewest members through their adapters,
// each of them exchanges (size − local)/size of an all-to-all with other nodes, and a token that is sent once
// to a node arrives there through these adapters. `straddled` is then the number of nodes that hold members.
struct RingGroup {
    double local = 1;
    double nodes = 1;
    double stride = 1;
    double straddled = 0;  // 0: the same as `nodes`
    [[nodiscard]] double size() const { return local * nodes; }
    [[nodiscard]] double span() const { return size() * stride; }  // GPUs from the first to the last rank
    [[nodiscard]] double nodes_with_members() const { return straddled > 0 ? straddled : nodes; }
};

// Returns the slowest of the groups of `size` ≥ 1 GPUs, `stride` ≥ 1 ranks apart, into which the ranks of a
// job are divided: groups of neighbours follow each other every size · stride ranks, and nodes begin every
// `gpus_per_node` ≥ 1 ranks. The job has whole nodes; for a job smaller than a node, pass its GPUs as
// `gpus_per_node`. All numbers are whole.
//
// If size · stride divides the GPUs of a node, no group leaves its node. If it is a multiple of them, every
// group fills its nodes, with ⌊gpus_per_node ÷ stride⌋ members in each, at least one; where the stride does
// not divide a node, some nodes have one more. Otherwise groups straddle nodes: they begin at every multiple
// of d = gcd(size · stride, gpus_per_node) in a node, so the first ranks of the worst group are the last d of
// a node, and ⌊d ÷ stride⌋ of its members, at least one, are there. Of 16 GPUs in racks of 72 (d = 8) 8 are
// in one rack and 8 in the next one; of 64 GPUs, 8 and 56; of 6 GPUs in nodes of 8 (d = 2), 2 and 4. The
// collectives of a step wait for the slowest group.
RingGroup ring_group(double size, double stride, double gpus_per_node);

// Returns the members of the group in its node of the fewest members.
inline RingGroup in_one_node(const RingGroup& group) { return {group.local, 1, group.stride}; }
// Returns one member of the group in each of its nodes.
inline RingGroup one_in_each_node(const RingGroup& group) {
    return {1, group.nodes, group.stride * group.local, group.straddled};
}

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
// Returns the time in which `bytes` (of all members together) travel once around the ring, hop by hop. Every
// hop waits for the slowest one, see send_time.
Time ring_exchange_time(double bytes, const RingGroup& group, const NetworkRates& network);
// Returns the time of one message of `bytes` between the slowest neighbours of the group. Between nodes it
// uses the adapter of one GPU. All members send at the same time: with m members of the group in a pod, one
// of m GPUs sends to another pod and has the share of m adapters in the oversubscribed links, at most its own
// adapter.
Time send_time(double bytes, const RingGroup& group, const NetworkRates& network);

}  // namespace shardscope
