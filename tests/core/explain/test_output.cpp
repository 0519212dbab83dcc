// Tests the table of outputs and the sentences of the Why panel.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "explain/explanation.h"
#include "explain/operator_table.h"
#include "explain/output.h"
#include "explain/symbols.h"
#include "explain/takeover.h"
#include "explore/solve.h"
#include "planner/plan.h"
#include "support/scenarios.h"
#include "text/text.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("outputs: every row has its own path, a label, a sentence and a source", "[explain]") {
    std::set<std::string_view> paths;
    Scenario scenario = first();
    scenario.give(P::price_per_gpu_hour, 2.5);  // without a price there is no cost
    const Answer now = answer(scenario);
    for (std::size_t i = 0; i < kOutputs; ++i) {
        const auto id = static_cast<Output>(i);
        const OutputRow& row = output(id);
        INFO(row.path);
        CHECK(paths.insert(row.path).second);
        CHECK_FALSE(row.label.empty());
        CHECK_FALSE(row.sentence.empty());
        CHECK_FALSE(row.source.empty());
        CHECK(find_output(row.path) == id);
        CHECK_FALSE(std::isnan(value_of(id, now)));
        // Every symbol and assumption that a row names exists.
        for (const std::string& symbol : split(row.symbols, ' ')) {
            if (!symbol.empty()) CHECK(find_symbol(symbol) != nullptr);
        }
        for (const std::string& name : split(row.assumptions, ' ')) {
            if (!name.empty()) CHECK(find_parameter(name).has_value());
        }
    }
}

TEST_CASE("outputs: a scenario that does not fit has no times unless hypothetical ones are requested",
          "[explain]") {
    const Answer large = answer(with({{P::sequence_length, 65536}}));
    CHECK(text_of(Output::mfu, large) == "–");
    CHECK(text_of(Output::mfu, large, true) != "–");
    CHECK(text_of(Output::peak_memory, large) != "–");
    const Explanation why = explain(Subject::of(Output::step_time), large);
    CHECK(why.result == "–");
    for (const Ingredient& entry : why.ingredients) CHECK(entry.value == "–");
}

TEST_CASE("explain: the verdict names the bubble where it is the largest cost, also with sharded weights",
          "[explain]") {
    const Scenario one_micro_batch =
        of_model("llama-3-70b", {{P::gpus, 512}, {P::tensor_parallel, 8}, {P::pipeline_parallel, 4}});
    const Answer now = answer(one_micro_batch);
    REQUIRE(now.settings.choice<Sharding>(P::sharding) == Sharding::zero3);
    const double bubble = now.estimate.step.term(StepTerm::bubble);
    REQUIRE(bubble > 0.5 * now.estimate.step.total);
    CHECK(wall_sentence(now).find("of the step is the pipeline's bubble.") != std::string::npos);
    CHECK(wall_sentence(now).find("waits for the network") == std::string::npos);
}

TEST_CASE("explain: the numbers in the explanation of the MFU give the MFU", "[explain]") {
    const Answer now = answer(first());
    const Explanation why = explain(Subject::of(Output::mfu), now);
    CHECK(why.formula == "MFU = (6·N_a + 12·L·a·d·s) · r ÷ P");
    CHECK(why.result == text_of(Output::mfu, now));
    const double by_hand =
        (6 * 12853954560.0 + 12.0 * 40 * 40 * 128 * 2048) * now.estimate.tokens_per_s_per_gpu / 989.5e12;
    CHECK(now.estimate.mfu == Approx(by_hand).epsilon(1e-12));
    CHECK(explain(Subject::of(Output::mfu), answer(with({{P::flops_convention, FlopsConvention::six_n}})))
              .formula == "MFU = 6·N_a · r ÷ P");
}

