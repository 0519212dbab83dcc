// Answers over one or more varied parameters, for sweeps, scaling curves and maps.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

struct Axis {  // a parameter and the values it takes
    P id = P::gpus;
    std::vector<double> values;
};

// `steps` points from `from` to `to`, both included, moved to the nearest valid values, without duplicates.
Axis make_axis(const Scenario& scenario, P id, double from, double to, int steps, bool logarithmic);
// Returns whether an axis is discrete, so that a plot draws no line between its values: choices, and degrees
// of parallelism.
bool is_discrete(P id);
// The default axis of a plot: the slider's range.
Axis default_axis(const Scenario& scenario, P id, int steps);
// Reads "KEY=FROM:TO:STEPS[:log]" or "KEY=a,b,c". Returns nothing if there is a problem.
std::optional<Axis> parse_axis(const Scenario& scenario, const std::string& text, Problems& problems);

// The number of combinations of the axes' values, and the indices of one of them; the last axis varies
// fastest.
std::size_t combinations(const std::vector<Axis>& axes);
std::vector<std::size_t> indices_of(const std::vector<Axis>& axes, std::size_t combination);
// Computes the answer of the scenario with these values assigned; no other value is changed. Returns false if
// they are not valid together; then `reason_of(out)` explains why.
bool answer_point(const Scenario& scenario, const std::vector<Axis>& axes, const std::vector<std::size_t>& at,
                  Answer& out);

// The reason why a point is invalid, in one line: all problems of its values.
std::string reason_of(const Answer& point);

// The results that a curve shows at one point.
struct CurvePoint {
    double x = 0;
    bool valid = false;
    Verdict verdict = Verdict::does_not_fit;
    Wall wall = Wall::memory;
    double mfu = 0;  // as if it fitted
    double tokens_per_s = 0;
    double tokens_per_s_per_gpu = 0;
    double band_low = 0;  // of tokens/s/GPU
    double band_high = 0;
    double peak_memory = 0;
    double sharded_memory = 0;  // the model states, a part of it: weights, gradients, optimizer
    double ideal_mfu = 0;
    double ideal_tokens_per_s_per_gpu = 0;
    double run_tokens = 0;  // of the whole run, with those that its large batch and failures add
    [[nodiscard]] bool fits() const { return valid && verdict != Verdict::does_not_fit; }
};
using Curve = std::vector<CurvePoint>;
CurvePoint curve_point(double x, const Answer& answer, bool valid);
// The curve is cut short when it was stopped.
Curve curve(const Scenario& scenario, const Axis& axis, const std::stop_token& stop = {});

}  // namespace shardscope
