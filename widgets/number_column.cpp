#include "widgets/number_column.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <limits>

#include "text/translate.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

struct Digits {
    int significant;  // of the smallest number
    int most;         // decimals
};

Digits digits_of(Quantity quantity) {
    switch (quantity) {
        case Quantity::rate: return {4, 1};
        case Quantity::days:
        case Quantity::money: return {4, 2};
        case Quantity::hours: return {4, 1};
        default: return {3, 2};
    }
}

int decimals(double smallest, Quantity quantity) {
    if (quantity == Quantity::bytes || quantity == Quantity::percent) return 1;
    if (!std::isfinite(smallest)) return 0;
    const Digits digits = digits_of(quantity);
    const int magnitude = static_cast<int>(std::floor(std::log10(smallest)));
    // Numbers below 0.1 keep two significant digits.
    const int most = magnitude < -1 ? 1 - magnitude : digits.most;
    constexpr int kMost = 4;
    return std::clamp(digits.significant - 1 - magnitude, 0, std::min(most, kMost));
}

}  // namespace

NumberColumn number_column(std::span<const double> values, Quantity quantity) {
    constexpr double kMilli = 1e-3;
    const bool times = quantity == Quantity::seconds;
    const std::span<const Unit> units = units_of(quantity);
    const double unit = times ? kMilli : units.empty() ? 1 : units.front().factor;
    double smallest = std::numeric_limits<double>::infinity();
    for (const double value : values) {
        const double size = std::fabs(value) / unit;
        if (size > 0) smallest = std::min(smallest, size);
    }
    const int digits = decimals(smallest, quantity);
    static const QLocale grouped(QLocale::English, QLocale::UnitedStates);
    NumberColumn out;
    if (times) out.unit = QStringLiteral("ms");
    else if (!units.empty()) out.unit = text_of(translate(units.front().symbol));
    for (const double value : values) {
        QString text =
            std::isfinite(value) ? grouped.toString(value / unit, 'f', digits) : QStringLiteral("–");
        out.numbers.push_back(text.replace(QLatin1Char('-'), QChar(0x2212)));
    }
    return out;
}

}  // namespace shardscope
