// Tests the traffic of experts: dispatchers, expert tensor parallelism, overlap.
#include <catch2/catch.hpp>
#include <cmath>

#include "effects/expert_dispatch.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("dispatch: a token reaches the expected number of different places", "[effects]") {
    CHECK(different_places(8, 1) == Approx(1));
    // Two random choices among eight places are the same one in an eighth of all cases.
    CHECK(different_places(8, 2) == Approx(2 - 1.0 / 8));
    CHECK(different_places(2, 8) == Approx(2 * (1 - std::pow(0.5, 8))));
}

TEST_CASE("dispatch: deepep sends a token once to each node", "[effects]") {
    const NetworkRates network{.intra_bandwidth = 400e9, .inter_bandwidth = 40e9, .sharpness = 0.65};
    const RingGroup group{8, 8};
    const Dispatch dispatch{8e9, 8, {}};  // eight copies of tokens of 1 GB together
    const double copies =
        expert_dispatch_time(dispatch, MoeDispatcher::all_to_all, 1, group, network).total();
    const double once = expert_dispatch_time(dispatch, MoeDispatcher::deepep, 1, group, network).total();
    // All copies: 7/8 of 8 GB leave the node. Once per node: 7/8 of 8·(1 − (7/8)^8) GB.
    CHECK(copies == Approx(7e9 / 40e9).epsilon(1e-9));
    CHECK(once == Approx(7.0 / 8 * 8 * (1 - std::pow(7.0 / 8, 8)) * 1e9 / 40e9).epsilon(1e-9));
    CHECK(expert_dispatch_time(dispatch, MoeDispatcher::deepep, 1.5, group, network).total() ==
          Approx(1.5 * once));
}

TEST_CASE("dispatch: compute beside deepep lacks the multiprocessors of its kernels", "[effects]") {
    CHECK(dispatch_overlap(MoeDispatcher::deepep, 0.1) == Approx(20.0 / 132));
    CHECK(dispatch_overlap(MoeDispatcher::deepep, 0.3) == 0.3);
    CHECK(dispatch_overlap(MoeDispatcher::all_to_all, 0.1) == 0.1);
}

TEST_CASE("dispatch: deepep shares the oversubscribed links between pods", "[effects]") {
    NetworkRates network{.intra_bandwidth = 400e9, .inter_bandwidth = 40e9, .sharpness = 0.65};
    const Dispatch dispatch{8e9, 8, {}};
    const auto time = [&](const RingGroup& group) {
        return expert_dispatch_time(dispatch, MoeDispatcher::deepep, 1, group, network).total();
    };
    const RingGroup group = ring_group(64, 1, 8);
    const double one_pod = time(group);
    // Of the tokens for the seven other nodes those for six leave the pod of two nodes, through an eighth of
    // the adapters.
    network.pod_gpus = 16;
    network.oversubscription = 8;
    CHECK(time(group) == Approx(6.0 / 7 * 8 * one_pod).epsilon(1e-12));
    // With 7/6 or less between the pods the GPU's own adapter is the bottleneck.
    network.oversubscription = 7.0 / 6;
    CHECK(time(group) == Approx(one_pod).epsilon(1e-12));
    // Two nodes are in one pod.
    network.oversubscription = 8;
    const double two_nodes = time(ring_group(16, 1, 8));
    network.pod_gpus = 0;
    CHECK(time(ring_group(16, 1, 8)) == two_nodes);
    CHECK(time(group) == one_pod);
    // Experts that are split over two GPUs: 32 GPUs with all experts extend over 64 ranks, four in a node.
    const RingGroup split = ring_group(32, 2, 8);
    const double split_in_one_pod = time(split);
    network.pod_gpus = 16;
    CHECK(time(split) == Approx(6.0 / 7 * 8 * split_in_one_pod).epsilon(1e-12));
}

TEST_CASE("dispatch: a group that straddles racks receives its tokens in the emptier one", "[effects]") {
    const NetworkRates network{.intra_bandwidth = 900e9, .inter_bandwidth = 50e9, .sharpness = 0.65};
    // 8 of 64 GPUs are in one rack and 56 in the other. With eight random experts a token has one of the
    // eight GPUs in 1 − (7/8)^8 of all cases, and 56/8 = 7 GPUs send to each of them.
    const double time =
        expert_dispatch_time({8e9, 8, {}}, MoeDispatcher::deepep, 1, ring_group(64, 1, 72), network).total();
    CHECK(time == Approx(7 * (1 - std::pow(7.0 / 8, 8)) * 1e9 / 50e9).epsilon(1e-9));
}

