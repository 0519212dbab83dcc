// Chooses the plan for a scenario's automatic parameters.
#pragma once

#include <optional>
#include <stop_token>

#include "planner/search.h"
#include "scenario/scenario.h"

namespace shardscope {

// The settings with a plan that is always valid. `check` and `is_valid` of the result judge everything but
// the plan, which a search requires to be valid.
Settings without_plan(const Settings& settings);

// The scenario with its automatic parameters set to the plan of highest MFU that fits. If none fits, it gets
// the plan that needs least memory; if no plan is valid, the scenario is returned unchanged. Of equally good
// plans the first in canonical order is chosen.
//
// `likely` is a plan that may be nearly as good, such as that of a neighbouring point; it only saves time.
Scenario planned(const Scenario& scenario, const Plan* likely = nullptr);
// Does the same on `threads` threads, for background work. Returns nothing when it was stopped.
std::optional<Scenario> planned(const Scenario& scenario, unsigned threads, const std::stop_token& stop,
                                const Plan* likely = nullptr);
// Returns whether planning is fast enough to run within one frame of a window.
bool plans_within_a_frame(const Scenario& scenario);

}  // namespace shardscope
