#include <catch2/catch.hpp>
#include <clocale>
#include <cmath>
#include <regex>
#include <vector>

#include "text/text.h"
#include "text/units.h"

using namespace shardscope;

TEST_CASE("units: values with units are read as SI values", "[units]") {
    CHECK(parse("400 Gbit/s", Quantity::network_bandwidth).value == 50e9);
    CHECK(parse("50GB/s", Quantity::network_bandwidth).value == 50e9);
    CHECK(parse("24 GiB", Quantity::bytes).value == 24.0 * 1073741824.0);
    CHECK(parse("80 GB", Quantity::bytes).value == 80e9);
    CHECK(parse("989 TFLOP/s", Quantity::flop_rate).value == 989e12);
    CHECK(parse("10 us", Quantity::seconds).value == Approx(10e-6));
    CHECK(parse("70B", Quantity::big_count).value == 70e9);
    CHECK(parse("8k", Quantity::sequence_tokens).value == 8192);
    CHECK(parse("8k", Quantity::count).value == 8000);
    CHECK(parse("2^13", Quantity::sequence_tokens).value == 8192);
    CHECK(parse("1.5e9", Quantity::big_count).value == 1.5e9);
    CHECK(parse("4 Ki", Quantity::count).value == 4096);
    CHECK(parse("3,5", Quantity::fraction).value == 3.5);
    CHECK(parse("−2", Quantity::count).value == -2);
}

TEST_CASE("units: a comma is a decimal mark where it cannot group thousands", "[units]") {
    CHECK(parse("0,125", Quantity::fraction).value == 0.125);
    CHECK(parse("00,125", Quantity::fraction).value == 0.125);
    CHECK(parse("−0,125", Quantity::fraction).value == -0.125);
    CHECK(parse("-0,125", Quantity::fraction).value == -0.125);
    CHECK(parse(",125", Quantity::fraction).value == 0.125);
    CHECK(parse("0,5", Quantity::fraction).value == 0.5);
    CHECK(parse("0,125 GB", Quantity::bytes).value == 125e6);
    CHECK(parse("0,125e3", Quantity::count).value == 125);
    CHECK(parse("12345,678", Quantity::fraction).value == 12345.678);
    for (const char* either : {"1,024", "12,500", "999,999", "-1,024", "1,024e3"}) {
        INFO(either);
        CHECK_FALSE(parse(either, Quantity::count).ok);
    }
    const Parsed read = parse("12,500", Quantity::count);
    CHECK(read.suggestion.find("12500") != std::string::npos);
    CHECK(read.suggestion.find("12.500") != std::string::npos);
    // A number with two commas is not a decimal, whatever its first digits are.
    CHECK_FALSE(parse("0,125,000", Quantity::count).ok);
}

TEST_CASE("units: an unreadable value is refused with the reason and what to write", "[units]") {
    const Parsed comma = parse("1,024", Quantity::count);
    CHECK_FALSE(comma.ok);
    CHECK(comma.suggestion.find("1024") != std::string::npos);
    CHECK(comma.suggestion.find("1.024") != std::string::npos);
    const Parsed unit = parse("400 gbit/s", Quantity::network_bandwidth);
    CHECK_FALSE(unit.ok);
    CHECK(unit.suggestion == "did you mean Gbit/s?");
    for (const char* bad : {"", "fast", "12 parsec", "8e", "--3", "1e999", "^3", "nan", "inf"}) {
        INFO(bad);
        CHECK_FALSE(parse(bad, Quantity::bytes).ok);
    }
}

TEST_CASE("units: a bare number is in the displayed unit in a field and in SI in a file", "[units]") {
    CHECK(parse("200", Quantity::network_bandwidth, true).value == 25e9);
    CHECK(parse("200", Quantity::network_bandwidth, false).value == 200);
}

TEST_CASE("units: values are shown as people read them", "[units]") {
    CHECK(format(2048, Quantity::count) == "2,048");
    CHECK(format(50e9, Quantity::network_bandwidth) == "400 Gbit/s");
    CHECK(format(450e9, Quantity::link_bandwidth) == "450 GB/s");
    CHECK(format(3.35e12, Quantity::memory_bandwidth) == "3.35 TB/s");
    CHECK(format(989.5e12, Quantity::flop_rate) == "989.5 TFLOP/s");
    CHECK(format(79.1 * 1073741824.0, Quantity::bytes) == "79.1 GiB");
    CHECK(format(12853954560.0, Quantity::big_count) == "12.85 B");
    CHECK(format(0.8488, Quantity::seconds) == "849 ms");
    CHECK(format(9.46, Quantity::days) == "9.46 days");
    CHECK(format(0.637, Quantity::days) == "15.3 h");
    CHECK(parse("12 h", Quantity::days).value == 0.5);
    CHECK(format(-1234.5, Quantity::count) == "−1,234.5");
    CHECK(format(std::nan(""), Quantity::percent) == "–");
}

TEST_CASE("units: exact text reads back as the same double", "[units]") {
    for (const double value : {0.1, 1.0 / 3, 6.02214076e23, 84932978278.4, 1e-300, 123456789.0}) {
        CHECK(std::stod(exact(value)) == value);
    }
}

TEST_CASE("text: the nearest name is offered only when it is near", "[text]") {
    const std::string known[] = {"micro_batch", "global_batch", "sequence_length"};
    CHECK(nearest("micro_bacth", known) == "micro_batch");
    CHECK(nearest("sequence", known) == "sequence_length");
    CHECK(nearest("zzzzzz", known).empty());
}

TEST_CASE("units: the pattern of a quantity matches the texts that are read", "[units]") {
    std::vector<std::string> units{"",   "k", "K",      "M",     "B",        "G",      "T",     "Ki",
                                   "Mi", "m", "tokens", "token", "k tokens", "parsec", "gbit/s"};
    for (int i = 0; i <= static_cast<int>(Quantity::flag); ++i) {
        for (const Unit& unit : units_of(static_cast<Quantity>(i))) units.emplace_back(unit.symbol);
    }
    for (int i = 0; i <= static_cast<int>(Quantity::flag); ++i) {
        const auto quantity = static_cast<Quantity>(i);
        const std::regex pattern(pattern_of(quantity));
        const auto check = [&](const std::string& text) {
            INFO(i << ": " << text);
            CHECK(std::regex_match(text, pattern) == parse(text, quantity).ok);
        };
        for (const char* number :
             {"8",         "8.",    "8.5",   ".5",  "+3",        "0,125", ",125",    "1,5",  "1,",
              "12345,678", "1,024", "999,1", "1e9", "1.5E-3",    "1,5e3", "1,024e3", "2^13", "2^-1",
              "2^.5",      "2^",    "8e",    "--3", "0,125,000", "1.5,2", "1.2.3",   ",",    ".",
              "",          "e5",    "nan",   "inf", "1 2",       "+",     "+ 3",     "1e+"}) {
            check(number);
            if (!units_of(quantity).empty())
                check(number + (" " + std::string(units_of(quantity).back().symbol)));
        }
        for (const std::string& unit : units) {
            for (const char* gap : {"", " ", "\t", "  "}) {
                if (!unit.empty()) check("8" + (gap + unit));
            }
        }
    }
}
