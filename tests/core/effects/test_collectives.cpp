// Tests E13–E15: rings, rails and the bandwidth that depends on the message size.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "effects/collectives.h"
#include "effects/overlap.h"
#include "hardware/network_rates.h"
#include "scenario/scenario.h"

using namespace shardscope;

namespace {

NetworkRates rates() { return {300e9, 40e9, 0, 2e-6, 20e-6, M_LN2}; }

}  // namespace

TEST_CASE("collectives: with sharpness ln 2 the law is latency plus volume over bandwidth", "[collectives]") {
    NetworkRates network = rates();
    const RingGroup node{8, 1};
    const double bytes = 1e8;
    // The ring takes 7 hops of 2 µs, scaled by (g−1)/g like the volume.
    const double expected = 7.0 / 8 * bytes / 300e9 + 7.0 / 8 * 7 * 2e-6;
    CHECK(all_gather_time(bytes, node, network).total() == Approx(expected));
    CHECK(all_gather_time(bytes, node, network)[Rate::latency] == Approx(7.0 / 8 * 7 * 2e-6));
}

TEST_CASE("collectives: a ring over whole nodes uses the bandwidth of all adapters of a node",
          "[collectives]") {
    NetworkRates network = rates();
    network.intra_latency = network.inter_latency = 0;
    // Eight ranks reach 320 GB/s together, more than the 300 GB/s inside the node, so the link inside the
    // node is the limit.
    CHECK(all_gather_time(1e9, {8, 16}, network)[Rate::intra_node] == Approx(127.0 / 128 * 1e9 / 300e9));
    network.inter_bandwidth = 20e9;
    CHECK(all_gather_time(1e9, {8, 16}, network)[Rate::inter_node] == Approx(127.0 / 128 * 1e9 / 160e9));
    CHECK(all_gather_time(1e9, {1, 16}, network)[Rate::inter_node] == Approx(15.0 / 16 * 1e9 / 20e9));
}

TEST_CASE("collectives: a message of 2^x0 = α·B bytes reaches half of the bandwidth", "[collectives]") {
    NetworkRates network = rates();
    for (const double sharpness : {0.4, 0.61, M_LN2}) {
        network.sharpness = sharpness;
        const double alpha = 7 * 2e-6;
        const double half = alpha * network.intra_bandwidth;
        const double streaming = 7.0 / 8 * half / network.intra_bandwidth;
        CHECK(all_gather_time(half, {8, 1}, network).total() == Approx(2 * streaming));
    }
}

TEST_CASE("collectives: latency grows with the group, and a small all-reduce uses a tree", "[collectives]") {
    const NetworkRates network = rates();
    double last = 0;
    for (double nodes = 1; nodes <= 1024; nodes *= 2) {
        const double now = all_gather_time(1e6, {8, nodes}, network).total();
        CHECK(now > last);
        last = now;
    }
    // For small messages over many nodes the tree's logarithm of hops takes less time than the ring's length.
    CHECK(all_reduce_time(1e6, {8, 1024}, network).total() <
          0.2 * 2 * all_gather_time(1e6, {8, 1024}, network).total());
    CHECK(all_gather_time(1e9, {1, 1}, network).total() == 0);
    CHECK(all_reduce_time(1e9, {1, 1}, network).total() == 0);
}

TEST_CASE("collectives: the time of the public nccl-tests all-reduce on one A100 node is met within a third",
          "[collectives]") {
    // Source: stas00/ml-engineering, network/README.md: on 8 GPUs 4 GiB take 32.136 ms and 64 MiB take 0.6846
    // ms.
    const NetworkRates network{300e9 * 0.77, 0, 25e-6, 2.3e-6, 22e-6, 0.65};
    CHECK(all_reduce_time(4294967296.0, {8, 1}, network).total() == Approx(32.136e-3).epsilon(0.1));
    CHECK(all_reduce_time(67108864.0, {8, 1}, network).total() == Approx(0.6846e-3).epsilon(0.33));
}

