// The checks for the launch settings of every tool.
#pragma once

#include <string_view>

namespace shardscope::fuzz {

// Checks that the resulting scenario can be estimated and written for every tool.
void read_launch(std::string_view tool, std::string_view text);

}  // namespace shardscope::fuzz
