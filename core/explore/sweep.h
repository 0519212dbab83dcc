// One or more parameters against any outputs: the engine of sweeps, scaling curves and sliders' tracks.
#pragma once

#include <string>
#include <vector>

#include "estimate/answer.h"

namespace shardscope {

struct Axis {
    P id = P::count;
    std::vector<double> values;
};

// `steps` points from `from` to `to`, both included, snapped to valid values, duplicates dropped.
Axis make_axis(const Scenario& scenario, P id, double from, double to, int steps, bool logarithmic);
// The axis a plot shows when nobody says otherwise: the slider's range.
Axis usual_axis(const Scenario& scenario, P id, int steps);
// "KEY=FROM:TO:STEPS[:log]" or "KEY=a,b,c". On a problem the axis has no values.
Axis parse_axis(const Scenario& scenario, const std::string& text, Problems& problems);

// Calls `visit(indices, answer, valid)` for every combination, the last axis running fastest.
template <typename Visit>
void for_each_point(const Scenario& scenario, const std::vector<Axis>& axes, Visit&& visit);

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
    [[nodiscard]] bool fits() const { return valid && verdict != Verdict::does_not_fit; }
};
using Curve = std::vector<CurvePoint>;
CurvePoint curve_point(double x, const Answer& answer, bool valid);
Curve curve(const Scenario& scenario, const Axis& axis);

template <typename Visit>
void for_each_point(const Scenario& scenario, const std::vector<Axis>& axes, Visit&& visit) {
    std::vector<std::size_t> at(axes.size(), 0);
    for (const Axis& axis : axes) {
        if (axis.values.empty()) return;
    }
    Answer scratch;
    while (true) {
        Scenario point = scenario;
        for (std::size_t i = 0; i < axes.size(); ++i)
            point = edited(point, axes[i].id, axes[i].values[at[i]]);
        const bool valid = answer_into(point, scratch);
        visit(at, scratch, valid);
        std::size_t i = axes.size();
        while (i > 0 && ++at[i - 1] == axes[i - 1].values.size()) at[--i] = 0;
        if (i == 0) return;
    }
}

}  // namespace shardscope