TEST_CASE("groups: ranks at a stride share a node only if the stride is smaller than the node",
          "[collectives]") {
    const auto is = [](const RingGroup& group, double local, double nodes) {
        return group.local == local && group.nodes == nodes;
    };
    CHECK(is(ring_group(4, 1, 8), 4, 1));
    CHECK(is(ring_group(64, 1, 8), 8, 8));
    CHECK(is(ring_group(16, 4, 8), 2, 8));
    // A stride of a whole node or more leaves one member in each node.
    CHECK(is(ring_group(16, 8, 8), 1, 16));
    CHECK(is(ring_group(16, 64, 8), 1, 16));
    CHECK(is(ring_group(1, 1, 8), 1, 1));
}

TEST_CASE("groups: the slowest group straddles racks or nodes", "[collectives]") {
    const auto is = [](const RingGroup& group, double local, double nodes, double straddled) {
        return group.local == local && group.nodes == nodes && group.straddled == straddled;
    };
    // Ranks 64 to 79 in racks of 72: eight in each of two racks.
    CHECK(is(ring_group(16, 1, 72), 8, 2, 2));
    // Ranks 48 to 95: 24 in each rack.
    CHECK(is(ring_group(48, 1, 72), 24, 2, 2));
    // Ranks 64 to 127: 8 in the first rack and 56 in the second.
    const RingGroup wide = ring_group(64, 1, 72);
    CHECK(is(wide, 8, 8, 2));
    CHECK(wide.size() == 64);
    CHECK(wide.nodes_with_members() == 2);
    // Ranks 6 to 11 in nodes of 8: two and four.
    CHECK(is(ring_group(6, 1, 8), 2, 3, 2));
    // Ranks 4 to 15: four, and eight in the next node.
    CHECK(is(ring_group(12, 1, 8), 4, 3, 2));
    // Ranks 32, 40, 48 and 56 in racks of 36: one and three.
    CHECK(is(ring_group(4, 8, 36), 1, 4, 2));
    // A job smaller than a rack is in one.
    CHECK(is(ring_group(48, 1, 48), 48, 1, 0));
    // Ranks 0, 3, … 21: three, three and two in the three nodes that the group fills.
    const RingGroup uneven = ring_group(8, 3, 8);
    CHECK(is(uneven, 2, 4, 3));
    CHECK(ring_latency(uneven, rates()) == Approx(5 * 2e-6 + 2 * 20e-6).epsilon(1e-12));
    // Groups that fill racks, or divide them, are as before.
    CHECK(is(ring_group(144, 1, 72), 72, 2, 0));
    CHECK(is(ring_group(24, 1, 72), 24, 1, 0));
    CHECK(is(ring_group(8, 9, 72), 8, 1, 0));
}

TEST_CASE("groups: the slowest group is the one that counting the members of all groups finds",
          "[collectives]") {
    for (const int node : {1, 4, 6, 8, 36, 72}) {
        for (const int stride : {1, 2, 3, 4, 8}) {
            for (int size = 1; size <= 24; ++size) {
                const int span = size * stride;
                int fewest = size;
                int most_nodes = 1;
                for (int begin = 0; begin < span * node; begin += span) {  // a multiple of both
                    for (int offset = 0; offset < stride; ++offset) {
                        std::map<int, int> members;
                        for (int i = 0; i < size; ++i) ++members[(begin + offset + i * stride) / node];
                        int least = size;
                        for (const auto& [place, count] : members) least = std::min(least, count);
                        const int nodes = static_cast<int>(members.size());
                        if (least < fewest) most_nodes = nodes;
                        else if (least == fewest) most_nodes = std::max(most_nodes, nodes);
                        fewest = std::min(fewest, least);
                    }
                }
                INFO(size << " GPUs " << stride << " apart in nodes of " << node);
                const RingGroup group = ring_group(size, stride, node);
                CHECK(group.local == fewest);
                CHECK(group.size() == Approx(size).epsilon(1e-12));
                CHECK(group.nodes_with_members() == most_nodes);
            }
        }
    }
}

