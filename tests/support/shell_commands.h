// Reading the commands of shell scripts in tests.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "launch/shell_script.h"

namespace shardscope::testing {

using Words = std::vector<std::string>;

// Reads a script that is not refused.
inline std::vector<launch::Command> commands(const std::string& script) {
    Problems problems;
    std::vector<launch::Command> out = launch::read_shell_script(script, problems).commands;
    CHECK(problems.empty());
    return out;
}

// Returns the words of a command, with the expression in place of a word that is not known.
inline Words words(const launch::Command& command) {
    Words out;
    for (const launch::Word& word : command)
        out.push_back(word.text.empty() && !word.unknown.empty() ? "? " + word.unknown : word.text);
    return out;
}

inline Words last(const std::string& script) { return words(commands(script).back()); }

}  // namespace shardscope::testing
