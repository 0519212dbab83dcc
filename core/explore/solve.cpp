#include "explore/solve.h"

#include <cmath>

#include "explore/sweep.h"

namespace shardscope {
namespace {

bool meets(const Scenario& scenario, P id, double value, Output output, Comparison comparison, double target,
           Answer& scratch) {
    if (!answer_into(edited(scenario, id, value), scratch)) return false;
    const double reached = value_of(output, scratch);
    if (std::isnan(reached)) return false;
    return comparison == Comparison::at_least ? reached >= target : reached <= target;
}

}  // namespace

std::optional<double> solve(const Scenario& scenario, P id, double low, double high, Output output,
                            Comparison comparison, double target) {
    constexpr int kScan = 240;
    const Axis axis = make_axis(scenario, id, low, high, kScan, parameter(id).logarithmic && low > 0);
    Answer scratch;
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
        if (!meets(scenario, id, axis.values[i], output, comparison, target, scratch)) continue;
        if (i == 0) return axis.values[0];
        // The scan brackets the edge; bisection finds it to a part in 10⁹ or to the step of a whole number.
        double miss = axis.values[i - 1];
        double hit = axis.values[i];
        const bool whole = parameter(id).whole;
        for (int step = 0; step < 60 && (whole ? hit - miss > 1 : hit - miss > 1e-9 * hit); ++step) {
            double middle = (miss + hit) / 2;
            if (whole) middle = nearest_valid(id, std::floor(middle), scratch.settings);
            if (middle <= miss || middle >= hit) break;
            (meets(scenario, id, middle, output, comparison, target, scratch) ? hit : miss) = middle;
        }
        return hit;
    }
    return std::nullopt;
}

}  // namespace shardscope
