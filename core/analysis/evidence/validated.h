// How far the public runs reach: beyond it an estimate is an extrapolation and says so.
#pragma once

#include <string>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

// One sentence for each way in which the scenario lies outside the runs that ship: more GPUs, longer
// sequences, larger models, higher degrees of parallelism, a GPU or a stack nobody measured. Empty when it
// lies inside.
std::vector<std::string> outside_validated(const Answer& answer);

}  // namespace shardscope
