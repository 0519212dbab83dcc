#include "training/goodput.h"

#include <algorithm>
#include <cmath>

namespace shardscope {

double optimal_interval(const Failures& f) {
    const double mean = f.mean_time_between;
    const double cost = f.checkpoint / mean;
    if (std::isinf(mean)) return mean;
    // In x = τ/M the function falls from δ/M ever more steeply. Young's interval and the one that leaves
    // e^(−x) out lie right of the root, and from there Newton's steps only come closer.
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
    // Free checkpoints may be written all the time: then only restarts are lost.
    if (!(interval > 0)) return f.checkpoint > 0 ? 0 : std::exp(-f.restart / mean);
    return interval / (mean * std::exp(f.restart / mean) * std::expm1((interval + f.checkpoint) / mean));
}

}  // namespace shardscope
