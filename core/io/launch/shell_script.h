// Reads a shell script into its commands, with the words that the shell would pass to them. Nothing is run.
//
// Read are quotes, continued lines and comments; the variables, arrays, arguments and functions that the
// script sets itself, and their expansions (see shell_expansion.h); tests (`if`, `[ … ] && …`); groups and
// subshells; and the directives of a SLURM job (#SBATCH), which set the variables that SLURM sets from them.
// The commands that are given to another shell are read, too: by `sh -c`, and by a here-document that is the
// input of a shell or of sbatch, or becomes a file that one of them runs.
//
// A word that depends on something else, such as a variable of the environment or the output of a command,
// names that expression as unknown. Where a test depends on such a word, and in loops and `case`, the
// commands are returned but nothing that they would set is set, and the line is named. Commands whose effect
// is not read, such as `read` and `eval`, make the variables unknown that they set. A quote or a list that
// does not end, and variables that expand to more than 4 MiB, are problems. What follows an `exit` or
// `return` that certainly runs is not read. A file that `source` names is read only if the script writes it;
// the line is named if the script uses variables after it that it has set before, or defaults.
#pragma once

#include <string_view>
#include <vector>

#include "launch/shell_words.h"
#include "launch/slurm_directives.h"
#include "text/problem.h"

namespace shardscope::launch {

struct ShellScript {
    std::vector<Command> commands;  // in their order; the words of an array are a command, too
    std::vector<int> unread;        // lines of the branches and loops in which nothing was set
    std::vector<int> sourced;       // lines of the files that are not read and may set variables that it uses
    SlurmJob slurm;                 // its directives
};
ShellScript read_shell_script(std::string_view script, Problems& problems);

}  // namespace shardscope::launch
