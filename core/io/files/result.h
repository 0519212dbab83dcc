// The result of an estimate, as JSON (one line) and as text for people.
#pragma once

#include <string>

#include "planner/answer.h"

namespace shardscope {

// One line of JSON without the newline. Times are null where the scenario does not fit, unless
// `hypothetical`.
// With `operators` a list of them: each one's shape, FLOPs, bytes, weights, saved bytes, times and what
// bounds it.
std::string result_json(const Answer& answer, bool hypothetical = false, bool operators = false);
// `{"name", "verdict": "invalid", "reason"}`
std::string invalid_json(const std::string& name, const Problems& problems);
// The scenario as one line of JSON where the engine has made something impossible of it, to be reported with
// impossible_problem; else empty, also where an MFU set by hand is the cause.
std::string scenario_to_report(const Answer& answer);
std::string result_text(const Answer& answer, bool hypothetical = false, bool operators = false);

}  // namespace shardscope
