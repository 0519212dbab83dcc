// What transformers' configuration classes take for the fields that a config.json leaves out.
#pragma once

#include <optional>
#include <string_view>

namespace shardscope {

// Of this `model_type`; flags are 0 and 1. Nothing where the class has no default, where it works the field
// out from others, or for a type that is not known. Source: the configuration classes, see the table.
std::optional<double> hf_default(std::string_view type, std::string_view field);

}  // namespace shardscope
