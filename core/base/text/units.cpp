#include "text/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

constexpr double kKibi = 1024.0;

constexpr std::array kBytes{Unit{"GiB", kKibi* kKibi* kKibi},
                            Unit{"MiB", kKibi* kKibi},
                            Unit{"KiB", kKibi},
                            Unit{"TiB", kKibi* kKibi* kKibi* kKibi},
                            Unit{"GB", 1e9},
                            Unit{"MB", 1e6},
                            Unit{"kB", 1e3},
                            Unit{"TB", 1e12},
                            Unit{"B", 1}};
constexpr std::array kBitRates{
    Unit{"Gbit/s", 1e9 / 8}, Unit{"Tbit/s", 1e12 / 8}, Unit{"Mbit/s", 1e6 / 8},
    Unit{"Gb/s", 1e9 / 8},   Unit{"Gbps", 1e9 / 8},    Unit{"GB/s", 1e9},
    Unit{"TB/s", 1e12},      Unit{"MB/s", 1e6},        Unit{"GiB/s", kKibi* kKibi* kKibi},
    Unit{"B/s", 1}};
constexpr std::array kLinkRates{
    Unit{"GB/s", 1e9},       Unit{"TB/s", 1e12},       Unit{"MB/s", 1e6},
    Unit{"Gbit/s", 1e9 / 8}, Unit{"Tbit/s", 1e12 / 8}, Unit{"Mbit/s", 1e6 / 8},
    Unit{"Gb/s", 1e9 / 8},   Unit{"Gbps", 1e9 / 8},    Unit{"GiB/s", kKibi* kKibi* kKibi},
    Unit{"B/s", 1}};
constexpr std::array kMemoryRates{Unit{"TB/s", 1e12}, Unit{"GB/s", 1e9}, Unit{"MB/s", 1e6},
                                  Unit{"GiB/s", kKibi* kKibi* kKibi}, Unit{"B/s", 1}};
constexpr std::array kFlopRates{Unit{"TFLOP/s", 1e12}, Unit{"PFLOP/s", 1e15}, Unit{"GFLOP/s", 1e9},
                                Unit{"TFLOPS", 1e12},  Unit{"PFLOPS", 1e15},  Unit{"FLOP/s", 1}};
constexpr std::array kSeconds{Unit{"s", 1},     Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"µs", 1e-6},
                              Unit{"ns", 1e-9}, Unit{"min", 60},  Unit{"h", 3600}};
constexpr std::array kWatts{Unit{"W", 1}, Unit{"kW", 1e3}};
constexpr std::array kPercent{Unit{"%", 0.01}};
constexpr std::array kSequences{Unit{translatable("tokens"), 1}};
constexpr std::array kThroughputs{Unit{translatable("tokens/s"), 1}};
constexpr std::array kJoules{Unit{"J", 1}, Unit{"kWh", 3.6e6}, Unit{"MWh", 3.6e9}};
constexpr std::array kPerJoule{Unit{translatable("tokens/J"), 1}};
constexpr std::array kDays{Unit{translatable("days"), 1}, Unit{"h", 1.0 / 24}};
constexpr std::array kHours{Unit{"h", 1}};
constexpr std::array kMoney{Unit{"$", 1}};
constexpr std::array kByteFactor{Unit{"B", 1}};
constexpr std::array kBytesSquaredPerFlop{Unit{"GB²/TFLOP", 1e9 * 1e9 / 1e12}};

// Returns the number with a decimal point in every locale.
std::string fixed(double value, int digits) {
    std::array<char, 400> text{};
    const auto written =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
    return {text.data(), written.ptr};
}

// "1234567.5" -> "1,234,567.5", "-3" -> "−3"
std::string grouped(const std::string& plain) {
    std::string out;
    std::size_t start = 0;
    if (!plain.empty() && plain[0] == '-') {
        start = 1;
        if (plain.find_first_not_of("0.", 1) != std::string::npos) out = "−";
    }
    const std::size_t point = std::min(plain.find('.'), plain.size());
    for (std::size_t i = start; i < plain.size(); ++i) {
        if (i > start && i < point && (point - i) % 3 == 0) out += ',';
        out += plain[i];
    }
    return out;
}

// Whether zeros at the end of the decimals are shown. Inputs drop them, as nobody types them; columns of
// results keep them. Whole numbers never get decimals.
enum class Zeros { dropped, kept };

