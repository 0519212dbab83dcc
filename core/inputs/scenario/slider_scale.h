// Maps values to positions along a slider's groove and back, for the pointer and for the painted track.
#pragma once

#include <vector>

#include "parameters/parameter.h"
#include "parameters/settings.h"
#include "scenario/domain.h"

namespace shardscope {

// The positions 0 … last() of a slider and their values: one position per stop if the domain is a list, else
// 400 steps from low to high. A current value beyond the ends extends the scale.
class SliderScale {
  public:
    SliderScale() = default;
    SliderScale(const Domain& domain, bool logarithmic, const Parameter& parameter, double value);

    [[nodiscard]] int last() const { return last_; }
    [[nodiscard]] bool is_list() const { return !stops_.empty(); }
    [[nodiscard]] const std::vector<double>& stops() const { return stops_; }
    // Returns whether each value has its own cell of the groove (choices, degrees of parallelism) instead of
    // a point on it.
    [[nodiscard]] bool has_cells() const { return cells_; }
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }
    [[nodiscard]] double at(int position) const;
    // Returns the value at a place along the groove (0 … 1), rounded to the domain's step if it has one.
    [[nodiscard]] double value_at(double where) const;
    // Returns the roundest value within `tolerance` of a place along the groove: a power of two, or a value
    // with few digits in the unit it is shown in.
    [[nodiscard]] double roundest(double where, double tolerance) const;
    // Returns round values to mark along a logarithmic groove, in rising order and at least `closest` of its
    // length apart. Whole numbers, memory and networks (from 100 Gbit/s) have doublings; other values have 1,
    // 2 and 5 of each decade in the unit they are shown in, or fewer. A linear groove or one of cells has
    // none.
    [[nodiscard]] std::vector<double> ticks(double closest) const;
    // Returns the position of the value among 0 … last(); it is a fraction between two positions.
    [[nodiscard]] double place(double value) const;
    // Returns the place of the value along the groove, 0 … 1: according to its size, or the middle of its
    // cell.
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
    double doubled_ = 0;  // ticks are doublings of this value; 0: ticks are decimal
    bool logarithmic_ = false;
    bool whole_ = false;
    bool cells_ = false;
    int last_ = 1;
};

}  // namespace shardscope
