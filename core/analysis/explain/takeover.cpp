#include "explain/takeover.h"

#include <cmath>

namespace shardscope {
namespace {

// Returns the first value from `start` to `end` at which another wall binds. `other_wall(value)` returns the
// wall there, or nothing while the present one stays.
// `there` receives its answer.
template <typename OtherWall>
std::optional<Takeover> first_change(double start, double end, const Answer& there,
                                     const OtherWall& other_wall) {
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
        other_wall(other);  // so that the answer is the one at this value
        return Takeover{other, *met, host_link_is_wall(there.estimate)};
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
        if (now == Wall::memory)
            return there.estimate.verdict == Verdict::fits ? std::optional(met) : std::nullopt;
        // No other wall has taken over from a balanced step yet.
        return met == now || met == Wall::balanced ? std::nullopt : std::optional(met);
    };
    const Parameter& row = parameter(id);
    const double start = answer.settings[id];
    Takeovers out;
    out.input = id;
    if (start > row.slider_low) out.below = first_change(start, row.slider_low, there, other_wall);
    // The memory that would be enough is named even if no GPU has so much.
    const double most = now == Wall::memory ? row.maximum : row.slider_high;
    if (start < most) out.above = first_change(start, most, there, other_wall);
    return out;
}

}  // namespace

bool host_link_is_intra_node(const Estimate& estimate) {
    return estimate.step.term(StepTerm::host_link) > estimate.exposed_communication();
}

bool host_link_is_wall(const Estimate& estimate) {
    return estimate.wall == Wall::intra_node && host_link_is_intra_node(estimate);
}

Takeovers takeovers(const Answer& answer) {
    if (!answer.valid()) return {};
    const Wall now = answer.estimate.wall;
    if (host_link_is_wall(answer.estimate)) return along(P::host_bandwidth, answer);
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
