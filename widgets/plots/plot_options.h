// What the user can choose about each plot: one small struct for each plot that has options.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "evidence/bandwidth_curve.h"
#include "evidence/runs.h"
#include "explain/output.h"
#include "explore/sensitivity.h"
#include "explore/sweep.h"

namespace shardscope {

// The quantities of the scaling plot; memory is that of the fullest GPU, in GiB.
enum class ScalingY { mfu, tokens_per_s_per_gpu, tokens_per_s, days, memory };

struct ScalingOptions {
    ScalingY y = ScalingY::mfu;
    bool weak = true, strong = true, ideal = true, band = true, measured = true;  // the curves that are drawn
    bool held = false;            // automatic parameters keep their values and are not re-planned
    bool replaces_rates = false;  // memory is shown because there are no rates to show
};

struct SweepOptions {
    std::vector<Axis> axes{};  // the input along x and a second one, a curve for each value; empty: default
    std::vector<Output> outputs{};    // one panel each; empty: default
    std::optional<Output> against{};  // quantity of the x axis; none: the input itself
    bool side_by_side = false;        // pins in separate panels
    bool held = false;
};

struct WallsOptions {
    std::vector<Axis> axes{};  // two inputs; empty: default
    bool held = false;
};

struct SensitivityOptions {
    Output output = Output::mfu;
    Change change = Change::half_and_double;
    bool held = false;
};

struct PlansOptions {
    Output output = Output::mfu;
    bool all_free = false;  // all plan parameters may change, not only the automatic ones
};

struct CollectivesOptions {
    std::vector<MeasuredTable> own{};     // the user's own tables, before the public ones
    std::optional<std::size_t> chosen{};  // index of the selected table
};

// Tables of measured runs; each table is a family.
using UserRuns = std::shared_ptr<const std::vector<MeasuredRun>>;

struct ValidationOptions {
    Output output = Output::mfu;
    UserRuns own{};        // the user's own runs, beside the public ones
    std::string filter{};  // words of the runs that are shown
};

using PlotOptions = std::variant<std::monostate, ScalingOptions, SweepOptions, WallsOptions,
                                 SensitivityOptions, PlansOptions, CollectivesOptions, ValidationOptions>;

// Returns the axes among the options; nullptr if the plot's axes are fixed.
std::vector<Axis>* axes_in(PlotOptions& options);
// Returns whether automatic parameters keep their values at the plot's other points.
bool holds_plan(const PlotOptions& options);

}  // namespace shardscope
