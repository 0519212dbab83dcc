#include "scenario/valid_values.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace shardscope {
namespace {

// Returns the value as an integer. The value may be unchecked; if it is beyond the integers that a double
// represents exactly, the nearest such integer is returned.
long long integer(double value) {
    constexpr long long kMost = 1LL << 53;
    return value >= static_cast<double>(kMost) ? kMost : value > 0 ? static_cast<long long>(value) : 0;
}

bool is_multiple(double value, double step) { return step <= 0 || std::fmod(value, step) == 0; }

}  // namespace

std::vector<double> divisors(double number, double most) {
    std::vector<double> out;
    const long long n = integer(number);
    // The smaller divisor of each pair is at most the square root; a pair whose smaller divisor is above
    // `most` is not needed.
    const double last = std::min(std::sqrt(number), most);
    for (long long d = 1; static_cast<double>(d) <= last; ++d) {
        if (n % d != 0) continue;
        const long long other = n / d;
        out.push_back(static_cast<double>(d));
        if (d != other) out.push_back(static_cast<double>(other));
    }
    std::ranges::sort(out);
    std::erase_if(out, [&](double d) { return d > most; });
    return out;
}

double divisor_at_most(double number, double most) {
    for (double d = std::floor(std::min(number, most)); d > 1; --d) {
        if (std::fmod(number, d) == 0) return d;
    }
    return 1;
}

double least_common_multiple(double a, double b) {
    const long long x = integer(a);
    const long long y = integer(b);
    if (x <= 0 || y <= 0) return 0;
    const long long factor = x / std::gcd(x, y);  // exact
    return static_cast<double>(factor) * static_cast<double>(y);
}

ValidValues::ValidValues(P id, double most)
    : logarithmic_(parameter(id).logarithmic),
      most_(most),
      low_(parameter(id).whole ? std::ceil(parameter(id).minimum) : parameter(id).minimum),
      high_(parameter(id).maximum),
      step_(parameter(id).whole ? 1 : 0) {
    const Parameter& row = parameter(id);
    if (!row.named_only) return;
    step_ = 0;
    low_ = -std::numeric_limits<double>::infinity();
    high_ = std::numeric_limits<double>::infinity();
    list_.emplace();
    for (const Named& named : row.names) list_->push_back(named.value);
}

void ValidValues::at_least(double low) { low_ = std::max(low_, low); }
void ValidValues::at_most(double high) { high_ = std::min(high_, high); }

void ValidValues::multiples_of(double step) {
    // A step that is not a whole number results from values that another constraint reports.
    if (!(step > 0) || step != std::floor(step)) return;
    step_ = step_ > 0 ? least_common_multiple(step_, step) : step;
}

void ValidValues::multiples_above(double threshold, double step) {
    threshold_ = threshold;
    step_above_ = step;
}

void ValidValues::divisors_of(double number) {
    if (list_) keep_if([&](double value) { return value > 0 && std::fmod(number, value) == 0; });
    else list_ = divisors(number, most_);
}

void ValidValues::among(std::vector<double> values) {
    if (list_) {
        std::erase_if(values, [&](double value) { return std::ranges::find(*list_, value) == list_->end(); });
    }
    list_ = std::move(values);
}

void ValidValues::add(double value) {
    if (list_) list_->insert(std::ranges::lower_bound(*list_, value), value);
}

double ValidValues::step_near(double value) const {
    return value > threshold_ ? least_common_multiple(std::max(step_, 1.0), step_above_) : step_;
}

bool ValidValues::contains(double value) const {
    if (list_ && std::ranges::find(*list_, value) == list_->end()) return false;
    return is_in_range_and_step(value);
}

bool ValidValues::is_in_range_and_step(double value) const {
    return value >= low_ && value <= high_ && is_multiple(value, step_near(value));
}

double ValidValues::nearest(double value) const {
    if (list_) {
        const double* best = nullptr;
        for (const double& candidate : *list_) {
            if (!is_in_range_and_step(candidate)) continue;
            const bool nearer =
                !best ? true
                : logarithmic_ && candidate > 0 && value > 0
                    ? std::fabs(std::log(candidate / value)) < std::fabs(std::log(*best / value))
                    : std::fabs(candidate - value) < std::fabs(*best - value);
            if (nearer) best = &candidate;
        }
        if (best) return *best;
    }
    value = std::clamp(value, low_, std::max(low_, high_));
    const auto rounded = [&](double step) {
        return step <= 0 ? value : std::max(std::ceil(low_ / step) * step, std::round(value / step) * step);
    };
    const double nearest = rounded(step_near(value));
    // Rounding up may cross the threshold above which the step is larger.
    return is_multiple(nearest, step_near(nearest)) ? nearest : rounded(step_near(nearest));
}

}  // namespace shardscope
