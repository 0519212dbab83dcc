// A claim of a paper and the engine's finding on it. A claim is data: scenarios, an output, a measure that
// compares the scenarios' values, and the range of values in which the engine agrees.
#pragma once

#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "containers/no_value.h"
#include "explain/output.h"
#include "explore/sweep.h"

namespace shardscope {

// The number that is computed from the scenarios' values of the output.
enum class Measure : unsigned char {
    value,            // of the only scenario
    ratio,            // last ÷ first
    relative_change,  // last ÷ first − 1
    crossover,        // value of an input from which on the best of the other scenarios is better than the
                      // first, or from which on the only scenario reaches the target
};
std::string_view name_of(Measure measure);  // "relative-change"

struct Claim {
    std::string name;        // "throughput-per-gpu"
    std::string statement;   // the claim in one sentence
    std::string source;      // of the sentence
    std::string by;          // the author of the number: the study's paper, or "MosaicML"
    bool published = false;  // whether the number was read in a public source; else the question is ours
    std::vector<Scenario> scenarios;
    Output output = Output::mfu;
    Measure measure = Measure::value;
    // The axis of a crossover. For other measures the value of a scenario is the best over all combinations
    // of these axes' values; combinations that are not valid are ignored.
    std::vector<Axis> along;
    double target = kNoValue;  // of a crossover with one scenario
    std::optional<double> stated;
    // The engine agrees if its value is in this range. An infinite limit is an open end; with two open ends
    // the claim is a question without an expectation.
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

enum class Agreement : unsigned char {
    agrees,     // inside the range
    partly,     // outside, but the effect has the stated direction; for a crossover: there is one
    disagrees,  // outside
    answered,   // a question without an expectation
    unknown,    // no value: a scenario does not fit or is not valid
};
std::string_view name_of(Agreement agreement);  // "agrees"

struct Finding {
    Agreement agreement = Agreement::unknown;
    double value = kNoValue;
    std::vector<double> values;  // of the output, one per scenario; empty for a crossover
    std::string reason;          // why there is no value
};

// Computes the finding; automatic parameters are planned. After a stop the result is meaningless.
Finding evaluate_claim(const Claim& claim, const std::stop_token& stop = {});

// Formats the stated number or the engine's number: "−37.2 %", "0.48 ×", "1,024", "59.7 %".
std::string text_of(const Claim& claim, double value);
// Returns "−45.0 % to −30.0 %" or "at least 1 ×"; empty without an expectation.
std::string range_text(const Claim& claim);
// Returns the stated number; the range where no number is stated.
std::string expected_text(const Claim& claim);
// Returns the engine's number, or the reason why there is none.
std::string found_text(const Claim& claim, const Finding& finding);
// Returns the compared values of the output, "8,303 tokens/s → 5,113 tokens/s"; empty when there is only one.
std::string values_text(const Claim& claim, const Finding& finding);

}  // namespace shardscope
