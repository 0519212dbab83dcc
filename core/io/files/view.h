// What a scenario's `view` says of the window: which plot is open and over what, and which scenarios are
// pinned beside it. Studies are made of it; scenarios, sessions and figures may carry it.
//
//   "view": {"plot": "sweep", "x": "gpus", "y": "tensor_parallel", "outputs": ["mfu"], "plan": "held",
//            "range": {"x": "8:2048:33:log", "y": "1,2,4"}, "against": "ideal.mfu_bound",
//            "side_by_side": true, "switched": ["strong", "band"],
//            "pins": [{"name": "A100", "cluster": {"preset": "dgx-a100-80gb"}}]}
//
// A range is what stands after KEY= in an axis of the command line. A pin is the scenario itself but for the
// fields it names. `against`: points stand over this result of theirs instead of over x. `switched`: the
// plot's options that are not as usual. All fields are optional; `study` names the study that the scenario
// came with.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/output.h"
#include "explore/sweep.h"

namespace shardscope {

struct View {
    std::string study;  // the preset it is of; "": none
    std::string plot;   // "": the view says nothing of plots
    P x = P::count;     // inputs; P::count: the plot's usual one, and no second one
    P y = P::count;
    std::string x_range;  // "": the slider's
    std::string y_range;
    std::vector<Output> outputs;        // none: the plot's usual ones
    Output against = Output::count;     // a sweep's points stand over this; Output::count: over x itself
    bool side_by_side = false;          // pins in panels of their own, with the same axes
    bool held = false;                  // what is automatic keeps its values along the axes
    std::vector<std::string> switched;  // of the names below, those of the plot that are not as usual

    // Scaling draws all its curves, Sensitivity halves and doubles, Plans keeps what is locked.
    static constexpr std::array<std::string_view, 7> kSwitches{"weak",     "strong",      "ideal",   "band",
                                                               "measured", "ten_percent", "all_free"};
    [[nodiscard]] bool is_switched(std::string_view name) const;
    void set_switched(std::string_view name, bool on);

    bool operator==(const View&) const = default;
};

// What makes no sense is left out.
View view_of(const Scenario& scenario);
// The scenario with this view; its pins and its measured run stay.
Scenario with_view(const Scenario& scenario, const View& view);
// The axes that an export of the view has: none where the plot's usual one is meant.
std::vector<Axis> axes_of(const View& view, const Scenario& scenario);
// The pins that the view names.
std::vector<Scenario> pins_of(const Scenario& scenario, Catalogue& catalogue, Problems& problems);

// What is wrong with the scenario's view, its measured run included; pointers from the top of the file.
void check_view(const Scenario& scenario, Catalogue& catalogue, Problems& problems);

// Returns the JSON schema (draft 7) of views, which refers to definitions in scenario_schema(). It checks
// that a range is a text, but not its form.
nlohmann::ordered_json view_schema();

// Returns the scenario without those parts of its view that check_view finds wrong. An edit of the scenario
// can make them wrong: a pin that changes the tensor-parallel degree need not fit another number of heads.
Scenario with_valid_view(const Scenario& scenario, Catalogue& catalogue);

// The plots a view may name: those of `export`.
std::span<const std::string_view> viewable_plots();

}  // namespace shardscope
