// Two inputs against the walls: for every pair of values the MFU, whether it fits, and what bounds the step.
#pragma once

#include <array>
#include <stop_token>
#include <vector>

#include "explore/sweep.h"

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
    [[nodiscard]] bool fits() const { return valid && verdict != Verdict::does_not_fit; }
};
MapCell map_cell(const Answer& answer, bool valid);

struct WallMap {
    Axis x;
    Axis y;
    std::vector<MapCell> cells;  // row by row, x running fastest; empty when it was stopped
    [[nodiscard]] const MapCell& at(std::size_t ix, std::size_t iy) const {
        return cells[iy * x.values.size() + ix];
    }
};

// Whether nothing lies between two values of an axis: choices, degrees of parallelism, lists.
bool map_axis_stands_apart(P id, const Settings& settings);
// The values a map shows when nobody says otherwise: the slider's range, the scenario's own value within it.
Axis map_axis(const Scenario& scenario, P id, int steps);

// Each cell is `answer_into` of the scenario with x and then y edited: what is automatic is planned anew in
// every cell, a `locked` scenario holds its plan. A pair is not valid where editing one value moves the other
// out of its cell. Stops within a millisecond or so.
WallMap wall_map(const Scenario& scenario, const Axis& x, const Axis& y, unsigned threads = 1,
                 const std::stop_token& stop = {});

}  // namespace shardscope
