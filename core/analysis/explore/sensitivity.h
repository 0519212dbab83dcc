// What each input is worth: it is made smaller and larger, all else held, and the inputs are ranked by what
// that does to one output.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <stop_token>
#include <vector>

#include "explain/output.h"
#include "planner/answer.h"

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
    double capacity = 0;                                      // usable bytes there
};

struct SensitivityBar {  // what less and more of one input would do
    P id = P::count;
    double now = 0;  // the input
    // Empty where no valid value lies that way, or none that can be used.
    std::optional<SensitivityEnd> less, more;
    double effect = 0;   // the larger |change of the output| ÷ its value
    bool mends = false;  // the scenario does not fit, one of the ends does
};

struct Sensitivity {  // of one output to every input
    Output output = Output::mfu;
    Change change = Change::half_and_double;
    bool fits = false;                 // the scenario as it is
    double now = 0;                    // the output, as if it fitted
    std::vector<SensitivityBar> bars;  // those that mend first, then by their effect
    std::size_t without_effect = 0;    // inputs that change less than kNoEffect and are left out
};
inline constexpr double kNoEffect = 0.001;  // of the output's value

// Inputs are all numbers of the parameter table that the window shows and that are not zero. What is
// automatic in `scenario` is planned anew at every end; `locked` gives the plan held. A stopped one returns
// what means nothing.
Sensitivity sensitivity(const Scenario& scenario, Output output, Change change, unsigned threads = 1,
                        const std::stop_token& stop = {});

// The scenario with one of the five rates `factor` times as high; for `latency` every latency and host time
// is as much shorter. What is automatic stays so.
Scenario with_rate(const Answer& base, Rate rate, double factor);

// E29 with the plan found anew: the change of ln(tokens/s) between the best plan at (1 − δ) and the one at
// (1 + δ) of a rate, ÷ that of ln(rate). Plans change in steps: for a small δ none does, and this is the
// elasticity with the plan held. Hence δ is that of the ±10 % bars: what the rate is worth within reach of a
// purchase. The plan held is one to choose from at either end, for memory does not depend on rates (and the
// planner's micro-batch between the slider's values is a step after its search, which another plan may make
// smaller). So a faster rate brings at least as much as with the plan held, a slower one costs at most as
// much, and these do not sum to one. Nothing when the scenario does not fit, or when asked to stop.
inline constexpr double kRateStep = 0.1;  // δ
std::optional<std::array<double, kRates>> planned_elasticity(const Answer& base, unsigned threads = 1,
                                                             const std::stop_token& stop = {});

}  // namespace shardscope
