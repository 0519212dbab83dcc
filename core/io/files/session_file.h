// Reads and writes sessions as JSON. A session has several scenarios: one is current, the others are pinned.
//
//   {"format": "shardscope-session", "version": 1, "scenarios": [{…}, {…}], "current": 0,
//    "letters": ["A", "C"], "compared": "C"}
//
// `letters` (one per scenario; that of the current one is ignored) and `compared` are optional. Without them
// the pins are lettered in their order from B on, and the first pin is the one to compare with. `view` and
// `plots` are optional, too: what the window shows, and what its other plots show when they are opened, each
// in the form of a scenario's view (files/view.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/saved_scenario.h"
#include "text/pin_letters.h"

namespace shardscope {

struct SavedPin {
    char letter = kFirstPin;
    SavedScenario scenario;
};

struct SavedSession {
    SavedScenario current;
    std::vector<SavedPin> pins;    // by letter
    char compared = 0;             // letter of the pin the headline compares with; 0 without pins
    View view = {};                // what the window showed; overrides the view of the current scenario
    std::vector<View> plots = {};  // what its other plots showed
};

// Returns whether a file's text has the format of a session.
bool is_session(std::string_view text);

// Reports all problems at once, with pointers from the top of the file ("/scenarios/1/model/preset"); the
// session is usable only when there are none. Presets given as relative paths are resolved against `folder`.
SavedSession read_session(std::string_view text, Catalogue& catalogue, const std::string& folder,
                          Problems& problems);

// Returns the session as JSON; reading it back gives equal scenarios. The text ends with a newline; `pretty`
// indents it.
std::string write_session(const SavedSession& session, bool pretty = true);

}  // namespace shardscope
