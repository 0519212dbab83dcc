// E14: which GPUs work together, and in how many nodes they lie.
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

TEST_CASE("layout: pure FSDP rings over whole nodes", "[plan]") {
    const Layout l = layout({{P::gpus, 64}});
    CHECK(is(l.shard, 8, 8));
    CHECK(is(l.replica, 1, 1));
    CHECK(is(l.tensor_group, 1, 1));
    CHECK(is(l.context_group, 1, 1));
}

TEST_CASE("layout: HSDP shards in the node and combines between nodes", "[plan]") {
    const Layout l = layout({{P::gpus, 64}, {P::sharding, Sharding::hsdp}});
    CHECK(is(l.shard, 8, 1));
    CHECK(is(l.replica, 1, 8));
    const Layout half = layout({{P::gpus, 64}, {P::sharding, Sharding::hsdp}, {P::shard_group, 4}});
    CHECK(is(half.shard, 4, 1));
    CHECK(is(half.replica, 2, 8));
}

TEST_CASE("layout: tensor parallelism is innermost, context next, data after them", "[plan]") {
    const Layout node = layout({{P::gpus, 512}, {P::tensor_parallel, 8}, {P::pipeline_parallel, 8}});
    CHECK(is(node.tensor_group, 8, 1));
    // Of every node one GPU: its ring has one adapter.
    CHECK(is(node.shard, 1, 8));
    CHECK(node.stages_cross_nodes);

    // FSDP with TP: the node's GPUs over t of each ring.
    const Layout both = layout({{P::gpus, 64}, {P::tensor_parallel, 2}});
    CHECK(is(both.tensor_group, 2, 1));
    CHECK(is(both.shard, 4, 8));

    const Layout context = layout({{P::gpus, 64}, {P::tensor_parallel, 4}, {P::context_parallel, 4}});
    CHECK(is(context.tensor_group, 4, 1));
    CHECK(is(context.context_group, 2, 2));
    // Context-parallel GPUs hold the same weights, so they share them out too.
    CHECK(is(context.shard, 2, 8));

    // More tensor parallelism than a node has GPUs crosses nodes.
    const Layout wide = layout({{P::gpus, 64}, {P::tensor_parallel, 8}, {P::gpus_per_node, 4}});
    CHECK(is(wide.tensor_group, 4, 2));
}

TEST_CASE("layout: stages inside a node send over its link", "[plan]") {
    CHECK_FALSE(layout({{P::gpus, 8}, {P::pipeline_parallel, 4}}).stages_cross_nodes);
    CHECK(layout({{P::gpus, 64}, {P::pipeline_parallel, 4}}).stages_cross_nodes);
}

TEST_CASE("layout: experts are shared among GPUs with different data, their shards among the rest",
          "[plan]") {
    Scenario scenario = with({{P::gpus, 128}, {P::expert_parallel, 8}, {P::tensor_parallel, 2}});
    scenario.model = scenario.catalogue->find(PresetKind::model, "mixtral-8x7b");
    const Layout l = layout_of(resolve(scenario));
    // 64 GPUs have different data: 8 of them, 2 apart, share the experts; 8 such groups hold the same.
    CHECK(is(l.expert_group, 4, 2));
    CHECK(is(l.shard, 4, 16));
    CHECK(is(l.expert_shard, 1, 8));
    CHECK(is(l.expert_replica, 1, 1));
    scenario.give(P::sharding, Sharding::ddp);
    const Layout ddp = layout_of(resolve(scenario));
    CHECK(is(ddp.expert_shard, 1, 1));
    CHECK(is(ddp.expert_replica, 1, 8));
}

TEST_CASE("layout: a ring's way out of a node is its local ranks' adapters", "[plan]") {
    const NetworkRates network{1e12, 50e9, 0, 0, 0, 0.65};
    // 9 GB over 8 members: 7/8 · 9e9 ÷ (local · 50e9).
    for (const double local : {1.0, 2.0, 4.0}) {
        const RingGroup group{local, 8 / local};
        CHECK(all_gather_time(9e9, group, network)[Rate::inter_node] ==
              Approx(7.0 / 8 * 9e9 / (local * 50e9)).epsilon(1e-12));
    }
}