TEST_CASE("dispatch: a router that chooses groups of experts leaves fewer places", "[effects]") {
    // DeepSeek-V3 chooses 4 of 8 groups. On 8 nodes each is a node of its own, on 64 GPUs it is 8 GPUs.
    const ExpertGroups groups{8, 4};
    CHECK(places_of_groups(8, groups) == Approx(4));
    CHECK(places_of_groups(64, groups) == Approx(32));
    // On 4 nodes with two groups each, both groups of a node are left out in 6·5·4·3 ÷ (8·7·6·5) of all
    // cases.
    CHECK(places_of_groups(4, groups) == Approx(4 * (1 - 6.0 * 5 * 4 * 3 / (8 * 7 * 6 * 5))));
    CHECK(places_of_groups(1, groups) == Approx(1));
    CHECK(places_of_groups(8, {}) == 8);
    CHECK(places_of_groups(8, {8, 8}) == 8);
    // Eight experts of four nodes.
    CHECK(places_of_token(8, {1, 8, groups}) == Approx(4 * (1 - std::pow(3.0 / 4, 8))));

    const NetworkRates network{.intra_bandwidth = 400e9, .inter_bandwidth = 40e9, .sharpness = 0.65};
    const auto time = [&](const ExpertGroups& chosen, MoeDispatcher dispatcher) {
        return expert_dispatch_time({8e9, 8, chosen}, dispatcher, 1, {8, 8}, network).total();
    };
    CHECK(time(groups, MoeDispatcher::deepep) / time({}, MoeDispatcher::deepep) ==
          Approx(4 * (1 - std::pow(3.0 / 4, 8)) / (8 * (1 - std::pow(7.0 / 8, 8)))));
    CHECK(time(groups, MoeDispatcher::all_to_all) == time({}, MoeDispatcher::all_to_all));
}

TEST_CASE("dispatch: in fp8 the way to the experts has half of the bytes, the way back all of them",
          "[effects]") {
    const auto bytes = [](bool fp8, std::string_view name) {
        const OperatorList list = list_of(
            of_model("mixtral-8x7b", {{P::gpus, 64}, {P::expert_parallel, 8}, {P::fp8_dispatch, fp8}}));
        for (const Block& layer : list.layers())
            for (const Operator& op : layer.operators)
                if (op.name == name) return op.bytes;
        return 0.0;
    };
    const double all = bytes(false, "experts.dispatch");
    REQUIRE(all > 0);
    CHECK(bytes(true, "experts.dispatch") == Approx(all * (1 + 4.0 / 128) / 2));
    CHECK(bytes(true, "experts.combine") == bytes(false, "experts.combine"));
    CHECK(bytes(true, "experts.combine") == Approx(all));
}

TEST_CASE("dispatch: overlap hides it, and expert tensor parallelism of one frees the ranks", "[effects]") {
    const auto of = [](std::initializer_list<std::pair<P, Value>> values) {
        Scenario scenario = of_model("mixtral-8x7b", {{P::gpus, 64},
                                                      {P::tensor_parallel, 4},
                                                      {P::sequence_parallel, true},
                                                      {P::expert_parallel, 8},
                                                      {P::micro_batch, 1}});
        for (const auto& [id, value] : values) scenario.give(id, value);
        return answer(scenario);
    };
    const Answer plain = of({});
    REQUIRE(plain.valid());
    const auto expert = [](const Answer& a) { return a.estimate.step.term(StepTerm::expert_network); };
    const Answer overlapped = of({{P::moe_overlap, true}});
    CHECK(expert(overlapped) < expert(plain));
    CHECK(overlapped.estimate.step.hidden_communication > plain.estimate.step.hidden_communication);

    // With whole experts, eight of them fill the eight GPUs of a node, although four share each attention.
    const Answer whole = of({{P::expert_tensor_parallel, 1}});
    REQUIRE(whole.valid());
    CHECK(whole.compiled.layout.expert_group.nodes == 1);
    CHECK(plain.compiled.layout.expert_group.nodes == 4);
    CHECK(whole.compiled.layout.expert_shard.size() == 8);
    CHECK(whole.compiled.parameters == plain.compiled.parameters);
    // Each GPU holds one of eight experts, or a quarter of one of eight.
    CHECK(whole.compiled.work.layers[1].experts == Approx(4 * plain.compiled.work.layers[1].experts));
    const Answer impossible = of({{P::expert_tensor_parallel, 3}});
    CHECK_FALSE(impossible.valid());
}

TEST_CASE("dispatch: imbalance costs nothing where every GPU has all experts", "[effects]") {
    const auto step = [](double expert_parallel, double imbalance) {
        return answer(of_model("mixtral-8x7b", {{P::gpus, 64},
                                                {P::expert_parallel, expert_parallel},
                                                {P::micro_batch, 1},
                                                {P::expert_imbalance, imbalance}}))
            .estimate.step.total;
    };
    CHECK(step(1, 2) == step(1, 1));
    CHECK(step(8, 2) > step(8, 1));
}
