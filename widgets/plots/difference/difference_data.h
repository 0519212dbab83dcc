// Where the difference between two step times comes from: the waterfall from the step of a pinned scenario to
// that of the current one, with one bar for each group of inputs in which they differ. The bars that lengthen
// the step come first, so that no sum on the way is below the shorter step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evidence/measured.h"
#include "explore/step_gap.h"
#include "widgets/chart/axis_range.h"
#include "widgets/pin.h"
#include "widgets/plots/plot_table.h"

namespace shardscope {

struct DifferenceSide {
    char letter = kCurrentScenario;
    std::string name;
    double step = 0;        // s, measured where the user has measured it
    bool measured = false;  // else it is predicted
    bool fits = true;       // false: the step is what GPUs with more memory would give
};

struct DifferenceBar {
    std::string label;
    std::vector<std::string> inputs;  // "GPUs 64 → 128"
    double from = 0, to = 0;          // s; a bar begins where the one before it ends
    bool explained = true;            // false: the error of a prediction
    [[nodiscard]] double seconds() const { return to - from; }
};

struct DifferenceData {
    DifferenceSide from, to;
    std::vector<DifferenceBar> bars;
    std::string problem;        // why there is nothing to show; empty otherwise
    bool hypothetical = false;  // a predicted step is one that GPUs with more memory would have
    bool unchanged = false;     // some inputs differ that change no step; they have no bar
    // The ends of the axis, s.
    [[nodiscard]] AxisRange range() const;
};

// `other`: the scenario to compare with; nullptr if there is none. A scenario that does not fit has a
// predicted step only with `hypothetical`.
DifferenceData difference_data(const Answer& answer, const std::optional<Measurement>& own, const Pin* other,
                               bool hypothetical);
PlotTable difference_table(const DifferenceData& data);

}  // namespace shardscope
