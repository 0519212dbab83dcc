// Quantities and their units. All conversions between numbers and text are here.
//
// Inside the program every value is in SI base units (s, B, FLOP, B/s, FLOP/s, W, J). Other units appear only
// when a person reads or writes a value. Bandwidth is per GPU and per direction; FLOP/s are dense.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace shardscope {

inline constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;  // bytes

// The kind of a number, which decides the units that are accepted and how the number is shown.
enum class Quantity {
    count,              // 2,048
    big_count,          // 12.85 B (parameters, tokens of a whole run)
    sequence_tokens,    // tokens of one sequence; "8k" is 8,192 here
    tokens,             // 4,096 tokens
    bytes,              // shown in GiB
    memory_bandwidth,   // shown in TB/s
    link_bandwidth,     // shown in GB/s
    network_bandwidth,  // shown in Gbit/s
    flop_rate,          // shown in TFLOP/s
    seconds,            // shown in µs, ms, s, h by size
    fraction,           // 0.403, shown as it is
    percent,            // 0.403, shown as 40.3 %
    rate,               // tokens/s
    watts,
    joules,
    tokens_per_joule,
    days,  // below one in h
    hours,
    money,                   // US dollars
    byte_factor,             // bytes per element
    bytes_squared_per_flop,  // memory × bandwidth ÷ FLOPS: GB · GB/s ÷ TFLOP/s, shown in GB²/TFLOP
    choice,                  // one of the named values of a parameter
    flag,                    // on or off
    set,                     // several of the named values of a parameter
    list,                    // words joined by commas, kept like a text
    text,                    // a text; the number is that of the interned text (parameters/interned_text.h)
};
// Returns whether the number of a value stands for an interned text.
constexpr bool is_text(Quantity quantity) { return quantity == Quantity::list || quantity == Quantity::text; }

// A unit in which a quantity may be written.
struct Unit {
    std::string_view symbol;
    double factor;  // SI value of one unit
};

// Returns the units accepted for a quantity; the first is the one it is shown in. Empty for bare numbers.
std::span<const Unit> units_of(Quantity quantity);

// Returns the number as a person reads it: thousands are separated by commas, a negative number has a true
// minus sign, and NaN is "–". `with_unit` adds the unit after a space.
std::string format(double value, Quantity quantity, bool with_unit = true);

// The number and its unit, for displays that print the unit smaller.
struct Shown {
    std::string number;
    std::string unit;
};
Shown show(double value, Quantity quantity);

// Returns the shortest decimal text that reads back as the same double ("." as the decimal mark, no
// grouping).
std::string exact(double value);
// The same, or an empty text if there is no value (NaN).
std::string exact_or_empty(double value);

struct Parsed {  // the number that was read, or why it could not be read
    bool ok = false;
    double value = 0;
    std::string problem;     // empty when ok
    std::string suggestion;  // what to write instead
};

// Reads texts such as "400 Gbit/s", "50GB/s", "70B", "8k", "2^13" and "1.5e9". A number without a unit is in
// SI base units if `bare_unit_is_shown` is false (files), else in the unit in which the quantity is shown
// (fields of the window). A single decimal comma is read as a point; "1,024" is rejected as ambiguous, and
// the suggestion names both readings.
Parsed parse(std::string_view text, Quantity quantity, bool bare_unit_is_shown = false);

// Returns the regular expression (ECMA 262) of the texts that `parse` reads as a value ≥ 0 of the quantity,
// without blanks at their ends. The units are English, as in files of every language.
std::string pattern_of(Quantity quantity);

}  // namespace shardscope
