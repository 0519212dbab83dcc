// Writes the result of an estimate as JSON (one line) and as text for people.
#pragma once

#include <string>

#include "planner/answer.h"

namespace shardscope {

// Returns one line of JSON without a newline at the end. Times are null where the scenario does not fit,
// unless `hypothetical` is true. With `operators` the result lists all operators: each one's shape, FLOPs,
// bytes, weights, saved bytes, times and limiting resource.
std::string result_json(const Answer& answer, bool hypothetical = false, bool operators = false);
// Returns `{"name", "verdict": "invalid", "reason"}` as one line of JSON.
std::string invalid_json(const std::string& name, const Problems& problems);
// Returns the scenario as one line of JSON if the engine computed an impossible value for it, so that it can
// be reported with impossible_problem. Otherwise, and where an MFU set by hand is the cause, the text is
// empty.
std::string scenario_to_report(const Answer& answer);
std::string result_text(const Answer& answer, bool hypothetical = false, bool operators = false);

}  // namespace shardscope
