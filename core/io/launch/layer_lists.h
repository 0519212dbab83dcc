// Lists of Megatron-LM with a 0 or a 1 for each layer, written as a Python expression: "([1]*5+[0]*1)*8". The
// source is that of megatron.cpp (moe_freq_type and la_freq_type).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope::launch {

using LayerFlags = std::vector<bool>;

// Returns the expression of a list. It repeats the shortest part from which the whole list follows.
std::string layer_list(const LayerFlags& flags);

// Returns the list of an expression of zeros, ones, sums, repetitions and parentheses; nothing for any other
// text, and for a list with more than `most` layers.
std::optional<LayerFlags> flags_of_list(std::string_view text, std::size_t most);

// Returns n if only every n-th layer, counted from 1, has no flag; 0 for any other list, and for one in which
// all layers or none have it.
std::size_t stride_of_unset(const LayerFlags& flags);

// Returns the number of layers without a flag that come first, if all others have it.
std::optional<std::size_t> leading_unset(const LayerFlags& flags);

}  // namespace shardscope::launch
