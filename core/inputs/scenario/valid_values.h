// The values that a parameter may have while all others stay the same: the part of its range that satisfies
// its constraints.
#pragma once

#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "parameters/parameter.h"

namespace shardscope {

// Returns the divisors of `number` up to `most`, in rising order.
std::vector<double> divisors(double number, double most);
// Returns the largest divisor of `number` that is at most `most`; 1 if there is none.
double divisor_at_most(double number, double most);
// Returns whether `whole` is a multiple of `part`; false if `part` is not positive.
inline bool divides(double part, double whole) {
    // Most degrees are 1; a remainder takes tens of instructions.
    return part == 1 ? whole == std::floor(whole) : part > 0 && std::fmod(whole, part) == 0;
}
// Returns 0 if one of the numbers is not positive.
double least_common_multiple(double a, double b);

// Starts with all values of a parameter's range; every call of a narrowing function removes more of them.
class ValidValues {
  public:
    // No list contains a value above `most`.
    ValidValues(P id, double most);

    void at_least(double low);
    void at_most(double high);
    void multiples_of(double step);
    // Requires values above `threshold` to be multiples of `step`.
    void multiples_above(double threshold, double step);
    void divisors_of(double number);
    void among(std::vector<double> values);
    // Removes the values of a list for which `keep` returns false. The values must be a list, which `among`
    // and `divisors_of` make.
    template <typename Keep>
    void keep_if(Keep&& keep) {
        assert(list_);
        std::erase_if(*list_, [&](double value) { return !keep(value); });
    }
    // Adds a value to a list.
    void add(double value);

    [[nodiscard]] bool contains(double value) const;
    // Returns the valid value nearest to `value`. If no value of a list is valid, the list is ignored.
    [[nodiscard]] double nearest(double value) const;
    // Returns all values in rising order if they are a list; else nullptr.
    [[nodiscard]] const std::vector<double>* list() const { return list_ ? &*list_ : nullptr; }
    // The values are multiples of this step; 0: any value.
    [[nodiscard]] double step() const { return step_; }
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }
    [[nodiscard]] double most() const { return most_; }

  private:
    [[nodiscard]] double step_near(double value) const;
    // Returns whether the value is in the range and a multiple of the step; a list is not considered.
    [[nodiscard]] bool is_in_range_and_step(double value) const;

    bool logarithmic_;
    double most_;
    double low_, high_;
    double step_;
    double threshold_ = std::numeric_limits<double>::infinity();
    double step_above_ = 0;
    std::optional<std::vector<double>> list_;
};

}  // namespace shardscope
