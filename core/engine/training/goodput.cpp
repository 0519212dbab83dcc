#include "training/goodput.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

double optimal_interval(const Failures& f) {
    const double mean = f.mean_time_between;
    const double cost = f.checkpoint / mean;
    if (std::isinf(mean)) return mean;
    // As a function of x = τ/M the left side starts at δ/M and falls ever more steeply. Two upper bounds of
    // the root are Young's interval and 1 − e^(−1−δ/M), which follows from x ≤ 1. From the smaller of them
    // Newton's method approaches the root from above.
    double x = std::min(std::sqrt(2 * cost), -std::expm1(-1 - cost));
    for (int i = 0; i < 50 && x > 0; ++i) {
        const double next = x + (std::log1p(-x) + x + cost) * (1 - x) / x;
        if (!(next < x)) break;
        x = next;
    }
    return x * mean;
}

double goodput(const Failures& f, double interval) {
    const double mean = f.mean_time_between;
    if (std::isinf(mean)) return std::isinf(interval) ? 1 : interval / (interval + f.checkpoint);
    // Checkpoints that take no time can be written continuously; then only restarts cost time.
    if (!(interval > 0)) return f.checkpoint > 0 ? 0 : std::exp(-f.restart / mean);
    return interval / (mean * std::exp(f.restart / mean) * std::expm1((interval + f.checkpoint) / mean));
}

}  // namespace shardscope
