// Two inputs against the walls: for every pair of values the MFU, whether it fits, and what bounds the step.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "explore/sweep.h"
#include "planner/plan.h"

namespace shardscope {

// What the map needs of one pair of values.
struct MapCell {
    bool valid = false;  // the two values can be had together
    Verdict verdict = Verdict::does_not_fit;
    Wall wall = Wall::memory;
    double mfu = 0;  // as if it fitted
    double tokens_per_s_per_gpu = 0;
    double peak_memory = 0;   // bytes
    double memory_share = 0;  // of the most that is not judged too much: above 1 it does not fit
    // Tokens per GPU ÷ the ideal threshold that hides the gathers (E30); 0 where nothing is gathered.
    double ideal_cover = 0;
    std::array<double, kRates> elasticity{};  // E29
    bool borrowed = false;                    // not planned yet: the best of the plans found around it
    [[nodiscard]] bool fits() const { return valid && verdict != Verdict::does_not_fit; }
};
MapCell map_cell(const Answer& answer, bool valid);

struct WallMap {
    Axis x;
    Axis y;
    std::vector<MapCell> cells;  // row by row, x running fastest; empty when it was stopped
    std::size_t stride = 1;      // planned anew at every stride-th value of both axes, and at the last
    [[nodiscard]] const MapCell& at(std::size_t ix, std::size_t iy) const {
        return cells[iy * x.values.size() + ix];
    }
};

// Whether a map has a row or column of its own for each value: where nothing lies between two (stands_apart),
// and of inputs with a short list of values. A sweep's curve joins the latter, since an axis may ask for any
// value.
bool map_axis_stands_apart(P id, const Settings& settings);
// The values a map shows when nobody says otherwise: the slider's range, the scenario's own value within it.
Axis map_axis(const Scenario& scenario, P id, int steps);

// Each cell is `answer_into` of the scenario with x and then y edited: what is automatic is planned anew in
// every cell, a `locked` scenario holds its plan. A pair is not valid where editing one value moves the other
// out of its cell. Stops within a millisecond or so.
WallMap wall_map(const Scenario& scenario, const Axis& x, const Axis& y, unsigned threads = 1,
                 const std::stop_token& stop = {});

// The same map of a scenario with automatic parameters, in rounds. Each plans at every stride-th value of
// both axes what those before it have not, and lends the cells between the best of the plans found around
// them, which may not be the best there is. After the last round, of stride one, it is `wall_map`.
class PlannedMap {
  public:
    // `stride` of the first round, a power of two; every round halves it.
    PlannedMap(Scenario scenario, Axis x, Axis y, std::size_t stride);
    [[nodiscard]] bool finished() const { return stride_ == 0; }
    // The next round. Empty when it was stopped; what it had planned by then is kept.
    WallMap next(unsigned threads = 1, const std::stop_token& stop = {});

  private:
    [[nodiscard]] const Axis& inner() const { return x_inner_ ? map_.x : map_.y; }
    [[nodiscard]] const Axis& outer() const { return x_inner_ ? map_.y : map_.x; }
    [[nodiscard]] std::size_t index_of(std::size_t outer, std::size_t i) const;
    [[nodiscard]] std::vector<std::size_t> planned(std::size_t count) const;
    [[nodiscard]] Scenario at(std::size_t here) const;
    [[nodiscard]] MapCell cell(const Scenario& plan, std::size_t here, Answer& scratch) const;
    void plan_line(std::size_t outer, const std::stop_token& stop);
    void plan_between(std::size_t outer, std::span<const std::size_t> places, const std::stop_token& stop);
    void plan_at(std::size_t outer, std::size_t i, std::size_t beside, const std::stop_token& stop);
    void lend_to_line(std::size_t outer, const std::stop_token& stop);

    Scenario scenario_;
    std::size_t stride_;  // of the next round
    WallMap map_;
    bool x_inner_;                   // lines run along x
    bool nested_;                    // along a line what is best changes in steps, and fits ever more
    std::vector<Scenario> columns_;  // with x edited
    std::vector<std::optional<Plan>> plans_;  // by cell, where planned
};

}  // namespace shardscope
