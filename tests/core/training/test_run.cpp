// Tests the whole run: days, GPU hours, cost, energy, and how failures and an MFU set by hand change them.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "evidence/likely_range.h"
#include "explain/explanation.h"
#include "explain/output.h"
#include "explore/plan_report.h"
#include "explore/timeline.h"
#include "hardware/power.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

double value(Output id, const Scenario& scenario) { return value_of(id, answer(scenario)); }

// G10: Llama 3 70B with a vocabulary that makes it 70.0 B parameters, and a cluster that can hold it.
Scenario llama_3_70b() {
    return of_model("llama-3-70b", {{P::vocab_size, 94460},
                                    {P::gpus, 4096},
                                    {P::micro_batch, 1},
                                    {P::peak_flops_bf16, 990e12},
                                    {P::training_tokens, 15e12},
                                    {P::flops_convention, FlopsConvention::six_n},
                                    {P::mfu_override, 0.45}});
}

}  // namespace

TEST_CASE("run: its time is tokens over throughput, and the other outputs follow from it", "[run]") {
    const Answer now = answer(with({{P::training_tokens, 1e12}, {P::price_per_gpu_hour, 2.5}}));
    const Estimate& e = now.estimate;
    const double seconds = 1e12 / e.tokens_per_s;
    CHECK(value_of(Output::training_days, now) == Approx(seconds / 86400).epsilon(1e-14));
    CHECK(value_of(Output::gpu_hours, now) == Approx(seconds / 3600 * 64).epsilon(1e-14));
    CHECK(value_of(Output::cost, now) == Approx(seconds / 3600 * 64 * 2.5).epsilon(1e-14));
    CHECK(value_of(Output::energy, now) == Approx(e.power_per_gpu * 64 * seconds).epsilon(1e-14));
    // By default there are no failures, no checkpoints and no critical-batch law.
    CHECK(value_of(Output::goodput, now) == 1);
    CHECK(value_of(Output::expected_failures, now) == 0);
    CHECK(value_of(Output::tokens_needed, now) == 1e12);
    CHECK(value_of(Output::days_without_failures, now) == value_of(Output::training_days, now));
    CHECK(value(Output::tokens_needed, first()) == 20 * compile(resolve(first())).active_parameters);
}

TEST_CASE("run: without a price the cost has no value", "[run]") {
    const Answer now = answer(with({}));
    REQUIRE(now.settings[P::price_per_gpu_hour] == 0);
    CHECK(std::isnan(value_of(Output::cost, now)));
}

TEST_CASE("run: days, GPU hours, cost and energy include the cost of failures", "[run]") {
    const auto broken = [](double hours) {
        return with({{P::training_tokens, 1e12},
                     {P::price_per_gpu_hour, 2},
                     {P::mtbf_hours_per_gpu, hours},
                     {P::restart_time, 600}});
    };
    const Scenario whole = with({{P::training_tokens, 1e12}, {P::price_per_gpu_hour, 2}});
    const Answer now = answer(broken(5000));
    const double kept = value_of(Output::goodput, now);
    CHECK(kept < 1);
    CHECK(kept > 0.9);
    for (const Output id : {Output::training_days, Output::gpu_hours, Output::cost, Output::energy})
        CHECK(value_of(id, now) == Approx(value(id, whole) / kept).epsilon(1e-12));
    // Step time and rates stay those of the step.
    for (const Output id : {Output::step_time, Output::mfu, Output::tokens_per_s})
        CHECK(value_of(id, now) == value(id, whole));
    // 64 GPUs with 5,000 hours each fail every 78.125 hours.
    CHECK(value_of(Output::time_between_failures, now) == 5000.0 / 64 * 3600);
    CHECK(value_of(Output::expected_failures, now) ==
          Approx(value_of(Output::training_days, now) * 24 / 78.125));
    // The checkpoint has 12 bytes a parameter and is written at 0.125 GB/s a GPU, after a pause of 5 s.
    CHECK(value_of(Output::checkpoint_write, now) ==
          Approx(5 + now.compiled.parameters * 12 / (64 * 0.125e9)).epsilon(1e-12));
    CHECK(value_of(Output::checkpoint_interval, now) ==
          Approx(std::sqrt(2 * value_of(Output::checkpoint_write, now) * 78.125 * 3600)).epsilon(0.01));

    double before = 0;
    for (const double hours : {50.0, 500.0, 5000.0, 5e4, 5e6, 5e9}) {
        CHECK(value(Output::goodput, broken(hours)) > before);
        before = value(Output::goodput, broken(hours));
    }
    CHECK(before == Approx(1).epsilon(1e-4));
    // More GPUs fail more often.
    Scenario larger = broken(5000);
    larger.give(P::gpus, 1024);
    CHECK(value(Output::goodput, larger) < kept);
    // An interval set by hand is never better, and neither is a longer checkpoint.
    for (const double interval : {60.0, 3600.0, 86400.0}) {
        Scenario own = broken(5000);
        own.give(P::checkpoint_interval, interval);
        CHECK(value(Output::goodput, own) < kept);
    }
    Scenario slow = broken(5000);
    slow.give(P::checkpoint_time, 900);
    CHECK(value(Output::checkpoint_write, slow) == 900);
    CHECK(value(Output::goodput, slow) < kept);
}

