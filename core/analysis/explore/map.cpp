#include "explore/map.h"

#include <algorithm>
#include <cmath>

#include "planner/planner.h"
#include "scenario/domain.h"
#include "scenario/gpu_groups.h"
#include "system/jobs.h"

namespace shardscope {
namespace {

// Returns whether `value` is nearer to the axis's i-th value than to its neighbours. The edges of a cell are
// half a step away from its value.
bool is_in_cell(const Axis& axis, std::size_t i, double value) {
    const double own = axis.values[i];
    if (value == own) return true;
    const std::size_t other = value > own ? i + 1 : i - 1;  // wraps round before the first
    if (other >= axis.values.size()) return false;
    return std::fabs(value - own) <= std::fabs(axis.values[other] - own) / 2;
}

// Compares two plans of one cell as the planner does: a plan that surely fits is better; of two that fit, the
// faster one is, else the one that needs less memory.
bool is_better(const MapCell& a, const MapCell& b) {
    if (a.valid != b.valid) return a.valid;
    const bool fits = a.verdict == Verdict::fits;
    if (fits != (b.verdict == Verdict::fits)) return fits;
    return fits ? a.tokens_per_s_per_gpu > b.tokens_per_s_per_gpu : a.peak_memory < b.peak_memory;
}

// Returns how much of a search's results the next search reuses after a change of this parameter: 2 is the
// most.
int reuse_after_change(P id) {
    switch (id) {
        case P::memory: return 2;
        case P::gpus:
        case P::inter_node_bandwidth:
        case P::inter_node_latency: return 1;
        default: return 0;
    }
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
    cell.memory_share = e.memory.peak / e.memory.most_at_risk();
    const bool gathers = shards_weights(answer.settings);
    if (gathers && e.ideal.threshold_tokens > 0)
        cell.ideal_cover = answer.compiled.tokens_per_micro_batch / e.ideal.threshold_tokens;
    cell.elasticity = e.elasticity;
    cell.links_over_host_link = e.links_over_host_link();
    return cell;
}

bool map_axis_is_discrete(P id, const Settings& settings) {
    return is_discrete(id) || (!parameter(id).logarithmic && !domain(id, settings).stops.empty());
}

Axis map_axis(const Scenario& scenario, P id, int steps) {
    const Settings settings = settings_for_edit(scenario, id);
    const Domain range = domain(id, settings);
    const double now = settings[id];
    if (map_axis_is_discrete(id, settings)) {
        Axis axis{id, range.stops};
        if (std::ranges::find(axis.values, now) == axis.values.end()) axis.values.push_back(now);
        return axis;
    }
    double high = range.high;
    // Hardly any plan fits at the slider's longest sequences, so that most of the map would be hatched.
    constexpr double kLongest = 32768;
    if (id == P::sequence_length) high = std::min(high, kLongest);
    const double low = std::min(range.low, now);
    return make_axis(scenario, id, low, std::max(high, now), steps, parameter(id).logarithmic && low > 0);
}

PlannedMap::PlannedMap(Scenario scenario, Axis x, Axis y, std::size_t stride)
    : scenario_(std::move(scenario)),
      stride_(stride),
      map_{std::move(x), std::move(y), {}},
      x_inner_(reuse_after_change(map_.x.id) > reuse_after_change(map_.y.id)),
      nested_(inner().id == P::memory && std::ranges::is_sorted(inner().values) &&
              !(scenario_.automatic[index(P::micro_batch)] && scenario_.hold() == Hold::per_gpu_batch)) {
    map_.cells.resize(map_.x.values.size() * map_.y.values.size());
    plans_.resize(map_.cells.size());
    columns_.reserve(map_.x.values.size());
    for (const double value : map_.x.values) columns_.push_back(edited(scenario_, map_.x.id, value));
}

std::size_t PlannedMap::index_of(std::size_t outer, std::size_t i) const {
    const std::size_t columns = map_.x.values.size();
    return x_inner_ ? outer * columns + i : i * columns + outer;
}

// The indices of an axis at which this round and the earlier ones plan.
std::vector<std::size_t> PlannedMap::planned(std::size_t count) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i + 1 < count; i += map_.stride) out.push_back(i);
    out.push_back(count - 1);
    return out;
}

Scenario PlannedMap::at(std::size_t here) const {
    const std::size_t columns = map_.x.values.size();
    return edited(columns_[here % columns], map_.y.id, map_.y.values[here / columns]);
}

MapCell PlannedMap::cell(Scenario plan, std::size_t here, Answer& scratch) const {
    const std::size_t columns = map_.x.values.size();
    plan.automatic.reset();
    const bool valid = answer_into(plan, scratch) &&
                       is_in_cell(map_.x, here % columns, scratch.settings[map_.x.id]) &&
                       is_in_cell(map_.y, here / columns, scratch.settings[map_.y.id]);
    return map_cell(scratch, valid);
}