// Returns the number with at least `significant` significant digits, but with at most `most` decimals.
std::string rounded(double value, int significant, int most = 4, Zeros zeros = Zeros::dropped) {
    if (value == 0) return "0";
    const double size = std::fabs(value);
    int digits = significant - 1 - static_cast<int>(std::floor(std::log10(size)));
    digits = std::max(0, std::min(digits, most));
    const std::string text = fixed(value, digits);
    if (text.find('.') == std::string::npos) return grouped(text);
    std::string brief = text;
    while (brief.back() == '0') brief.pop_back();
    const bool whole = brief.back() == '.';
    if (whole) brief.pop_back();
    return grouped(whole || zeros == Zeros::dropped ? brief : text);
}

Shown scaled(double value, std::span<const Unit> units, int significant) {
    // `units` are ordered from large to small; the first one of which the value has at least one is used.
    for (const Unit& unit : units) {
        if (std::fabs(value) >= unit.factor * 0.9995 || &unit == &units.back()) {
            return {rounded(value / unit.factor, significant), std::string(unit.symbol)};
        }
    }
    return {};
}

constexpr std::array kShownSeconds{Unit{"h", 3600}, Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"µs", 1e-6}};
constexpr std::array kShownCounts{Unit{"T", 1e12}, Unit{"B", 1e9}, Unit{"M", 1e6}, Unit{"k", 1e3},
                                  Unit{"", 1}};
constexpr std::array kShownLinks{Unit{"TB/s", 1e12}, Unit{"GB/s", 1e9}, Unit{"MB/s", 1e6}};
constexpr std::array kShownMemory{Unit{"TB/s", 1e12}, Unit{"GB/s", 1e9}};
constexpr std::array kShownFlops{Unit{"TFLOP/s", 1e12}, Unit{"GFLOP/s", 1e9}};
constexpr std::array kShownBits{Unit{"Gbit/s", 1e9 / 8}, Unit{"Mbit/s", 1e6 / 8}};
constexpr std::array kShownEnergy{Unit{"GWh", 3.6e12}, Unit{"MWh", 3.6e9}, Unit{"kWh", 3.6e6}, Unit{"J", 1}};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// Multipliers that counts accept after the number. For sequence lengths k is 1,024, as is usual in the field.
struct CountSuffix {
    std::string_view symbol;
    double factor;
    double factor_of_sequences;
};
constexpr std::array kCountSuffixes{
    CountSuffix{"k", 1e3, kKibi},        CountSuffix{"K", 1e3, kKibi},
    CountSuffix{"M", 1e6, kKibi* kKibi}, CountSuffix{"B", 1e9, 1e9},
    CountSuffix{"G", 1e9, 1e9},          CountSuffix{"T", 1e12, 1e12},
    CountSuffix{"Ki", kKibi, kKibi},     CountSuffix{"Mi", kKibi* kKibi, kKibi* kKibi}};

bool is_countable(Quantity quantity) {
    return quantity == Quantity::count || quantity == Quantity::big_count || quantity == Quantity::tokens ||
           quantity == Quantity::sequence_tokens;
}

bool count_suffix(std::string_view text, Quantity quantity, double& factor) {
    const auto found = std::ranges::find(kCountSuffixes, text, &CountSuffix::symbol);
    if (found == kCountSuffixes.end()) return false;
    factor = quantity == Quantity::sequence_tokens ? found->factor_of_sequences : found->factor;
    return true;
}

std::string accepted(Quantity quantity) {
    const auto units = units_of(quantity);
    if (units.empty()) return translate("write a number such as 8, 70B or 8k");
    if (units.size() == 1)
        return translate("write a number, with or without the unit {1}", {units[0].symbol});
    return translate("write a number with one of the units {1} or {2}",
                     {joined(units.first(units.size() - 1), ", ", &Unit::symbol), units.back().symbol});
}

}  // namespace

std::span<const Unit> units_of(Quantity quantity) {
    switch (quantity) {
        case Quantity::bytes: return kBytes;
        case Quantity::memory_bandwidth: return kMemoryRates;
        case Quantity::link_bandwidth: return kLinkRates;
        case Quantity::network_bandwidth: return kBitRates;
        case Quantity::flop_rate: return kFlopRates;
        case Quantity::seconds: return kSeconds;
        case Quantity::percent: return kPercent;
        case Quantity::sequence_tokens:
        case Quantity::tokens: return kSequences;
        case Quantity::rate: return kThroughputs;
        case Quantity::watts: return kWatts;
        case Quantity::joules: return kJoules;
        case Quantity::tokens_per_joule: return kPerJoule;
        case Quantity::days: return kDays;
        case Quantity::hours: return kHours;
        case Quantity::money: return kMoney;
        case Quantity::byte_factor: return kByteFactor;
        case Quantity::bytes_squared_per_flop: return kBytesSquaredPerFlop;
        case Quantity::count:
        case Quantity::big_count:
        case Quantity::fraction:
        case Quantity::choice:
        case Quantity::flag:
        case Quantity::set:
        case Quantity::list:
        case Quantity::text: return {};
    }
    return {};
}

