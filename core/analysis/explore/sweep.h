// One or more parameters against any outputs: the engine of sweeps, scaling curves and sliders' tracks.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

struct Axis {  // a parameter and the values it takes
    P id = P::count;
    std::vector<double> values;
};

// `steps` points from `from` to `to`, both included, snapped to valid values, duplicates dropped.
Axis make_axis(const Scenario& scenario, P id, double from, double to, int steps, bool logarithmic);
// Whether nothing lies between two values of an axis: choices, and degrees of parallelism.
bool stands_apart(P id);
// The axis a plot shows when nobody says otherwise: the slider's range.
Axis usual_axis(const Scenario& scenario, P id, int steps);
// "KEY=FROM:TO:STEPS[:log]" or "KEY=a,b,c". On a problem the axis has no values.
Axis parse_axis(const Scenario& scenario, const std::string& text, Problems& problems);

// How many combinations of the axes' values there are, and the indices of one of them: the last axis runs
// fastest.
std::size_t combinations(const std::vector<Axis>& axes);
std::vector<std::size_t> indices_of(const std::vector<Axis>& axes, std::size_t combination);
// The answer of the scenario with these values: what an estimate of it says. No other value follows. False
// where they cannot be used together; then `reason_of(out)` says why.
bool answer_point(const Scenario& scenario, const std::vector<Axis>& axes, const std::vector<std::size_t>& at,
                  Answer& out);

// Why a point is invalid, in one line: all problems of its values.
std::string reason_of(const Answer& point);

// What a curve needs of one point.
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
    double ideal_mfu = 0;
    double ideal_tokens_per_s_per_gpu = 0;
    double run_tokens = 0;  // of the whole run, with what its batch adds and failures cost
    [[nodiscard]] bool fits() const { return valid && verdict != Verdict::does_not_fit; }
};
using Curve = std::vector<CurvePoint>;
CurvePoint curve_point(double x, const Answer& answer, bool valid);
// Ends where it is asked to stop.
Curve curve(const Scenario& scenario, const Axis& axis, const std::stop_token& stop = {});

}  // namespace shardscope
