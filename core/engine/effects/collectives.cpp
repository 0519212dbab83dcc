#include "effects/collectives.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

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
    if (size <= 1) return {1, 1, stride};
    const double span = size * stride;
    const double ratio = span > gpus_per_node ? span / gpus_per_node : gpus_per_node / span;
    if (ratio == std::floor(ratio)) {
        const double local = std::min(size, std::max(1.0, std::floor(gpus_per_node / stride)));
        // Every node that the group fills has a member, unless they are further apart than nodes.
        const double nodes = span > gpus_per_node ? std::min(size, ratio) : 1;
        return {local, size / local, stride, nodes * local < size ? nodes : 0};
    }
    const auto divisor = static_cast<double>(
        std::gcd(static_cast<std::int64_t>(span), static_cast<std::int64_t>(gpus_per_node)));
    const double local = std::max(1.0, std::floor(divisor / stride));
    // The place in its node of the last of the possible first members, and of the group's last member.
    const double first = gpus_per_node - divisor + std::min(stride, divisor) - 1;
    const double last = first + (size - 1) * stride;
    return {local, size / local, stride, std::min(size, std::floor(last / gpus_per_node) + 1)};
}

namespace {

// Returns how many members of the group lie along each axis of a torus. Ranks are numbered along the first
// axis, then along the second.
TorusShape extents(const RingGroup& group, const NetworkRates& network) {
    TorusShape out{};
    double first = 1;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double end = first * std::max(1.0, network.torus[i]);
        const double from = std::max(group.stride, first);
        out[i] = std::max(1.0, std::min(group.local * group.stride, end) / from);
        first = end;
    }
    return out;
}

// Returns the hops through all members of the group in one node. In a torus a collective runs along one axis
// after the other.
double hops_inside(const RingGroup& group, const NetworkRates& network) {
    if (network.topology != Topology::torus) return group.local - 1;
    double hops = 0;
    for (const double members : extents(group, network)) hops += members - 1;
    return hops;
}

// Returns the members of the group in one pod. Groups that fit into a pod are in one: where a few of them
// straddle two pods, they have the links between these almost alone.
double members_in_pod(const RingGroup& group, const NetworkRates& network) {
    if (network.pod_gpus <= 0 || group.span() <= network.pod_gpus) return group.size();
    return std::max(1.0, std::floor(network.pod_gpus / group.stride));
}

// Returns the B/s at which the members of the group in one node together send to other nodes. A ring leaves
// each pod once. With m of its members in a pod, the pod's GPUs belong to GPUs ÷ m such rings, so each ring
// gets the share of m GPUs in the oversubscribed links.
double egress_bandwidth(const RingGroup& group, const NetworkRates& network) {
    const double of_node = group.local * network.inter_bandwidth;
    const double members = members_in_pod(group, network);
    if (members >= group.size()) return of_node;
    return std::min(of_node, members * network.inter_bandwidth / network.oversubscription);
}

}  // namespace

double inside_bandwidth(const RingGroup& group, const NetworkRates& network) {
    switch (network.topology) {
        case Topology::switched: break;
        case Topology::mesh:
            return std::min(network.intra_bandwidth, std::max(1.0, group.local - 1) * network.peer_bandwidth);
        case Topology::torus: {
            const auto is_used = [](double members) { return members > 1; };
            const TorusShape members = extents(group, network);
            const auto used = static_cast<double>(std::ranges::count_if(members, is_used));
            const auto axes = static_cast<double>(std::ranges::count_if(network.torus, is_used));
            if (used > 0) return network.intra_bandwidth * used / axes;
            break;
        }
    }
    return network.intra_bandwidth;
}

RingLink ring_bottleneck(const RingGroup& group, const NetworkRates& network) {
    const double inside = inside_bandwidth(group, network);
    if (group.nodes <= 1) return {inside, Rate::intra_node};
    const double egress = egress_bandwidth(group, network);
    if (group.local > 1 && inside < egress) return {inside, Rate::intra_node};
    return {egress, Rate::inter_node};
}

double ring_latency(const RingGroup& group, const NetworkRates& network) {
    const double nodes = group.nodes_with_members();
    // A ring that straddles nodes leaves them less often than one with `local` members in each.
    const double inside = group.nodes * hops_inside(group, network) + (group.nodes - nodes);
    return network.start_latency + inside * network.intra_latency + (nodes - 1) * network.inter_latency;
}

Time all_gather_time(double bytes, const RingGroup& group, const NetworkRates& network) {
    const double g = group.size();
    if (g <= 1) return {};
    const double latency = ring_latency(group, network);
    return sigmoid_time((g - 1) / g * bytes, bytes, latency, ring_bottleneck(group, network),
                        network.sharpness);
}

