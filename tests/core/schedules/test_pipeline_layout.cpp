// Tests pipeline layouts in Megatron's notation.
#include <catch2/catch.hpp>

#include "memory/memory.h"
#include "parameters/interned_text.h"
#include "schedules/pipeline_layout.h"
#include "step/layers.h"
#include "step/step.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("layout: groups and repetitions expand", "[schedules]") {
    // DeepSeek-V3 on 2 × 8 virtual stages: 4 layers in each of the first 15, one in the last.
    const PipelineLayout layout = parse_pipeline_layout("Et*4|(t*4|)*14tmL");
    CHECK(layout.problem.empty());
    CHECK(layout.total == 61);
    REQUIRE(layout.layers.size() == 16);
    CHECK(layout.layers.front() == 4);
    CHECK(layout.layers.back() == 1);
    CHECK(layout.predictions == 1);
    CHECK_FALSE(layout.misplaced);
    CHECK(layout.prediction_stage == 15);
    CHECK(parse_pipeline_layout("Etm|tL").misplaced);
    CHECK(parse_pipeline_layout("Et|tm|mL").misplaced);
    CHECK_FALSE(parse_pipeline_layout("Et|t|mm|L").misplaced);
    CHECK(parse_pipeline_layout("Et|m*2L").predictions == 2);
    CHECK(parse_pipeline_layout("Ettt|t,t|tL").layers == std::vector<int>{3, 2, 1});
}

TEST_CASE("layout: mistakes are explained", "[schedules]") {
    for (const char* text : {"Et|x|L", "E(t|L", "Et)|L", "Et*|L", "((((((((((((((((((t))))))))))))))))))",
                             "E((t*9999)*9999)*9999|L"}) {
        INFO(text);
        CHECK_FALSE(parse_pipeline_layout(text).problem.empty());
    }
}

TEST_CASE("layout: it decides the layers of each stage, and must match the model", "[schedules]") {
    const auto with_layout = [](const char* text) {
        Scenario scenario = of_model("llama-3-8b", {{P::gpus, 8}, {P::pipeline_parallel, 4}});
        scenario.give(P::pipeline_layout, parse(P::pipeline_layout, text).value);
        return scenario;
    };
    const Answer uneven = answer(with_layout("Et*5|t*10|t*11|t*6L"));
    REQUIRE(uneven.valid());
    CHECK(uneven.compiled.stages.first.layers() == 5);
    CHECK(uneven.compiled.stages[1].layers() == 10);
    CHECK(uneven.compiled.stages[2].layers() == 11);
    CHECK(uneven.compiled.stages[2].position == 2);
    CHECK(uneven.compiled.stages.last.layers() == 6);
    for (const char* text : {"Et*5|t*10|t*11|t*5L", "Et*16|t*16L"}) {
        const Answer wrong = answer(with_layout(text));
        REQUIRE_FALSE(wrong.valid());
        CHECK(wrong.problems.front().where == "/training/pipeline_layout");
    }
}

TEST_CASE("layout: its prediction layers are those of the model, in one stage after all layers",
          "[schedules]") {
    const auto reason = [](const char* text, double predictions) {
        Scenario scenario =
            of_model("llama-3-8b", {{P::gpus, 8}, {P::pipeline_parallel, 4}, {P::mtp_layers, predictions}});
        scenario.give(P::pipeline_layout, parse(P::pipeline_layout, text).value);
        const Answer found = answer(scenario);
        return found.valid() ? std::string() : found.problems.front().why;
    };
    CHECK(reason("Et*8|(t*8|)*2t*8mL", 1).empty());
    CHECK(reason("Et*8|(t*8|)*2t*8L", 0).empty());
    CHECK(reason("Et*8|(t*8|)*2t*8mL", 0).empty());  // the recipe of a variant without prediction layers
    CHECK(reason("Et*8|(t*8|)*2t*8L", 2) == "it has 0 prediction layers (m), but model.mtp_layers is 2");
    CHECK(reason("Et*8|t*12|t*12m|L", 1).empty());
    const std::string misplaced = "its prediction layers (m) must be in one stage, after all layers (t)";
    CHECK(reason("Et*8|t*8m|t*8|t*8L", 1) == misplaced);
    CHECK(reason("Et*8|t*12|t*12m|mL", 2) == misplaced);
}

