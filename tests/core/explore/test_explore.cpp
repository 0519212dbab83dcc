// Sweeps, scaling curves, repairs.
#include <catch2/catch.hpp>
#include <cmath>

#include "explore/repair.h"
#include "explore/scaling.h"
#include "explore/sweep.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("sweep: axes hold both ends, snap and drop duplicates", "[explore]") {
    const Axis sequence = make_axis(first(), P::sequence_length, 256, 8192, 6, true);
    REQUIRE(sequence.values.size() == 6);
    CHECK(sequence.values.front() == 256);
    CHECK(sequence.values.back() == 8192);
    CHECK(make_axis(first(), P::micro_batch, 1, 4, 100, false).values.size() == 4);
    Problems problems;
    CHECK(parse_axis(first(), "inter_node_bandwidth=100 Gbit/s:400 Gbit/s:3", problems).values[1] == 31.25e9);
    CHECK(parse_axis(first(), "training.sharding=zero2,zero3", problems).values.size() == 2);
    CHECK(problems.empty());
    for (const char* bad :
         {"gpus", "gpu=1:2:3", "gpus=1:2", "gpus=1:2:0", "gpus=0:8:3:log", "gpus=a:b:3", "sharding=zero9"}) {
        problems.clear();
        INFO(bad);
        CHECK(parse_axis(first(), bad, problems).values.empty());
        CHECK(problems.size() == 1);
    }
}

TEST_CASE("sweep: every combination once, the last axis fastest", "[explore]") {
    std::vector<std::vector<std::size_t>> seen;
    for_each_point(first(), {{P::gpus, {8, 16}}, {P::micro_batch, {1, 2, 3}}},
                   [&](const std::vector<std::size_t>& at, const Answer& point, bool valid) {
                       seen.push_back(at);
                       CHECK(valid);
                       CHECK(point.settings[P::micro_batch] == static_cast<double>(at[1] + 1));
                   });
    REQUIRE(seen.size() == 6);
    CHECK(seen[1] == std::vector<std::size_t>{0, 1});
    CHECK(seen[3] == std::vector<std::size_t>{1, 0});
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

TEST_CASE("repairs: each that works makes it fit, the micro-batch one lands on the largest that does",
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
        const Answer mended = answer(repair.scenario);
        CHECK(mended.estimate.verdict == Verdict::fits);
        CHECK(mended.estimate.mfu == repair.mfu);
        if (i > 0 && parameter(offered[i - 1].id).plan == parameter(repair.id).plan)
            CHECK(offered[i - 1].mfu >= repair.mfu);
        if (repair.id == P::micro_batch) {
            Scenario more = repair.scenario;
            more.give(P::micro_batch, repair.value + 1);
            CHECK(answer(more).estimate.verdict != Verdict::fits);
        }
    }
    CHECK(repairs(first()).empty());
}

TEST_CASE("best fix: one step of the plan that fits and raises MFU", "[explore]") {
    const Answer now = answer(first());
    const auto fix = best_fix(now);
    REQUIRE(fix.has_value());
    const Answer fixed = answer(fix->scenario);
    CHECK(fixed.estimate.verdict == Verdict::fits);
    CHECK(fixed.estimate.mfu > now.estimate.mfu);
    CHECK(fixed.estimate.mfu == fix->mfu);
    const auto repair = best_fix(answer(with({{P::micro_batch, 24}})));
    REQUIRE(repair.has_value());
    CHECK(parameter(repair->id).plan);
}