namespace {

Shown shown_in_english(double value, Quantity quantity) {
    if (std::isnan(value)) return {"–", ""};
    if (std::isinf(value)) return {value > 0 ? "∞" : "−∞", ""};
    switch (quantity) {
        case Quantity::count: return {rounded(value, 7, 2), ""};
        case Quantity::big_count: return scaled(value, kShownCounts, 4);
        case Quantity::sequence_tokens: return {rounded(value, 8, 0), ""};
        case Quantity::tokens:
            return {rounded(value, std::fabs(value) < 100 ? 3 : 7, std::fabs(value) < 100 ? 2 : 0), "tokens"};
        case Quantity::bytes: {
            const double gib = value / kBytes[0].factor;
            return {grouped(fixed(gib, 1)), "GiB"};
        }
        case Quantity::memory_bandwidth: return scaled(value, kShownMemory, 4);
        case Quantity::link_bandwidth: return scaled(value, kShownLinks, 4);
        case Quantity::network_bandwidth: return scaled(value, kShownBits, 5);
        case Quantity::flop_rate: return scaled(value, kShownFlops, 4);
        case Quantity::seconds: {
            if (value == 0) return {"0", "s"};
            return scaled(value, kShownSeconds, 3);
        }
        case Quantity::fraction: return {rounded(value, 3), ""};
        case Quantity::percent: return {grouped(fixed(value * 100, 1)), "%"};
        case Quantity::rate: return {rounded(value, 4, 1), "tokens/s"};
        case Quantity::watts: return {rounded(value, 3, 1), "W"};
        case Quantity::joules: return scaled(value, kShownEnergy, 3);
        case Quantity::tokens_per_joule: return {rounded(value, 3, 4, Zeros::kept), "tokens/J"};
        case Quantity::days: {
            if (std::fabs(value) >= 1 || value == 0) return {rounded(value, 4, 2, Zeros::kept), "days"};
            return {rounded(value / kDays[1].factor, 3, 4, Zeros::kept), "h"};
        }
        case Quantity::hours: return {rounded(value, 4, 1), "h"};
        case Quantity::money: return {rounded(value, 4, 2), "$"};
        case Quantity::byte_factor: return {rounded(value, 3), "B"};
        case Quantity::bytes_squared_per_flop:
            return {rounded(value / kBytesSquaredPerFlop[0].factor, 3), "GB²/TFLOP"};
        case Quantity::choice:
        case Quantity::flag:
        case Quantity::set:
        case Quantity::list:
        case Quantity::text: return {rounded(value, 3), ""};
    }
    return {};
}

}  // namespace

Shown show(double value, Quantity quantity) {
    Shown out = shown_in_english(value, quantity);
    out.unit = translate(out.unit);
    return out;
}

std::string format(double value, Quantity quantity, bool with_unit) {
    Shown shown = show(value, quantity);
    if (!with_unit || shown.unit.empty()) return shown.number;
    return shown.number + " " + shown.unit;
}

std::string exact(double value) {
    std::array<char, 40> text{};
    if (value == std::floor(value) && std::fabs(value) < 1e15) {
        const auto end = std::to_chars(text.data(), text.data() + text.size(), static_cast<long long>(value));
        return {text.data(), end.ptr};
    }
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end.ptr};
}

std::string exact_or_empty(double value) { return std::isnan(value) ? std::string() : exact(value); }

