// What a command would change, in a few words.
#pragma once

#include <QString>

#include "planner/answer.h"

namespace shardscope {

// Returns what follows if `changed` replaces the scenario of `now`: "MFU 39.9 % → 41.2 %", or why there is no
// MFU. The plan of `changed` must be locked, so that this takes no longer than a frame; the text says so
// where the plan of `now` is automatic.
QString predicted(const Scenario& changed, const Answer& now);

}  // namespace shardscope
