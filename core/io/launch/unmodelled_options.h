// Options of the training tools that change the time or memory of a step, but that the prediction does not
// model. Readers name them apart from options that change neither.
#pragma once

#include <string_view>

namespace shardscope::launch {

// Return whether the option, or one in this section of a file, is among those of the tool.
bool is_unmodelled_megatron(std::string_view option);
bool is_unmodelled_torchtitan(std::string_view option);
bool is_unmodelled_deepspeed(std::string_view option);

}  // namespace shardscope::launch
