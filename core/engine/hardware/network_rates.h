// E16: what collectives run on, the links inside and between nodes, and the share of them that they reach.
#pragma once

#include "parameters/settings.h"

namespace shardscope {

struct NetworkRates {            // effective numbers, all losses included except those of small messages
    double intra_bandwidth = 0;  // B/s per GPU and direction that collectives reach inside a node
    double inter_bandwidth = 0;  // B/s per GPU and direction that rings reach between nodes
    double start_latency = 0;    // s, of any collective
    double intra_latency = 0;    // s per hop
    double inter_latency = 0;    // s per hop
    double sharpness = 0.65;     // k
};

// As the fabric gives it: tensor, context and expert parallelism.
NetworkRates network_rates(const Settings& settings);
// As the stack's data-parallel collectives and its pipeline messages use it
// (`assumptions.collective_efficiency`).
NetworkRates data_parallel_rates(const Settings& settings);

}  // namespace shardscope
