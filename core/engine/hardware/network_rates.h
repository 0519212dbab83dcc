// E16: the bandwidth and latency that collectives reach on the links inside and between nodes.
//
// Reductions in the switches of a node (NVLS) have a share of the link of their own for each architecture,
// `switch_reduction_efficiency`, which is lower than that of rings: 480 GB/s of bus bandwidth on 8 H100 are
// 0.686 of 450 GB/s, 846 GB/s on 8 B200 are 0.604 of 900 GB/s. Sources: public nccl-tests tables
// (presets/collectives); NVIDIA/nccl issue 2140, which finds 68.7 % and about 60 %.
#pragma once

#include "parameters/settings.h"
#include "scenario/torus.h"

namespace shardscope {

struct NetworkRates {            // effective rates, including all losses except those of small messages
    double intra_bandwidth = 0;  // B/s per GPU and direction that collectives reach inside a node
    double inter_bandwidth = 0;  // B/s per GPU and direction that rings reach between nodes
    double start_latency = 0;    // s, for the start of any collective
    double intra_latency = 0;    // s per hop
    double inter_latency = 0;    // s per hop
    double sharpness = 0.65;     // k of E15
    Topology topology = Topology::switched;
    double peer_bandwidth = 0;  // B/s from one GPU to one other in a mesh
    TorusShape torus{};
    bool reduces_in_node = false;     // switches add up the data of an all-reduce: NVLS
    bool reduces_in_network = false;  // SHARP
    double switch_bandwidth = 0;      // B/s per GPU and direction that reductions in a node's switches reach
    double pod_gpus = 0;              // that have the full bandwidth between nodes; 0: all
    double oversubscription = 1;      // of the links between pods
    bool rail_only = false;           // adapters reach only those at the same place of other nodes
};

NetworkRates network_rates(const Settings& settings);

}  // namespace shardscope
