// Another preset without any other change, for values that must stay as they were stated.
#pragma once

#include "scenario/scenario.h"

namespace shardscope {

// Returns the scenario with another model, cluster or GPU; overrides of the fields of a model or cluster
// preset are removed. In contrast to `with_model` and `with_cluster` no other value is adapted, so that the
// values may not be valid together.
Scenario with_preset(const Scenario& scenario, const Preset& preset);

}  // namespace shardscope
