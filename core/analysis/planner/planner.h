// The plan a scenario's automatic parameters get.
#pragma once

#include <optional>
#include <stop_token>

#include "planner/search.h"
#include "scenario/scenario.h"

namespace shardscope {

// The settings with a plan that is always valid in place of theirs, to judge all else by (`check`,
// `is_valid`): what a search needs of them.
Settings without_plan(const Settings& settings);

// The scenario with its automatic parameters set: the plan of highest MFU that fits; where none fits, the one
// that needs least memory; where no value is valid, the scenario as it is. Equally good plans: the first in
// canonical order. With the per-GPU batch held the micro-batch may lie between the slider's values: the
// largest that fits, if that is better.
//
// `likely` is a plan that may be nearly as good, such as a neighbouring point's: it only saves time.
Scenario planned(const Scenario& scenario, const Plan* likely = nullptr);
// Whether that takes no longer than a frame of a window leaves for it.
bool plans_at_once(const Scenario& scenario);
// The same beside a window; nothing when asked to stop.
std::optional<Scenario> planned(const Scenario& scenario, unsigned threads, const std::stop_token& stop,
                                const Plan* likely = nullptr);

// The scenario with a plan that was found elsewhere, a larger micro-batch included where it would have got
// one: a good plan at once.
Scenario taking(const Scenario& scenario, const Plan& plan);

}  // namespace shardscope
