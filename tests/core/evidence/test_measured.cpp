// Tests the user's own measured run: what it implies, where it is stored and which constants would explain
// it.
#include <catch2/catch.hpp>
#include <cmath>

#include "evidence/measured.h"
#include "evidence/runs.h"
#include "files/scenario_file.h"
#include "files/view.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// G9: MPT-70B on 64 H100 with the settings of llm-foundry.
Answer mpt_70b() {
    Scenario scenario = with_model(first(), *Catalogue::shipped().find(PresetKind::model, "mpt-70b"));
    scenario.give(P::recompute, 1);
    scenario.give(P::micro_batch, 8);
    return answer(scenario);
}

Measurement per_gpu(double value, double gpus = 64) {
    return {MeasuredKind::tokens_per_s_per_gpu, value, gpus};
}

}  // namespace

TEST_CASE("measured: G9, 1,039 tokens/s/GPU are 42.6 % MFU, in whichever unit they are entered",
          "[measured]") {
    const Answer subject = mpt_70b();
    REQUIRE(subject.valid());
    const Residual found = residual(subject, per_gpu(1039));
    CHECK(100 * found.mfu == Approx(42.6).margin(0.05));
    CHECK(found.error == Approx(found.tokens_per_s_per_gpu / subject.estimate.tokens_per_s_per_gpu - 1));
    CHECK(std::fabs(found.error) < 0.12);
    CHECK(found.exceeded_limit == ExceededLimit::none);
    CHECK_FALSE(found.likely_kind.has_value());

    const Residual total = residual(subject, {MeasuredKind::tokens_per_s, 64 * 1039.0, 64});
    CHECK(total.mfu == Approx(found.mfu));
    const Residual timed = residual(subject, {MeasuredKind::step_time, found.step_time, 64});
    CHECK(timed.tokens_per_s_per_gpu == Approx(1039));
    CHECK(timed.error == Approx(found.error));
}

TEST_CASE("measured: a measurement equal to the prediction has no residual and needs no explanation",
          "[measured]") {
    const Answer subject = answer(first());
    const Measurement same = per_gpu(subject.estimate.tokens_per_s_per_gpu);
    const Residual found = residual(subject, same);
    CHECK(found.error == Approx(0).margin(1e-12));
    CHECK(found.inside_band());
    for (const Cause& cause : causes(subject, same)) {
        INFO(parameter(cause.id).key);
        REQUIRE(cause.value.has_value());
        CHECK(*cause.value == Approx(cause.now).epsilon(1e-6));
    }
}

TEST_CASE("measured: a point above its roof is questioned, not clipped", "[measured]") {
    const Answer subject = answer(first());
    const double rate = subject.estimate.tokens_per_s_per_gpu;
    // The total of 64 GPUs was entered as one GPU's throughput, or the other way round.
    const Residual above = residual(subject, per_gpu(64 * rate));
    CHECK(above.exceeded_limit == ExceededLimit::model_flops);
    CHECK(above.mfu == Approx(64 * subject.estimate.mfu));
    CHECK(above.likely_kind == MeasuredKind::tokens_per_s);
    const Residual below = residual(subject, {MeasuredKind::tokens_per_s, rate, 64});
    CHECK(below.exceeded_limit == ExceededLimit::none);
    CHECK(below.likely_kind == MeasuredKind::tokens_per_s_per_gpu);
    // With full recompute the hardware is saturated before the model's FLOPs reach the peak.
    Scenario recomputed = first();
    recomputed.give(P::recompute, 1);
    const Answer full = answer(recomputed);
    const double almost = 0.9 * full.estimate.tokens_per_s_per_gpu / full.estimate.mfu;
    CHECK(residual(full, per_gpu(almost)).exceeded_limit == ExceededLimit::hardware);
    // On a slow network the point is far below the peak but above the limit of the closed form.
    Scenario slow = first();
    slow.give(P::inter_node_bandwidth, 1e9);
    const Answer narrow = answer(slow);
    REQUIRE(narrow.estimate.ideal.mfu < 0.5);
    const double limit = residual(narrow, per_gpu(1)).ideal_rate;
    CHECK(limit >= narrow.estimate.ideal.tokens_per_s);
    CHECK(residual(narrow, per_gpu(1.01 * limit)).exceeded_limit == ExceededLimit::ideal);
    CHECK(residual(narrow, per_gpu(0.99 * limit)).exceeded_limit == ExceededLimit::none);
}