TEST_CASE("takeovers: the wall differs on the two sides of each value", "[explain]") {
    const auto check = [](const Scenario& scenario, P input, const std::optional<Takeover>& found,
                          bool below) {
        const auto wall_at = [&](double value) {
            return answer(edited(scenario, input, value)).estimate.wall;
        };
        REQUIRE(found.has_value());
        CHECK(wall_at(found->value) == found->next);
        CHECK(wall_at(found->value * (below ? 1.1 : 0.9)) != found->next);
        CHECK((found->value < answer(scenario).settings[input]) == below);
    };
    const Takeovers fast = takeovers(answer(with({{P::inter_node_bandwidth, 50e9}})));
    CHECK(fast.input == P::inter_node_bandwidth);
    check(with({{P::inter_node_bandwidth, 50e9}}), fast.input, fast.below, true);
    const Takeovers slow = takeovers(answer(with({{P::inter_node_bandwidth, 2.5e9}})));
    CHECK(slow.input == P::inter_node_bandwidth);
    check(with({{P::inter_node_bandwidth, 2.5e9}}), slow.input, slow.above, false);
    const Scenario inside = with({{P::intra_node_bandwidth, 55e9}});
    const Takeovers links = takeovers(answer(inside));
    CHECK(links.input == P::intra_node_bandwidth);
    check(inside, links.input, links.above, false);
    // One GPU has no network: the wall's own rate is varied.
    const Scenario alone = with({{P::gpus, 1}, {P::layers, 4}});
    const Takeovers compute = takeovers(answer(alone));
    CHECK(compute.input == P::peak_flops);
    check(alone, compute.input, compute.above, false);
}

TEST_CASE("takeovers: where no wall dominates, both neighbours are named", "[explain]") {
    int found = 0;
    for (double bandwidth = 50e9; bandwidth > 5e9; bandwidth *= 0.995) {
        const Answer now = answer(with({{P::gpus, 512}, {P::inter_node_bandwidth, bandwidth}}));
        if (now.estimate.wall != Wall::balanced) continue;
        ++found;
        const Takeovers both = takeovers(now);
        REQUIRE(both.below);
        REQUIRE(both.above);
        CHECK(both.below->next == Wall::inter_node);
        CHECK(answer(edited(now.scenario, both.input, both.above->value)).estimate.wall == both.above->next);
        CHECK(both.below->value < bandwidth);
        CHECK(both.above->value > bandwidth);
        CHECK(wall_sentence(now).find("Inter-node bandwidth is the wall up to ") != std::string::npos);
        CHECK(wall_sentence(now).find(", " + label_of(both.above->next) + " from ") != std::string::npos);
    }
    CHECK(found > 0);
}

TEST_CASE("takeovers: a scenario that does not fit names the least memory, as Solve does", "[explain]") {
    const Scenario large = with({{P::sequence_length, 32768}});
    const Takeovers found = takeovers(answer(large));
    REQUIRE(found.above);
    CHECK_FALSE(found.below);
    const Solution solved = solve(Question{.scenario = large, .id = P::memory, .target = {}});
    REQUIRE(solved.found());
    CHECK(found.above->value == Approx(solved.value).epsilon(1e-5));
    // Both say the same value.
    CHECK(wall_sentence(answer(large))
              .find("It fits with at least " + format(P::memory, solved.value) +
                    " of GPU memory, which includes a margin of 5.0 %.") != std::string::npos);
}

TEST_CASE("output: a host that is too small for the offloaded state is named", "[explain]") {
    const auto sentence_with = [](double host_memory) {
        return wall_sentence(answer(of_model("gpt-1t", {{P::gpus, 8},
                                                        {P::sharding, Sharding::zero3},
                                                        {P::offload, Offload::optimizer_and_parameters},
                                                        {P::host_memory, host_memory}})));
    };
    // 16 bytes for each of 1.008 T parameters, an eighth of them on each GPU: 2.02 TB.
    CHECK(sentence_with(250e9).find("The host has no memory for") != std::string::npos);
    CHECK(sentence_with(2.1e12).find("The host has no memory for") == std::string::npos);
}

