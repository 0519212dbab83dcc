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

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/measured.h"
#include "explain/output.h"
#include "scenario/scenario.h"
#include "text/problem.h"

namespace shardscope {

struct Axis;

// What a plot shows.
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
    std::vector<std::string> switched;  // the plot's switches (plots.inc) that differ from its default

    // Returns the output of a plot that shows one.
    [[nodiscard]] Output first_output() const { return outputs.empty() ? Output::mfu : outputs.front(); }
    [[nodiscard]] bool is_switched(std::string_view name) const;
    void set_switched(std::string_view name, bool on);

    bool operator==(const View&) const = default;
};

// The whole view of a scenario.
struct SavedView : View {
    std::vector<std::string> pins;  // each a patch of the scenario, as JSON text; see apply_patch
    std::optional<Measurement> measured;

    bool operator==(const SavedView&) const = default;
};

// Returns the axes of an export of the view; empty where the view uses the plot's default axis.
std::vector<Axis> axes_of(const View& view, const Scenario& scenario);
// Returns the pins of the view as scenarios.
std::vector<Scenario> pins_of(const SavedView& view, const Scenario& scenario, Catalogue& catalogue,
                              Problems& problems);

// Returns the view without those parts that are wrong for the scenario. An edit of the scenario can make them
// wrong: a pin that changes the tensor-parallel degree need not fit another number of heads.
SavedView valid_view(const SavedView& view, const Scenario& scenario, Catalogue& catalogue);

// Returns the axis of an input with the range of a view; nothing where the range cannot be read.
std::optional<Axis> ranged_axis(const Scenario& scenario, P id, const std::string& range);
// Returns the switches of all plots.
std::span<const std::string> view_switches();

}  // namespace shardscope