TEST_CASE("measured: no public run is questioned", "[measured]") {
    for (const MeasuredRun& run : shipped_runs()) {
        Problems problems;
        const Scenario scenario = scenario_of(run, Catalogue::shipped(), problems);
        if (!problems.empty() || !(run.step_time > 0)) continue;
        const Answer subject = answer(scenario);
        const Residual found = residual(subject, {MeasuredKind::step_time, run.step_time, run.gpus});
        INFO(run.id << " at " << 100 * found.mfu << " %, ideal " << found.ideal_rate << " tokens/s/GPU");
        CHECK(found.exceeded_limit == ExceededLimit::none);
        CHECK_FALSE(found.likely_kind.has_value());
    }
}

TEST_CASE("measured: each constant that explains a run makes the prediction equal it", "[measured]") {
    Scenario scenario = first();
    scenario.give(P::inter_node_bandwidth, 12.5e9);
    const Answer subject = answer(scenario);
    const double gpus = subject.settings[P::gpus];
    for (const double factor : {0.5, 0.9, 0.99, 1.05, 1.3}) {
        const double target = factor * subject.estimate.tokens_per_s_per_gpu;
        const std::vector<Cause> found = causes(subject, per_gpu(target, gpus));
        REQUIRE(found.size() == 6);
        double before = 0;
        bool explains = true;
        for (const Cause& cause : found) {
            INFO(factor << " " << parameter(cause.id).key);
            if (cause.value) {
                CHECK(explains);  // explanations come first
                CHECK(cause.relative_change() >= before);
                before = cause.relative_change();
                CHECK(*cause.value >= parameter(cause.id).minimum);
                CHECK(*cause.value <= parameter(cause.id).maximum);
                Scenario explained = scenario;
                explained.give(cause.id, *cause.value);
                CHECK(answer(explained).estimate.tokens_per_s_per_gpu == Approx(target).epsilon(1e-8));
                if (cause.rate)
                    CHECK(cause.effective == Approx(*cause.value * subject.settings[*cause.rate]));
            } else {
                explains = false;
                CHECK(cause.relative_change() == 1);
                CHECK((factor > 1 ? cause.best_rate < target : cause.best_rate > target));
            }
        }
        // A slow network is the best explanation for a slow run on a slow network.
        if (factor < 1) CHECK(found.front().id == P::network_efficiency);
    }
    // On one node the network cannot be the cause.
    Scenario node = first();
    node.give(P::gpus, 4);
    const Answer alone = answer(node);
    for (const Cause& cause : causes(alone, per_gpu(0.9 * alone.estimate.tokens_per_s_per_gpu, 4))) {
        if (cause.id == P::network_efficiency) CHECK_FALSE(cause.value.has_value());
    }
}

TEST_CASE("measured: a run keeps the number of GPUs on which it was measured", "[measured]") {
    const Answer at_64 = answer(first());
    const Measurement run = per_gpu(4800);
    const Answer at_256 = answer(edited(first(), P::gpus, 256));
    const Residual here = residual(at_64, run);
    const Residual there = residual(at_256, run);
    CHECK(there.gpus == 64);
    CHECK(there.predicted_step == here.predicted_step);
    CHECK(there.error == here.error);
    CHECK(causes(at_256, run).front().value == causes(at_64, run).front().value);
}

TEST_CASE("measured: a run is stored in the scenario's view and read back from its file", "[measured]") {
    SavedScenario scenario(first());
    scenario.view.plot = "scaling";
    for (const Measurement& run : {per_gpu(1039), Measurement{MeasuredKind::tokens_per_s, 307200.5, 64},
                                   Measurement{MeasuredKind::step_time, 0.8433333333333334, 8}}) {
        SavedScenario with = scenario;
        with.view.measured = run;
        Problems problems;
        Catalogue& catalogue = const_cast<Catalogue&>(Catalogue::shipped());
        const SavedScenario back = read_scenario(write_scenario(with), catalogue, "", problems);
        CHECK(problems.empty());
        CHECK(back == with);
        CHECK_FALSE(back == scenario);
    }
}

TEST_CASE("measured: a senseless entry is refused with its place", "[measured]") {
    const auto refused = [](const std::string& entry) {
        Problems problems;
        Catalogue& catalogue = const_cast<Catalogue&>(Catalogue::shipped());
        const SavedScenario scenario =
            read_scenario(R"({"view": {"measured": )" + entry + "}}", catalogue, "", problems);
        CHECK_FALSE(scenario.view.measured.has_value());
        REQUIRE_FALSE(problems.empty());
        return problems.front().where;
    };
    CHECK(refused("7") == "/view/measured");
    CHECK(refused(R"({"gpus": 64})") == "/view/measured");
    CHECK(refused(R"({"tokens_per_s_per_gpu": 1039})") == "/view/measured");
    CHECK(refused(R"({"tokens_per_s_per_gpu": -1, "gpus": 64})") == "/view/measured/tokens_per_s_per_gpu");
    CHECK(refused(R"({"mfu": 0.4, "gpus": 64})") == "/view/measured/mfu");
}
