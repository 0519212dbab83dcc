// What is checked of every tool's launch settings.
#pragma once

#include <string_view>

namespace shardscope::fuzz {

// A scenario that comes out is one that can be estimated, and written for any tool.
void read_launch(std::string_view tool, std::string_view text);

}  // namespace shardscope::fuzz