TEST_CASE("run: more GPUs lose a larger share to failures, also without restarts", "[run]") {
    const auto lost = [](double gpus) {
        return 1 - value(Output::goodput,
                         with({{P::gpus, gpus}, {P::mtbf_hours_per_gpu, 50000}, {P::restart_time, 0}}));
    };
    // 12.85 B parameters of 12 bytes and 0.125 GB/s a GPU: 1,234 s on one GPU. By Young's formula a share of
    // √(2·δ/M) is lost: with 64 GPUs √(2 · (5 + 19.28) ÷ 2,812,500), with 16,384 √(2 · (5 + 0.0753) ÷
    // 10,986).
    CHECK(lost(64) == Approx(0.004155).epsilon(0.01));
    CHECK(lost(16384) == Approx(0.03040).epsilon(0.02));
    double before = 0;
    for (const double gpus : {64, 1024, 8192, 16384}) {
        CHECK(lost(gpus) > before);
        before = lost(gpus);
    }
}

TEST_CASE("run: Llama 3 405B has as many failures on 16,384 H100 as reported", "[run]") {
    // There were 419 unexpected interruptions in 54 days (The Llama 3 Herd of Models, arXiv 2407.21783),
    // which is 50,700 hours of a GPU between two. Assumed: 2 TB/s of storage in total, and ten minutes for a
    // restart.
    const Scenario scenario = of_model("llama-3.1-405b", {{P::gpus, 16384},
                                                          {P::mtbf_hours_per_gpu, 54.0 * 24 * 16384 / 419},
                                                          {P::storage_bandwidth, 2e12 / 16384},
                                                          {P::restart_time, 600}});
    const Answer now = answer(scenario);
    CHECK(now.settings[P::mtbf_hours_per_gpu] == Approx(50700).epsilon(0.001));
    CHECK(value_of(Output::time_between_failures, now, true) == Approx(54.0 * 86400 / 419));
    CHECK(value_of(Output::goodput, now, true) > 0.90);
    CHECK(value_of(Output::goodput, now, true) < 0.95);
    // The number of failures in 54 days is the reported one.
    const double days = now.estimate.run.seconds / 86400;
    CHECK(value_of(Output::expected_failures, now, true) / days * 54 == Approx(419));
}

TEST_CASE("G10: 6·70e9·15e12 FLOP on 4,096 GPUs at 45 % of 990e12 take 39.96 days", "[run][golden]") {
    CHECK(6 * 70e9 * 15e12 / (4096 * 0.45 * 990e12) / 86400 == Approx(39.96).margin(0.005));
    const Answer now = answer(llama_3_70b());
    REQUIRE(now.valid());
    CHECK(now.compiled.active_parameters == Approx(70e9).epsilon(1e-6));
    CHECK(now.estimate.mfu == Approx(0.45).epsilon(1e-12));
    CHECK(value_of(Output::training_days, now, true) == Approx(39.96).margin(0.005));
}

