// The config.json files of unknown architectures that would be read wrongly.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "presets/hf_reader.h"

namespace shardscope::hf {

// Refuses the file of an unknown architecture that is no decoder of attention and feed-forwards: an encoder,
// an encoder with a decoder, or a model that keeps a state. Returns whether it does.
bool refuses_architecture(Reader& reader, const nlohmann::json& config);

// Refuses the fields that change sizes, for example those of experts, and that were not read.
void refuse_unread(Reader& reader, const nlohmann::json& config);

}  // namespace shardscope::hf
