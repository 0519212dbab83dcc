// What the Sensitivity plot shows, as plain numbers.
#pragma once

#include <optional>
#include <stop_token>

#include "explore/sensitivity.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/plot_data.h"

namespace shardscope {

// A pinned scenario's own values: its plan is held, it is what was pinned.
struct SensitivityGhost {
    char letter = 'B';
    bool rates = true;  // as SensitivityData's
    Sensitivity held;
    std::array<double, kRates> elasticity{};
    Levers levers;
};

struct SensitivityData {
    // What was asked for. Where that has no value, or is zero, the bars are those of peak memory instead.
    Output asked = Output::mfu;
    double asked_value = 0;  // NaN: none
    SweepPlan plan = SweepPlan::as_set;
    Sensitivity held;
    std::optional<Sensitivity> anew;  // with the plan found anew at every end, where that is asked for
    double capacity = 0;              // usable bytes
    bool rates = true;                // tokens/s mean something, and so do elasticities and levers
    std::array<double, kRates> elasticity{};  // sums to 1
    std::optional<std::array<double, kRates>> anew_elasticity;
    Levers held_levers;
    std::optional<Levers> anew_levers;
    std::vector<SensitivityGhost> ghosts;

    // The ranking of what is drawn strongest.
    [[nodiscard]] const Sensitivity& ranked() const { return anew ? *anew : held; }
    [[nodiscard]] bool instead() const { return held.output != asked; }
};

struct SensitivityQuestion {
    Output output = Output::mfu;
    Change change = Change::half_and_double;
    bool hypothetical = false;  // values as if it fitted
    bool held = false;          // what is automatic keeps its values
    bool operator==(const SensitivityQuestion&) const = default;
};
SensitivityData sensitivity_data(const Answer& answer, const SensitivityQuestion& question,
                                 const std::vector<Pin>& pins, unsigned threads = 1,
                                 const std::stop_token& stop = {});

PlotTable sensitivity_table(const SensitivityData& data);

}  // namespace shardscope
