// Splits a shell script into the words that the shell would pass to its commands. It handles quotes,
// continued lines, comments, the variables, arrays, arguments and functions that the script itself sets,
// arithmetic over them, and tests of them (`if`, `[ … ] && …`). Nothing is run: a word that depends on
// variables of the environment, on $(…) or on a form of expansion that is not supported names that expression
// as unknown. Where a test depends on such a value, and in loops and `case`, nothing that the script would
// set is set. The directives of a SLURM job (#SBATCH) set the variables that SLURM sets from them. The
// commands that are given to another shell are read, too: by `sh -c`, and by a here-document that is the
// input of a shell or of sbatch, or becomes a file that one of them runs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/problem.h"

namespace shardscope::launch {

// An expression in a word whose value the environment of the shell decides.
struct FromShell {
    std::size_t at = 0;  // its place in the word's text
    std::string expression;
    int line = 1;
    bool has_default = false;  // ${NNODES:-1}; the text has the default value
    bool is_read = true;       // false for a form of expansion that is not supported, such as ${A/2/4}
};
struct Word {
    std::string text;
    int line = 1;
    std::string unknown;  // the first expression without a known value ("$NNODES"); "": none
    std::vector<FromShell> from_shell;
};
using Command = std::vector<Word>;

struct ShellScript {
    std::vector<Command> commands;  // in their order; the words of an array are a command, too
    std::vector<int> unread;        // lines of the branches and loops in which nothing was set
    long slurm_tasks = 0;           // that the directives of a SLURM job start; 0: not stated
};
ShellScript read_shell_script(std::string_view script, Problems& problems);

}  // namespace shardscope::launch