TEST_CASE("groups: a group that straddles racks communicates through its adapters in the emptier one",
          "[collectives]") {
    NetworkRates network = rates();
    network.intra_bandwidth = 900e9;
    network.inter_bandwidth = 50e9;
    network.intra_latency = network.inter_latency = 0;
    const RingGroup wide = ring_group(64, 1, 72);  // 8 and 56
    CHECK(all_gather_time(1e9, wide, network)[Rate::inter_node] == Approx(63.0 / 64 * 1e9 / (8 * 50e9)));
    // Each of the eight sends 56/64 to the other rack.
    CHECK(all_to_all_time(6.4e9, wide, network)[Rate::inter_node] == Approx(5.6e9 / 50e9));
    // In racks that a job fills with 64 GPUs it would stay on the links inside.
    CHECK(all_gather_time(1e9, ring_group(64, 1, 64), network)[Rate::intra_node] ==
          Approx(63.0 / 64 * 1e9 / 900e9));
    // Latency: 62 hops inside two racks, and one between them.
    network = rates();
    CHECK(ring_latency(wide, network) == Approx(62 * 2e-6 + 20e-6).epsilon(1e-12));
    // 24 and 24 GPUs: like a group that is aligned to racks of 24.
    const RingGroup halves = ring_group(48, 1, 72);
    CHECK(all_gather_time(1e9, halves, network).total() ==
          all_gather_time(1e9, ring_group(48, 1, 24), network).total());
}

TEST_CASE("collectives: all-to-all uses the link inside the node and the GPU's own adapter at the same time",
          "[collectives]") {
    NetworkRates network = rates();
    network.intra_latency = network.inter_latency = 0;
    // With eight GPUs in a node, each GPU sends 7/8 of its data over the link.
    CHECK(all_to_all_time(8e8, {8, 1}, network)[Rate::intra_node] == Approx(7e8 / 300e9).epsilon(1e-12));
    // With 32 GPUs on 4 nodes, 7/32 stays inside the node and 24/32 leaves through the GPU's own adapter; the
    // longer of the two times counts.
    const Time both = all_to_all_time(3.2e9, {8, 4}, network);
    CHECK(both[Rate::inter_node] == Approx(24e8 / 40e9).epsilon(1e-12));
    CHECK(both[Rate::intra_node] == 0);
    network.inter_bandwidth = 4e12;
    CHECK(all_to_all_time(3.2e9, {8, 4}, network)[Rate::intra_node] == Approx(7e8 / 300e9).epsilon(1e-12));
    CHECK(all_to_all_time(1e9, {1, 1}, network).total() == 0);
    // Latency: one start, and one hop to every other member of the node.
    network = rates();
    network.start_latency = 5e-6;
    const double alpha = 5e-6 + 8 * 2e-6;
    CHECK(all_to_all_time(8e8, {8, 1}, network).total() ==
          Approx(7.0 / 8 * (8e8 / 300e9 + alpha)).epsilon(1e-12));
}

TEST_CASE("collectives: a rail-only network forwards the data of an all-to-all inside the node",
          "[collectives]") {
    NetworkRates network = rates();
    network.start_latency = network.intra_latency = network.inter_latency = 0;
    // The published overhead is 8.2 to 11.2 % (Wang et al. 2023), with the links of an H100 or A100.
    for (const auto& [inside, adapter] : {std::pair{450e9, 50e9}, std::pair{300e9, 25e9}}) {
        network.intra_bandwidth = inside;
        network.inter_bandwidth = adapter;
        network.rail_only = false;
        const double joined = all_to_all_time(1e9, {8, 16}, network).total();
        network.rail_only = true;
        const Time rails = all_to_all_time(1e9, {8, 16}, network);
        CHECK(rails.total() / joined - 1 == Approx(7.0 / 8 * adapter / inside).epsilon(1e-12));
        CHECK(rails[Rate::intra_node] > 0);
        // Between the same places of the nodes there is nothing to forward.
        CHECK(all_to_all_time(1e9, {1, 16}, network).total() == Approx(15e9 / 16 / adapter).epsilon(1e-12));
    }
    network.intra_bandwidth = 450e9;
    network.inter_bandwidth = 50e9;
    const double rails = all_to_all_time(1e9, {8, 16}, network).total();
    network.rail_only = false;
    const double overhead = rails / all_to_all_time(1e9, {8, 16}, network).total() - 1;
    CHECK(overhead > 0.082);
    CHECK(overhead < 0.112);
    // A ring uses every rail by itself.
    const double ring = all_gather_time(1e9, {8, 16}, network).total();
    network.rail_only = true;
    CHECK(all_gather_time(1e9, {8, 16}, network).total() == ring);
}

