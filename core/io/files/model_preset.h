// Writes the model of a scenario as a preset.
#pragma once

#include <string>

#include "scenario/scenario.h"

namespace shardscope {

// Returns the text of a model preset with this title and a name made from it; `title` must contain a letter
// or a digit. The preset has the values of the scenario's model preset, with the changes of the scenario.
// Where there are changes, its source names them, and the published count of parameters is left out.
std::string write_model_preset(const Scenario& scenario, const std::string& title);

}  // namespace shardscope
