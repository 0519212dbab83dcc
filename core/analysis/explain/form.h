// How an output is found in a scenario: the formula of its row (outputs.inc), or the one that holds here.
#pragma once

#include <string>
#include <string_view>

#include "explain/output.h"

namespace shardscope {

struct Form {
    std::string formula;       // in the language spoken; empty where there is none
    std::string_view symbols;  // of the formula, in its order
};

// Of a valid answer: as the chosen convention counts, the chosen law, schedule, sharding and offload say, and
// where the peak of memory is.
Form form_of(Output id, const Answer& answer);

}  // namespace shardscope