TEST_CASE("layout: a model without prediction layers ignores the m of a recipe", "[schedules]") {
    const auto step = [](const char* text) {
        Scenario scenario = of_model("llama-3-8b", {{P::gpus, 8}, {P::pipeline_parallel, 4}});
        scenario.give(P::pipeline_layout, parse(P::pipeline_layout, text).value);
        const Answer found = answer(scenario);
        REQUIRE(found.valid());
        return std::pair{found.estimate.step.total, found.estimate.memory.peak};
    };
    CHECK(step("Et*8|t*12|t*10|t*2mL") == step("Et*8|t*12|t*10|t*2L"));
}

TEST_CASE("layout: the same partition has the same step, however it is written", "[schedules]") {
    // DeepSeek-V3's three dense layers are divided between the first two of 16 stages: the other stages of
    // four layers, which have more experts, decide the step.
    const auto step = [](std::initializer_list<std::pair<P, Value>> partition, const char* text) {
        Scenario scenario = of_model("deepseek-v3", {{P::gpus, 2048},
                                                     {P::expert_parallel, 64},
                                                     {P::pipeline_parallel, 16},
                                                     {P::micro_batch, 1},
                                                     {P::accumulation, 64},
                                                     {P::sharding, Sharding::zero1},
                                                     {P::recompute, 1}});
        for (const auto& [id, value] : partition) scenario.give(id, value);
        if (*text) scenario.give(P::pipeline_layout, parse(P::pipeline_layout, text).value);
        const Answer found = answer(scenario);
        REQUIRE(found.valid());
        return found.estimate.step.total;
    };
    const double by_ends = step({{P::first_stage_layers, 2}, {P::last_stage_layers, 3}}, "");
    CHECK(step({}, "Et*2|(t*4|)*14t*3L") == Approx(by_ends));
}

TEST_CASE("layout: the fullest stage is found where the largest one holds few micro-batches", "[schedules]") {
    // Stage 2 has 11 layers of 7 micro-batches, stage 7 has 12 of 2 micro-batches.
    const Answer now = answer(
        of_model("llama-3-70b",
                 {{P::gpus, 64},
                  {P::tensor_parallel, 4},
                  {P::sequence_parallel, true},
                  {P::pipeline_parallel, 8},
                  {P::sequence_length, 8192},
                  {P::micro_batch, 1},
                  {P::global_batch, 32},
                  {P::sharding, Sharding::zero1},
                  {P::software, Software::megatron_core},
                  {P::pipeline_layout, parse(P::pipeline_layout, "E|t*11|(t*11|)*4t*12|t*13L").value}}));
    REQUIRE(now.valid());
    CHECK(now.estimate.memory.stage == 1);
    const std::vector<double> stages = allocated_by_stage(now.compiled);
    REQUIRE(stages.size() == 8);
    CHECK(now.estimate.memory.allocated() == Approx(std::ranges::max(stages)));
    CHECK(stages[1] > stages[6]);
}

TEST_CASE("layout: stages may be without layers", "[schedules]") {
    const auto compiled = [](const char* layout, double tensor = 1) {
        Scenario scenario = of_model("llama-3-8b", {{P::gpus, 32},
                                                    {P::software, Software::megatron_core},
                                                    {P::tensor_parallel, tensor},
                                                    {P::pipeline_parallel, 4},
                                                    {P::micro_batch, 1},
                                                    {P::accumulation, 8},
                                                    {P::sharding, Sharding::zero1},
                                                    {P::pipeline_layout, intern_text(layout)}});
        const Answer found = answer(scenario);
        REQUIRE(found.valid());
        return found.compiled;
    };
    const Compiled c = compiled("E|t*16|t*16|L");
    CHECK(c.stages.first.layers() == 0);
    CHECK(c.stages[1].layers() == 16);
    CHECK(c.stages.last.layers() == 0);
    // The embedding, and the head with the last norm: all weights in bf16, none of a layer.
    const double embedding = 128256.0 * 4096;
    const auto weights = [&](const Stage& stage) {
        return memory_use(stage, c).by_moment[0][static_cast<std::size_t>(MemoryTerm::weights)];
    };
    CHECK(weights(c.stages.first) == 2 * embedding);
    CHECK(weights(c.stages.last) == 2 * (embedding + 4096));
    CHECK(memory_use(c.stages.first, c).by_moment[0][static_cast<std::size_t>(MemoryTerm::activations)] == 0);
    // Only these weights are gathered and their gradients reduced.
    const Layers layers(c);
    for (const Stage& stage : {c.stages.first, c.stages.last}) {
        const StageTraffic traffic = stage_traffic(stage, layers, 1, c);
        CHECK(traffic.ends.reduce.total() > 0);
        CHECK(traffic.last_layer.reduce.total() == 0);
        CHECK(traffic.layers.reduce.total() == 0);
    }
    // A stage that holds nothing needs no memory beside that of CUDA, and computes nothing.
    const Compiled empty = compiled("E||t*32|L");
    const Stage nothing = every_stage(empty.stages, LayerSequence(empty.settings))[1];
    CHECK(memory_use(nothing, empty).allocated() == 0);
    const StepTime step = step_time(empty, nothing);
    for (const StepTerm term : {StepTerm::matmul, StepTerm::attention, StepTerm::memory_copies,
                                StepTerm::network, StepTerm::optimizer})
        CHECK(step.term(term) == 0);
    // The layers are the same wherever the ends are.
    CHECK(compiled("E|t*16|t*16|L").parameters == compiled("Et*8|t*8|t*8|t*8L").parameters);
}

