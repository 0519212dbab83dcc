// Tables of measured runs as JSON Lines, one run per line with its whole scenario.
#pragma once

#include <string_view>
#include <vector>

#include "evidence/runs.h"

namespace shardscope {

std::vector<MeasuredRun> read_run_lines(std::string_view text, Problems& problems);
// The scenario of a row. What it does not state has the stack's usual value.
Scenario scenario_of_json(const MeasuredRun& run, const Catalogue& catalogue, Problems& problems);

}  // namespace shardscope
