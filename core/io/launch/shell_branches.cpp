#include "launch/shell_branches.h"

#include <algorithm>
#include <set>
#include <utility>

namespace shardscope::launch {
namespace {

bool joins(CommandEnd end) { return end == CommandEnd::both || end == CommandEnd::either; }

// Returns whether a test holds whose result only the next command may use.
Truth result_of(Command test, CommandEnd end) {
    return end == CommandEnd::other ? Truth::unknown : test_of(std::move(test));
}

Truth either(Truth a, Truth b) { return negated(both(negated(a), negated(b))); }

}  // namespace

Truth ShellBranches::running() const {
    Truth out = both(outer_, guard_);
    for (const Branch& branch : branches_) out = both(out, branch.runs);
    return out;
}

bool ShellBranches::is_certain() const {
    return running() == Truth::yes && !is_assumed_ && std::ranges::none_of(branches_, &Branch::is_assumed);
}

void ShellBranches::enter(Truth runs, int line, bool is_if) {
    if (runs == Truth::unknown && running() != Truth::no) unread_.push_back(line);
    branches_.push_back({runs, runs, is_if, is_assumed_});
}

// Begins the next branch of an `if`, whose test is `holds`.
void ShellBranches::next_branch(Truth holds, int line) {
    if (branches_.empty() || !branches_.back().is_if) return;
    Branch& branch = branches_.back();
    const bool known = branch.taken != Truth::unknown;
    branch.runs = both(negated(branch.taken), holds);
    branch.taken = either(branch.taken, branch.runs);
    if (known && branch.runs == Truth::unknown) unread_.push_back(line);
}

// Joins the next test of an `if` to those before it, from left to right as bash does.
void ShellBranches::join(Truth test, CommandEnd end) {
    joined_->holds =
        joined_->by == CommandEnd::both ? both(joined_->holds, test) : either(joined_->holds, test);
    joined_->by = end;
    if (joins(end)) return;
    const JoinedTests tests = *std::exchange(joined_, std::nullopt);
    if (tests.is_if) enter(tests.holds, tests.line, true);
    else next_branch(tests.holds, tests.line);
}

bool ShellBranches::control(const Command& words, CommandEnd end) {
    static const std::set<std::string> kLoops{"for", "while", "until", "select", "case"};
    const std::string& first = words[0].text;
    const int line = words[0].line;
    if (joined_) {
        join(result_of(words, end), end);
    } else if (first == "if" || first == "elif") {
        joined_ = JoinedTests{Truth::yes, CommandEnd::both, first == "if", line};
        join(result_of({words.begin() + 1, words.end()}, end), end);
    } else if (kLoops.contains(first)) {
        enter(Truth::unknown, line, false);
    } else if (first == "fi" || first == "done" || first == "esac") {
        if (!branches_.empty() && !branches_.back().group) branches_.pop_back();
    } else {
        return false;
    }
    guard_ = Truth::yes;
    if (!joined_) is_assumed_ = end != CommandEnd::line;
    return true;
}

void ShellBranches::begin_group(ShellGroup group) {
    const Truth runs = group.function.empty() ? guard_ : Truth::no;
    branches_.push_back({runs, runs, false, is_assumed_, std::move(group)});
    guard_ = Truth::yes;
    is_assumed_ = false;
}

std::optional<ShellGroup> ShellBranches::end_group() {
    if (branches_.empty() || !branches_.back().group) return std::nullopt;
    std::optional<ShellGroup> group = std::move(branches_.back().group);
    branches_.pop_back();
    const bool is_defined = !group->function.empty() && running() != Truth::no;
    return is_defined ? std::move(group) : std::nullopt;
}

void ShellBranches::end_command(const Command& words, CommandEnd end) {
    const bool decides = is_test(words) || (!words.empty() && words[0].text == "((");
    is_assumed_ = end != CommandEnd::line && (is_assumed_ || !decides);
    if (words.empty() && end != CommandEnd::line) return;
    const Truth ran = std::exchange(guard_, Truth::yes);
    if (!joins(end)) return;
    if (!decides) {
        // What follows || most likely does not run, so that it sets nothing, but it may be the command.
        guard_ = end == CommandEnd::both ? ran : ran == Truth::no ? Truth::yes : Truth::unknown;
        return;
    }
    // [ … ] && NAME=value
    const Truth holds = test_of(words);
    guard_ = both(ran, end == CommandEnd::both ? holds : negated(holds));
    if (guard_ == Truth::unknown && ran != Truth::unknown && running() != Truth::no)
        unread_.push_back(words[0].line);
}

}  // namespace shardscope::launch