namespace {

// Returns the bytes that each of `l` GPUs sends through a switch that adds up tensors of one byte. Every GPU
// sends its tensor, and fetches and returns its part of the sum. More than eight GPUs reach no more bus
// bandwidth than eight: 72 GPUs of a GB200 NVL72 835 to 847 GB/s (coreweave/nccl-tests, pull request 43), 8
// B200 846.
double switch_volume(double l) { return std::max(1 + 1 / l, 9.0 / 7 * (l - 1) / l); }

Time switch_reduce_time(double bytes, const RingGroup& group, const NetworkRates& network) {
    const double l = group.local;
    const double latency = network.start_latency + 2 * network.intra_latency;
    const bool switches = network.reduces_in_node;
    const RingLink link{switches ? network.switch_bandwidth : inside_bandwidth(group, network),
                        Rate::intra_node};
    const double volume = (switches ? switch_volume(l) : 2 * (l - 1) / l) * bytes;
    const Time inside = l > 1 ? sigmoid_time(volume, bytes, latency, link, network.sharpness) : Time{};
    if (group.nodes <= 1) return inside;
    const double levels = std::log2(group.nodes_with_members());
    return longer(inside,
                  sigmoid_time(bytes, bytes, network.start_latency + 2 * levels * network.inter_latency,
                               {egress_bandwidth(group, network), Rate::inter_node}, network.sharpness));
}

}  // namespace

Time all_reduce_time(double bytes, const RingGroup& group, const NetworkRates& network) {
    const double g = group.size();
    if (g <= 1) return {};
    const Time ring = 2 * all_gather_time(bytes, group, network);
    const double nodes = group.nodes_with_members();
    const double hops_inside = std::log2(std::max(1.0, group.local * (group.nodes / nodes)));
    const double hops_between = std::log2(std::max(1.0, nodes));
    const double latency = network.start_latency +
                           2 * (hops_inside * network.intra_latency + hops_between * network.inter_latency);
    const Time tree =
        sigmoid_time(2 * bytes, bytes, latency, ring_bottleneck(group, network), network.sharpness);
    const Time& best = ring.total() <= tree.total() ? ring : tree;
    const bool switches_reduce = group.nodes > 1 ? network.reduces_in_network : network.reduces_in_node;
    if (!switches_reduce) return best;
    const Time in_switches = switch_reduce_time(bytes, group, network);
    return in_switches.total() < best.total() ? in_switches : best;
}

Time all_to_all_time(double bytes, const RingGroup& group, const NetworkRates& network) {
    const double g = group.size();
    if (g <= 1) return {};
    const Time inside =
        sigmoid_time(bytes * (group.local - 1) / g, bytes,
                     network.start_latency + (hops_inside(group, network) + 1) * network.intra_latency,
                     {inside_bandwidth(group, network), Rate::intra_node}, network.sharpness);
    if (group.nodes <= 1) return inside;
    // The part for other pods shares their oversubscribed links.
    const double leaving = (g - members_in_pod(group, network)) / (g - group.local);
    const double bandwidth = network.inter_bandwidth / std::max(1.0, leaving * network.oversubscription);
    const Time between =
        sigmoid_time(bytes * (g - group.local) / g, bytes,
                     network.start_latency + group.nodes_with_members() * network.inter_latency,
                     {bandwidth, Rate::inter_node}, network.sharpness);
    if (!network.rail_only) return longer(inside, between);
    // What is for another place of another node goes to that place of the own node first.
    const double elsewhere = bytes * (g - group.local) / g * (group.local - 1) / group.local;
    Time forwarding;
    forwarding.by[static_cast<std::size_t>(Rate::intra_node)] = elsewhere / inside_bandwidth(group, network);
    return longer(inside, forwarding + between);
}

Time ring_exchange_time(double bytes, const RingGroup& group, const NetworkRates& network) {
    const double g = group.size();
    if (g <= 1) return {};
    return (g - 1) * send_time(bytes / g, group, network);
}

Time send_time(double bytes, const RingGroup& group, const NetworkRates& network) {
    if (group.nodes > 1) {
        const double bandwidth = egress_bandwidth({1, group.size(), group.stride}, network);
        return sigmoid_time(bytes, bytes, network.inter_latency, {bandwidth, Rate::inter_node},
                            network.sharpness);
    }
    const RingGroup pair{2, 1};
    return sigmoid_time(bytes, bytes, network.intra_latency,
                        {inside_bandwidth(pair, network), Rate::intra_node}, network.sharpness);
}

}  // namespace shardscope
