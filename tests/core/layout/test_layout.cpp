// Tests E14: which GPUs form each group, and how many nodes the group spans.
#include <catch2/catch.hpp>

#include "step/step.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

Layout layout(std::initializer_list<std::pair<P, Value>> values) { return layout_of(resolve(with(values))); }

bool is(const RingGroup& group, double local, double nodes) {
    return group.local == local && group.nodes == nodes;
}

}  // namespace

TEST_CASE("layout: the ring of pure FSDP spans whole nodes", "[plan]") {
    const Layout l = layout({{P::gpus, 64}});
    CHECK(is(l.shard, 8, 8));
    CHECK(is(l.replica, 1, 1));
    CHECK(is(l.tensor_group, 1, 1));
    CHECK(is(l.context_group, 1, 1));
}

TEST_CASE("layout: HSDP shards within the node and reduces between nodes", "[plan]") {
    const Layout l = layout({{P::gpus, 64}, {P::sharding, Sharding::hsdp}});
    CHECK(is(l.shard, 8, 1));
    CHECK(is(l.replica, 1, 8));
    const Layout half = layout({{P::gpus, 64}, {P::sharding, Sharding::hsdp}, {P::shard_group, 4}});
    CHECK(is(half.shard, 4, 1));
    CHECK(is(half.replica, 2, 8));
}

TEST_CASE("layout: with the order tp-cp-ep-pp-dp a pipeline is near and its replicas are far apart",
          "[plan]") {
    // Two nodes hold a replica of 16 GPUs: the stages are 4 ranks apart, the replicas 16.
    const std::initializer_list<std::pair<P, Value>> plan{{P::gpus, 64},
                                                          {P::tensor_parallel, 2},
                                                          {P::context_parallel, 2},
                                                          {P::pipeline_parallel, 4},
                                                          {P::sharding, Sharding::zero1}};
    Scenario scenario = with(plan);
    const Layout far = layout_of(resolve(scenario));
    CHECK(is(far.stages, 1, 4));
    CHECK(is(far.shard, 4, 2));
    scenario.give(P::rank_order, RankOrder::pipeline_before_data);
    const Layout near = layout_of(resolve(scenario));
    CHECK(is(near.stages, 2, 2));
    // Of the eight GPUs with the same weights, two context-parallel ones share a node.
    CHECK(is(near.shard, 2, 4));
    CHECK(is(near.tensor_group, 2, 1));
    CHECK(is(near.context_group, 2, 1));
    // In pods of 16 GPUs with a slow network between them the pipeline stays in its pod.
    scenario.give(P::pod_gpus, 16);
    scenario.give(P::oversubscription, 8);
    scenario.give(P::accumulation, 32);
    const double messages = answer(scenario).estimate.step.term(StepTerm::stage_network);
    scenario.give(P::rank_order, RankOrder::data_before_pipeline);
    CHECK(answer(scenario).estimate.step.term(StepTerm::stage_network) > messages);
    // Without a pipeline the orders are the same.
    Scenario flat = with({{P::gpus, 64}, {P::tensor_parallel, 4}});
    const double step = answer(flat).estimate.step.total;
    flat.give(P::rank_order, RankOrder::pipeline_before_data);
    CHECK(answer(flat).estimate.step.total == step);
}

TEST_CASE("layout: tensor parallelism is innermost, then context parallelism, then data parallelism",
          "[plan]") {
    const Layout node = layout({{P::gpus, 512}, {P::tensor_parallel, 8}, {P::pipeline_parallel, 8}});
    CHECK(is(node.tensor_group, 8, 1));
    // The group has one GPU of every node, so its ring has one adapter.
    CHECK(is(node.shard, 1, 8));
    CHECK(is(node.stages, 1, 8));

    // With FSDP and tensor parallelism each ring has 1/t of a node's GPUs.
    const Layout both = layout({{P::gpus, 64}, {P::tensor_parallel, 2}});
    CHECK(is(both.tensor_group, 2, 1));
    CHECK(is(both.shard, 4, 8));

    const Layout context = layout({{P::gpus, 64}, {P::tensor_parallel, 4}, {P::context_parallel, 4}});
    CHECK(is(context.tensor_group, 4, 1));
    CHECK(is(context.context_group, 2, 2));
    // Context-parallel GPUs hold the same weights, so these are also sharded over them.
    CHECK(is(context.shard, 2, 8));

    // A tensor-parallel degree above the number of GPUs per node crosses nodes.
    const Layout wide = layout({{P::gpus, 64}, {P::tensor_parallel, 8}, {P::gpus_per_node, 4}});
    CHECK(is(wide.tensor_group, 4, 2));
}

