#include "scenario/slider_scale.h"

#include <algorithm>
#include <cmath>

#include "scenario/domain.h"

namespace shardscope {
namespace {

constexpr int kPositions = 400;

// Returns the roundest number from `low` to `high`, which are positive: a multiple of the largest of 1, 2 and
// 5 times a power of ten.
double roundest_decimal(double low, double high) {
    for (double power = std::pow(10.0, std::floor(std::log10(high)));; power /= 10) {
        for (const double step : {power, power / 2, power / 5}) {
            const double multiple = std::floor(high / step * (1 + 1e-12)) * step;
            if (multiple >= low * (1 - 1e-12)) return multiple;
        }
    }
}

// Returns the multiple of `step` from `low` to `high` that contains the largest power of two; 0 if there is
// none.
double roundest_binary(double low, double high, double step) {
    for (double power = std::exp2(std::floor(std::log2(std::max(1.0, high / step)))); power >= 1;
         power /= 2) {
        const double multiple = std::floor(high / (step * power) * (1 + 1e-12)) * step * power;
        if (multiple >= low * (1 - 1e-12) && multiple > 0) return multiple;
    }
    return 0;
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
    return is_list() ? at(position_at(where)) : roundest_between(where, tolerance);
}

double SliderScale::roundest_between(double where, double tolerance) const {
    if (cells_) return at(position_at(where));
    if (where <= 0) return low_;
    if (where >= 1) return high_;
    const double exact = exact_at(where);
    const double from = exact_at(std::max(0.0, where - tolerance));
    const double to = exact_at(std::min(1.0, where + tolerance));
    if (from <= 0 && to >= 0) return 0;
    if (whole_ || step_ > 0) {
        const double step = step_ > 0 ? step_ : 1;
        const double found = to > 0 ? roundest_binary(from, to, step) : 0;
        return std::clamp(found > 0 ? found : std::round(exact / step) * step, low_, high_);
    }
    const double found =
        from > 0 ? roundest_decimal(from / unit_, to / unit_) : -roundest_decimal(-to / unit_, -from / unit_);
    return std::clamp(found * unit_, low_, high_);
}

double SliderScale::pitch(double value) const {
    constexpr double kParts = 100;
    const double exact = logarithmic_ ? value / 16 : (high_ - low_) / kParts;
    if (whole_ || step_ > 0) {
        const double step = step_ > 0 ? step_ : 1;
        return step * std::exp2(std::floor(std::log2(std::max(1.0, exact / step))));
    }
    const double power = std::pow(10.0, std::floor(std::log10(exact / unit_) + 1e-9));
    const double first_digit = exact / unit_ / power * (1 + 1e-9);
    return (first_digit >= 5 ? 5 : first_digit >= 2 ? 2 : 1) * power * unit_;
}

double SliderScale::next(double value, bool up, bool fine, std::span<const double> also) const {
    if (cells_ || (is_list() && !fine)) {
        const double at = place(value);
        constexpr double kRounding = 1e-9;
        const double index = up ? std::floor(at + kRounding) + 1 : std::ceil(at - kRounding) - 1;
        return this->at(static_cast<int>(index));
    }
    const double limit = up ? high_ : low_;
    if (logarithmic_ && value <= 0) return up ? low_ : value;
    // Below a value the pitch may be smaller than above it, as below a power of two.
    constexpr double kJustBelow = 1 - 1e-6;
    double pitch = this->pitch(up || !logarithmic_ ? value : value * kJustBelow);
    if (fine) pitch = step_ > 0 ? step_ : whole_ ? 1 : pitch / 10;
    constexpr double kRounding = 1e-6;
    const double steps = value / pitch;
    double found =
        up ? (std::floor(steps + kRounding) + 1) * pitch : (std::ceil(steps - kRounding) - 1) * pitch;
    // The quotient of two numbers that are no binary fractions is rounded, so the product is rounded in the
    // unit.
    if (!whole_ && step_ == 0) found = std::round(found / unit_ * 1e9) / 1e9 * unit_;
    for (const double one : also) {
        if (up ? one > value && one < found : one < value && one > found) found = one;
    }
    return up ? std::min(found, std::max(limit, value)) : std::max(found, std::min(limit, value));
}

double SliderScale::next_page(double value, bool up) const {
    constexpr double kParts = 10;
    double wanted =
        logarithmic_ ? up ? value * 2 : value / 2 : value + (up ? 1 : -1) * (high_ - low_) / kParts;
    if (is_list()) {
        // At least one stop further, also where the next one is more than twice the value.
        const double neighbour = next(value, up, false, {});
        if (cells_ || !logarithmic_) return neighbour;
        double found = neighbour;
        for (const double stop : stops_) {
            if (up ? stop <= wanted * (1 + 1e-9) && stop > found
                   : stop >= wanted * (1 - 1e-9) && stop < found)
                found = stop;
        }
        return found;
    }
    if (logarithmic_ && value <= 0) return up ? low_ : value;
    const double step = step_ > 0 ? step_ : whole_ ? 1 : 0;
    if (step > 0)
        wanted = up ? std::ceil(wanted / step - 1e-9) * step : std::floor(wanted / step + 1e-9) * step;
    return std::clamp(wanted, std::min(low_, value), std::max(high_, value));
}

SliderScale SliderScale::part(double from, double to) const {
    SliderScale out = *this;
    out.stops_.clear();
    out.last_ = kPositions;
    out.low_ = exact_at(from);
    out.high_ = exact_at(to);
    return out;
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
