// Reading and writing sessions as JSON: several scenarios, one of them current, the others pinned.
//
//   {"format": "shardscope-session", "version": 1, "scenarios": [{…}, {…}], "current": 0,
//    "letters": ["A", "C"], "compared": "C"}
//
// `letters` (one a scenario; the current one's means nothing) and `compared` are optional: pins are then
// lettered in their order from B on, and the first is compared with. So is `view`, what is looked at, in the
// form of a scenario's (studies/view.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "files/view.h"
#include "scenario/scenario.h"

namespace shardscope {

inline constexpr std::size_t kMostPins = 6;
inline constexpr char kFirstPin = 'B';  // A is the current scenario

struct SavedPin {
    char letter = kFirstPin;
    Scenario scenario;
};

struct SavedSession {
    Scenario current;
    std::vector<SavedPin> pins;  // by letter
    char compared = 0;           // letter of the pin the headline compares with; 0 without pins
    View view = {};              // what was looked at; it wins over that of the current scenario
};

// Whether a file's text calls itself a session.
bool is_session(std::string_view text);

// Every problem at once, with pointers from the top of the file ("/scenarios/1/model/preset"); the session
// means something only when there is none. `folder` resolves presets given as relative paths.
SavedSession read_session(std::string_view text, Catalogue& catalogue, const std::string& folder,
                          Problems& problems);

// Reading it back gives equal scenarios. Ends with a newline; `pretty` indents.
std::string write_session(const SavedSession& session, bool pretty = true);

}  // namespace shardscope
