// The programs of Megatron-LM that do not train a GPT.
#pragma once

#include "launch/megatron_command.h"

namespace shardscope::launch {

// Adds a problem if the command starts another program than the training of a GPT: one with an encoder or
// images, or one that generates text.
void refuse_other_runs(MegatronCommand& command, Problems& problems);

}  // namespace shardscope::launch
