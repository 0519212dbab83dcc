// The variables of a shell that a script sets, and its arguments, by their names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/shell_words.h"

namespace shardscope::launch {

// The arguments $1, $2, … are the words of the variable "@". A variable that is absent has a value that is
// not known, because the environment may set it.
class ShellVariables {
  public:
    struct Variable {
        Words words;
        std::vector<int> sourced{};  // lines of the `source` commands after the assignment
    };
    // The values before assignments that hold only for a command, a function or a subshell, in the order of
    // the assignments.
    using Saved = std::vector<std::pair<std::string, std::optional<Variable>>>;

    // Returns the words of a variable, of which an array has any number; nullptr where they are not known.
    [[nodiscard]] const Words* find(const std::string& name) const;
    // Returns the lines of the first `source` commands since the variable was set, whose files may have set
    // it.
    [[nodiscard]] const std::vector<int>& sourced_since_set(const std::string& name) const;
    // Returns the number of bytes that a copy of the variables takes, for limits.
    [[nodiscard]] std::size_t bytes() const;

    void set(const std::string& name, Words words) { values_[name] = {std::move(words)}; }
    // Adds words to an array: NAME+=(words …).
    void add(const std::string& name, const Words& words);
    // Appends a value to that of a variable, or of an array's first word: NAME+=value.
    void append(const std::string& name, const Word& value);

    void forget(const std::string& name) { values_.erase(name); }
    // Forgets the variable whose name the text begins with.
    void forget_at_start(std::string_view text);
    // Forgets every variable that the text names, or only those that a "=" follows.
    void forget_named(std::string_view text, bool only_assigned);

    // Marks every variable as one that a file may have set, which is read by `source` in a line.
    void mark_sourced(int line);

    void save(const std::string& name, Saved& saved) const;
    // Gives variables the values that they had when they were saved.
    void restore(Saved& saved);

  private:
    std::map<std::string, Variable> values_;
    std::vector<int> sourced_;  // for variables that are not set
};

}  // namespace shardscope::launch
