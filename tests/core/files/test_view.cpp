// Tests views, the part of a scenario that describes the state of the window.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "explore/sweep.h"
#include "files/scenario_file.h"
#include "files/session_file.h"
#include "files/view_json.h"
#include "support/check_scenario.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

std::string problems_of_view(const std::string& view) {
    Catalogue catalogue = own_catalogue();
    Problems problems;
    read_scenario(R"({"view": )" + view + "}", catalogue, "", problems);
    std::string out;
    for (const Problem& problem : problems) out += problem.text() + "\n";
    return out;
}

}  // namespace

TEST_CASE("view: a view that is written and read again is the same", "[studies]") {
    View view;
    view.study = "scaling-trends";
    view.plot = "sweep";
    view.x = P::gpus;
    view.y = P::tensor_parallel;
    view.x_range = "8:64:4:log";
    view.y_range = "1,2";
    view.outputs = {Output::mfu, Output::peak_memory};
    view.against = Output::mfu_bound;
    view.side_by_side = true;
    view.held = true;
    view.set_switched("band", true);
    view.set_switched("strong", true);
    CHECK(view.switched == std::vector<std::string>{"strong", "band"});
    const std::string written = write_view({view, {}, {}}).dump();
    CHECK(problems_of_view(written).empty());
    Catalogue catalogue = own_catalogue();
    Problems problems;
    CHECK(read_view(nlohmann::json::parse(written), first(), catalogue, problems) == SavedView{view, {}, {}});
    CHECK(write_view({}).empty());
    CHECK(read_view(nlohmann::json::object(), first(), catalogue, problems) == SavedView{});
    CHECK(problems.empty());

    const std::vector<Axis> axes = axes_of(view, first());
    REQUIRE(axes.size() == 2);
    CHECK(axes[0].values == std::vector<double>{8, 16, 32, 64});
    CHECK(axes[1].values == std::vector<double>{1, 2});
}

TEST_CASE("view: pins equal the scenario except for the fields that they give", "[studies]") {
    Catalogue catalogue = own_catalogue();
    Problems problems;
    const SavedScenario scenario = read_scenario(R"({"name": "base", "cluster": {"gpus": 128},
        "view": {"plot": "scaling", "pins": [{"name": "slow", "cluster": {"inter_node_bandwidth": "100 Gbit/s"}},
                                             {"cluster": {"gpus": null}}]}})",
                                                 catalogue, "", problems);
    REQUIRE(problems.empty());
    const std::vector<Scenario> pins = pins_of(scenario.view, scenario, catalogue, problems);
    REQUIRE(pins.size() == 2);
    CHECK(pins[0].name == "slow");
    CHECK(resolve(pins[0])[P::gpus] == 128);
    CHECK(resolve(pins[0])[P::inter_node_bandwidth] == 12.5e9);
    // null removes a field, and the name of the scenario is not copied to its pin.
    CHECK_FALSE(pins[1].is_given(P::gpus));
    CHECK(pins[1].name.empty());
}

TEST_CASE("view: every mistake is reported with its place", "[studies]") {
    CHECK(problems_of_view(R"({"plott": "sweep"})") ==
          "/view/plott: the field is not known; did you mean “plot”?\n");
    CHECK(problems_of_view(R"({"plot": "sweeep"})")
              .find("/view/plot: “sweeep” is not a plot; did you mean “sweep”?") == 0);
    CHECK(problems_of_view(R"({"x": "gpu"})").find("/view/x: “gpu” is not a parameter") == 0);
    CHECK(problems_of_view(R"({"x": "gpus", "range": {"x": "8:64"}})")
              .find("/view/range/x: “8:64” is not a range") == 0);
    CHECK(problems_of_view(R"({"range": {"x": "8:64:4"}})")
              .find("/view/range/x: the view has a range but no x") == 0);
    CHECK(problems_of_view(R"({"range": {"z": "8:64:4"}})").find("/view/range/z") == 0);
    CHECK(problems_of_view(R"({"outputs": ["mfuu"]})").find("/view/outputs/0: there is no output “mfuu”") ==
          0);
    CHECK(problems_of_view(R"({"against": "ideal.mfu_bund"})")
              .find("/view/against: there is no output “ideal.mfu_bund”; did you mean “ideal.mfu_bound”?") ==
          0);
    CHECK(
        problems_of_view(R"({"side_by_side": "yes"})").find("/view/side_by_side: \"yes\" is neither true") ==
        0);
    CHECK(problems_of_view(R"({"switched": ["stron"]})")
              .find("/view/switched/0: no plot has an option “stron”; did you mean “strong”?") == 0);
    CHECK(problems_of_view(R"({"switched": true})").find("/view/switched: ") == 0);
    CHECK(problems_of_view(R"({"plan": "often"})").find("/view/plan: “often” is not a value of plan") == 0);
    CHECK(problems_of_view(R"({"pins": [{}, {"clustr": {}}]})").find("/view/pins/1/clustr") == 0);
    CHECK(problems_of_view(R"({"pins": [{"view": {}}]})").find("/view/pins/0/view") == 0);
    CHECK(problems_of_view(R"({"pins": 3})").find("/view/pins: ") == 0);
}

TEST_CASE("view: a session stores the state of the window beside its scenarios", "[studies]") {
    Catalogue catalogue = own_catalogue();
    SavedSession session{SavedScenario(Scenario::first_launch(catalogue)), {}, 0};
    session.view.plot = "walls";
    session.view.x = P::gpus;
    session.view.y = P::memory;
    Problems problems;
    const SavedSession again = read_session(write_session(session), catalogue, "", problems);
    CHECK(problems.empty());
    CHECK(again.view == session.view);
    CHECK(again.current == session.current);
    read_session(
        R"({"format": "shardscope-session", "version": 1, "scenarios": [{}], "view": {"plot": "wals"}})",
        catalogue, "", problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().where == "/view/plot");
}

TEST_CASE("view: only those parts are left out that an edit has made invalid", "[studies]") {
    Catalogue catalogue = own_catalogue();
    Problems problems;
    const SavedScenario scenario = read_scenario(
        R"({"model": {"preset": "gpt-22b"}, "cluster": {"gpus": 64},
            "view": {"plot": "sweep", "x": "tensor_parallel", "range": {"x": "1,2,4"}, "measured": {"tokens_per_s_per_gpu": 1039, "gpus": 64},
                     "pins": [{"name": "Two", "training": {"tensor_parallel": 2}},
                              {"name": "Eight", "training": {"tensor_parallel": 8}}]}})",
        catalogue, "", problems);
    for (const Problem& problem : problems) FAIL_CHECK(problem.text());
    CHECK(valid_view(scenario.view, scenario, catalogue) == scenario.view);

    // The model then has 14 heads, which 8 does not divide.
    const Scenario after = edited(scenario, P::hidden_size, 1344);
    REQUIRE(resolve(after)[P::heads] == 14);
    pins_of(scenario.view, after, catalogue, problems);
    REQUIRE_FALSE(problems.empty());
    problems.clear();
    const SavedView valid = valid_view(scenario.view, after, catalogue);
    read_view(write_view(valid), after, catalogue, problems);
    CHECK(problems.empty());
    CHECK(valid == static_cast<const View&>(scenario.view));
    const std::vector<Scenario> pins = pins_of(valid, after, catalogue, problems);
    REQUIRE(pins.size() == 1);
    CHECK(pins.front().name == "Two");
    CHECK(valid.measured == scenario.view.measured);
}
