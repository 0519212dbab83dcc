// Tests sweeps, scaling curves and repairs.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <stop_token>

#include "explore/repair.h"
#include "explore/scaling.h"
#include "explore/sweep.h"
#include "planner/plan.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("sweep: an axis includes both ends, rounds to valid values and drops duplicates", "[explore]") {
    const Axis sequence = make_axis(first(), P::sequence_length, 256, 8192, 6, true);
    REQUIRE(sequence.values.size() == 6);
    CHECK(sequence.values.front() == 256);
    CHECK(sequence.values.back() == 8192);
    CHECK(make_axis(first(), P::micro_batch, 1, 4, 100, false).values.size() == 4);
    Problems problems;
    const auto bandwidth = parse_axis(first(), "inter_node_bandwidth=100 Gbit/s:400 Gbit/s:3", problems);
    REQUIRE(bandwidth.has_value());
    CHECK(bandwidth->values[1] == 31.25e9);
    const auto sharding = parse_axis(first(), "training.sharding=zero2,zero3", problems);
    REQUIRE(sharding.has_value());
    CHECK(sharding->values.size() == 2);
    CHECK(problems.empty());
    for (const char* bad :
         {"gpus", "gpu=1:2:3", "gpus=1:2", "gpus=1:2:0", "gpus=0:8:3:log", "gpus=a:b:3", "sharding=zero9"}) {
        problems.clear();
        INFO(bad);
        CHECK_FALSE(parse_axis(first(), bad, problems).has_value());
        CHECK(problems.size() == 1);
    }
}

TEST_CASE("sweep: every combination occurs once, and the last axis varies fastest", "[explore]") {
    const std::vector<Axis> axes{{P::gpus, {8, 16}}, {P::micro_batch, {1, 2, 3}}};
    REQUIRE(combinations(axes) == 6);
    std::vector<std::vector<std::size_t>> seen;
    Answer point;
    for (std::size_t i = 0; i < combinations(axes); ++i) {
        seen.push_back(indices_of(axes, i));
        CHECK(answer_point(first(), axes, seen.back(), point));
        CHECK(point.settings[P::gpus] == axes[0].values[seen.back()[0]]);
        CHECK(point.settings[P::micro_batch] == axes[1].values[seen.back()[1]]);
    }
    CHECK(seen[1] == std::vector<std::size_t>{0, 1});
    CHECK(seen[3] == std::vector<std::size_t>{1, 0});
}

TEST_CASE("scaling: re-planned curves do not alternate between plans of other divisors", "[explore]") {
    Scenario scenario = with_hold(first(), Hold::global_batch);
    for (const P id :
         {P::tensor_parallel, P::pipeline_parallel, P::sharding, P::micro_batch, P::accumulation})
        scenario = with_auto(scenario, id, true);
    const Scaling curves = scaling(scenario, 8, 1024);
    for (const Curve* curve : {&curves.weak, &curves.strong}) {
        REQUIRE(curve->size() > 3);
        for (const CurvePoint& point : *curve) {
            INFO(point.x);
            CHECK(std::exp2(std::round(std::log2(point.x))) == point.x);
        }
    }
}

TEST_CASE("scaling: the scenario's own point lies on both curves", "[explore]") {
    const Answer now = answer(first());
    const Scaling curves = scaling(first());
    for (const Curve* curve : {&curves.weak, &curves.strong}) {
        bool found = false;
        for (const CurvePoint& point : *curve) {
            if (point.x != 64) continue;
            found = true;
            CHECK(point.mfu == now.estimate.mfu);
        }
        CHECK(found);
    }
    CHECK(curves.strong.back().x == 128);
    CHECK(curves.weak.size() <= 250);
    CHECK_FALSE(curves.weak.front().fits());
}

TEST_CASE("scaling: the strong curve holds the micro-batch, and so does not jump", "[explore]") {
    // 960 sequences in micro-batches of 3: 24 GPUs would have 40 each, which are not whole micro-batches.
    const Scenario scenario =
        of_model("llama-2-7b", {{P::micro_batch, 3}, {P::global_batch, 960}, {P::gpus, 64}});
    REQUIRE(answer(scenario).valid());
    const Curve strong = scaling(scenario).strong;
    std::vector<double> counts;
    for (const CurvePoint& point : strong) counts.push_back(point.x);
    CHECK(counts == std::vector<double>{1, 2, 4, 8, 16, 32, 40, 64, 80, 160, 320, 480, 960});
    const auto highest = std::ranges::max_element(strong, {}, &CurvePoint::mfu);
    CHECK(std::ranges::is_sorted(highest, strong.end(), std::greater<>(), &CurvePoint::mfu));
}

