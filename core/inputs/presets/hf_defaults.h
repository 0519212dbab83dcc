// The defaults of transformers' configuration classes for fields that a config.json leaves out.
#pragma once

#include <optional>
#include <string_view>

namespace shardscope {

// Returns the default of a field for a `model_type`; flags are 0 and 1. Returns nothing if the class has no
// default, if it computes the field from others, or if the type is unknown. Source: the configuration
// classes, see the table.
std::optional<double> hf_default(std::string_view type, std::string_view field);

}  // namespace shardscope
