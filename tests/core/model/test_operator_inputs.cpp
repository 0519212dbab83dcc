// Tests that results cached from a model's operators are reused only if the changed settings do not affect
// them.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "estimate/estimate.h"
#include "model/operator_inputs.h"
#include "scenario/domain.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Returns values of the parameter that differ from the current one.
std::vector<double> other_values(P id, const Settings& s) {
    const Parameter& row = parameter(id);
    std::vector<double> out;
    for (const Named& named : row.names) out.push_back(named.value);
    if (!row.named_only) out.insert(out.end(), {s[id] * 2, s[id] / 2, s[id] + 1});
    std::erase_if(out, [&](double value) { return std::isnan(value) || value == s[id]; });
    return out;
}

}  // namespace

TEST_CASE("operators: an estimate is the same whether or not another was compiled before it", "[operators]") {
    const std::array bases{first(), with({{P::precision, Precision::fp8}, {P::accumulation, 2}}),
                           with({{P::tensor_parallel, 8}, {P::context_parallel, 2}}),
                           of_model("mixtral-8x7b", {{P::expert_parallel, 8}, {P::pipeline_parallel, 2}}),
                           of_model("resnet-50", {{P::micro_batch, 32}})};
    int kept = 0;
    int changed = 0;
    for (const Scenario& base : bases) {
        const Settings before = resolve(base);
        REQUIRE(check(base, before).empty());
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            for (const double value : other_values(id, before)) {
                const Settings after = resolve(assigned(base, id, value));
                if (!is_valid(after)) continue;
                INFO(parameter(id).key << " = " << value);
                Compiled reused;
                compile(before, reused);
                compile(after, reused);
                const Estimate now = estimate(reused);
                const Estimate fresh = estimate(compile(after));
                CHECK(now.step.terms == fresh.step.terms);
                CHECK(now.memory.by_moment == fresh.memory.by_moment);
                CHECK(now.mfu == fresh.mfu);
                CHECK(now.hfu == fresh.hfu);
                // A list of operators has no default number of training tokens.
                CHECK((now.run.steps == fresh.run.steps ||
                       (std::isnan(now.run.steps) && std::isnan(fresh.run.steps))));
                ++(same_operators(before, after) ? kept : changed);
            }
        }
    }
    CHECK(kept > 100);
    CHECK(changed > 100);
}

TEST_CASE("operators: whether groups straddle nodes depends on the number of nodes", "[operators]") {
    // Five ranks fit a node of eight; in five nodes the ranks 5 to 9 are in two.
    const Settings one = resolve(with({{P::gpus, 5}, {P::tensor_parallel, 5}}));
    const Settings five = resolve(with({{P::gpus, 40}, {P::tensor_parallel, 5}}));
    CHECK_FALSE(operators_cross_nodes(one));
    CHECK(operators_cross_nodes(five));
    CHECK_FALSE(same_operators(one, five));
    Compiled reused;
    compile(one, reused);
    const double inside = reused.work.layers[0].forward.time[Rate::inter_node];
    compile(five, reused);
    CHECK(inside == 0);
    CHECK(reused.work.layers[0].forward.time[Rate::inter_node] > 0);
    CHECK(reused.work.layers[0].forward.time.total() == compile(five).work.layers[0].forward.time.total());
    // Four ranks divide the nodes.
    CHECK(same_operators(resolve(with({{P::gpus, 4}, {P::tensor_parallel, 4}})),
                         resolve(with({{P::gpus, 40}, {P::tensor_parallel, 4}}))));
}

TEST_CASE("operators: a larger slice of a torus has more links", "[operators]") {
    const auto on_torus = [](double gpus) {
        Scenario scenario = of_model("llama-7b", {{P::tensor_parallel, 4}, {P::gpus, gpus}});
        scenario.cluster = scenario.catalogue->find(PresetKind::cluster, "tpu-v5p-slice");
        return resolve(scenario);
    };
    // A slice of four chips is a square of 2 × 2; in one of 4 × 8 × 8 four chips lie along one of three axes.
    Compiled reused;
    compile(on_torus(4), reused);
    const double small = reused.work.layers[0].forward.time.total();
    compile(on_torus(256), reused);
    CHECK(reused.work.layers[0].forward.time.total() > small);
    CHECK(reused.work.layers[0].forward.time.total() ==
          compile(on_torus(256)).work.layers[0].forward.time.total());
    CHECK_FALSE(same_operators(on_torus(4), on_torus(256)));
}

TEST_CASE("operators: the groups of experts cross nodes with the degrees that split them", "[operators]") {
    const auto depends_on_network = [](double tensor, double expert, double expert_tensor) {
        const Settings s = resolve(of_model("mixtral-8x7b", {{P::gpus, 64},
                                                             {P::tensor_parallel, tensor},
                                                             {P::expert_parallel, expert},
                                                             {P::expert_tensor_parallel, expert_tensor}}));
        Settings slower = s;
        slower.set(P::inter_node_bandwidth, s[P::inter_node_bandwidth] / 2, Origin::given);
        const auto time = [](const Settings& of) {
            const Compiled c = compile(of);
            double sum = 0;
            for (const BlockWork& layer : c.work.layers.items()) sum += layer.forward.time.total();
            return sum;
        };
        const bool differs = time(s) != time(slower);
        CHECK(same_operators(s, slower) != differs);
        return differs;
    };
    // Nodes have 8 GPUs.
    CHECK(depends_on_network(1, 2, 8));
    CHECK(depends_on_network(4, 4, 0));
    CHECK_FALSE(depends_on_network(4, 4, 1));
    CHECK_FALSE(depends_on_network(1, 8, 0));
}
