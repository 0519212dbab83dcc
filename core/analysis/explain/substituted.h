// A formula with the values of its symbols in their places.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace shardscope {

// The right side of "E = s · b ÷ c_p" as "2,048 · 2 ÷ 1", by `value` of "s", "b" and "c_p"; symbols without a
// value, and words, stay. Empty where nothing has a value, and of what is no one expression: a rule in two
// parts, an equation to be solved, a derivative.
std::string substituted(std::string_view formula,
                        const std::function<std::string(std::string_view symbol)>& value);

}  // namespace shardscope
