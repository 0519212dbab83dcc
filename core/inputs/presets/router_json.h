// Reads and writes how a model's router chooses experts, in the field `router` of a preset.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "scenario/preset.h"
#include "text/problem.h"

namespace shardscope {

// Returns nothing and adds a problem for each field that is not valid.
std::optional<Router> read_router(const nlohmann::json& object, Problems& problems);
nlohmann::ordered_json write_router(const Router& router);
// Returns the JSON schema (draft 7) of what read_router() reads.
nlohmann::ordered_json router_schema();

}  // namespace shardscope
