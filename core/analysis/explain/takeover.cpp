#include "explain/takeover.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

// Returns the first value from `start` to `end` at which another wall binds. `other_wall(value)` returns the
// wall there, or nothing while the present one stays.
template <typename Find>
std::optional<Takeover> first_change(double start, double end, const Find& other_wall) {
    // A scan brackets the first change, and bisection finds it.
    constexpr int kScan = 24;
    constexpr int kHalvings = 16;
    double same = start;
    for (int i = 1; i <= kScan; ++i) {
        double other = start * std::pow(end / start, static_cast<double>(i) / kScan);
        const std::optional<Wall> met = other_wall(other);
        if (!met) {
            same = other;
            continue;
        }
        for (int step = 0; step < kHalvings; ++step) {
            const double middle = std::sqrt(same * other);
            (other_wall(middle) == met ? other : same) = middle;
        }
        return Takeover{other, *met};
    }
    return std::nullopt;
}

Takeovers along(P id, const Answer& answer) {
    const Scenario held = locked(answer.scenario);
    const Wall now = answer.estimate.wall;
    Answer there;
    const auto other_wall = [&](double value) -> std::optional<Wall> {
        if (!answer_into(edited(held, id, value), there)) return std::nullopt;
        const Wall met = there.estimate.wall;
        // No other wall has taken over from a balanced step yet.
        const bool changed = now == Wall::memory ? there.estimate.verdict == Verdict::fits
                                                 : met != now && met != Wall::balanced;
        return changed ? std::optional(met) : std::nullopt;
    };
    const Parameter& row = parameter(id);
    const double start = answer.settings[id];
    Takeovers out;
    out.input = id;
    if (start > row.slider_low) out.below = first_change(start, row.slider_low, other_wall);
    // The memory that would be enough is named even if no GPU has so much.
    const double most = now == Wall::memory ? row.maximum : row.slider_high;
    if (start < most) out.above = first_change(start, most, other_wall);
    return out;
}

}  // namespace

Takeovers takeovers(const Answer& answer) {
    if (!answer.valid()) return {};
    const Wall now = answer.estimate.wall;
    if (now == Wall::host_link) return along(P::host_bandwidth, answer);
    if (now == Wall::memory) return along(P::memory, answer);
    if (answer.settings[P::gpus] > 1) {
        const auto& layout = answer.compiled.layout;
        const bool spans_nodes = layout.shard.nodes > 1 || layout.replica.nodes > 1;
        const bool inside = now == Wall::intra_node || (now != Wall::inter_node && !spans_nodes);
        const Takeovers link = along(inside ? P::intra_node_bandwidth : P::inter_node_bandwidth, answer);
        if (link.below || link.above) return link;
    }
    if (now == Wall::compute) return along(P::peak_flops, answer);
    if (now == Wall::memory_bandwidth) return along(P::memory_bandwidth, answer);
    return {};
}

}  // namespace shardscope
