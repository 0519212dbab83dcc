// Reads a scenario's sections (model, cluster, training, assumptions) from JSON. Scenario files and measured
// runs use it.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "scenario/scenario.h"
#include "text/problem.h"

namespace shardscope {

// Where the presets of a scenario come from.
struct ScenarioSources {
    const Catalogue& catalogue;
    Catalogue* additions = nullptr;   // `catalogue`, if presets may be added; nullptr: only presets by name
    std::string folder{};             // of relative paths of presets
    const Scenario* start = nullptr;  // has the values that the file leaves open; nullptr: the first launch
};
// Reads a top-level field that is not a section; returns whether it is valid.
using OtherField = std::function<bool(const std::string& field, const nlohmann::json& value)>;

// Reads the object. Problems are added; the values are not checked against each other.
Scenario read_scenario_json(const nlohmann::json& file, const ScenarioSources& sources, Problems& problems,
                            const OtherField& other = {});

}  // namespace shardscope