// Plans the cells along `inner` in order, so that each gets a likely plan from the previous one.
void PlannedMap::plan_line(std::size_t outer, const std::stop_token& stop) {
    const std::vector<std::size_t> places = planned(inner().values.size());
    Answer scratch;  // of one line: what does not change from point to point is not compiled again
    if (!nested_) {
        for (std::size_t i = 0; i < places.size(); ++i)
            plan_at(outer, places[i], places[i > 0 ? i - 1 : i], scratch, stop);
        return;
    }
    plan_at(outer, places.front(), places.front(), scratch, stop);
    plan_at(outer, places.back(), places.front(), scratch, stop);
    plan_between(outer, places, scratch, stop);
}

// Plans the cells between two memory sizes. If the best plan of the larger memory also fits in the smaller
// one, it is the best for all sizes between. If no plan fits in the larger memory, the plan that needs least
// is the same for all of them.
void PlannedMap::plan_between(std::size_t outer, std::span<const std::size_t> places, Answer& scratch,
                              const std::stop_token& stop) {
    if (places.size() <= 2 || stop.stop_requested()) return;
    const std::size_t a = index_of(outer, places.front());
    const std::size_t b = index_of(outer, places.back());
    if (!plans_[a] || !plans_[b]) return;
    const auto fits = [&](std::size_t i) { return map_.cells[i].verdict == Verdict::fits; };
    if (*plans_[a] == *plans_[b] && fits(a) == fits(b)) {
        for (const std::size_t place : places) {
            const std::size_t here = index_of(outer, place);
            if (plans_[here]) continue;
            plans_[here] = plans_[a];
            map_.cells[here] = cell(with_plan(at(here), *plans_[a], scenario_.automatic), here, scratch);
        }
        return;
    }
    const std::size_t middle = places.size() / 2;
    plan_at(outer, places[middle], places.front(), scratch, stop);
    plan_between(outer, places.first(middle + 1), scratch, stop);
    plan_between(outer, places.subspan(middle), scratch, stop);
}

void PlannedMap::plan_at(std::size_t outer, std::size_t i, std::size_t beside, Answer& scratch,
                         const std::stop_token& stop) {
    const std::size_t here = index_of(outer, i);
    if (plans_[here]) return;
    if (scenario_.automatic.none()) {
        map_.cells[here] = cell(at(here), here, scratch);
        plans_[here] = Plan{};
        return;
    }
    // Planning takes longest, so that it must react to `stop`, too.
    const std::optional<Plan>& likely = plans_[index_of(outer, beside)];
    auto found = shardscope::planned(at(here), 1, stop, likely ? &*likely : nullptr);
    if (!found) return;
    map_.cells[here] = cell(*std::move(found), here, scratch);
    plans_[here] = plan_of(scratch.settings);
}

void PlannedMap::use_neighbour_plans(std::size_t outer, const std::stop_token& stop) {
    Answer scratch;
    const auto around = [&](std::size_t i, std::size_t count) {
        const std::size_t low = i / map_.stride * map_.stride;
        return std::array{low, std::min(low + map_.stride, count - 1)};
    };
    for (std::size_t i = 0; i < inner().values.size() && !stop.stop_requested(); ++i) {
        const std::size_t here = index_of(outer, i);
        if (plans_[here]) continue;
        const Scenario scenario = at(here);
        MapCell best;
        std::vector<Plan> tried;
        for (const std::size_t o : around(outer, this->outer().values.size())) {
            for (const std::size_t n : around(i, inner().values.size())) {
                const Plan& plan = *plans_[index_of(o, n)];
                if (std::ranges::find(tried, plan) != tried.end()) continue;
                tried.push_back(plan);
                const MapCell one = cell(with_plan(scenario, plan, scenario.automatic), here, scratch);
                if (is_better(one, best)) best = one;
            }
        }
        best.uses_neighbour_plan = true;
        map_.cells[here] = best;
    }
}

WallMap PlannedMap::next(unsigned threads, const std::stop_token& stop) {
    map_.stride = stride_;
    const std::vector<std::size_t> lines = planned(outer().values.size());
    parallel_for(lines.size(), threads, [&](std::size_t i) { plan_line(lines[i], stop); });
    if (map_.stride > 1 && !stop.stop_requested())
        parallel_for(outer().values.size(), threads, [&](std::size_t i) { use_neighbour_plans(i, stop); });
    if (stop.stop_requested()) return {map_.x, map_.y, {}};
    stride_ /= 2;
    return map_;
}

WallMap wall_map(const Scenario& scenario, const Axis& x, const Axis& y, unsigned threads,
                 const std::stop_token& stop) {
    return PlannedMap(scenario, x, y, 1).next(threads, stop);
}

}  // namespace shardscope
