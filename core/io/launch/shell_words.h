// The words of a shell script as the shell would pass them to its commands: quotes, continued lines,
// comments, and the variables and arrays that the script itself sets. Nothing is run: what only running would
// tell (variables of the environment, $(…), arithmetic) is left in the word and named.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/problem.h"

namespace shardscope::launch {

struct Word {
    std::string text;
    int line = 1;
    std::string unknown;  // what has no value here ("$NNODES"); "": all is known
};
using Command = std::vector<Word>;

// The script's commands, one after the other; an array's words are a command of their own, too.
std::vector<Command> shell_commands(std::string_view script, Problems& problems);

}  // namespace shardscope::launch
