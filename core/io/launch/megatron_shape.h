// The shape of the model that Megatron-LM's arguments describe.
#pragma once

#include "launch/megatron_command.h"
#include "launch/reading.h"

namespace shardscope::launch {

// Returns `start` with the parameters of the model that the command states. An absent option has
// Megatron-LM's default value. Adds a note to `out` for each assumption, and a problem to the command's for
// an option that is missing or not understood.
Settings read_megatron_shape(MegatronCommand& command, const Settings& start, ScenarioBuilder& out);

}  // namespace shardscope::launch
