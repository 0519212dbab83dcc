// The arithmetic of a shell script.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace shardscope::launch {

// Returns whether a character may be in the name of a variable.
bool in_name(char c);

// Returns the value of a decimal integer; none for any other text.
std::optional<long> integer_of(const std::string& text);

// Returns the value of an expression in $(( … )): + - * / % and parentheses over integers and variables.
// `variable` returns the value of a variable. Returns nothing for an expression that has anything else, or a
// value that is not known or too large.
std::optional<long> arithmetic_value(std::string_view expression,
                                     const std::function<std::optional<long>(const std::string&)>& variable);

// Returns whether an expression in (( … )) sets a variable: by =, += and the like, ++ or --.
bool sets_variable(std::string_view expression);

}  // namespace shardscope::launch
