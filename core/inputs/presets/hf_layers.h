// The kinds of a model's layers as config.json files write them: lists of names, one letter a layer, a
// number for each layer, or a stride.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

using LayerWords = std::vector<std::string>;  // values of model.layer_pattern

// Returns the shortest list that gives the layers if it is repeated.
LayerWords shortest_period(const LayerWords& layers);

// Reads a list such as ["sliding_attention", "full_attention"]. Returns nothing if it is no list of known
// names.
std::optional<LayerWords> layers_of_types(const nlohmann::json& types);

// Reads the layers of NVIDIA's hybrid models, each of which is a mixer or a feed-forward alone: names such as
// "mamba" or "moe", or letters: "M" Mamba-2, "*" attention, "-" feed-forward, "E" experts.
std::optional<LayerWords> layers_of_blocks(const nlohmann::json& blocks);
std::optional<LayerWords> layers_of_letters(std::string_view letters);

// Returns `count` layers of which every `stride`-th, counted from 1, is `special` and the others `usual`.
LayerWords strided_layers(double count, double stride, const char* usual, const char* special);

// Returns a field that shows that the model keeps a state, as state-space and recurrent models do; "" if
// there is none.
std::string state_field(const nlohmann::json& config);

// Returns whether a file has all fields of Qwen3-Next that describe gated DeltaNet and where it stands.
bool has_delta_net(const nlohmann::json& config);

}  // namespace shardscope
