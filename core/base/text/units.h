// Quantities and their units: the one place that turns numbers into text and text into numbers.
//
// Inside the program every value is in SI base units (s, B, FLOP, B/s, FLOP/s, W, J). A unit appears only
// when a person reads or writes a value. Bandwidth is per GPU and per direction; FLOP/s are dense.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace shardscope {

// What kind of thing a number is; decides the units it may be written in and how it is shown.
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
    days,
    hours,
    money,                   // US dollars
    byte_factor,             // bytes per element
    bytes_squared_per_flop,  // memory × bandwidth ÷ FLOPS: GB · GB/s ÷ TFLOP/s, shown in GB²/TFLOP
    choice,                  // one of a parameter's names
    flag,                    // on or off
};

struct Unit {  // a unit that may be written
    std::string_view symbol;
    double factor;  // SI value of one of it
};

// Units accepted for a quantity, first the one it is shown in. Empty for bare numbers.
std::span<const Unit> units_of(Quantity quantity);

// The number as a person reads it: thousands separated by commas, true minus, "–" for NaN.
// `with_unit` adds the unit after a space.
std::string format(double value, Quantity quantity, bool with_unit = true);

// The same value split for displays that set the unit smaller.
struct Shown {
    std::string number;
    std::string unit;
};
Shown show(double value, Quantity quantity);

// Shortest decimal text that reads back as exactly the same double ("." as the mark, no grouping).
std::string exact(double value);

struct Parsed {  // a number as it was read, or why it could not be
    bool ok = false;
    double value = 0;
    std::string problem;     // what is wrong, empty when ok
    std::string suggestion;  // what to write instead
};

// Reads "400 Gbit/s", "50GB/s", "70B", "8k", "2^13", "1.5e9". A bare number is in SI base units when
// `bare_unit_is_shown` is false (files), else in the unit the quantity is shown in (fields of the window).
// A single decimal comma is read as a point; "1,024" is refused with both readings named.
Parsed parse(std::string_view text, Quantity quantity, bool bare_unit_is_shown = false);

// Returns the regular expression (ECMA 262) of the texts that `parse` reads as a value ≥ 0 of the quantity,
// without blanks at their ends. Units are English, as files write them in every language.
std::string pattern_of(Quantity quantity);

}  // namespace shardscope
