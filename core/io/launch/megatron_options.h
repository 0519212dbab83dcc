// Megatron-LM's options that are one parameter's value, and the reader of its arguments.
#pragma once

#include <string_view>

#include "launch/launch.h"

namespace shardscope::launch {

// "--num-layers" of P::layers; "": it takes more than one option to say it.
std::string_view option_of(P id);

bool is_megatron(std::string_view text);
LaunchRead read_megatron(std::string_view text, const Scenario& base, Problems& problems);

}  // namespace shardscope::launch
