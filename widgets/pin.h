// A pinned scenario. It stays unchanged beside the current one, and plots draw it as a ghost.
#pragma once

#include "files/session_file.h"
#include "planner/answer.h"

namespace shardscope {

struct Pin {
    char letter = kFirstPin;
    Answer answer;
    SavedView view;          // of the scenario
    unsigned id = 0;         // given by the live model; stays the same when letters change
    bool unplanned = false;  // the answer uses the previous plan; its own is still being searched
};

}  // namespace shardscope