TEST_CASE("scaling: the strong curve has all numbers of whole nodes that divide the batch", "[explore]") {
    const Curve strong =
        scaling(of_model("llama-2-7b", {{P::micro_batch, 2}, {P::global_batch, 4080}, {P::gpus, 2040}}))
            .strong;
    for (const double gpus : {8.0, 24.0, 40.0, 120.0, 136.0, 408.0, 680.0, 2040.0}) {
        INFO(gpus);
        CHECK(std::ranges::count(strong, gpus, &CurvePoint::x) == 1);
    }
}

TEST_CASE(
    "repairs: each working one makes the scenario fit, and the micro-batch becomes the largest that fits",
    "[explore]") {
    const Scenario broken = with({{P::micro_batch, 24}});
    REQUIRE(answer(broken).estimate.verdict == Verdict::does_not_fit);
    const auto offered = repairs(broken);
    REQUIRE(offered.size() >= 4);
    for (std::size_t i = 0; i < offered.size(); ++i) {
        const Repair& repair = offered[i];
        INFO(repair.label);
        CHECK_FALSE(repair.result.empty());
        if (!repair.works) continue;
        const Answer repaired = answer(repair.scenario);
        CHECK(repaired.estimate.verdict == (repair.risky ? Verdict::risky : Verdict::fits));
        CHECK(repaired.estimate.mfu == repair.mfu);
        const Settings before = resolve(broken);
        bool same = true;
        for (const P id : {P::global_batch, P::gpus, P::sequence_length, P::memory})
            same = same && repaired.settings[id] == before[id];
        CHECK(repair.same_job == same);
        // The label names every value that differs.
        CHECK((repair.label.find("Global batch ") != std::string::npos) ==
              (repaired.settings[P::global_batch] != before[P::global_batch]));
        CHECK((repair.label.find("Accumulation ") != std::string::npos) ==
              (repaired.settings[P::accumulation] != before[P::accumulation]));
        if (i > 0) CHECK(offered[i - 1].mfu >= repair.mfu);
        if (repair.id == P::micro_batch) {
            Scenario more = repair.scenario;
            more.give(P::micro_batch, repair.value + 1);
            CHECK(answer(more).estimate.verdict != Verdict::fits);
        }
    }
    // More memory is that of a GPU that exists, which may be far more than the least that fits.
    const auto nearer = repairs(with({{P::micro_batch, 8}}));
    const auto memory = std::ranges::find(nearer, P::memory, &Repair::id);
    REQUIRE(memory != nearer.end());
    REQUIRE(memory->works);
    CHECK(memory->label.ends_with("(as on " + [&] {
        for (const Preset* gpu : Catalogue::shipped().all(PresetKind::gpu)) {
            const auto is_size = [&](const auto& one) {
                return one.first == P::memory && one.second == memory->value;
            };
            if (!gpu->is_unverified(P::memory) && std::ranges::any_of(gpu->values, is_size))
                return gpu->shown_title();
        }
        return std::string();
    }() + ")"));
    CHECK(repairs(first()).empty());
}

TEST_CASE("repairs: one that leaves little memory free is offered in place, and called risky", "[explore]") {
    int found = 0;
    for (double sequence = 4096; sequence <= 32768; sequence += 512) {
        const Scenario broken = with({{P::sequence_length, sequence}, {P::micro_batch, 2}});
        for (const Repair& repair : repairs(broken)) {
            if (!repair.risky) continue;
            ++found;
            CHECK(repair.works);
            CHECK(repair.result.starts_with("risky, "));
            CHECK(answer(repair.scenario).estimate.verdict == Verdict::risky);
        }
    }
    CHECK(found > 0);
}

TEST_CASE("repairs: those of a risky scenario take the risk away", "[explore]") {
    const Scenario risky = with({{P::memory, 37 * kGiB}});
    const Answer now = answer(risky);
    REQUIRE(now.estimate.verdict == Verdict::risky);
    CHECK(needs_repair(now));
    CHECK_FALSE(needs_repair(answer(first())));
    const std::vector<Repair> offered = repairs(risky);
    REQUIRE(best_of(offered));
    for (const Repair& repair : offered) {
        INFO(repair.label);
        CHECK_FALSE(repair.risky);
        if (repair.works) CHECK(answer(repair.scenario).estimate.verdict == Verdict::fits);
    }
    REQUIRE(best_fix(now));
    CHECK(best_fix(now)->label == best_of(offered)->label);
    if (const auto plan = other_plan(risky, 2)) CHECK_FALSE(plan->risky);
}

