// Tests the waterfall from one step time to another.
#include <catch2/catch.hpp>
#include <cmath>

#include "evidence/runs.h"
#include "explore/step_gap.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

Answer of(const Scenario& scenario) {
    Answer out = answer(scenario);
    for (const Problem& problem : out.problems) UNSCOPED_INFO(problem.text());
    REQUIRE(out.valid());
    return out;
}

const GapBar* bar_of(const StepGap& gap, GapClass kind) {
    for (const GapBar& bar : gap.bars)
        if (std::find(bar.classes.begin(), bar.classes.end(), kind) != bar.classes.end()) return &bar;
    return nullptr;
}

}  // namespace

TEST_CASE("step gap: equal scenarios have no bars", "[gap]") {
    const Answer a = of(first());
    const StepGap gap = step_gap(a, 0, a, 0);
    CHECK(gap.bars.empty());
    CHECK(gap.sum() == a.estimate.step.total);
}

TEST_CASE("step gap: a single difference is one bar with the whole difference", "[gap]") {
    const Answer a = of(first());
    const Answer b = of(with({{P::recompute, 1}}));
    const StepGap gap = step_gap(a, 0, b, 0);
    REQUIRE(gap.bars.size() == 1);
    CHECK(gap.bars[0].classes == std::vector<GapClass>{GapClass::recompute});
    CHECK(gap.bars[0].seconds == Approx(b.estimate.step.total - a.estimate.step.total));
    CHECK(gap.bars[0].forward == gap.bars[0].backward);
    REQUIRE(gap.bars[0].inputs.size() == 1);
    CHECK(gap.bars[0].inputs[0].to == 1);
    CHECK(gap.unexplained_from == 0);
}

TEST_CASE("step gap: the bars and the unexplained parts add up, and both orders count equally", "[gap]") {
    const Answer a = of(of_model("llama-3-8b", {{P::sequence_length, 8192}, {P::micro_batch, 1}}));
    Scenario other = of_model("llama-3-8b", {{P::sequence_length, 4096},
                                             {P::micro_batch, 2},
                                             {P::recompute, 1},
                                             {P::gpus, 32},
                                             {P::inter_node_bandwidth, 12.5e9}});
    other.cluster = other.catalogue->find(PresetKind::cluster, "dgx-a100-80gb");
    const Answer b = of(other);
    const StepGap gap = step_gap(a, 1.3, b, 9.9);
    CHECK(gap.from == 1.3);
    CHECK(gap.to == 9.9);
    CHECK(gap.sum() == Approx(9.9).epsilon(1e-12));
    CHECK(gap.unexplained_from == Approx(a.estimate.step.total - 1.3));
    CHECK(gap.unexplained_to == Approx(9.9 - b.estimate.step.total));
    for (const GapBar& bar : gap.bars) CHECK(bar.seconds == Approx((bar.forward + bar.backward) / 2));
    double forward = 0;
    double backward = 0;
    for (const GapBar& bar : gap.bars) {
        forward += bar.forward;
        backward += bar.backward;
    }
    CHECK(forward == Approx(gap.predicted_to - gap.predicted_from));
    CHECK(backward == Approx(forward));
    REQUIRE(bar_of(gap, GapClass::gpu));
    CHECK(bar_of(gap, GapClass::gpu)->seconds > 0);  // an A100 is slower
    REQUIRE(bar_of(gap, GapClass::network));
    CHECK(bar_of(gap, GapClass::network)->seconds >= 0);
    REQUIRE(bar_of(gap, GapClass::recompute));
    CHECK(bar_of(gap, GapClass::recompute)->seconds > 0);
}

TEST_CASE("step gap: the reverse comparison has the opposite bars", "[gap]") {
    const Answer a = of(with({{P::recompute, 1}, {P::inter_node_bandwidth, 12.5e9}}));
    const Answer b = of(with({{P::micro_batch, 2}, {P::precision, Precision::fp8}}));
    const StepGap there = step_gap(a, 0, b, 0);
    const StepGap back = step_gap(b, 0, a, 0);
    REQUIRE(there.bars.size() == back.bars.size());
    // The first order of one direction visits the same mixtures as the second order of the other.
    for (std::size_t i = 0; i < there.bars.size(); ++i) {
        CHECK(there.bars[i].classes == back.bars[i].classes);
        CHECK(there.bars[i].seconds == Approx(-back.bars[i].seconds).margin(1e-12));
    }
}

TEST_CASE("step gap: classes between which nothing is valid change together", "[gap]") {
    // 8 stages need 8 GPUs, and 8 replicas need a batch of 8 sequences.
    const Answer a = of(of_model("gpt2-1.5b", {{P::gpus, 1}, {P::micro_batch, 1}, {P::recompute, 1}}));
    const Answer b = of(of_model("gpt2-1.5b", {{P::gpus, 8},
                                               {P::pipeline_parallel, 8},
                                               {P::micro_batch, 1},
                                               {P::accumulation, 1},
                                               {P::sharding, Sharding::ddp}}));
    REQUIRE(a.settings[P::global_batch] == b.settings[P::global_batch]);
    const StepGap gap = step_gap(a, 0, b, 0);
    CHECK(gap.sum() == Approx(b.estimate.step.total).epsilon(1e-12));
    REQUIRE(bar_of(gap, GapClass::plan));
    CHECK(bar_of(gap, GapClass::plan) == bar_of(gap, GapClass::gpu_count));
    REQUIRE(bar_of(gap, GapClass::recompute));
    CHECK(bar_of(gap, GapClass::recompute)->classes.size() == 1);
}

