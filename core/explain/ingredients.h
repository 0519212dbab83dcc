// The symbols that formulas are written in: each with its meaning and its value in an answer.
#pragma once

#include <string_view>

#include "explain/output.h"

namespace shardscope {

// The ingredient of that symbol; its value is empty when the symbol is not known.
Ingredient ingredient(std::string_view symbol, const Answer& answer);

}  // namespace shardscope
