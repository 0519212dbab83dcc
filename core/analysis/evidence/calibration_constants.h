// The constants that a calibration may change, with their physical ranges. To let a calibration fit another
// constant, add a row in calibration_constants.cpp.
#pragma once

#include <span>
#include <string_view>

#include "parameters/parameter.h"
#include "parameters/settings.h"

namespace shardscope {

enum class Scope : unsigned char { everywhere, gpu, stack };

// A constant that a calibration may change: its scope, how far it may be from its prior, and its physical
// range. A fit that wants to leave the range shows that an effect is missing.
struct ConstantRow {
    P id;
    Scope scope;
    double width;  // one standard deviation, in ln(value), or in the value itself
    double low, high;
    bool logarithmic = true;     // false where 0 is a good value
    bool has_threshold = false;  // has no effect below some value, because something else takes longer
};

std::span<const ConstantRow> calibration_constants();
// Returns the largest value that the constant of this part may have in a run with these settings, at least
// `row.low`.
double highest_of(const ConstantRow& row, std::string_view part, const Settings& settings);
// Convert a value to the unknown of the solver and back.
double inward(const ConstantRow& row, double value);
double outward(const ConstantRow& row, double x);

}  // namespace shardscope