TEST_CASE("MFU set by hand: everything adds up, and only a higher peak would be faster", "[run]") {
    for (const double stages : {1.0, 4.0}) {
        const Scenario predicted = of_model(
            "llama-2-7b", {{P::pipeline_parallel, stages}, {P::accumulation, 8}, {P::micro_batch, 1}});
        Scenario forced = predicted;
        forced.give(P::mfu_override, 0.3);
        const Answer before = answer(predicted);
        const Answer now = answer(forced);
        const Estimate& e = now.estimate;
        CHECK(before.estimate.stretch() == 1);
        CHECK(before.estimate.predicted_mfu == before.estimate.mfu);
        CHECK(e.mfu == Approx(0.3).epsilon(1e-14));
        CHECK(e.predicted_mfu == before.estimate.mfu);
        CHECK(e.hfu / e.mfu == Approx(before.estimate.hfu / before.estimate.mfu));
        const double factor = before.estimate.mfu / 0.3;
        CHECK(e.step.total == Approx(before.estimate.step.total * factor));
        CHECK(std::accumulate(e.step.terms.begin(), e.step.terms.end(), 0.0) ==
              Approx(e.step.total).epsilon(1e-12));
        CHECK(e.compute_time() + e.communication_time() - e.step.hidden_communication + e.waiting_time() ==
              Approx(e.step.total).epsilon(1e-12));
        // The terms keep their shares of the step.
        for (std::size_t i = 0; i < kStepTerms; ++i)
            CHECK(e.step.terms[i] == Approx(before.estimate.step.terms[i] * factor).margin(1e-15));
        CHECK(likely_range(now).low == e.tokens_per_s_per_gpu);
        CHECK(likely_range(now).high == e.tokens_per_s_per_gpu);
        CHECK(e.run.seconds == Approx(before.estimate.run.seconds * factor));
        // ∂ln(tokens/s) ÷ ∂ln(rate): one for FLOPS, none for anything else.
        CHECK(e.wall == Wall::compute);
        CHECK(e.elasticity[static_cast<std::size_t>(Rate::compute)] == 1);
        for (const P id : {P::inter_node_bandwidth, P::memory_bandwidth, P::intra_node_bandwidth}) {
            Scenario faster = forced;
            faster.give(id, 2 * now.settings[id]);
            CHECK(answer(faster).estimate.tokens_per_s == Approx(e.tokens_per_s).epsilon(1e-12));
        }
        Scenario faster = forced;
        faster.give(P::peak_flops, 2 * now.settings[P::peak_flops]);
        CHECK(answer(faster).estimate.tokens_per_s == Approx(2 * e.tokens_per_s).epsilon(1e-12));
        // The timeline ends with the step.
        const StepTimeline picture = step_timeline(now.compiled, e);
        CHECK(picture.end == Approx(e.step.total).epsilon(1e-12));
        for (const StageTimeline& stage : picture.stages) {
            for (const Interval& interval : stage.compute) CHECK(interval.end <= e.step.total * (1 + 1e-9));
            REQUIRE_FALSE(stage.compute.empty());
            CHECK(stage.compute.back().end == Approx(e.step.total).epsilon(1e-9));
        }
        // The sentence about the wall says so.
        CHECK(wall_sentence(now).find("set by hand") != std::string::npos);
        CHECK(explain(Subject::of(Output::mfu), now).sentence.find("Set by hand") != std::string::npos);
        CHECK(wall_sentence(before).find("set by hand") == std::string::npos);
    }
    // A step faster than predicted keeps the GPU busier, but never more than fully busy.
    CHECK(answer(with({{P::mfu_override, 0.6}})).estimate.power_per_gpu >
          answer(first()).estimate.power_per_gpu);
    CHECK(answer(with({{P::mfu_override, 1}})).estimate.power_per_gpu ==
          Approx(0.94 * answer(first()).settings[P::tdp]));
}

TEST_CASE("power: TPU v4's measured mean power is between those of an idle and of a busy chip", "[run]") {
    // cloud.google.com/tpu/docs/v4 gives 90/170/192 W.
    const Preset* chip = Catalogue::shipped().find(PresetKind::gpu, "tpu-v4");
    REQUIRE(chip != nullptr);
    CHECK(resolve(with_gpu(first(), *chip))[P::tdp] == 192);
    CHECK(power_per_gpu(192, 0) < 170);
    CHECK(power_per_gpu(192, 1) > 170);
    CHECK(power_per_gpu(192, 1) < 192);
}

TEST_CASE("MFU set by hand: the plan is the one that would be chosen without it", "[run][planner]") {
    Scenario automatic = of_model("llama-2-13b", {{P::gpus, 32}});
    for (const P id : {P::micro_batch, P::recompute, P::tensor_parallel}) automatic.automatic.set(index(id));
    Scenario forced = automatic;
    forced.give(P::mfu_override, 0.5);
    const Settings expected = answer(automatic).settings;
    const Settings found = answer(forced).settings;
    for (const P id : {P::micro_batch, P::recompute, P::tensor_parallel}) CHECK(found[id] == expected[id]);
}

TEST_CASE("shortest training: with a critical batch law the best plan takes the batch into account",
          "[run][planner]") {
    // Micro-batches may grow as memory allows, and the global batch with them.
    PlanQuestion question;
    question.scenario = of_model(
        "mpt-1b",
        {{P::gpus, 512}, {P::critical_batch_law, CriticalBatchLaw::fixed}, {P::critical_batch, 2e5}});
    question.free.set(index(P::micro_batch));
    question.objective = Output::cost;
    question.scenario.give(P::price_per_gpu_hour, 2);
    const PlanReport cheapest = plan_report(question, 1);
    question.objective = Output::training_days;
    const PlanReport shortest = plan_report(question, 1);
    question.objective = Output::mfu;
    const PlanReport highest = plan_report(question, 1);
    REQUIRE(cheapest.found());
    REQUIRE(highest.found());
    REQUIRE(shortest.found());
    CHECK(cheapest.plans.front().settings[P::micro_batch] < highest.plans.front().settings[P::micro_batch]);
    CHECK(cheapest.plans.front().estimate.run.cost < highest.plans.front().estimate.run.cost);
    CHECK(cheapest.plans.front().estimate.mfu < highest.plans.front().estimate.mfu);
    // Days and cost give the same order on a given machine, and no micro-batch is better.
    CHECK(shortest.plans.front().settings[P::micro_batch] == cheapest.plans.front().settings[P::micro_batch]);
    for (double batch = 1; batch <= 64; ++batch) {
        Scenario other = question.scenario;
        other.give(P::micro_batch, batch);
        const Answer found = answer(other);
        if (!found.fits()) continue;
        CHECK(found.estimate.run.seconds >= shortest.plans.front().estimate.run.seconds * (1 - 1e-12));
    }
}
