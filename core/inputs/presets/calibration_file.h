// Calibrations as files: what `calibrate` writes, what ships in presets/fits, what `--calibration` reads.
//
// A file holds values for named parts: one for all ("everywhere"), one in place of all others ("values"), and
// one each for a GPU's, a fabric's or a software stack's calibration preset, which they replace value by
// value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenario/preset.h"
#include "text/problem.h"

namespace shardscope {

// Returns whether a calibration file may hold the parameter: an assumption or a latency.
bool is_constant(P id);

// Reads a file's text. On problems the result is empty.
std::vector<PartValues> read_calibration(std::string_view text, Problems& problems);

// As JSON, the same bytes for the same input. `source` says what the constants were fitted to.
std::string write_calibration(const std::vector<PartValues>& parts, const std::string& title,
                              const std::string& source);

// A fitted constant as files hold it: to four significant digits, more than any fit can tell.
double four_digits(double value);

}  // namespace shardscope
