// Models told by their shape, whatever they are called.
#pragma once

#include "scenario/scenario.h"

namespace shardscope::launch {

// Rows of learned positions, 0: none.
double positions(const Settings& settings);
// Whether the settings hold exactly the model of this preset.
bool is_model(const Settings& settings, const Preset& model, const Catalogue& catalogue);
// Takes the catalogue's model that is nearest to `wanted` in shape, and overrides what differs. Only the
// model's values of `wanted` count, and its sequence length.
void take_shape(Scenario& scenario, const Settings& wanted);

}  // namespace shardscope::launch
