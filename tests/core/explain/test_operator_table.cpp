// Tests that the operator table adds up to the engine's own numbers for every plan.
#include <catch2/catch.hpp>

#include "explain/operator_table.h"
#include "support/scenarios.h"

using namespace shardscope;
using testing::of_model;
using testing::with;

namespace {

void adds_up(const Scenario& scenario) {
    const Answer now = answer(scenario);
    INFO(scenario.title());
    REQUIRE(now.valid());
    const OperatorTable table = operator_table(now);
    std::array<double, kStepTerms> terms = table.others;
    double sum = 0;
    double flops = 0;
    for (const OperatorRow& row : table.rows) {
        terms[static_cast<std::size_t>(row.term)] += row.step;
        flops += row.repeat * row.flops;
    }
    for (std::size_t i = 0; i < kStepTerms; ++i) {
        INFO(name_of(static_cast<StepTerm>(i)));
        CHECK(terms[i] == Approx(now.estimate.step.terms[i]).epsilon(1e-9).margin(1e-12));
        sum += table.others[i];
    }
    CHECK(sum + table.model.step == Approx(now.estimate.step.total).epsilon(1e-9));
    CHECK(table.seconds == now.estimate.step.total);
    CHECK(table.model.flops == Approx(now.compiled.operators.flops()).epsilon(1e-12));
    CHECK(flops == Approx(table.model.flops).epsilon(1e-12));
    double blocks = 0;
    for (const OperatorSum& block : table.blocks) {
        blocks += block.step;
        double rows = 0;
        for (std::size_t i = block.first; i < block.first + block.count; ++i) rows += table.rows[i].step;
        CHECK(rows == Approx(block.step).epsilon(1e-12).margin(1e-15));
    }
    CHECK(blocks == Approx(table.model.step).epsilon(1e-12));
}

}  // namespace

TEST_CASE("operator table: its rows and the other terms of the step add up to the step", "[explain]") {
    adds_up(testing::first());
    adds_up(with({{P::recompute, 1}, {P::accumulation, 4}}));
    adds_up(with({{P::recompute, kRecomputeSelective}, {P::attention, AttentionKernel::naive}}));
    adds_up(with({{P::tensor_parallel, 4}, {P::sequence_parallel, true}, {P::context_parallel, 2}}));
    adds_up(with({{P::pipeline_parallel, 4}, {P::accumulation, 16}, {P::tensor_parallel, 2}}));
    adds_up(with({{P::tensor_parallel, 4}, {P::sequence_parallel, true}, {P::parallel_loss, false}}));
    adds_up(with({{P::pipeline_parallel, 4}, {P::accumulation, 16}, {P::schedule, ScheduleKind::dualpipe}}));
    adds_up(with({{P::pipeline_parallel, 4}, {P::accumulation, 16}, {P::schedule, ScheduleKind::seq1f1b}}));
    adds_up(with({{P::precision, Precision::fp8}}));
    adds_up(with({{P::mfu_override, 0.3}}));
    adds_up(of_model("mixtral-8x7b", {{P::expert_parallel, 8}}));
    adds_up(of_model("deepseek-v3", {{P::gpus, 512}, {P::expert_parallel, 16}, {P::pipeline_parallel, 4}}));
    adds_up(of_model("resnet-50", {{P::micro_batch, 64}}));
    adds_up(of_model("resnet-50", {{P::pipeline_parallel, 4}, {P::accumulation, 8}}));
}

TEST_CASE("operator table: the gather of the logits has a row without a backward pass", "[explain]") {
    const auto rows = [](bool parallel_loss) {
        const Answer now =
            answer(of_model("llama-3-8b", {{P::tensor_parallel, 8}, {P::parallel_loss, parallel_loss}}));
        REQUIRE(now.valid());
        std::vector<OperatorRow> out;
        for (const OperatorRow& row : operator_table(now).rows) {
            if (row.name == "head.gather_logits") out.push_back(row);
        }
        return out;
    };
    CHECK(rows(true).empty());
    REQUIRE(rows(false).size() == 1);
    const OperatorRow row = rows(false).front();
    const Settings s = resolve(of_model("llama-3-8b", {}));
    CHECK(row.bytes == 2 * s[P::sequence_length] * s[P::micro_batch] * 128256);
    CHECK(row.forward > 0);
    CHECK(row.backward == 0);
    CHECK(row.exchanges());
}

TEST_CASE("operator table: weights and saved bytes are the engine's", "[explain]") {
    const Answer now = answer(of_model("llama-3-8b", {{P::tensor_parallel, 2}}));
    REQUIRE(now.valid());
    const OperatorTable table = operator_table(now);
    const Work& work = now.compiled.work;
    const double layers = now.settings[P::layers];
    CHECK(
        table.model.weights ==
        Approx(work.embedding.weights + layers * work.layers[0].weights + work.head.weights).epsilon(1e-12));
    CHECK(table.model.saved ==
          Approx(work.embedding.saved + layers * work.layers[0].saved + work.head.saved).epsilon(1e-12));
    const double forward = work.embedding.forward.time.total() +
                           layers * work.layers[0].forward.time.total() + work.head.forward.time.total();
    CHECK(table.model.forward == Approx(forward).epsilon(1e-12));
}

TEST_CASE("operator table: a list of operators is shown with its own blocks, not with their average",
          "[explain]") {
    const Answer now = answer(of_model("resnet-50", {{P::pipeline_parallel, 4}, {P::accumulation, 8}}));
    REQUIRE(now.valid());
    const OperatorTable table = operator_table(now);
    REQUIRE(table.blocks.size() == 10);
    CHECK(table.blocks[6].name == "stage 4");
    CHECK(table.blocks[6].repeat == 5);
    // The slowest stage has its share of each block.
    CHECK(table.blocks[6].here == Approx(5.0 / 4));
    const OperatorRow& first = table.rows.front();
    CHECK(first.kind == "convolution");
    CHECK(first.m == 2 * 112 * 112);
    CHECK(first.n == 64);
    CHECK(first.k == 7 * 7 * 3);
}

TEST_CASE("operator table: arithmetic intensity and bound are those of the roofline", "[explain]") {
    const Answer now = answer(testing::first());
    for (const OperatorRow& row : operator_table(now).rows) {
        if (row.kind != "gemm") continue;
        INFO(row.name);
        const double t = now.compiled.tokens_per_micro_batch;
        CHECK(row.intensity() ==
              Approx(2 * t * row.n * row.k / (2 * (t * row.k + row.k * row.n + t * row.n))));
        CHECK(row.bound == Rate::compute);
        // No operator exceeds its roof.
        CHECK(row.flops / row.forward <= now.compiled.gpu.peak * now.compiled.gpu.gemm_efficiency);
    }
}
