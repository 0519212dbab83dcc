#include "scenario/slider_scale.h"

#include <algorithm>
#include <cmath>

#include "scenario/domain.h"

namespace shardscope {
namespace {

constexpr int kPositions = 400;

double to_digits(double value, int digits) {
    if (value == 0) return 0;
    const double unit = std::pow(10.0, std::floor(std::log10(std::fabs(value))) - digits + 1);
    return std::round(value / unit) * unit;
}

}  // namespace

SliderScale::SliderScale(const Domain& domain, bool logarithmic, const Parameter& parameter, double value)
    : stops_(domain.stops),
      low_(domain.low),
      high_(domain.high),
      step_(domain.step),
      logarithmic_(logarithmic),
      whole_(parameter.whole),
      cells_(!domain.stops.empty() && (!parameter.names.empty() || parameter.group == Group::plan)) {
    const auto units = units_of(parameter.quantity);
    if (!units.empty()) unit_ = units.front().factor;
    if (whole_) doubled_ = 1;
    if (parameter.quantity == Quantity::bytes) doubled_ = unit_;
    if (parameter.quantity == Quantity::network_bandwidth) doubled_ = 100 * unit_;
    if (!stops_.empty()) {
        if (parameter.names.empty() && std::isfinite(value)) {
            const auto [least, most] = std::ranges::minmax(stops_);
            if (value > most) stops_.push_back(value);
            if (value < least) stops_.insert(stops_.begin(), value);
        }
        low_ = stops_.front();
        high_ = stops_.back();
        logarithmic_ = logarithmic_ && low_ > 0;
        last_ = std::max(1, static_cast<int>(stops_.size()) - 1);
        return;
    }
    last_ = kPositions;
    logarithmic_ = logarithmic_ && low_ > 0;
    // Zero has no position on a logarithmic groove; it is shown at the left end.
    if (std::isfinite(value) && (!logarithmic_ || value > 0)) {
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
    }
    if (!(high_ > low_)) high_ = low_ + 1;
}

double SliderScale::at(int position) const {
    if (!stops_.empty()) {
        return stops_[static_cast<std::size_t>(std::clamp(position, 0, static_cast<int>(stops_.size()) - 1))];
    }
    return roundest(static_cast<double>(position) / last_, 0.5 / last_);
}

double SliderScale::exact_at(double where) const {
    return logarithmic_ ? low_ * std::pow(high_ / low_, where) : low_ + (high_ - low_) * where;
}

double SliderScale::value_at(double where) const {
    if (!stops_.empty()) return at(position_at(where));
    const double exact = exact_at(where);
    return std::clamp(step_ > 0 ? std::round(exact / step_) * step_ : exact, low_, high_);
}

double SliderScale::roundest(double where, double tolerance) const {
    if (!stops_.empty()) return at(position_at(where));
    if (where <= 0) return low_;
    if (where >= 1) return high_;
    const double exact = exact_at(where);
    const auto on_step = [&](double v) { return step_ > 0 ? std::round(v / step_) * step_ : v; };
    const auto here = [&](double v) {
        return v >= low_ && v <= high_ && std::fabs(v - on_step(v)) <= 1e-9 * std::fabs(v) &&
               std::fabs(fraction(v) - where) < tolerance;
    };
    if (whole_ && exact >= 1) {
        const double power = std::exp2(std::round(std::log2(exact)));
        if (here(power)) return power;
    }
    for (const int digits : {1, 2, 3}) {
        const double round = to_digits(exact / unit_, digits) * unit_;
        if (here(round)) return round;
    }
    const double stepped = step_ > 0 ? on_step(exact) : to_digits(exact / unit_, 3) * unit_;
    return std::clamp(stepped, low_, high_);
}

std::vector<double> SliderScale::ticks(double closest) const {
    if (!logarithmic_ || cells_ || !(high_ > low_) || !(closest > 0 && closest <= 1)) return {};
    const double length = std::log(high_ / low_);
    const auto far_enough = [&](double ratio) { return std::log(ratio) >= closest * length; };
    double ratio = doubled_ > 0 ? 2 : 10;
    const bool parts = doubled_ <= 0 && far_enough(2);  // whether 2 and 5 fit between the powers of ten
    while (!far_enough(ratio)) ratio *= doubled_ > 0 ? 2 : 10;
    const double first = doubled_ > 0 ? doubled_ : unit_;
    std::vector<double> out;
    for (double power = std::floor(std::log(low_ / first) / std::log(ratio));; ++power) {
        const double round = first * std::pow(ratio, power);
        if (round > high_) return out;
        for (const double part : {1.0, 2.0, 5.0}) {
            const double value = round * part;
            if ((part == 1 || parts) && value >= low_ && value <= high_) out.push_back(value);
        }
    }
}

// A value between two stops is interpolated between their positions.
double SliderScale::place(double value) const {
    if (stops_.empty()) return fraction(value) * last_;
    const auto found = std::ranges::find(stops_, value);
    if (found != stops_.end()) return static_cast<double>(found - stops_.begin());
    for (std::size_t i = 0; i + 1 < stops_.size(); ++i) {
        if (stops_[i] >= value || value >= stops_[i + 1]) continue;
        const bool by_ratio = logarithmic_ && stops_[i] > 0;
        return static_cast<double>(i) +
               (by_ratio ? std::log(value / stops_[i]) / std::log(stops_[i + 1] / stops_[i])
                         : (value - stops_[i]) / (stops_[i + 1] - stops_[i]));
    }
    return value > stops_.back() ? static_cast<double>(stops_.size() - 1) : 0;
}

double SliderScale::fraction(double value) const {
    if (!std::isfinite(value)) return 0;
    if (cells_) return (place(value) + 0.5) / static_cast<double>(stops_.size());
    if (stops_.size() == 1 || !(high_ > low_)) return 0;
    const double part = logarithmic_ ? value > 0 ? std::log(value / low_) / std::log(high_ / low_) : 0
                                     : (value - low_) / (high_ - low_);
    return std::clamp(part, 0.0, 1.0);
}

int SliderScale::position_at(double fraction) const {
    fraction = std::clamp(fraction, 0.0, 1.0);
    if (cells_) {
        const double place = std::floor(fraction * static_cast<double>(stops_.size()));
        return std::min(static_cast<int>(place), static_cast<int>(stops_.size()) - 1);
    }
    if (stops_.empty()) return static_cast<int>(std::lround(fraction * last_));
    const auto nearest = std::ranges::min_element(
        stops_, {}, [&](double stop) { return std::fabs(this->fraction(stop) - fraction); });
    return static_cast<int>(nearest - stops_.begin());
}

}  // namespace shardscope
