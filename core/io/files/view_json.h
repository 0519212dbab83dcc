// Reads and writes views as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "files/view.h"

namespace shardscope {

// Reads the `view` of a scenario, a JSON object. Reports its problems with pointers from the top of the file.
// The result is complete only if there are none; `valid_view` removes what does not fit the scenario.
SavedView read_view(const nlohmann::json& view, const Scenario& scenario, Catalogue& catalogue,
                    Problems& problems);
// Returns the view as JSON: an object, which is empty for a view without fields.
nlohmann::json write_view(const SavedView& view);

// Returns the JSON schema (draft 7) of views, which refers to definitions in scenario_schema(). It checks
// that a range is a text, but not its form.
nlohmann::ordered_json view_schema();

}  // namespace shardscope