TEST_CASE("collectives: a message between two GPUs takes one hop", "[collectives]") {
    const NetworkRates network = rates();
    CHECK(send_time(1e8, {4, 1}, network).total() == Approx(1e8 / 300e9 + 2e-6).epsilon(1e-12));
    for (const RingGroup& group : {RingGroup{1, 4}, RingGroup{2, 2}}) {
        CHECK(send_time(1e8, group, network).total() == Approx(1e8 / 40e9 + 20e-6).epsilon(1e-12));
        CHECK(send_time(1e8, group, network)[Rate::inter_node] == Approx(1e8 / 40e9).epsilon(1e-12));
    }
}

TEST_CASE("collectives: the start latency is counted once per collective", "[collectives]") {
    NetworkRates network = rates();
    CHECK(ring_latency({8, 4}, network) == Approx(28 * 2e-6 + 3 * 20e-6).epsilon(1e-12));
    network.start_latency = 25e-6;
    CHECK(ring_latency({8, 4}, network) == Approx(25e-6 + 28 * 2e-6 + 3 * 20e-6).epsilon(1e-12));
}

TEST_CASE("overlap: the exposed time lies between that of perfect overlap and that of none", "[rates]") {
    const Time compute{Rate::compute, 3};
    const Time network{Rate::inter_node, 2};
    CHECK(overlapped(compute, network, 0).total() == 3);
    CHECK(overlapped(compute, network, 1).total() == 5);
    CHECK(overlapped(compute, network, 0.25)[Rate::inter_node] == 0.5);
    CHECK(overlapped(network, compute, 0.25)[Rate::compute] == 3);
}

TEST_CASE("links: in a mesh a group uses the links among its members", "[collectives]") {
    NetworkRates network = rates();
    network.topology = Topology::mesh;
    network.intra_bandwidth = 448e9;  // MI300X: seven links of 64 GB/s
    network.peer_bandwidth = 64e9;
    network.intra_latency = 0;
    CHECK(inside_bandwidth({2, 1}, network) == 64e9);
    CHECK(inside_bandwidth({4, 1}, network) == 3 * 64e9);
    CHECK(inside_bandwidth({8, 1}, network) == 448e9);
    CHECK(send_time(1e9, {2, 1}, network).total() == Approx(1e9 / 64e9));
    CHECK(all_gather_time(1e9, {4, 1}, network).total() == Approx(0.75 * 1e9 / (3 * 64e9)));
    network.topology = Topology::switched;
    CHECK(inside_bandwidth({2, 1}, network) == 448e9);
}

TEST_CASE("links: in a torus a group uses the axes along which it extends", "[collectives]") {
    NetworkRates network = rates();
    network.topology = Topology::torus;
    network.torus = {16, 16, 0};
    const double all = network.intra_bandwidth;
    CHECK(inside_bandwidth(ring_group(256, 1, 256), network) == all);
    CHECK(inside_bandwidth(ring_group(16, 1, 256), network) == all / 2);
    CHECK(inside_bandwidth(ring_group(16, 16, 256), network) == all / 2);
    CHECK(inside_bandwidth(ring_group(32, 8, 256), network) == all);
    network.torus = {8, 8, 16};
    CHECK(inside_bandwidth(ring_group(4, 1, 1024), network) == Approx(all / 3));
    CHECK(inside_bandwidth(ring_group(64, 1, 1024), network) == Approx(2 * all / 3));
}

TEST_CASE("links: a job on part of a torus uses its most compact slice", "[collectives]") {
    // Slices of TPU v5p: 64 chips are a cube, and the largest one is 16x16x24
    // (cloud.google.com/tpu/docs/v5p).
    const TorusShape pod{16, 20, 28};
    CHECK(torus_slice(pod, 64) == TorusShape{4, 4, 4});
    CHECK(torus_slice(pod, 1024) == TorusShape{8, 8, 16});
    CHECK(torus_slice(pod, 6144) == TorusShape{16, 16, 24});
    CHECK(torus_slice(pod, 8960) == pod);
    CHECK(torus_slice(pod, 20000) == pod);
    CHECK(torus_slice({16, 16, 0}, 32) == TorusShape{1, 4, 8});
    CHECK(torus_slice({8, 8, 16}, 7) == TorusShape{1, 1, 7});
    // No part has a prime number of chips that is longer than every axis.
    CHECK(torus_slice({8, 8, 16}, 17) == TorusShape{8, 8, 16});
}

