// E3 and E11 with offload: the optimizer state, or the weights as well, are in the host's memory, or the
// state is on NVMe drives. Sharded gradients (from ZeRO-2 on) are sent to the host as soon as they have been
// reduced, and are accumulated there. State for which the host has no memory stays on the GPU. State and
// activations share one limit: the node's host memory ÷ the GPUs in use in the node. State comes first.
//
// Sources: Ren et al. 2021 (ZeRO-Offload), arXiv 2101.06840; Rajbhandari et al. 2021 (ZeRO-Infinity), arXiv
// 2104.07857.
#pragma once

#include <algorithm>

#include "time/rates.h"

namespace shardscope {

// The bytes of one GPU's shards of the states, wherever they are kept.
struct StateShards {
    double weights = 0;       // kept without offload: none where FSDP shards the master copy
    double half_weights = 0;  // in the compute precision
    double gradients = 0;
    double optimizer = 0;  // with the master copy
};
struct OffloadedStates {  // what is in the host's memory
    bool optimizer = false;
    bool gradients = false;
    bool weights = false;
};
// Returns the bytes that are moved to the host.
inline double offloaded_bytes(const StateShards& shards, const OffloadedStates& states) {
    return (states.optimizer ? shards.optimizer : 0) + (states.gradients ? shards.gradients : 0) +
           (states.weights ? shards.weights : 0);
}

// E6 with offload: returns the share of a micro-batch's offloaded activations that are still on the GPU:
// those of two layers, which are being copied.
inline double share_being_copied(double layers) { return std::min(2.0, layers) / std::max(1.0, layers); }

struct HostLink {                 // between a GPU and its host
    double bandwidth = 0;         // B/s of the link to the host
    double memory_bandwidth = 0;  // B/s of the host's memory
    double nvme_bandwidth = 0;    // B/s of the drives, in one direction
};

// Returns the bytes that stay on a GPU because its share of the host's memory has no room for them.
inline double left_on_gpu(double offloaded, double host_memory) {
    return std::max(0.0, offloaded - host_memory);
}

// Returns the share of the offloaded bytes for which the host has room. Only they are moved.
inline double share_on_host(double offloaded, double host_memory) {
    return offloaded > host_memory ? host_memory / offloaded : 1;
}

// The link to the host, its memory and its drives count as bandwidths inside the node.

// Returns the time of transferring `bytes` of this GPU's weights from the host.
inline Time host_fetch_time(double bytes, const HostLink& link) {
    return {Rate::intra_node, bytes / link.bandwidth};
}

// Returns the time of the optimizer step on the host. Gradients are sent to the host and weights come back
// (`moved` bytes) while the host reads and writes the state of other weights (`updated` bytes; ZeRO-Offload,
// section 5).
inline Time host_update_time(double moved, double updated, const HostLink& link) {
    return {Rate::intra_node, std::max(moved / link.bandwidth, updated / link.memory_bandwidth)};
}

// Returns the time of the optimizer step on the host if `state` bytes of optimizer state are read from the
// drives and written back. The drives work while the host updates what has been read.
inline Time nvme_update_time(double moved, double updated, double state, const HostLink& link) {
    return longer(host_update_time(moved, updated, link),
                  {Rate::intra_node, 2 * state / link.nvme_bandwidth});
}

}  // namespace shardscope
