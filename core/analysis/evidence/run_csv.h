// Tables of measured runs as CSV, one run per row.
#pragma once

#include <string_view>
#include <vector>

#include "evidence/runs.h"

namespace shardscope {

// Returns whether a header row is that of such a table, possibly with missing columns.
bool is_run_header(std::string_view line);
std::vector<MeasuredRun> read_run_csv(std::string_view csv, Problems& problems);
// The scenario of a row. What no column states has the usual value of the GPU and the model family.
Scenario scenario_of_csv(const MeasuredRun& run, const Catalogue& catalogue, Problems& problems);

}  // namespace shardscope