TEST_CASE("layout: groups that straddle racks or nodes are as slow as the worst of them", "[plan]") {
    // 144 GPUs fill two racks of 72, and the groups of ranks 64 to 79 have eight GPUs in each.
    const Layout racks = layout({{P::gpus, 144}, {P::gpus_per_node, 72}, {P::context_parallel, 16}});
    CHECK(is(racks.context_group, 8, 2));
    CHECK(is(racks.shard, 72, 2));
    // 128 GPUs use 64 of each rack, where 16 ranks stay together.
    const Layout fitting = layout({{P::gpus, 128}, {P::gpus_per_node, 72}, {P::context_parallel, 16}});
    CHECK(is(fitting.context_group, 16, 1));
    CHECK(is(fitting.shard, 64, 2));
    // Six ranks in nodes of eight: two and four.
    const Layout six = layout({{P::gpus, 48}, {P::context_parallel, 6}});
    CHECK(is(six.context_group, 2, 3));
    CHECK(six.context_group.nodes_with_members() == 2);
    // One group of six is in one node.
    CHECK(is(layout({{P::gpus, 6}, {P::context_parallel, 6}}).context_group, 6, 1));
    // Eight stages of 6 GPUs: the ranks 6 to 11, which share weights, are in two nodes.
    CHECK(is(layout({{P::gpus, 48}, {P::pipeline_parallel, 8}}).shard, 2, 3));
}

TEST_CASE("layout: 64 experts' GPUs straddle racks of which 72 are used, and fit those of which 64 are",
          "[plan]") {
    const auto experts = [](double gpus, double used) {
        Scenario scenario = of_model("deepseek-v3", {{P::gpus, gpus},
                                                     {P::gpus_per_node, 72},
                                                     {P::gpus_used_per_node, used},
                                                     {P::expert_parallel, 64}});
        return layout_of(resolve(scenario));
    };
    // The ranks 64 to 127 have eight GPUs in one rack and 56 in the next.
    const RingGroup straddling = experts(576, 0).expert_group;
    CHECK(is(straddling, 8, 8));
    CHECK(straddling.nodes_with_members() == 2);
    CHECK(is(experts(576, 64).expert_group, 64, 1));
    CHECK(is(experts(256, 0).expert_group, 64, 1));
}

TEST_CASE("layout: stages inside a node send over the node's link", "[plan]") {
    CHECK(is(layout({{P::gpus, 8}, {P::pipeline_parallel, 4}}).stages, 4, 1));
    CHECK(is(layout({{P::gpus, 64}, {P::pipeline_parallel, 4}}).stages, 1, 4));
    // Two stages of four GPUs are in each node, but every second message leaves it.
    CHECK(is(layout({{P::gpus, 16}, {P::pipeline_parallel, 4}}).stages, 2, 2));
}

TEST_CASE(
    "layout: experts are sharded over data-parallel GPUs, and their states over GPUs with the same experts",
    "[plan]") {
    Scenario scenario = with({{P::gpus, 128}, {P::expert_parallel, 8}, {P::tensor_parallel, 2}});
    scenario.model = scenario.catalogue->find(PresetKind::model, "mixtral-8x7b");
    const Layout l = layout_of(resolve(scenario));
    // 64 GPUs are data-parallel: expert-parallel groups have 8 of them, 2 apart, and 8 such groups have the
    // same experts.
    CHECK(is(l.expert_group, 4, 2));
    CHECK(is(l.shard, 4, 16));
    CHECK(is(l.expert_shard, 1, 8));
    CHECK(is(l.expert_replica, 1, 1));
    scenario.give(P::sharding, Sharding::ddp);
    const Layout ddp = layout_of(resolve(scenario));
    CHECK(is(ddp.expert_shard, 1, 1));
    CHECK(is(ddp.expert_replica, 1, 8));
}

TEST_CASE("layout: a ring leaves its node through the adapters of its local ranks", "[plan]") {
    const NetworkRates network{1e12, 50e9, 0, 0, 0, 0.65};
    // 9 GB over 8 members take 7/8 · 9e9 ÷ (local · 50e9) seconds.
    for (const double local : {1.0, 2.0, 4.0}) {
        const RingGroup group{local, 8 / local};
        CHECK(all_gather_time(9e9, group, network)[Rate::inter_node] ==
              Approx(7.0 / 8 * 9e9 / (local * 50e9)).epsilon(1e-12));
    }
}
