#include "hardware/network_rates.h"

#include <algorithm>

namespace shardscope {

NetworkRates network_rates(const Settings& s) {
    NetworkRates network;
    network.intra_bandwidth = s[P::intra_node_bandwidth] * s[P::intra_node_efficiency];
    network.inter_bandwidth = s[P::inter_node_bandwidth] * s[P::network_efficiency];
    network.start_latency = s[P::collective_latency];
    network.intra_latency = s[P::intra_node_latency];
    network.inter_latency = s[P::inter_node_latency];
    network.sharpness = s[P::bandwidth_sharpness];
    network.topology = s.choice<Topology>(P::topology);
    const double peers = std::max(1.0, s[P::gpus_per_node] - 1);
    network.peer_bandwidth = s[P::peer_bandwidth] > 0 ? s[P::peer_bandwidth] * s[P::intra_node_efficiency]
                                                      : network.intra_bandwidth / peers;
    if (network.topology == Topology::torus)
        network.torus = torus_slice(torus_shape(s).value_or(TorusShape{}), s[P::gpus]);
    network.rail_only = s.on(P::rail_only);
    const auto reduction = s.choice<InNetworkReduction>(P::in_network_reduction);
    // Without a switch there is nothing that could add up.
    network.reduces_in_node =
        network.topology == Topology::switched &&
        (reduction == InNetworkReduction::node || reduction == InNetworkReduction::both);
    network.reduces_in_network =
        reduction == InNetworkReduction::network || reduction == InNetworkReduction::both;
    network.switch_bandwidth =
        s[P::intra_node_bandwidth] * std::min(s[P::switch_reduction_efficiency], s[P::intra_node_efficiency]);
    network.pod_gpus = s[P::pod_gpus];
    network.oversubscription = s[P::oversubscription];
    return network;
}

}  // namespace shardscope
