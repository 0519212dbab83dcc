// Splits a shell script into the words that the shell would pass to its commands. It handles quotes,
// continued lines, comments, the variables and arrays that the script itself sets, and tests of them (`if`,
// `[ … ] && …`). Nothing is run: a word that depends on variables of the environment, $(…) or arithmetic
// names that expression as unknown. Where a test depends on such a value, and in loops and `case`, nothing
// that the script would set is set.
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

struct ShellScript {
    std::vector<Command> commands;  // in their order; the words of an array are a command, too
    std::vector<int> unread;        // lines of the branches and loops in which nothing was set
};
ShellScript read_shell_script(std::string_view script, Problems& problems);

}  // namespace shardscope::launch
