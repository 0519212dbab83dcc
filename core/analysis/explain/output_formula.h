// The formula of an output in a scenario: that of its row (outputs.inc), or a more specific one.
#pragma once

#include <string>
#include <string_view>

#include "explain/output.h"

namespace shardscope {

struct OutputFormula {
    std::string formula;       // translated; empty if there is none
    std::string_view symbols;  // of the formula, in its order
};

// The formula depends on the chosen FLOPs convention, critical-batch law, schedule, sharding and offload, and
// on the moment of the memory peak. `answer` must be valid.
OutputFormula formula_of(Output id, const Answer& answer);

}  // namespace shardscope
