// Reads and writes scenarios as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/saved_scenario.h"

namespace shardscope {

// Reads one scenario from the text of one JSON object. All problems are reported at once; the scenario is
// usable only when there are none. Presets given as relative paths are resolved against `folder`. For
// automatic parameters the planner's values are checked. With `plan_is_open` plan parameters are not checked,
// because a search will choose them.
SavedScenario read_scenario(std::string_view text, Catalogue& catalogue, const std::string& folder,
                            Problems& problems, bool plan_is_open = false);

// Returns the scenario with the changes of `patch`, which is a scenario's JSON in which null removes a field
// (a merge patch, RFC 7396). The name of `scenario` is not copied. Plan parameters are not
// checked here, but when the answer of the scenario is computed.
Scenario apply_patch(const Scenario& scenario, std::string_view patch, Catalogue& catalogue,
                     Problems& problems);

// Return the scenario as JSON, which keeps presets and overrides apart; reading it back gives an equal
// scenario. The text ends with a newline; `pretty` indents it.
std::string write_scenario(const Scenario& scenario, bool pretty = true);
std::string write_scenario(const SavedScenario& scenario, bool pretty = true);

// One JSON object of a file.
struct Document {
    std::string text;
    int line = 1;  // of the file, where the object begins
};
// Returns the objects of a file that is one JSON object or JSON Lines. Adds a problem where there are more
// than 100,000.
std::vector<Document> split_documents(std::string_view text, Problems& problems);

}  // namespace shardscope
