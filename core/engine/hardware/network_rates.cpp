#include "hardware/network_rates.h"

namespace shardscope {

NetworkRates network_rates(const Settings& s) {
    NetworkRates network;
    network.intra_bandwidth = s[P::intra_node_bandwidth] * s[P::intra_node_efficiency];
    network.inter_bandwidth = s[P::inter_node_bandwidth] * s[P::network_efficiency];
    network.start_latency = s[P::collective_latency];
    network.intra_latency = s[P::intra_node_latency];
    network.inter_latency = s[P::inter_node_latency];
    network.sharpness = s[P::bandwidth_sharpness];
    return network;
}

NetworkRates data_parallel_rates(const Settings& s) {
    NetworkRates network = network_rates(s);
    network.intra_bandwidth *= s[P::collective_efficiency];
    network.inter_bandwidth *= s[P::collective_efficiency];
    return network;
}

}  // namespace shardscope
