// Which parameters a model's operators and their times depend on, so that what has been computed of them is
// computed again only when one of these changes.
#pragma once

#include "parameters/settings.h"

namespace shardscope {

// Parameters of the plan included. Every parameter that is not known to be without effect counts.
const ParameterSet& operator_inputs();
// Those of them that matter only where tensor, context or expert parallelism crosses nodes.
const ParameterSet& operator_inputs_between_nodes();
// Those that say how the operators are divided among GPUs.
const ParameterSet& operator_divisions();

// Whether the two have the same values of these parameters; unknown values are the same.
bool same_values(const Settings& a, const Settings& b, const ParameterSet& parameters);

// Whether operators and their times are the same for both.
bool same_operators(const Settings& a, const Settings& b);

}  // namespace shardscope
