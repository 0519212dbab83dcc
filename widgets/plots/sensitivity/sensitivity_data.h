// The data of the Sensitivity plot as plain numbers.
#pragma once

#include <optional>
#include <stop_token>

#include "explore/sensitivity.h"
#include "widgets/plots/curve_ranges.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/plot_table.h"

namespace shardscope {

// The values of a pinned scenario. Its plan is held fixed, because the plan is part of what was pinned.
struct SensitivityGhost {
    char letter = 'B';
    bool rates = true;  // see SensitivityData
    Sensitivity held;
    std::array<double, kRates> elasticity{};
    Levers levers;
};

struct SensitivityData {
    // The requested output. If it has no value, or is zero, the bars show peak memory instead.
    Output asked = Output::mfu;
    double asked_value = 0;  // NaN if it has none
    CurvePlan plan = CurvePlan::as_set;
    Sensitivity held;
    std::optional<Sensitivity> anew;          // with re-planning at every end of a bar, if requested
    double capacity = 0;                      // usable bytes
    bool rates = true;                        // tokens/s are meaningful, and so are elasticities and levers
    std::array<double, kRates> elasticity{};  // sums to 1
    std::array<Wall, kRates> walls{};         // of the rates; for intra-node it may be the link to the host
    std::optional<std::array<double, kRates>> replanned_elasticity;
    Levers held_levers;
    std::optional<Levers> replanned_levers;
    std::vector<SensitivityGhost> ghosts;

    // Returns the values that are drawn strongest, by which the bars are ranked.
    [[nodiscard]] const Sensitivity& ranked() const { return anew ? *anew : held; }
    [[nodiscard]] bool instead() const { return held.output != asked; }
};

struct SensitivityQuestion {
    Output output = Output::mfu;
    Change change = Change::half_and_double;
    bool hypothetical = false;  // values as if the scenario fitted
    bool held = false;          // automatic parameters keep their values
    bool operator==(const SensitivityQuestion&) const = default;
};
SensitivityData sensitivity_data(const Answer& answer, const SensitivityQuestion& question,
                                 const std::vector<Pin>& pins, unsigned threads = 1,
                                 const std::stop_token& stop = {});

PlotTable sensitivity_table(const SensitivityData& data);

}  // namespace shardscope
