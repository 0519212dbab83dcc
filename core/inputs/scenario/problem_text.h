// Builds the messages about values that break a rule.
#pragma once

#include <string>

#include "parameters/settings.h"
#include "text/problem.h"

namespace shardscope {

// Returns the JSON pointer to the value in a scenario file: "/training/micro_batch".
std::string pointer_to(P id);
// Returns "micro_batch is 3". A fraction is shown with all its digits if a whole number is required.
std::string value_description(P id, const Settings& settings);
// Returns the message that the value of `id` is wrong.
Problem value_problem(P id, const Settings& settings, std::string why, std::string what_to_do);

// Returns "use 8" with the valid value of `id` that is nearest to its current one.
std::string suggest_nearest(P id, const Settings& settings);
// Returns "use 8 or 16" with the multiples of `step` below and above `value`.
std::string suggest_multiples(double value, double step);
// Returns "use 8 or 16 of them, or …" with `instead` at the end.
std::string suggest_multiples_or(double value, double step, const std::string& instead);

// Returns the number as messages show it.
std::string count_text(double value);

}  // namespace shardscope
