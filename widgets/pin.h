// A scenario that was frozen beside the current one: a ghost in every plot.
#pragma once

#include "files/session_file.h"
#include "planner/answer.h"

namespace shardscope {

struct Pin {
    char letter = kFirstPin;
    Answer answer;
    unsigned id = 0;         // the live model's: stays with the pin while letters are given anew
    bool unplanned = false;  // under the plan before: its own is still being looked for
};

}  // namespace shardscope
