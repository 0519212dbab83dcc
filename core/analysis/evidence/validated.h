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

// Which public runs with a good step time a preset was compared with.
enum class Compared {
    never,     // with none; it may have runs whose times are noisy or ambiguous, which `validate` shows
    gpu_only,  // cluster: with runs on its GPU in other nodes or on another network
    yes        // with runs of this GPU, of such nodes on such a network, or of a model of these sizes
};
// The preset is one of a GPU, a cluster or a model.
Compared compared(const Preset& preset);
std::string label_of(Compared compared);  // translated

// Says that a software is not known, and which one may be meant.
std::string unknown_software_sentence(const std::string& name);

// Names the nearest measured runs, or says that nothing like the scenario was measured.
std::string nearest_runs_sentence(const Answer& answer);

}  // namespace shardscope
