// The sensitivity of one output to every input. Each input is made smaller and larger while all others are
// held, and the inputs are ranked by the change of the output.
#pragma once

#include <array>
#include <optional>
#include <stop_token>
#include <vector>

#include "containers/no_value.h"
#include "explain/output.h"
#include "planner/answer.h"

namespace shardscope {

enum class Change { half_and_double, ten_percent };
// Returns the factors by which an input is multiplied: 0.5 and 2, or 0.9 and 1.1.
std::array<double, 2> factors(Change change);

// One end of a bar: the input at the valid value nearest to its present value times a factor.
struct SensitivityEnd {
    double x = 0;  // the input
    bool fits = false;
    double value = kNoValue;  // the output; NaN if it does not apply
    double as_if = kNoValue;  // the output as if it fitted, for ranking only
    double capacity = 0;      // usable bytes at this end
};

struct SensitivityBar {  // the results for less and more of one input
    P id;
    double now = 0;  // the input's present value
    // Empty if there is no valid value in that direction, or none that works with the other values.
    std::optional<SensitivityEnd> less, more;
    double effect = 0;       // the larger |change of the output| ÷ its value
    bool makes_fit = false;  // the scenario does not fit, but one of the ends does
};

// The effects of all inputs on one output.
struct Sensitivity {
    Output output = Output::mfu;
    Change change = Change::half_and_double;
    bool fits = false;                 // whether the unchanged scenario fits
    double now = 0;                    // the output of the unchanged scenario, as if it fitted
    std::vector<SensitivityBar> bars;  // those with `makes_fit` first, then by effect
    std::size_t without_effect = 0;    // inputs left out because their effect is below kNoEffect
};
inline constexpr double kNoEffect = 0.001;  // of the output's value

// The inputs are all numeric parameters that the window shows and whose values are above zero. Automatic
// parameters are re-planned at every end; pass `locked(scenario)` to hold the plan. The result is
// meaningless when it was stopped.
Sensitivity sensitivity(const Scenario& scenario, Output output, Change change, unsigned threads = 1,
                        const std::stop_token& stop = {});

// The scenario with one of the five rates multiplied by `factor`. For `intra-node` the bandwidths
// of the host are multiplied, too, and for `latency` all latencies and host times are divided by it.
// Automatic parameters stay automatic.
Scenario with_rate(const Answer& base, Rate rate, double factor);

// E29 with re-planning: the change of ln(tokens/s) from the best plan at (1 − δ) of a rate to the
// best one at (1 + δ), ÷ the change of ln(rate). Plans change in steps. For a small δ no plan changes, and
// the result is the elasticity with the plan held. Therefore δ is that of the ±10 % bars, a change that a
// purchase can make. The present plan is a candidate at both ends, because memory does not depend on rates.
// (It is tried explicitly: the planner raises the micro-batch after its search, so that a different plan may
// end with a smaller one.) So a faster rate gains at least as much as with the plan held and a slower rate
// loses at most as much, and the elasticities do not sum to one. Returns nothing when the scenario does not
// fit, or when it was stopped.
inline constexpr double kRateStep = 0.1;  // δ
std::optional<std::array<double, kRates>> planned_elasticity(const Answer& base, unsigned threads = 1,
                                                             const std::stop_token& stop = {});

}  // namespace shardscope
