// The options of Megatron-LM that set a single parameter, and the reader of its arguments.
#pragma once

#include <string_view>

#include "launch/launch.h"

namespace shardscope::launch {

// Returns "--num-layers" for P::layers; "" where no single option sets the parameter.
std::string_view option_of(P id);

bool is_megatron(std::string_view text);
LaunchRead read_megatron(std::string_view text, const Scenario& base, Problems& problems);

}  // namespace shardscope::launch
