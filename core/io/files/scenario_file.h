// Reading and writing scenarios as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenario/scenario.h"

namespace shardscope {

// One scenario from one JSON object's text. Every problem is reported at once; the scenario means something
// only when there is none. `folder` resolves presets given as relative paths.
// Of automatic parameters the planner's values are judged; of none that is in the plan while `plan_is_open`:
// a search will choose.
Scenario read_scenario(std::string_view text, Catalogue& catalogue, const std::string& folder,
                       Problems& problems, bool plan_is_open = false);

// The scenario but for the fields that `patch` names, a scenario's JSON in which null takes a field away
// (a merge patch, RFC 7396). Its view and its name are not taken over. Plan
// parameters are not judged: whoever asks for its answer will be told.
Scenario patched(const Scenario& scenario, std::string_view patch, Catalogue& catalogue, Problems& problems);

// Presets and overrides kept apart; reading it back gives an equal scenario. Ends with a newline; `pretty`
// indents.
std::string write_scenario(const Scenario& scenario, bool pretty = true);

// The objects of a file: one JSON object, or JSON Lines. With each its first line's number. Adds a problem
// where there are more than 100,000.
struct Document {
    std::string text;
    int line = 1;
};
std::vector<Document> split_documents(std::string_view text, Problems& problems);

}  // namespace shardscope
