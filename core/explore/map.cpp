#include "explore/map.h"

#include <algorithm>
#include <cmath>

#include "explore/jobs.h"
#include "planner/planner.h"

namespace shardscope {
namespace {

// Whether `value` lies nearer to the axis's i-th value than to its neighbours: half a step is a cell's edge.
bool is_in_cell(const Axis& axis, std::size_t i, double value) {
    const double own = axis.values[i];
    if (value == own) return true;
    const std::size_t other = value > own ? i + 1 : i - 1;  // before the first: beyond the end, too
    if (other >= axis.values.size()) return false;
    return std::fabs(value - own) <= std::fabs(axis.values[other] - own) / 2;
}

}  // namespace

MapCell map_cell(const Answer& answer, bool valid) {
    MapCell cell;
    cell.valid = valid;
    if (!valid) return cell;
    const Estimate& e = answer.estimate;
    cell.verdict = e.verdict;
    cell.wall = e.wall;
    cell.mfu = e.mfu;
    cell.tokens_per_s_per_gpu = e.tokens_per_s_per_gpu;
    cell.peak_memory = e.memory.peak;
    cell.memory_share = e.memory.peak / (e.memory.capacity + e.memory.margin);
    const bool gathers = answer.settings.choice<Sharding>(P::sharding) >= Sharding::zero3;
    if (gathers && e.ideal.threshold_tokens > 0)
        cell.ideal_cover = answer.compiled.tokens_per_micro_batch / e.ideal.threshold_tokens;
    cell.elasticity = e.elasticity;
    return cell;
}

bool map_axis_stands_apart(P id, const Settings& settings) {
    switch (id) {
        case P::tensor_parallel:
        case P::context_parallel:
        case P::pipeline_parallel:
        case P::expert_parallel:
        case P::virtual_stages: return true;
        default: break;
    }
    const Parameter& row = parameter(id);
    return row.named_only || (!row.logarithmic && !domain(id, settings).stops.empty());
}

Axis map_axis(const Scenario& scenario, P id, int steps) {
    const Settings settings = resolve(making_room(scenario, id));
    const Domain range = domain(id, settings);
    const double now = settings[id];
    if (map_axis_stands_apart(id, settings)) {
        Axis axis{id, range.stops};
        if (std::ranges::find(axis.values, now) == axis.values.end()) axis.values.push_back(now);
        return axis;
    }
    double high = range.high;
    // The slider reaches to lengths that hardly any plan fits: most of the map would be hatched.
    constexpr double kLongest = 32768;
    if (id == P::sequence_length) high = std::min(high, kLongest);
    const double low = std::min(range.low, now);
    return make_axis(scenario, id, low, std::max(high, now), steps, parameter(id).logarithmic && low > 0);
}

WallMap wall_map(const Scenario& scenario, const Axis& x, const Axis& y, unsigned threads,
                 const std::stop_token& stop) {
    const std::size_t columns = x.values.size();
    const std::size_t rows = y.values.size();
    WallMap out{x, y, std::vector<MapCell>(columns * rows)};
    parallel_for(columns, threads, [&](std::size_t ix) {
        Answer scratch;
        const Scenario column = edited(scenario, x.id, x.values[ix]);
        std::optional<Plan> below;
        for (std::size_t iy = 0; iy < rows && !stop.stop_requested(); ++iy) {
            // Planning takes longer than the rest and must be stopped, too.
            const auto plan = planned(edited(column, y.id, y.values[iy]), 1, stop, below ? &*below : nullptr);
            if (!plan) return;
            const bool valid = answer_into(locked(*plan), scratch) &&
                               is_in_cell(x, ix, scratch.settings[x.id]) &&
                               is_in_cell(y, iy, scratch.settings[y.id]);
            out.cells[iy * columns + ix] = map_cell(scratch, valid);
            below = plan_of(scratch.settings);
        }
    });
    if (stop.stop_requested()) out.cells.clear();
    return out;
}

}  // namespace shardscope