TEST_CASE("step gap: an order in which all scenarios are valid gives each class its own bar", "[gap]") {
    // fp8 needs a GPU that has it, so the GPU changes first in both orders.
    Scenario old =
        of_model("gpt2-1.5b", {{P::precision, Precision::fp16}, {P::micro_batch, 1}, {P::gpus, 8}});
    old.cluster = nullptr;
    old.gpu = old.catalogue->find(PresetKind::gpu, "v100-sxm-32gb");
    const Answer v100 = of(old);
    const Answer h100 =
        of(of_model("gpt2-1.5b", {{P::precision, Precision::fp8}, {P::micro_batch, 1}, {P::gpus, 8}}));
    const StepGap newer = step_gap(v100, 0, h100, 0);
    CHECK(newer.sum() == Approx(h100.estimate.step.total).epsilon(1e-12));
    for (const GapBar& bar : newer.bars) CHECK(bar.classes.size() == 1);
    REQUIRE(bar_of(newer, GapClass::precision));
    REQUIRE(bar_of(newer, GapClass::gpu));
    CHECK(bar_of(newer, GapClass::precision)->seconds < 0);
    CHECK(bar_of(newer, GapClass::gpu)->seconds < 0);
    // 8 stages need 8 GPUs, and 8 GPUs a larger batch: batch, GPUs, plan is an order.
    const Answer one = of(of_model("gpt2-1.5b", {{P::gpus, 1}, {P::micro_batch, 1}}));
    const Answer eight = of(of_model("gpt2-1.5b", {{P::gpus, 8},
                                                   {P::pipeline_parallel, 8},
                                                   {P::micro_batch, 1},
                                                   {P::accumulation, 8},
                                                   {P::sharding, Sharding::ddp}}));
    const StepGap stages = step_gap(one, 0, eight, 0);
    CHECK(stages.sum() == Approx(eight.estimate.step.total).epsilon(1e-12));
    for (const GapClass kind : {GapClass::batch, GapClass::gpu_count, GapClass::plan}) {
        REQUIRE(bar_of(stages, kind));
        CHECK(bar_of(stages, kind)->classes == std::vector<GapClass>{kind});
    }
}

TEST_CASE("step gap: GPUs and batch change together where each would be far longer than the steps", "[gap]") {
    const Answer small = of(of_model("gpt2-1.5b", {{P::gpus, 8}, {P::micro_batch, 8}, {P::accumulation, 1}}));
    const Answer large =
        of(of_model("gpt2-1.5b", {{P::gpus, 512}, {P::micro_batch, 8}, {P::accumulation, 1}}));
    const StepGap gap = step_gap(small, 0, large, 0);
    CHECK(gap.sum() == Approx(large.estimate.step.total).epsilon(1e-12));
    REQUIRE(bar_of(gap, GapClass::batch));
    CHECK(bar_of(gap, GapClass::batch)->classes == std::vector{GapClass::gpu_count, GapClass::batch});
    CHECK(label_of(*bar_of(gap, GapClass::batch)) == "Scale: GPUs and batch");
    // A little more of both is shown one by one.
    const Answer twice =
        of(of_model("gpt2-1.5b", {{P::gpus, 16}, {P::micro_batch, 8}, {P::accumulation, 1}}));
    const StepGap doubled = step_gap(small, 0, twice, 0);
    CHECK(bar_of(doubled, GapClass::batch)->classes.size() == 1);
    // More GPUs need the larger batch first: on the way the steps are those of valid scenarios.
    double step = doubled.from;
    for (const GapBar& bar : doubled.bars) {
        step += bar.seconds;
        CHECK(step > 0.9 * doubled.from);
    }
}

TEST_CASE("step gap: any two public runs add up", "[gap]") {
    const std::vector<PublicRun>& runs = public_runs();
    REQUIRE(runs.size() > 100);
    int compared = 0;
    for (std::size_t i = 0; i + 37 < runs.size(); i += 53) {
        Problems problems;
        const Answer a = answer(scenario_of(*runs[i].run, Catalogue::shipped(), problems));
        const Answer b = answer(scenario_of(*runs[i + 37].run, Catalogue::shipped(), problems));
        if (!a.valid() || !b.valid()) continue;
        const StepGap gap = step_gap(a, runs[i].run->step_time, b, runs[i + 37].run->step_time);
        INFO(runs[i].run->id << " " << runs[i + 37].run->id);
        CHECK(gap.sum() == Approx(gap.to).epsilon(1e-12));
        const double longest = std::max({gap.from, gap.to, gap.predicted_from, gap.predicted_to});
        for (const GapBar& bar : gap.bars) CHECK(std::fabs(bar.seconds) <= 4 * longest);
        ++compared;
    }
    CHECK(compared > 5);
}

TEST_CASE("step gap: every parameter belongs to a class", "[gap]") {
    for (std::size_t i = 0; i < kParameters; ++i) {
        const GapClass kind = class_of(static_cast<P>(i));
        CHECK(kind < GapClass::count);
        CHECK_FALSE(name_of(kind).empty());
    }
    CHECK(class_of(P::gpus) == GapClass::gpu_count);
    CHECK(class_of(P::tensor_parallel) == GapClass::plan);
    CHECK(class_of(P::memory_bandwidth) == GapClass::gpu);
    CHECK(class_of(P::inter_node_bandwidth) == GapClass::network);
}

TEST_CASE("step gap: inputs belong to the class of what they describe", "[gap]") {
    for (const P id :
         {P::attention_efficiency, P::attention_half_head, P::scan_efficiency, P::naive_attention_efficiency})
        CHECK(class_of(id) == class_of(P::gemm_efficiency));
    // These change no step.
    for (const P id : {P::tensor_across_nodes, P::flops_convention}) CHECK(class_of(id) == GapClass::rest);
}
