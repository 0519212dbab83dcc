// The range of settings that the public runs cover. Estimates outside of it are extrapolations, and warnings
// say so.
#pragma once

#include <string>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

// One sentence for each way in which the scenario is outside of that range: more GPUs, longer sequences,
// larger models, higher degrees of parallelism, a GPU or a stack without a measured run. Empty if it is
// inside.
std::vector<std::string> extrapolation_warnings(const Answer& answer);

// Returns whether predictions for this GPU, or for the GPU of this cluster preset, were compared with public
// runs that have a good step time.
bool is_compared(const Preset& preset);

// Names the nearest measured runs, or says that nothing like the scenario was measured.
std::string nearest_runs_sentence(const Answer& answer);

}  // namespace shardscope
