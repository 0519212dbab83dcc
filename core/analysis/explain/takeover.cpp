#include "explain/takeover.h"

#include <cmath>

namespace shardscope {
namespace {

bool is_network(Wall wall) { return wall == Wall::inter_node || wall == Wall::intra_node; }

Wall wall_at(const Scenario& scenario, P id, double value, Answer& scratch) {
    Scenario trial = scenario;
    trial.give(id, value);
    return answer_into(trial, scratch) ? scratch.estimate.wall : Wall::memory;
}

}  // namespace

std::optional<Takeover> nearest_takeover(const Answer& answer) {
    if (!answer.fits() || answer.settings[P::gpus] <= 1) return std::nullopt;
    const Wall now = answer.estimate.wall;
    if (now == Wall::balanced) return std::nullopt;
    const bool spans_nodes =
        answer.compiled.layout.shard.nodes > 1 || answer.compiled.layout.replica.nodes > 1;
    const bool inside = now == Wall::intra_node || (now != Wall::inter_node && !spans_nodes);
    const P id = inside ? P::intra_node_bandwidth : P::inter_node_bandwidth;
    const bool down = !is_network(now);
    const Parameter& row = parameter(id);
    const double end = down ? row.slider_low : row.slider_high;
    const double start = answer.settings[id];
    if (down ? end >= start : end <= start) return std::nullopt;

    // A scan brackets the first change of the wall, and bisection finds it.
    constexpr int kScan = 24;
    Answer scratch;
    double same = start;
    for (int i = 1; i <= kScan; ++i) {
        double other = start * std::pow(end / start, static_cast<double>(i) / kScan);
        const Wall met = wall_at(answer.scenario, id, other, scratch);
        if (met == now || met == Wall::balanced) {
            same = other;
            continue;
        }
        constexpr int kHalvings = 12;
        for (int step = 0; step < kHalvings; ++step) {
            const double middle = std::sqrt(same * other);
            (wall_at(answer.scenario, id, middle, scratch) == met ? other : same) = middle;
        }
        return Takeover{id, other, down, met};
    }
    return std::nullopt;
}

}  // namespace shardscope
