#include "evidence/likely_range.h"

#include <algorithm>
#include <cmath>

#include "evidence/coverage.h"

namespace shardscope {
namespace {

// The share by which the lower end of the band falls close to the capacity. There the caching allocator may
// free and allocate memory again, which costs up to a fifth of the throughput in some runs and nothing in
// others: MPT-70B runs at 35.9 % MFU on 64 A100-40 with micro-batch 2 and at 48.9 % on 128 with micro-batch 4
// (mosaicml/llm-foundry, benchmark tables). The estimate does not model these retries.
double allocator_tail(const MemoryUse& memory) {
    constexpr double kFrom = 0.80;
    constexpr double kFull = 0.87;
    constexpr double kMost = 0.2;
    return kMost * std::clamp((memory.peak / memory.capacity - kFrom) / (kFull - kFrom), 0.0, 1.0);
}

}  // namespace

double half_width(double error_band, double distance_band, double distance) {
    constexpr double kMost = 2;
    const double differences = std::min(kMost, distance < 1 ? -std::log1p(-distance) : kMost);
    return std::hypot(std::log1p(error_band), std::log1p(distance_band) * differences * differences);
}

LikelyRange likely_range(const Answer& answer) {
    const double rate = answer.estimate.tokens_per_s_per_gpu;
    const Settings& s = answer.settings;
    if (s[P::mfu_override] > 0) return {rate, rate};
    const double half = half_width(s[P::error_band], s[P::distance_band], distance_to_runs(s));
    return {rate * std::exp(-half) * (1 - allocator_tail(answer.estimate.memory)), rate * std::exp(half)};
}

}  // namespace shardscope