TEST_CASE("output: the host link is named where it is the wall", "[explain]") {
    for (const Scenario& scenario :
         {with({{P::offload, Offload::optimizer}, {P::host_bandwidth, 1e8}}),
          of_model("llama-3-8b", {{P::sequence_length, 8192}, {P::activation_offload, 1}})}) {
        const Answer offloaded = answer(scenario);
        REQUIRE(offloaded.fits());
        REQUIRE(offloaded.estimate.wall == Wall::host_link);
        CHECK(label_of(offloaded.estimate.wall) == "host link");
        const Estimate& e = offloaded.estimate;
        const std::string limits = format(
            std::round(100 * e.elasticity[static_cast<std::size_t>(Rate::intra_node)]), Quantity::count);
        const std::string waits = format(e.step.term(StepTerm::host_link) / e.step.total, Quantity::percent);
        const std::string text = wall_sentence(offloaded);
        INFO(text);
        CHECK(text.find("The host's memory or the link to it is the wall: it limits " + limits +
                        " % of the step.") == 0);
        CHECK(text.find(waits + " of the step waits for the host's memory or the link to it.") !=
              std::string::npos);
        // A wider link to the host changes the wall; the links between GPUs do not.
        const Takeovers found = takeovers(offloaded);
        CHECK(found.input == P::host_bandwidth);
        REQUIRE(found.above.has_value());
        CHECK(found.above->next != Wall::host_link);
        CHECK(e.elasticity[static_cast<std::size_t>(Rate::latency)] < 0.05);
    }
}

TEST_CASE("output: on one GPU the sentences name the link to the host and no link between GPUs",
          "[explain]") {
    int named = 0;
    for (double bandwidth = 1e9; bandwidth < 200e9; bandwidth *= 1.3) {
        const Answer alone = answer(of_model("llama-2-7b", {{P::gpus, 1},
                                                            {P::sharding, Sharding::zero3},
                                                            {P::offload, Offload::optimizer_and_parameters},
                                                            {P::micro_batch, 1},
                                                            {P::sequence_length, 2048},
                                                            {P::host_bandwidth, bandwidth}}));
        REQUIRE(alone.valid());
        if (!alone.fits()) continue;
        const std::string text = wall_sentence(alone);
        INFO(text);
        CHECK(text.find("ntra-node") == std::string::npos);
        named += text.find("The host's memory or the link to it") != std::string::npos;
        if (alone.settings[P::mfu_override] == 0)
            CHECK(text.find("One GPU: there is no communication between GPUs.") != std::string::npos);
    }
    CHECK(named > 0);
}

TEST_CASE("takeovers: an automatic plan is held", "[explain]") {
    Scenario scenario = first();
    scenario.automatic = default_free_parameters();
    const Answer now = answer(scenario);
    Scenario held = now.scenario;
    held.automatic = {};
    const Takeovers automatic = takeovers(now);
    const Takeovers fixed = takeovers(answer(held));
    REQUIRE(automatic.below.has_value() == fixed.below.has_value());
    if (fixed.below) CHECK(automatic.below->value == fixed.below->value);
    REQUIRE(automatic.above.has_value() == fixed.above.has_value());
    if (fixed.above) CHECK(automatic.above->value == fixed.above->value);
    CHECK((fixed.below || fixed.above));
}

