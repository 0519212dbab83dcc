#include "explain/takeover.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

// Another wall, and whether the link to the host is behind it.
struct OtherWall {
    Wall wall;
    bool host_link = false;
};

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
        std::optional<OtherWall> met = other_wall(other);
        if (!met) {
            same = other;
            continue;
        }
        for (int step = 0; step < kHalvings; ++step) {
            const double middle = std::sqrt(same * other);
            const std::optional<OtherWall> there = other_wall(middle);
            if (there && there->wall == met->wall) {
                other = middle;
                met = there;
            } else {
                same = middle;
            }
        }
        return Takeover{other, met->wall, met->host_link};
    }
    return std::nullopt;
}

Takeovers along(P id, const Answer& answer) {
    const Scenario held = locked(answer.scenario);
    const Wall now = answer.estimate.wall;
    Answer there;
    const auto other_wall = [&](double value) -> std::optional<OtherWall> {
        if (!answer_into(edited(held, id, value), there)) return std::nullopt;
        const Wall met = there.estimate.wall;
        // No other wall has taken over from a balanced step yet.
        const bool changed = now == Wall::memory ? there.estimate.verdict == Verdict::fits
                                                 : met != now && met != Wall::balanced;
        if (!changed) return std::nullopt;
        return OtherWall{met, host_link_is_wall(there.estimate)};
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

bool host_link_is_intra_node(const Estimate& estimate) {
    const double host = estimate.step.term(StepTerm::host_link);
    const double limited =
        estimate.elasticity[static_cast<std::size_t>(Rate::intra_node)] * estimate.step.total;
    // The links between GPUs limit no more than what waits for communication, and than the rest.
    return host > std::min(estimate.exposed_communication(), limited - host);
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
