// Reads a model's list of operators: the field `operators` of a model preset or of a scenario's `model`.
//
//   [{"name": "stem", "operators": [{"name": "conv", "kind": "convolution", "reduction": 2, "in": 3,
//                                    "out": 64, "kernel": 7, "stride": 2}, …]},
//    {"name": "layer", "repeat": 3, "operators": […]}, …]
//
// The fields of an operator are those of ListedOperator; operators_schema() lists those of each kind.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "scenario/listed_model.h"
#include "text/problem.h"

namespace shardscope {

// Returns nullptr on problems.
std::shared_ptr<const ListedModel> read_listed_model(const nlohmann::json& list, const std::string& pointer,
                                                     Problems& problems);

// Returns the JSON schema (draft 7) of the lists that read_listed_model() reads. It does not check that the
// groups of a convolution divide its channels.
nlohmann::ordered_json operators_schema();

}  // namespace shardscope
