// What each input is worth: it is made smaller and larger, all else held, and the inputs are ranked by what
// that does to one output.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <stop_token>
#include <vector>

#include "estimate/answer.h"
#include "explain/output.h"

namespace shardscope {

enum class Change { half_and_double, ten_percent };
// The factors of an input: 0.5 and 2, or 0.9 and 1.1.
std::array<double, 2> factors(Change change);

// One end of a bar: the input at the valid value nearest to a factor of its own.
struct SensitivityEnd {
    double x = 0;  // the input
    bool fits = false;
    double value = std::numeric_limits<double>::quiet_NaN();  // the output; NaN where it means nothing
    double as_if = std::numeric_limits<double>::quiet_NaN();  // the same as if it fitted: for ranking only
};

struct SensitivityBar {
    P id = P::count;
    double now = 0;  // the input
    // Empty where no valid value lies that way, or none that can be used.
    std::optional<SensitivityEnd> less, more;
    double effect = 0;  // the larger |change of the output| ÷ its value
};

struct Sensitivity {
    Output output = Output::mfu;
    Change change = Change::half_and_double;
    double now = 0;                    // the output, as if it fitted
    std::vector<SensitivityBar> bars;  // largest effect first
    std::size_t without_effect = 0;    // inputs that change less than kNoEffect and are left out
};
inline constexpr double kNoEffect = 0.001;  // of the output's value

// Inputs are all numbers of the parameter table that the window shows and that are not zero. What is
// automatic in `scenario` is planned anew at every end; `locked` gives the plan held.
Sensitivity sensitivity(const Scenario& scenario, Output output, Change change,
                        const std::stop_token& stop = {});

}  // namespace shardscope
