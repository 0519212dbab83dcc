// Maps values to positions along a slider's groove and back, for the pointer and for the painted track.
#pragma once

#include <span>
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
    // Returns the distance between two values of a scale of multiples, or 0.
    [[nodiscard]] double step() const { return step_; }
    [[nodiscard]] double at(int position) const;
    // Returns the value at a place along the groove (0 … 1), rounded to the domain's step if it has one.
    [[nodiscard]] double value_at(double where) const;
    // Returns the roundest value within `tolerance` of a place along the groove: the multiple of the largest
    // of 1, 2 and 5 times a power of ten in the unit it is shown in (175 Gbit/s), or for whole numbers of the
    // largest power of two times the step (6,144 = 3 × 2,048). A list has only its stops.
    [[nodiscard]] double roundest(double where, double tolerance) const;
    // The same between the stops of a list, too, which need not be valid values.
    [[nodiscard]] double roundest_between(double where, double tolerance) const;
    // Returns the next value in round steps: at most a sixteenth of the value, on a linear groove at most a
    // hundredth of its length, in a list the next stop. `also` are values that are not passed over, so that
    // steps in both directions lead back to them. Fine steps are a tenth, or the smallest step of the
    // parameter.
    [[nodiscard]] double next(double value, bool up, bool fine, std::span<const double> also) const;
    // Returns twice or half the value, or a tenth of a linear groove further; in a list the stop nearest to
    // it in this direction.
    [[nodiscard]] double next_page(double value, bool up) const;
    // Returns the part of a scale without cells between two places along its groove.
    [[nodiscard]] SliderScale part(double from, double to) const;
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
    // Returns the step of `next` above a value: 1, 2 or 5 times a power of ten, or a power of two times the
    // step of the parameter. The steps of neighbouring ranges meet at a multiple of both.
    [[nodiscard]] double pitch(double value) const;

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
