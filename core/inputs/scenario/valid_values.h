// The values that one parameter may take while all others keep theirs: what its constraints leave of the
// range of its row.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "parameters/parameter.h"

namespace shardscope {

// The divisors of `number` up to `most`, in rising order.
std::vector<double> divisors(double number, double most);
// 0 where one of them is not positive.
double least_common_multiple(double a, double b);

// Starts with all values of a parameter's range; every call leaves out more of them.
class ValidValues {
  public:
    // `most`: no list has a value beyond it.
    ValidValues(P id, double most);

    void at_least(double low);
    void at_most(double high);
    void multiples_of(double step);
    // Multiples of `step` where the value is above `threshold`.
    void multiples_above(double threshold, double step);
    void divisors_of(double number);
    void among(std::vector<double> values);
    // `keep` tells for a value whether it stays. Only values of a list can be left out so.
    template <typename Keep>
    void keep_if(Keep&& keep) {
        if (list_) std::erase_if(*list_, [&](double value) { return !keep(value); });
    }

    [[nodiscard]] bool contains(double value) const;
    // The nearest to `value`; `value` itself where none is left.
    [[nodiscard]] double nearest(double value) const;
    // All of them in rising order, where they are a list; else nullptr.
    [[nodiscard]] const std::vector<double>* list() const { return list_ ? &*list_ : nullptr; }
    // Values are multiples of it; 0: any.
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