TEST_CASE("balanced stages: the head is alone where the first stage needs all layers that are left",
          "[pipeline]") {
    const Answer found = answer(of_model("llama-3-8b", {{P::gpus, 64},
                                                        {P::vocab_size, 131072},
                                                        {P::balanced_stages, 1},
                                                        {P::pipeline_parallel, 32},
                                                        {P::accumulation, 64}}));
    REQUIRE(found.valid());
    const std::vector<Stage> stages =
        every_stage(found.compiled.stages, LayerSequence(found.compiled.settings));
    CHECK(stages.front().layers() == 2);
    for (std::size_t i = 1; i < 31; ++i) CHECK(stages[i].layers() == 1);
    CHECK(stages.back().layers() == 0);
    CHECK(stages.back().head);
}

TEST_CASE("balanced stages: each takes layers until it exceeds its share of the cost, as in nanotron",
          "[pipeline]") {
    // nanotron's benchmark models (1B and 8B). The head costs as much as 4 and as 2.2 layers, so the stages
    // of the first share 20 layers and those of the second 34.2.
    const auto partition = [](double layers, double width, double stages) {
        const bool small = width == 2048;
        const Partition out = partition_of(resolve(with({{P::layers, layers},
                                                         {P::hidden_size, width},
                                                         {P::heads, 32},
                                                         {P::kv_heads, small ? 32 : 8},
                                                         {P::head_size, small ? 64 : 128},
                                                         {P::mlp, Mlp::gated},
                                                         {P::ffn_size, small ? 8192 : 14336},
                                                         {P::vocab_size, 131072},
                                                         {P::balanced_stages, 1},
                                                         {P::pipeline_parallel, stages}})));
        return std::pair{out.first, out.last};
    };
    using Ends = std::pair<double, double>;
    // A stage whose cost equals its share takes one more layer.
    CHECK(partition(16, 2048, 2) == Ends{11, 5});
    CHECK(partition(16, 2048, 4) == Ends{6, 1});
    CHECK(partition(16, 2048, 8) == Ends{3, 1});
    CHECK(partition(32, 4096, 2) == Ends{18, 14});
    CHECK(partition(32, 4096, 4) == Ends{9, 6});
    CHECK(partition(32, 4096, 8) == Ends{5, 2});
    CHECK(partition(32, 4096, 16) == Ends{3, 1});
    // The first stage has two layers, and none is left for the last one.
    CHECK(partition(16, 2048, 16) == Ends{2, 0});
    CHECK(partition(32, 4096, 32) == Ends{2, 0});
    CHECK(partition(32, 4096, 1) == Ends{0, 0});
    // With fewer layers than stages, the embedding and the head are stages of their own.
    CHECK(partition(2, 2048, 4) == Ends{0, 0});
}

TEST_CASE("layout: one of 128 stages is read as a whole", "[schedules]") {
    // Meta's pipeline of 16 GPUs with 8 stages each (arXiv 2407.21783, section 3.3.2), written out.
    std::string written_out = "E|";
    for (int layer = 0; layer < 126; ++layer) written_out += "t|";
    written_out += "L";
    const Parsed parsed = parse(P::pipeline_layout, written_out);
    REQUIRE(parsed.ok);
    CHECK(written(P::pipeline_layout, parsed.value) == written_out);
}
