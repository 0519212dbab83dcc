// The values that a parameter may have while all others stay the same: the part of its range that satisfies
// its constraints.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "parameters/parameter.h"

namespace shardscope {

// Returns the divisors of `number` up to `most`, in rising order.
std::vector<double> divisors(double number, double most);
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
    // Removes the values for which `keep` returns false. This only has an effect if the values are a list.
    template <typename Keep>
    void keep_if(Keep&& keep) {
        if (list_) std::erase_if(*list_, [&](double value) { return !keep(value); });
    }
    // Adds a value to a list.
    void add(double value);

    [[nodiscard]] bool contains(double value) const;
    // Returns the valid value nearest to `value`, or `value` itself if a list has none left.
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

    bool logarithmic_;
    double most_;
    double low_, high_;
    double step_;
    double threshold_ = std::numeric_limits<double>::infinity();
    double step_above_ = 0;
    std::optional<std::vector<double>> list_;
};

}  // namespace shardscope
