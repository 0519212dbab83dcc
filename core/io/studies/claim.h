// A claim and what the engine makes of it. A claim is data: scenarios, an output, what is done with their
// values, and the values with which the engine would agree.
#pragma once

#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "explain/output.h"
#include "explore/sweep.h"

namespace shardscope {

// What is done with the scenarios' values of the output.
enum class Measure : unsigned char {
    value,            // of the one scenario
    ratio,            // last ÷ first
    relative_change,  // last ÷ first − 1
    crossover,        // along an input: from where on the best of the others is better than the first, or the
                      // one scenario reaches the target
};
std::string_view name_of(Measure measure);  // "relative-change"

struct Claim {
    std::string name;        // "throughput-per-gpu"
    std::string says;        // one sentence
    std::string source;      // where the sentence comes from
    std::string by;          // whose number it is: the study's paper, or "MosaicML"
    bool published = false;  // the stated number was read in a public source; else it is a question of ours
    std::vector<Scenario> scenarios;
    Output output = Output::mfu;
    Measure measure = Measure::value;
    // Other than for a crossover, the value of a scenario is the best along the axes, all combinations tried:
    // the scenario with just these values, which count for nothing where they are not valid.
    std::vector<Axis> along;
    double target = std::numeric_limits<double>::quiet_NaN();  // of a crossover with one scenario
    std::optional<double> stated;
    // Where the engine's value lies if it agrees; infinite: an open end. Two open ends: a question without an
    // expectation.
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

enum class Agreement : unsigned char {
    agrees,     // inside the range
    partly,     // outside, but the effect goes the stated way; of a crossover: there is one
    disagrees,  // outside
    answered,   // a question without an expectation
    unknown,    // no value: what is compared does not fit, or is not valid
};
std::string_view name_of(Agreement agreement);  // "agrees"

struct Finding {
    Agreement agreement = Agreement::unknown;
    double value = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> values;  // of the output, one a scenario; of a crossover empty
    std::string reason;          // why there is no value
};

// Plans what is automatic. A stopped one means nothing.
Finding examine(const Claim& claim, const std::stop_token& stop = {});

// The stated, or the engine's, number as a person reads it: "−37.2 %", "0.48 ×", "1,024", "59.7 %".
std::string text_of(const Claim& claim, double value);
// "−45.0 % to −30.0 %", "at least 1 ×"; empty without an expectation.
std::string range_text(const Claim& claim);
// The stated number, else the range.
std::string expected_text(const Claim& claim);
// The engine's number, or why there is none.
std::string found_text(const Claim& claim, const Finding& finding);
// "8,303 tokens/s → 5,113 tokens/s": the output's values behind a comparison; empty when there is only one.
std::string values_text(const Claim& claim, const Finding& finding);

}  // namespace shardscope
