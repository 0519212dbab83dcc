// E13, E14 and E15: the time of a collective operation over a group of GPUs.
//
// A ring moves (g−1)/g of the tensor through every member. Between nodes it is bounded by what the node's
// local ranks bring together: 8 GPUs × 50 GB/s = 400 GB/s, not 50. Bandwidth grows with the message along a
// sigmoid in log2 of its size, which holds the latency term: with sharpness k = ln 2 it is exactly t = α +
// V/B. The size at which half of the bandwidth is reached, 2^x0 = α·B, moves with the group, because
// all-gather and reduce-scatter have no tree in common practice and their latency grows with every member.
//
// Sources: ring volumes: Patarasuk and Yuan 2009; sigmoid after Lu et al. 2024, arXiv 2407.02081
// (reconstructed); hop latencies and sharpness: fits to public nccl-tests tables (stas00/ml-engineering,
// network).
#pragma once

#include "hardware/network_rates.h"
#include "time/rates.h"

namespace shardscope {

// A ring's members: `local` of them in each of `nodes` nodes.
struct RingGroup {
    double local = 1;
    double nodes = 1;
    [[nodiscard]] double size() const { return local * nodes; }
};

// `size` GPUs that lie `stride` ranks apart.
RingGroup ring_group(double size, double stride, double gpus_per_node);

// What bounds a ring through the group: the links inside a node or the node's way out.
struct RingLink {
    double bandwidth = 0;  // B/s
    Rate rate = Rate::intra_node;
};
RingLink ring_bottleneck(const RingGroup& group, const NetworkRates& network);
// Time to start a ring and of its hops: one way round through every member, s.
double ring_latency(const RingGroup& group, const NetworkRates& network);

// `bytes` is the whole tensor, gathered or before reduction. One member takes no time.
Time all_gather_time(double bytes, const RingGroup& group, const NetworkRates& network);
inline Time reduce_scatter_time(double bytes, const RingGroup& group, const NetworkRates& network) {
    return all_gather_time(bytes, group, network);
}
// The faster of a ring (twice a gather) and a double binary tree.
Time all_reduce_time(double bytes, const RingGroup& group, const NetworkRates& network);
// `bytes` is what one member sends in all. Every GPU uses its own adapter for what leaves the node, at the
// same time as the link inside for the rest.
Time all_to_all_time(double bytes, const RingGroup& group, const NetworkRates& network);
// One message between two GPUs.
Time send_time(double bytes, bool crosses_nodes, const NetworkRates& network);

}  // namespace shardscope