TEST_CASE("wall sentence: it names the wall and the reason", "[explain]") {
    const Answer home = answer(first());
    const double compute = home.estimate.elasticity[static_cast<std::size_t>(Rate::compute)];
    CHECK(wall_sentence(home).find("Compute is the wall: it limits " +
                                   format(std::round(compute * 100), Quantity::count) +
                                   " % of the step. Inter-node bandwidth is the wall up to ") == 0);
    // What is exposed agrees with the waterfall, although the tokens exceed the ideal threshold.
    const auto exposed = [](const Answer& now, const std::string& rest) {
        const StepTime& step = now.estimate.step;
        return format(step.term(StepTerm::network) / step.total, Quantity::percent) +
               " of the step waits for the network at " + rest;
    };
    CHECK(wall_sentence(home).find(exposed(home,
                                           "4,096 tokens per GPU; perfect overlap would hide the gathers "
                                           "from 2,165 tokens per GPU on, the ideal threshold.")) !=
          std::string::npos);
    CHECK(wall_sentence(answer(with({{P::sequence_length, 65536}}))).find("Memory is the wall: ") == 0);
    const Answer slow = answer(with({{P::inter_node_bandwidth, 1.25e9}, {P::micro_batch, 1}}));
    CHECK(wall_sentence(slow).find("Inter-node bandwidth is the wall: it limits ") == 0);
    CHECK(wall_sentence(slow).find("Compute is the wall from ") != std::string::npos);
    CHECK(wall_sentence(slow).find(exposed(slow, "2,048 tokens per GPU; perfect overlap")) !=
          std::string::npos);
    // Compute is the wall although the tokens are below the ideal threshold.
    const Answer half = answer(with({{P::inter_node_bandwidth, 25e9}}));
    REQUIRE(half.estimate.wall == Wall::compute);
    CHECK(wall_sentence(half).find(exposed(half,
                                           "4,096 tokens per GPU; perfect overlap would hide the gathers "
                                           "from 4,329 tokens per GPU on")) != std::string::npos);
    // The GPU count is beyond the threshold, but the step still waits for the network.
    const Answer many = answer(with({{P::gpus, 16384}}));
    REQUIRE(many.estimate.wall == Wall::latency);
    const double share = many.estimate.elasticity[static_cast<std::size_t>(Rate::latency)];
    CHECK(wall_sentence(many).find("Latency is the wall: it limits " +
                                   format(std::round(share * 100), Quantity::count) + " % of the step.") ==
          0);
    // The sentence leads to the rows of the waterfall that latency lengthens.
    const auto of_step = [&](double seconds) {
        return format(seconds / many.estimate.step.total, Quantity::percent);
    };
    CHECK(wall_sentence(many).find("launch and host time, " +
                                   of_step(many.estimate.step.term(StepTerm::host)) +
                                   " of the step, and the hops of messages, which are a part of the " +
                                   of_step(many.estimate.exposed_communication()) +
                                   " that wait for communication.") != std::string::npos);
    // A second wall is named where it is a large part of the step.
    int found = 0;
    for (double bandwidth = 50e9; bandwidth > 10e9; bandwidth *= 0.95) {
        const Answer both = answer(with({{P::gpus, 1024}, {P::inter_node_bandwidth, bandwidth}}));
        const auto large =
            std::ranges::count_if(both.estimate.elasticity, [](double part) { return part >= 0.3; });
        INFO(bandwidth);
        CHECK((wall_sentence(both).find(" limits a further ") != std::string::npos) == (large >= 2));
        found += large >= 2;
    }
    CHECK(found > 0);
    CHECK(wall_sentence(answer(first())).find(" limits a further ") == std::string::npos);
}

TEST_CASE("operators: the table adds up to the step that it describes", "[explain]") {
    const Answer now = answer(with({{P::accumulation, 3}, {P::gpus, 8}}));
    double matmul = 0;
    double weights = 0;
    for (const OperatorRow& row : operator_table(now).rows) {
        if (row.kind == "gemm") matmul += 3 * row.repeat * (row.forward + row.backward);
        weights += row.repeat * row.weights;
    }
    CHECK(matmul == Approx(value_of(Output::step_matmul, now)).epsilon(1e-12));
    CHECK(weights == Approx(now.compiled.parameters).epsilon(1e-12));
    CHECK(operator_table(answer(with({{P::heads, 7}, {P::head_size, 0.5}}))).empty());
}
