// Follows the branches, loops and groups of a shell script, and tells whether the commands in them run. That
// is not known where it depends on a value that is not known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/shell_cursor.h"
#include "launch/shell_tests.h"
#include "launch/shell_words.h"

namespace shardscope::launch {

// What ends a command: a line or ;, &&, ||, or & or |.
enum class CommandEnd { line, both, either, other };

// { … }, which is the body of a function if that has a name.
struct ShellGroup {
    std::string function;
    ShellCursor body;
};

class ShellBranches {
  public:
    // `outer` tells whether the script itself runs. Adds to `unread` the lines of loops, and of tests whose
    // result is not known.
    ShellBranches(Truth outer, std::vector<int>& unread) : outer_(outer), unread_(unread) {}

    // Returns whether the next command runs.
    [[nodiscard]] Truth running() const;
    // Returns whether the next command runs whatever the results of other commands are. `running` assumes
    // that those before && and || succeed if they are no tests.
    [[nodiscard]] bool is_certain() const;

    // Handles a command that begins or ends a branch or a loop, or is a test of an `if`; returns whether it
    // is one.
    bool control(const Command& words, CommandEnd end);
    // Begins the branch of `else`.
    void begin_else(int line) { next_branch(Truth::yes, line); }
    // Begins a group. The commands of a function do not run where they stand.
    void begin_group(ShellGroup group);
    // Ends a group that has begun last; returns it if it is a function that the script defines.
    std::optional<ShellGroup> end_group();
    // Ends a command of another kind. A test before && or || decides whether the next command runs; after
    // another command and || that is not known.
    void end_command(const Command& words, CommandEnd end);

  private:
    struct Branch {
        Truth runs = Truth::yes;  // whether its current branch runs
        Truth taken = Truth::no;  // of an `if`: whether this or an earlier branch runs
        bool is_if = false;
        bool is_assumed = false;  // it follows && or || after a command whose result is assumed
        std::optional<ShellGroup> group{};
    };
    // The tests of an `if` that are read so far, and what joins the next one to them.
    struct JoinedTests {
        Truth holds;
        CommandEnd by;
        bool is_if;  // of an `if`, otherwise of an `elif`
        int line;
    };

    void enter(Truth runs, int line, bool is_if);
    void next_branch(Truth holds, int line);
    void join(Truth test, CommandEnd end);

    Truth outer_;
    std::vector<int>& unread_;
    std::vector<Branch> branches_;
    std::optional<JoinedTests> joined_;
    Truth guard_ = Truth::yes;  // whether the test before && or || lets the next command run
    bool is_assumed_ = false;   // whether the next command follows such a command
};

}  // namespace shardscope::launch