TEST_CASE("repairs: all are ranked by MFU, and the first that works is the best", "[explore]") {
    const Scenario broken = with({{P::gpus, 2}});
    REQUIRE_FALSE(answer(broken).fits());
    const std::vector<Repair> offered = with_other_plan(repairs(broken), other_plan(broken, 2));
    REQUIRE(offered.size() > 2);
    for (std::size_t i = 1; i < offered.size(); ++i) {
        INFO(offered[i].label);
        CHECK(offered[i - 1].works >= offered[i].works);
        if (offered[i].works) CHECK(offered[i - 1].mfu >= offered[i].mfu);
    }
    const auto sure =
        std::ranges::find_if(offered, [](const Repair& one) { return one.works && !one.risky; });
    CHECK(best_of(offered) == (sure == offered.end() ? &offered.front() : &*sure));
    CHECK_FALSE(offered.front().same_job);
}

TEST_CASE("repairs: a risky one is the best only if all that work are risky", "[explore]") {
    Repair risky;
    risky.works = risky.risky = true;
    risky.mfu = 0.5;
    Repair sure;
    sure.works = true;
    sure.mfu = 0.4;
    const Repair none;
    std::vector<Repair> offered{risky, sure, none};
    CHECK(best_of(offered) == &offered[1]);
    offered = {risky, none};
    CHECK(best_of(offered) == &offered[0]);
    offered = {none};
    CHECK(best_of(offered) == nullptr);
}

TEST_CASE("repairs: automatic parameters are not offered, and a cancelled search ends", "[explore]") {
    Scenario broken = of_model("llama-3-70b", {{P::gpus, 8}, {P::micro_batch, 1}});
    for (const P id : {P::recompute, P::sharding, P::tensor_parallel}) broken.automatic.set(index(id));
    const Answer now = answer(broken);
    REQUIRE(now.valid());
    REQUIRE_FALSE(now.fits());
    const auto offered = repairs(broken);
    REQUIRE_FALSE(offered.empty());
    for (const Repair& repair : offered) {
        INFO(repair.label);
        CHECK_FALSE(broken.automatic[index(repair.id.value())]);
    }
    std::stop_source stop;
    stop.request_stop();
    CHECK(repairs(broken, stop.get_token()).empty());
}

TEST_CASE("repairs: the best plan is at least as good as every single change of the plan", "[explore]") {
    for (const Scenario& broken : {with({{P::micro_batch, 24}}), with({{P::sequence_length, 16384}})}) {
        REQUIRE(answer(broken).estimate.verdict == Verdict::does_not_fit);
        const auto other = other_plan(broken, 2);
        REQUIRE(other.has_value());
        REQUIRE(other->works);
        CHECK(other->scenario.automatic == broken.automatic);
        const Answer repaired = answer(other->scenario);
        CHECK(repaired.estimate.verdict == Verdict::fits);
        CHECK(repaired.estimate.mfu == other->mfu);
        std::size_t work = 0;
        for (const Repair& repair : repairs(broken)) {
            INFO(repair.label);
            work += repair.works ? 1 : 0;
            if (repair.works && repair.same_job) CHECK(other->mfu >= repair.mfu);
        }
        CHECK(work >= 3);
        // The inputs of the job stay unchanged.
        CHECK(other->same_job);
        CHECK(other->scenario.hold() == broken.hold());
        for (const P id : {P::gpus, P::sequence_length, P::layers, P::global_batch})
            CHECK(repaired.settings[id] == resolve(broken)[id]);
    }
    // An automatic plan is already the best plan.
    Scenario automatic = with({{P::sequence_length, 16384}});
    automatic.automatic |= default_free_parameters();
    CHECK_FALSE(other_plan(automatic, 2).has_value());
    std::stop_source stopped;
    stopped.request_stop();
    CHECK_FALSE(other_plan(with({{P::micro_batch, 24}}), 2, stopped.get_token()).has_value());
}

TEST_CASE("best fix: it is one step of the plan that fits and raises the MFU", "[explore]") {
    const Answer now = answer(first());
    const auto fix = best_fix(now);
    REQUIRE(fix.has_value());
    const Answer fixed = answer(fix->scenario);
    CHECK(fixed.estimate.verdict == Verdict::fits);
    CHECK(fixed.estimate.mfu > now.estimate.mfu);
    CHECK(fixed.estimate.mfu == fix->mfu);
    const auto repair = best_fix(answer(with({{P::micro_batch, 24}})));
    REQUIRE(repair.has_value());
    CHECK(parameter(repair->id.value()).of_plan());
}
