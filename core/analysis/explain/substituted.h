// Substitutes values for the symbols of a formula.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace shardscope {

// The right side of "E = s · b ÷ c_p" as "2,048 · 2 ÷ 1", where `value` returns the values of "s", "b" and
// "c_p". Words and symbols without a value stay. Empty if nothing has a value, or if the formula is not a
// single expression: a rule in two parts, an equation to be solved, a derivative.
std::string substituted(std::string_view formula,
                        const std::function<std::string(std::string_view symbol)>& value);

}  // namespace shardscope