TEST_CASE("links: a switch that reduces needs each tensor once", "[collectives]") {
    for (const double link : {450e9, 900e9}) {
        NetworkRates network = rates();
        network.intra_bandwidth = 0.7 * link;
        network.reduces_in_node = true;
        network.switch_bandwidth = 0.65 * link;
        const double bytes = 16e9;
        const auto bus = [&](double gpus) {
            return 2 * (gpus - 1) / gpus * bytes / all_reduce_time(bytes, {gpus, 1}, network).total();
        };
        // Each of eight GPUs sends 9/8 of the tensor.
        CHECK(bus(8) == Approx(1.75 / 1.125 * 0.65 * link).epsilon(1e-3));
        CHECK(bus(8) > link);  // no ring can do that
        CHECK(bus(4) == Approx(1.5 / 1.25 * 0.65 * link).epsilon(1e-3));
        // Two GPUs would send three halves of it, and a ring sends it once.
        CHECK(bus(2) == Approx(0.7 * link).epsilon(1e-3));
        // A rack has the bus bandwidth of eight GPUs.
        CHECK(bus(72) == Approx(bus(8)).epsilon(1e-3));
        CHECK(bus(9) == Approx(bus(8)).epsilon(1e-3));
        const double gather = all_gather_time(bytes, {8, 1}, network).total();
        network.reduces_in_node = false;
        CHECK(bus(8) < link);
        // Gathers have nothing to add up.
        CHECK(all_gather_time(bytes, {8, 1}, network).total() == gather);
    }
    NetworkRates network = rates();
    network.intra_latency = network.inter_latency = 0;
    network.inter_bandwidth = 1e9;
    const double ring = all_reduce_time(1e9, {8, 16}, network).total();
    network.reduces_in_network = true;
    CHECK(all_reduce_time(1e9, {8, 16}, network).total() == Approx(1e9 / 8e9));
    CHECK(ring == Approx(2 * 127.0 / 128 * 1e9 / 8e9));
}

TEST_CASE("links: reductions in the switch reach the bus bandwidths of public nccl-tests tables",
          "[collectives]") {
    const auto bus = [](std::string_view cluster, double gpus, double bytes) {
        Scenario scenario = Scenario::first_launch();
        scenario.cluster = scenario.catalogue->find(PresetKind::cluster, cluster);
        REQUIRE(scenario.cluster);
        scenario.give(P::gpus, gpus);
        const NetworkRates network = network_rates(resolve(scenario));
        CHECK(network.reduces_in_node);
        const double time = all_reduce_time(bytes, ring_group(gpus, 1, gpus), network).total();
        return 2 * (gpus - 1) / gpus * bytes / time / 1e9;
    };
    // NVIDIA/dgxc-benchmarking, nccl/README.md: 8 GiB on 8 H100; stas00/ml-engineering, network/README.md: 16
    // GiB on 8 B200 and on 8 H200; coreweave/nccl-tests, pull request 43: 8 GiB on 72 GB200.
    constexpr double kGiB = 1073741824;
    CHECK(bus("dgx-h100", 8, 8 * kGiB) == Approx(480.16).epsilon(0.03));
    CHECK(bus("dgx-h200", 8, 16 * kGiB) == Approx(482.26).epsilon(0.03));
    CHECK(bus("dgx-b200", 8, 16 * kGiB) == Approx(845.67).epsilon(0.03));
    CHECK(bus("gb200-nvl72", 72, 8 * kGiB) == Approx(840.7).epsilon(0.03));
    // Eight H800 with 200 GB/s: 215 GB/s (NVIDIA/nccl issue 1374).
    CHECK(bus("deepseek-h800", 8, 8 * kGiB) == Approx(215).epsilon(0.03));
}

