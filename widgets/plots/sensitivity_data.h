// What the Sensitivity plot shows, as plain numbers.
#pragma once

#include <optional>
#include <stop_token>

#include "explore/sensitivity.h"
#include "widgets/plots/plot_data.h"

namespace shardscope {

struct SensitivityData {
    Sensitivity held;
    std::optional<Sensitivity> anew;  // the plan found anew at every end, where something is automatic
    Levers held_levers;
    std::optional<Levers> anew_levers;
    std::array<double, kRates> elasticity{};  // sums to 1
    double capacity = 0;                      // usable bytes
    bool shown = true;                        // false: it does not fit, so that there is no rate to change

    // The ranking of what is drawn strongest.
    [[nodiscard]] const Sensitivity& ranked() const { return anew ? *anew : held; }
};
// `plan_anew` may be left out while somebody waits.
SensitivityData sensitivity_data(const Answer& answer, Output id, Change change, bool hypothetical,
                                 bool plan_anew, const std::stop_token& stop = {});

PlotTable sensitivity_table(const SensitivityData& data);

}  // namespace shardscope