Parsed parse(std::string_view text, Quantity quantity, bool bare_unit_is_shown) {
    const auto fail = [&](std::string problem, std::string suggestion = {}) {
        if (suggestion.empty()) suggestion = accepted(quantity);
        return Parsed{false, 0, std::move(problem), std::move(suggestion)};
    };
    std::string_view rest = trimmed(text);
    if (rest.empty()) return fail(translate("the value is empty"));

    double sign = 1;
    if (rest.starts_with("−")) {
        sign = -1;
        rest.remove_prefix(std::string_view("−").size());
    } else if (rest.front() == '+') {
        rest.remove_prefix(1);
    }
    // Separates the characters of the number, so that a comma can be checked before the number is read.
    std::size_t length = 0;
    while (length < rest.size() && ((rest[length] >= '0' && rest[length] <= '9') || rest[length] == '.' ||
                                    rest[length] == ',' || (length == 0 && rest[length] == '-'))) {
        ++length;
    }
    std::string number(rest.substr(0, length));
    if (const auto comma = number.find(','); comma != std::string::npos) {
        const bool several = number.find_first_of(",.", comma + 1) != std::string::npos;
        // A comma can group thousands only after one to three digits that do not begin with 0: "0,125" and
        // "12345,678" are decimals.
        const std::size_t start = number.front() == '-' ? 1 : 0;
        const bool groups = comma > start && comma - start <= 3 && number[start] != '0';
        if (several || (groups && number.size() - comma == 4)) {
            std::string without;
            for (const char c : number) {
                if (c != ',') without += c;
            }
            std::string as_point = number;
            as_point[comma] = '.';
            return fail(translate("“{1}” can be read in two ways", {number}),
                        several ? translate("write {1}", {without})
                                : translate("write {1} or {2}", {without, as_point}));
        }
        number[comma] = '.';
    }
    // An exponent belongs to the number ("1.5e9"), but "8e" or "8 EB" does not.
    std::size_t tail = length;
    if (length < rest.size() && (rest[length] == 'e' || rest[length] == 'E')) {
        std::size_t end = length + 1;
        if (end < rest.size() && (rest[end] == '+' || rest[end] == '-')) ++end;
        const std::size_t digits = end;
        while (end < rest.size() && rest[end] >= '0' && rest[end] <= '9') ++end;
        if (end > digits) {
            number += rest.substr(length, end - length);
            tail = end;
        }
    }
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc::result_out_of_range)
        return fail(translate("“{1}” is too large or too small for a floating-point number", {text}));
    if (number.empty() || error != std::errc() || end != number.data() + number.size()) {
        return fail(translate("“{1}” is not a number", {trimmed(text)}));
    }
    rest = rest.substr(tail);
    if (rest.starts_with('^')) {
        double exponent = 0;
        const auto [power_end, power_error] =
            std::from_chars(rest.data() + 1, rest.data() + rest.size(), exponent);
        if (power_error != std::errc())
            return fail(translate("the exponent after ^ is missing"), translate("write for instance 2^13"));
        value = std::pow(value, exponent);
        rest = rest.substr(static_cast<std::size_t>(power_end - rest.data()));
    }
    value *= sign;
    rest = trimmed(rest);

    const auto units = units_of(quantity);
    if (rest.empty()) {
        if (bare_unit_is_shown && !units.empty()) value *= units.front().factor;
    } else {
        double factor = 0;
        bool known = false;
        for (const Unit& unit : units) {
            if (rest == unit.symbol || rest == translate(unit.symbol)) {
                factor = unit.factor;
                known = true;
                break;
            }
        }
        if (!known && is_countable(quantity)) {
            std::string_view suffix = rest;
            for (const std::string& word :
                 {std::string("tokens"), std::string("token"), translate("tokens")}) {
                if (suffix.ends_with(word)) suffix = trimmed(suffix.substr(0, suffix.size() - word.size()));
            }
            known = suffix.empty() || count_suffix(suffix, quantity, factor);
            if (suffix.empty()) factor = 1;
        }
        if (!known) {
            // A unit in the wrong case, such as "400 gbit/s", is suggested but not accepted, because Gb and
            // GB differ by a factor of eight.
            for (const Unit& unit : units) {
                if (lower(unit.symbol) == lower(rest)) {
                    return fail(translate("the unit “{1}” is not known", {rest}),
                                translate("did you mean {1}?", {unit.symbol}));
                }
            }
            return fail(translate("the unit “{1}” is not known here", {rest}));
        }
        value *= factor;
    }
    if (!std::isfinite(value)) return fail(translate("“{1}” is not a finite number", {text}));
    return {true, value, {}, {}};
}

std::string pattern_of(Quantity quantity) {
    // A decimal comma is rejected where it could group thousands: after one to three digits that do not begin
    // with 0, and before exactly three digits.
    const std::string decimal = R"((\d+\.?\d*|[.,]\d+|\d+,(\d{0,2}|\d{4,})|(0\d*|\d{4,}),\d{3}))";
    const std::string number = R"(\+?)" + decimal + R"(([eE][+-]?\d+)?(\^-?(\d+\.?\d*|\.\d+))?)";
    std::string units;
    const auto add = [&units](std::string_view symbol) {
        units += units.empty() ? "" : "|";
        if (symbol.starts_with('$')) units += '\\';
        units += symbol;
    };
    if (is_countable(quantity)) {
        for (const CountSuffix& suffix : kCountSuffixes) add(suffix.symbol);
        return "^" + number + R"(([ \t]*()" + units + R"())?([ \t]*tokens?)?$)";
    }
    for (const Unit& unit : units_of(quantity)) add(unit.symbol);
    return "^" + number + (units.empty() ? "" : R"(([ \t]*()" + units + "))?") + "$";
}

}  // namespace shardscope
