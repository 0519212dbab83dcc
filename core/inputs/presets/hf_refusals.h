// The config.json files of unknown architectures: where their fields stand, and which would be read wrongly.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "presets/hf_reader.h"

namespace shardscope::hf {

// The fields that were moved to the top, with the places where they stood: "inner/moe_every".
using MovedFields = std::map<std::string, std::string>;
// Moves the fields of nested objects to the top, because an unknown architecture may have its sizes anywhere.
// Those of another model, such as an image encoder or a draft model, and those of which two objects differ
// stay.
MovedFields move_fields_up(nlohmann::json& config);

// Refuses the file of an unknown architecture that is no decoder of attention and feed-forwards: an encoder,
// an encoder with a decoder, or a model that keeps a state. Returns whether it does.
bool refuses_architecture(Reader& reader, const nlohmann::json& config);

// Refuses the fields that change sizes, for example those of experts, and that were not read.
void refuse_unread(Reader& reader, const nlohmann::json& config, const MovedFields& moved);

}  // namespace shardscope::hf
