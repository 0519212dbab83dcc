// A map over two inputs: for every pair of values the MFU, whether it fits, and the wall that binds.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "explore/sweep.h"
#include "planner/plan.h"

namespace shardscope {

// The results that the map shows for one pair of values.
struct MapCell {
    bool valid = false;  // the two values are valid together
    Verdict verdict = Verdict::does_not_fit;
    Wall wall = Wall::memory;
    double mfu = 0;  // as if it fitted
    double tokens_per_s_per_gpu = 0;
    double peak_memory = 0;   // bytes
    double memory_share = 0;  // peak ÷ the most that is at risk; above 1 it does not fit
    // Tokens per GPU ÷ the ideal threshold that hides the gathers (E30); 0 if nothing is gathered.
    double ideal_cover = 0;
    std::array<double, kRates> elasticity{};  // E29
    double links_over_host_link = 0;          // see Estimate
    bool uses_neighbour_plan = false;         // not planned yet: uses the best plan of the cells around it
    [[nodiscard]] bool fits() const { return valid && verdict != Verdict::does_not_fit; }
};
MapCell map_cell(const Answer& answer, bool valid);

struct WallMap {
    Axis x;
    Axis y;
    std::vector<MapCell> cells;  // row by row, x fastest; empty when it was stopped
    std::size_t stride = 1;      // cells at every stride-th value of both axes, and at the last, are planned
    [[nodiscard]] const MapCell& at(std::size_t ix, std::size_t iy) const {
        return cells[iy * x.values.size() + ix];
    }
};

// Returns whether a map has one row or column for each value. This is the case if the values are discrete
// (is_discrete), and for inputs with a short list of values. A sweep draws a line through the latter,
// because a sweep's axis may contain any value.
bool map_axis_is_discrete(P id, const Settings& settings);
// The default values of a map's axis: the slider's range, extended to include the scenario's value.
Axis map_axis(const Scenario& scenario, P id, int steps);

// Each cell is `answer_into` of the scenario with first x and then y edited. Automatic parameters are planned
// again in every cell; a `locked` scenario keeps its plan. A pair is not valid if editing one value moves the
// other out of its cell. Stops within about a millisecond.
WallMap wall_map(const Scenario& scenario, const Axis& x, const Axis& y, unsigned threads = 1,
                 const std::stop_token& stop = {});

// Computes the same map in rounds, for scenarios with automatic parameters. Each round plans the cells at
// every stride-th value of both axes that are not planned yet. The cells between use the best of the plans
// around them, which may not be optimal. The last round has stride one; its result equals `wall_map`.
class PlannedMap {
  public:
    // `stride` is that of the first round, a power of two; every round halves it.
    PlannedMap(Scenario scenario, Axis x, Axis y, std::size_t stride);
    [[nodiscard]] bool finished() const { return stride_ == 0; }
    // Computes the next round. Returns an empty map when it was stopped; the plans found so far are kept.
    WallMap next(unsigned threads = 1, const std::stop_token& stop = {});

  private:
    [[nodiscard]] const Axis& inner() const { return x_inner_ ? map_.x : map_.y; }
    [[nodiscard]] const Axis& outer() const { return x_inner_ ? map_.y : map_.x; }
    [[nodiscard]] std::size_t index_of(std::size_t outer, std::size_t i) const;
    [[nodiscard]] std::vector<std::size_t> planned(std::size_t count) const;
    [[nodiscard]] Scenario at(std::size_t here) const;
    [[nodiscard]] MapCell cell(Scenario plan, std::size_t here, Answer& scratch) const;
    void plan_line(std::size_t outer, const std::stop_token& stop);
    void plan_between(std::size_t outer, std::span<const std::size_t> places, Answer& scratch,
                      const std::stop_token& stop);
    void plan_at(std::size_t outer, std::size_t i, std::size_t beside, Answer& scratch,
                 const std::stop_token& stop);
    void use_neighbour_plans(std::size_t outer, const std::stop_token& stop);

    Scenario scenario_;
    std::size_t stride_;  // of the next round
    WallMap map_;
    bool x_inner_;                   // lines run along x
    bool nested_;                    // along a line the set of plans that fit only grows (see plan_between)
    std::vector<Scenario> columns_;  // with x edited
    std::vector<std::optional<Plan>> plans_;  // of the cells that are planned
};

}  // namespace shardscope
