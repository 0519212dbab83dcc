// Where values lie along a slider's groove: what a pointer on it means, and what its painted track shows
// there.
#pragma once

#include <vector>

#include "parameters/parameter.h"
#include "parameters/settings.h"
#include "scenario/domain.h"

namespace shardscope {

// Positions 0 … last() and the values they stand for: one position a stop where the domain is a list, else
// 400 steps from low to high. A value beyond the ends extends them.
class SliderScale {
  public:
    SliderScale() = default;
    SliderScale(const Domain& domain, bool logarithmic, const Parameter& parameter, double value);

    [[nodiscard]] int last() const { return last_; }
    [[nodiscard]] bool is_list() const { return !stops_.empty(); }
    [[nodiscard]] const std::vector<double>& stops() const { return stops_; }
    // Each value has a cell of the groove to itself (choices, degrees of parallelism) instead of a point on
    // it.
    [[nodiscard]] bool has_cells() const { return cells_; }
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }
    [[nodiscard]] double at(int position) const;
    // The value at a place along the groove; where the domain has a step, the nearest on it.
    [[nodiscard]] double value_at(double where) const;
    // The roundest value within `tolerance` of a place along the groove: a power of two, or few digits in the
    // unit it is shown in.
    [[nodiscard]] double roundest(double where, double tolerance) const;
    // Round values to mark along a logarithmic groove, rising, no two nearer than `closest` of its length:
    // doublings for whole numbers, for memory and for networks, which double from 100 Gbit/s; else 1, 2 and
    // 5 of each decade in the unit it is shown in, or fewer. None on a linear groove or in cells.
    [[nodiscard]] std::vector<double> ticks(double closest) const;
    // Where the value lies among the positions, 0 … last(): a whole number on one of them.
    [[nodiscard]] double place(double value) const;
    // Where the value lies along the groove, 0 … 1: by its size, or in the middle of its cell.
    [[nodiscard]] double fraction(double value) const;
    [[nodiscard]] int position(double value) const { return position_at(fraction(value)); }
    [[nodiscard]] int position_at(double fraction) const;

  private:
    [[nodiscard]] double exact_at(double where) const;

    std::vector<double> stops_;
    double low_ = 0;
    double high_ = 1;
    double step_ = 0;
    double unit_ = 1;
    double doubled_ = 0;  // what ticks are doublings of; 0: they are decimal
    bool logarithmic_ = false;
    bool whole_ = false;
    bool cells_ = false;
    int last_ = 1;
};

}  // namespace shardscope
