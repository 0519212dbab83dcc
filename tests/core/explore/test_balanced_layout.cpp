#include <catch2/catch.hpp>

#include "explore/balanced_layout.h"
#include "explore/plan_report.h"
#include "explore/repair.h"
#include "parameters/interned_text.h"
#include "schedules/pipeline_layout.h"
#include "support/scenarios.h"

namespace shardscope::testing {

namespace {

// 16 layers with a window and then 16 with full attention over long sequences.
Scenario half_full() {
    Scenario out = of_model("llama-3-8b", {{P::gpus, 64},
                                           {P::pipeline_parallel, 4},
                                           {P::tensor_parallel, 8},
                                           {P::sequence_length, 65536},
                                           {P::attention_window, 1024},
                                           {P::micro_batch, 1},
                                           {P::accumulation, 16},
                                           {P::sharding, Sharding::zero1},
                                           {P::recompute, 1}});
    out.give(P::layer_pattern, intern_text("sliding*16, full*16"));
    return out;
}

}  // namespace

TEST_CASE("layout: stages of unlike layers get the same time", "[layout]") {
    const Answer even = answer(half_full());
    REQUIRE(even.valid());
    const std::string text = balanced_layout(even);
    const PipelineLayout layout = parse_pipeline_layout(text);
    INFO(text);
    REQUIRE(layout.problem.empty());
    CHECK(layout.total == 32);
    REQUIRE(layout.layers.size() == 4);
    // Layers with a window cost less, so the first stage has more of them.
    CHECK(layout.layers.front() > 8);
    CHECK(layout.layers[2] < 8);
    const Answer balanced = answer(assigned(half_full(), P::pipeline_layout, intern_text(text)));
    REQUIRE(balanced.valid());
    CHECK(balanced.estimate.step.total < 0.95 * even.estimate.step.total);
    // No layer that moves from one stage to the next makes it faster.
    for (std::size_t from = 0; from < 4; ++from) {
        for (const std::size_t to : {from - 1, from + 1}) {
            if (to >= 4) continue;
            std::vector<int> moved = layout.layers;
            --moved[from];
            ++moved[to];
            std::string other = "E";
            for (const int count : moved) other += "t*" + std::to_string(count) + "|";
            other.back() = 'L';
            const Answer there = answer(assigned(half_full(), P::pipeline_layout, intern_text(other)));
            REQUIRE(there.valid());
            INFO(other);
            CHECK(there.estimate.step.total >= balanced.estimate.step.total * (1 - 1e-9));
        }
    }
}

TEST_CASE("layout: there is none where all layers are alike, or where one is given", "[layout]") {
    CHECK(balanced_layout(answer(of_model("llama-3-8b", {{P::pipeline_parallel, 4}}))).empty());
    Scenario given = half_full();
    given.give(P::pipeline_layout, intern_text("Et*12|t*6|t*7|t*7L"));
    CHECK(balanced_layout(answer(given)).empty());
    Scenario one = half_full();
    one.give(P::pipeline_parallel, 1);
    CHECK(balanced_layout(answer(one)).empty());
}

TEST_CASE("layout: the report of plans and the next best fix offer it", "[layout]") {
    const Answer even = answer(half_full());
    const std::vector<Neighbour> all = neighbours_of(even, default_free_parameters(), false);
    const auto found = std::ranges::find(all, P::pipeline_layout, &Neighbour::id);
    REQUIRE(found != all.end());
    CHECK(found->slower < 0);
    const std::optional<Repair> fix = best_fix(even);
    REQUIRE(fix);
    CHECK(fix->mfu >= found->answer.estimate.mfu * (1 - 1e-9));
    // A layout that was taken does not stand in the way of other edits.
    const Scenario taken = assigned(half_full(), P::pipeline_layout, intern_text(balanced_layout(even)));
    CHECK(resolve(edited(taken, P::pipeline_parallel, 2))[P::pipeline_parallel] == 2);
    CHECK(resolve(edited(taken, P::layers, 40))[P::layers] == 40);
    CHECK(answer(with_model(taken, *Catalogue::shipped().find(PresetKind::model, "qwen3-8b"))).valid());
}

TEST_CASE("layout: prediction layers come before the head, and equal stages are written once", "[layout]") {
    const Answer even = answer(of_model("deepseek-v3", {{P::gpus, 2048},
                                                        {P::pipeline_parallel, 16},
                                                        {P::expert_parallel, 64},
                                                        {P::sharding, Sharding::zero1},
                                                        {P::mtp_layers, 1},
                                                        {P::micro_batch, 1},
                                                        {P::accumulation, 60}}));
    REQUIRE(even.valid());
    const std::string text = balanced_layout(even);
    INFO(text);
    const PipelineLayout layout = parse_pipeline_layout(text);
    REQUIRE(layout.problem.empty());
    CHECK(layout.layers.size() == 16);
    CHECK(layout.total == 61);
    CHECK(layout.predictions == 1);
    CHECK(layout.prediction_stage == 15);
    CHECK(text.find("(t*4|)*") != std::string::npos);
    CHECK(text.ends_with("mL"));
}

}  // namespace shardscope::testing
