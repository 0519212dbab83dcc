// The `view` of a scenario describes what the window shows: the open plot with its axes, and the pinned
// scenarios. Every study has a view; scenarios, sessions and figures may have one.
//
//   "view": {"plot": "sweep", "x": "gpus", "y": "tensor_parallel", "outputs": ["mfu"], "plan": "held",
//            "range": {"x": "8:2048:33:log", "y": "1,2,4"}, "against": "ideal.mfu_bound",
//            "side_by_side": true, "switched": ["strong", "band"],
//            "pins": [{"name": "A100", "cluster": {"preset": "dgx-a100-80gb"}}],
//            "measured": {"tokens_per_s_per_gpu": 1039, "gpus": 64}}
//
// A range has the form of the text after KEY= in an axis of the command line. A pin is a patch of the
// scenario. `against` is a result that the horizontal axis shows instead of x. `switched` lists the plot's
// options that differ from their defaults. `study` names the study to which the scenario belongs. All fields
// are optional.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/measured.h"
#include "explain/output.h"
#include "explore/sweep.h"
#include "files/saved_scenario.h"

namespace shardscope {

struct View {
    std::string study;   // name of the study's preset; "": none
    std::string plot;    // "": the view names no plot
    std::optional<P> x;  // inputs of the axes; none: the plot's default, and no second axis
    std::optional<P> y;
    std::string x_range;  // "": the range of the slider
    std::string y_range;
    std::vector<Output> outputs;        // empty: the plot's defaults
    std::optional<Output> against;      // horizontal axis of a sweep; none: x itself
    bool side_by_side = false;          // each pin has its own panel, with the same axes
    bool held = false;                  // automatic parameters keep their values along the axes
    std::vector<std::string> switched;  // those of kSwitches that differ from the plot's default

    // By default Scaling draws all its curves, Sensitivity halves and doubles, and Plans keeps locked
    // parameters.
    static constexpr std::array<std::string_view, 7> kSwitches{"weak",     "strong",      "ideal",   "band",
                                                               "measured", "ten_percent", "all_free"};
    // Returns the output of a plot that shows one.
    [[nodiscard]] Output first_output() const { return outputs.empty() ? Output::mfu : outputs.front(); }
    [[nodiscard]] bool is_switched(std::string_view name) const;
    void set_switched(std::string_view name, bool on);

    bool operator==(const View&) const = default;
};

// Returns the view of the scenario without invalid fields.
View view_of(const SavedScenario& scenario);
// Returns the scenario with this view; the pins and the measured run of its old view are kept.
SavedScenario with_view(const SavedScenario& scenario, const View& view);
// Returns the axes of an export of the view; empty where the view uses the plot's default axis.
std::vector<Axis> axes_of(const View& view, const Scenario& scenario);
// Returns the pins of the scenario's view as scenarios.
std::vector<Scenario> pins_of(const SavedScenario& scenario, Catalogue& catalogue, Problems& problems);

// Returns the measured run in the JSON text of a view: nothing if there is none, or an invalid one.
std::optional<Measurement> measurement_in(std::string_view json_view);
// Returns the scenario with this measured run, or without one; the rest of its view is unchanged.
SavedScenario with_measurement(const SavedScenario& scenario, const std::optional<Measurement>& measurement);

// Reports the problems of the scenario's view, including its measured run, with pointers from the top of the
// file.
void check_view(const SavedScenario& scenario, Catalogue& catalogue, Problems& problems);

// Returns the JSON schema (draft 7) of views, which refers to definitions in scenario_schema(). It checks
// that a range is a text, but not its form.
nlohmann::ordered_json view_schema();

// Returns the scenario without those parts of its view that check_view finds wrong. An edit of the scenario
// can make them wrong: a pin that changes the tensor-parallel degree need not fit another number of heads.
SavedScenario with_valid_view(const SavedScenario& scenario, Catalogue& catalogue);

// Returns the names of the plots that a view may name, which are those of `export`.
std::span<const std::string_view> viewable_plots();

}  // namespace shardscope
