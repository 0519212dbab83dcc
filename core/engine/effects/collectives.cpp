#include "effects/collectives.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

// E15: t = V/B · (1 + (α·B/x)^κ) with κ = k/ln 2. The second summand scales as α^κ·B^(κ−1), so the share κ of
// it is attributed to latency and the share 1 − κ to the link. This makes the attribution exact.
Time sigmoid_time(double volume, double message, double latency, const RingLink& link, double sharpness) {
    Time time;
    const double streaming = volume / link.bandwidth;
    double ramp = 0;
    const double kappa = sharpness / M_LN2;
    if (latency > 0 && message > 0) ramp = streaming * std::pow(latency * link.bandwidth / message, kappa);
    time.by[static_cast<std::size_t>(link.rate)] = streaming + (1 - kappa) * ramp;
    time.by[static_cast<std::size_t>(Rate::latency)] = kappa * ramp;
    return time;
}

}  // namespace

RingGroup ring_group(double size, double stride, double gpus_per_node) {
    const double local = std::min(size, std::max(1.0, std::floor(gpus_per_node / stride)));
    return {local, size / local};
}

RingLink ring_bottleneck(const RingGroup& group, const NetworkRates& network) {
    const double egress = group.local * network.inter_bandwidth;
    if (group.nodes <= 1) return {network.intra_bandwidth, Rate::intra_node};
    if (group.local > 1 && network.intra_bandwidth < egress)
        return {network.intra_bandwidth, Rate::intra_node};
    return {egress, Rate::inter_node};
}

double ring_latency(const RingGroup& group, const NetworkRates& network) {
    return network.start_latency + (group.size() - group.nodes) * network.intra_latency +
           (group.nodes - 1) * network.inter_latency;
}

Time all_gather_time(double bytes, const RingGroup& group, const NetworkRates& network) {
    const double g = group.size();
    if (g <= 1) return {};
    const double latency = ring_latency(group, network);
    return sigmoid_time((g - 1) / g * bytes, bytes, latency, ring_bottleneck(group, network),
                        network.sharpness);
}

Time all_reduce_time(double bytes, const RingGroup& group, const NetworkRates& network) {
    const double g = group.size();
    if (g <= 1) return {};
    const Time ring = 2 * all_gather_time(bytes, group, network);
    const double hops_inside = std::log2(std::max(1.0, group.local));
    const double hops_between = std::log2(std::max(1.0, group.nodes));
    const double latency = network.start_latency +
                           2 * (hops_inside * network.intra_latency + hops_between * network.inter_latency);
    const Time tree =
        sigmoid_time(2 * bytes, bytes, latency, ring_bottleneck(group, network), network.sharpness);
    return ring.total() <= tree.total() ? ring : tree;
}

Time all_to_all_time(double bytes, const RingGroup& group, const NetworkRates& network) {
    const double g = group.size();
    if (g <= 1) return {};
    const Time inside = sigmoid_time(bytes * (group.local - 1) / g, bytes,
                                     network.start_latency + group.local * network.intra_latency,
                                     {network.intra_bandwidth, Rate::intra_node}, network.sharpness);
    if (group.nodes <= 1) return inside;
    const Time between = sigmoid_time(bytes * (g - group.local) / g, bytes,
                                      network.start_latency + group.nodes * network.inter_latency,
                                      {network.inter_bandwidth, Rate::inter_node}, network.sharpness);
    return longer(inside, between);
}

Time send_time(double bytes, bool crosses_nodes, const NetworkRates& network) {
    if (crosses_nodes)
        return sigmoid_time(bytes, bytes, network.inter_latency, {network.inter_bandwidth, Rate::inter_node},
                            network.sharpness);
    return sigmoid_time(bytes, bytes, network.intra_latency, {network.intra_bandwidth, Rate::intra_node},
                        network.sharpness);
}

}  // namespace shardscope
