// Parts of the messages about values that break a rule.
#pragma once

#include <string>

#include "parameters/settings.h"
#include "text/problem.h"

namespace shardscope {

// "/training/micro_batch": where the value stands in a scenario's file.
std::string pointer_to(P id);
// "micro_batch is 3". Fractions where a whole number belongs are shown with all their digits.
std::string value_in_words(P id, const Settings& settings);
// The message that the value of `id` is wrong.
Problem wrong_value(P id, const Settings& settings, std::string why, std::string what_to_do);

// "use 8": the valid value of `id` that is nearest to its own.
std::string use_nearest(P id, const Settings& settings);
// "use 8 or 16": the multiples of `step` below and above `value`.
std::string use_neighbours(double value, double step);
// "use 8 or 16 of them, or `instead`".
std::string use_neighbours_or(double value, double step, const std::string& instead);

// The number as it is shown in a message.
std::string count_text(double value);

}  // namespace shardscope
