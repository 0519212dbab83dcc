// The parameters that a model's operators and their times depend on. Operators are rebuilt only if one of
// these parameters changes.
#pragma once

#include "parameters/settings.h"

namespace shardscope {

// Returns all parameters except those that are known to have no effect; parameters of the plan are included.
const ParameterSet& operator_inputs();
// Returns the subset that has an effect only if tensor, context or expert parallelism crosses nodes.
const ParameterSet& operator_inputs_between_nodes();
// Returns whether tensor, context or expert parallelism crosses nodes: a group is larger than a node or
// straddles two.
bool operators_cross_nodes(const Settings& settings);
// Returns whether jobs of both sizes have the same links in a node: on a torus a job has the links of its
// slice.
bool same_slice(const Settings& a, const Settings& b);
// Returns the parameters that determine how the operators are divided among GPUs.
const ParameterSet& operator_split_parameters();

// Returns whether `a` and `b` have the same values of these parameters. Two unknown values count as the same.
bool same_values(const Settings& a, const Settings& b, const ParameterSet& parameters);

// Returns whether the operators and their times are certain to be the same for both.
bool same_operators(const Settings& a, const Settings& b);

}  // namespace shardscope
