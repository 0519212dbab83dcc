// The options of Megatron-LM that set a single parameter, and the reader of its arguments.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launch/launch.h"

namespace shardscope::launch {

// Returns "--num-layers" for P::layers; "" where no single option sets the parameter.
std::string_view option_of(P id);

bool is_megatron(std::string_view text);
LaunchRead read_megatron(std::string_view text, const Scenario& base, Problems& problems);

// An option with the line of a log that states it. A flag has no value.
struct MegatronArgument {
    std::string option;  // "--num-layers"
    std::string value;
    int line = 0;
};
// Reads options that are already separated, such as the list of arguments that Megatron-LM logs. That list
// has every option, so that options which are not read are not noted.
LaunchRead read_megatron_arguments(std::span<const MegatronArgument> arguments, const Scenario& base,
                                   Problems& problems);

}  // namespace shardscope::launch
