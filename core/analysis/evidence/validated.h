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
    never,     // with none
    gpu_only,  // cluster: with runs on its GPU in other nodes or on another network
    yes        // with runs of this GPU, of such nodes on such a network, or of a model of these sizes
};
// The preset is one of a GPU, a cluster or a model.
Compared compared(const Preset& preset);
// Returns compared() in words, translated. If it is `never`, the words tell presets without any public run
// from those whose runs only have noisy or ambiguous times, which `validate` shows.
std::string comparison_of(const Preset& preset);

// Says that a software is not known, and which one may be meant.
std::string unknown_software_sentence(const std::string& name);

// Names the setting by which the scenario differs most from the nearest measured run: "No measured run has
// layers of the kind Mamba-2." Empty if it differs in none.
std::string largest_difference_sentence(const Settings& settings);
// Names the nearest measured runs. If nothing like the scenario was measured, says so first, with the setting
// that is furthest.
std::string nearest_runs_sentence(const Answer& answer);

}  // namespace shardscope
