// What two scenarios were told differently: presets and values, without what only follows from them.
#pragma once

#include <string>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

struct Difference {
    P id = P::count;    // count: a preset
    std::string words;  // as the second one has it: "64 GPUs", "inter-node link 400 Gbit/s"
    std::string label;  // "Inter-node link"
    std::string from;   // "200 Gbit/s"
    std::string to;     // "400 Gbit/s"
};

// Inputs of `to` that are not those of `from`: presets first, then the parameters in the order of their
// table. A value that comes with another preset, or follows from others, is not said again. Of the batch only
// what is held is compared.
std::vector<Difference> differences(const Answer& from, const Answer& to);

// "64 GPUs · sequence 8,192", "same settings".
std::string in_words(const std::vector<Difference>& differences);

}  // namespace shardscope
