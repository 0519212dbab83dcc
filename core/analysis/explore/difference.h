// The differences between the inputs of two scenarios, presets and values, without values that follow from
// others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

struct Difference {
    std::optional<P> id;  // none: a preset
    std::string words;    // describes the second scenario: "64 GPUs", "inter-node link 400 Gbit/s"
    std::string label;    // "Inter-node link"
    std::string from;     // "200 Gbit/s"
    std::string to;       // "400 Gbit/s"
};

// The inputs of `to` that differ from those of `from`: presets first, then the parameters in the order of
// their table. A value that comes with a different preset, or follows from other values, is not listed. Of
// the batch parameters only the held ones are compared.
std::vector<Difference> differences(const Answer& from, const Answer& to);

// "64 GPUs · sequence 8,192", "same settings".
std::string in_words(const std::vector<Difference>& differences);

}  // namespace shardscope
