// Tests the output of `plan --over` against estimates of the single points.
#include "files/plan_file.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;
using nlohmann::json;

namespace {

GridQuestion small_grid() {
    GridQuestion out;
    out.plan.scenario = locked(first());
    out.plan.free.set(index(P::micro_batch));
    out.over = {{P::gpus, {16, 64}}, {P::sequence_length, {2048, 4096}}};
    return out;
}

}  // namespace

TEST_CASE("plan file: a grid's best points are those of estimates of the single plans", "[planner]") {
    Problems problems;
    GridQuestion question = small_grid();
    question.target = parse_target("mfu>=0.3", problems);
    REQUIRE(problems.empty());
    const GridReport report = grid_report(question);
    const json read = json::parse(grid_json(report));
    CHECK(read["over"]["cluster.gpus"] == json({16, 64}));
    CHECK(read["points"] == 4);
    CHECK(read["feasible"] == report.feasible);
    CHECK(read["target"] == text_of(*question.target));
    const json& best = read["highest"]["mfu"];
    Scenario alone = question.plan.scenario;
    for (const Axis& axis : question.over)
        alone.give(axis.id, best["at"][std::string(parameter(axis.id).key)].get<double>());
    alone.give(P::micro_batch, best["plan"]["micro_batch"].get<double>());
    CHECK(best["mfu"].get<double>() == answer(alone).estimate.mfu);
    const json& bandwidth = read["thresholds"]["cluster.inter_node_bandwidth"];
    CHECK(bandwidth["value"].is_number() != bandwidth["reason"].is_string());

    const std::string text = grid_text(report);
    CHECK(text.find(" of 4 points have a plan that fits\n") != std::string::npos);
    CHECK(text.find("Highest MFU: " + text_of(Output::mfu, answer(alone))) != std::string::npos);
    CHECK(text.find("Requirements of " + text_of(*question.target)) != std::string::npos);
}

TEST_CASE("plan file: a grid without a plan that fits has no best point", "[planner]") {
    GridQuestion question = small_grid();
    question.plan.scenario.give(P::memory, 2e9);
    const GridReport report = grid_report(question);
    const json read = json::parse(grid_json(report));
    CHECK(read["feasible"] == 0);
    CHECK(read["highest"]["mfu"].is_null());
    CHECK_FALSE(read.contains("target"));
    CHECK(grid_text(report).find("Highest") == std::string::npos);
}
