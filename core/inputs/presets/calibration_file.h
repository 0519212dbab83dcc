// Reads and writes calibration files: `calibrate` writes them, presets/fits has the shipped ones, and
// `--calibration` reads them.
//
// A file has values for named parts: defaults for all ("everywhere"), values that replace all others
// ("values"), and one part for each calibration preset of a GPU, a fabric or a software stack, whose values
// it replaces one by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenario/preset.h"
#include "text/problem.h"

namespace shardscope {

// Returns whether a calibration file may hold the parameter: an assumption or a latency.
bool is_constant(P id);

// Reads the text of a calibration file. The result is empty if there are problems.
std::vector<PartValues> read_calibration(std::string_view text, Problems& problems);

// Returns the JSON text of a calibration file, the same bytes for the same input. `source` describes the data
// to which the constants were fitted.
std::string write_calibration(const std::vector<PartValues>& parts, const std::string& title,
                              const std::string& source);

// Rounds a fitted constant for a file to four significant digits, which is more than any fit determines.
double round_to_four_digits(double value);

}  // namespace shardscope
