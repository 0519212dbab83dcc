// Splits a shell script into the words that the shell would pass to its commands. It handles quotes,
// continued lines, comments, and the variables and arrays that the script itself sets. Nothing is run: a word
// that depends on variables of the environment, $(…) or arithmetic names that expression as unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/problem.h"

namespace shardscope::launch {

struct Word {
    std::string text;
    int line = 1;
    std::string unknown;  // the first expression without a known value ("$NNODES"); "": none
};
using Command = std::vector<Word>;

// Returns the script's commands in their order. The words of an array are returned as a command, too.
std::vector<Command> shell_commands(std::string_view script, Problems& problems);

}  // namespace shardscope::launch