TEST_CASE("links: a poor link limits reductions in the switch as it limits rings", "[collectives]") {
    Scenario scenario = Scenario::first_launch();
    const auto rates_of = [&](double efficiency) {
        scenario.give(P::intra_node_efficiency, efficiency);
        return network_rates(resolve(scenario));
    };
    CHECK(rates_of(0.3).switch_bandwidth == rates_of(0.3).intra_bandwidth);
    CHECK(rates_of(0.8).switch_bandwidth == Approx(0.686 * 450e9));
}

TEST_CASE("links: groups larger than a pod share the oversubscribed links", "[collectives]") {
    NetworkRates network = rates();
    network.inter_bandwidth = 10e9;
    network.inter_latency = network.intra_latency = 0;
    network.pod_gpus = 64;
    network.oversubscription = 16;
    const auto gather = [&](const RingGroup& group) { return all_gather_time(1e9, group, network).total(); };
    CHECK(gather(ring_group(64, 1, 8)) == Approx(63.0 / 64 * 1e9 / 80e9));
    // One ring leaves the pod, whose uplinks have 64 ÷ 16 of the bandwidth of an adapter.
    CHECK(gather(ring_group(128, 1, 8)) == Approx(127.0 / 128 * 1e9 / 40e9));
    // Of eight ranks that are 16 apart, four are in each pod, and 16 such rings leave it.
    CHECK(gather(ring_group(8, 16, 8)) == Approx(7.0 / 8 * 1e9 / 2.5e9));
    // An all-to-all sends half of everything to the other pod.
    const double sent = all_to_all_time(1e9, ring_group(128, 1, 8), network).total();
    CHECK(sent == Approx(64.0 / 128 * 1e9 / (10e9 / 16)));
    // With 4 × less between pods rings are as fast as without pods.
    network.oversubscription = 4;
    CHECK(gather(ring_group(128, 1, 8)) == Approx(127.0 / 128 * 1e9 / 80e9));
    network.pod_gpus = 0;
    CHECK(gather(ring_group(128, 1, 8)) == Approx(127.0 / 128 * 1e9 / 80e9));
}

TEST_CASE(
    "links: messages between stages, and those of a ring of keys and values, share the links between pods",
    "[collectives]") {
    NetworkRates network = rates();
    network.inter_latency = network.intra_latency = 0;
    network.oversubscription = 8;
    const RingGroup group = ring_group(8, 8, 8);  // one GPU of each of eight nodes
    const auto send = [&] { return send_time(1e9, group, network).total(); };
    // One pod: the adapter of one GPU.
    CHECK(send() == Approx(1e9 / 40e9));
    network.pod_gpus = 64;
    CHECK(send() == Approx(1e9 / 40e9));
    // Two of its GPUs are in each pod of 16, so half of the 16 GPUs send to another pod, through two
    // adapters.
    network.pod_gpus = 16;
    CHECK(send() == Approx(1e9 / (40e9 * 2 / 8)));
    CHECK(send_time(1e9, group, network)[Rate::inter_node] == send());
    // Stages that are larger than a pod: everything leaves it.
    network.pod_gpus = 8;
    CHECK(send() == Approx(1e9 / (40e9 / 8)));
    network.pod_gpus = 4;
    CHECK(send() == Approx(1e9 / (40e9 / 8)));
    // With half of the bandwidth between the pods there is enough for half of the GPUs.
    network.pod_gpus = 16;
    network.oversubscription = 2;
    CHECK(send() == Approx(1e9 / 40e9));
    // The slowest hop determines all seven steps of a ring.
    network.oversubscription = 8;
    CHECK(ring_exchange_time(8e9, group, network).total() == Approx(7 * send()));
    // Four members in each of two nodes and pods: one in four sends to the other pod.
    network.pod_gpus = 8;
    const RingGroup denser = ring_group(8, 2, 8);
    CHECK(send_time(1e9, denser, network).total() == Approx(1e9 / (40e9 * 4 / 8)));
    // Inside a node there are no pods.
    CHECK(send_time(1e9, ring_group(4, 2, 8), network).total() == Approx(1e9 / 300e9));
}
