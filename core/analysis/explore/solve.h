// The inverse problem: finds the values of one input that meet a target, by a scan over the valid values and
// bisection between them, because outputs have steps (degrees, whole nodes, kernels' tiles).
//
// With automatic parameters the scenario is re-planned at every value. Every range of values that meets the
// target is reported. The answer is the end of a range beyond which the target is missed:
//   range without an upper limit    its smallest value (memory for a target MFU)
//   range without a lower limit     its largest value (the longest sequence that fits)
//   otherwise                       the smallest value of inputs that cost (GPUs, memory, rates, degrees),
//                                   the largest of inputs that are useful (sequence, batch, model size,
//                                   training tokens)
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "containers/no_value.h"
#include "explain/output.h"
#include "planner/answer.h"

namespace shardscope {

enum class Comparison { at_least, at_most };

struct Target {  // a condition on an output
    // None: the scenario fits with the margin to spare; the other fields are unused.
    std::optional<Output> output;
    Comparison comparison = Comparison::at_least;
    double value = 0;      // in SI units
    bool of_best = false;  // `value` is a share of the output's best over all values: 0.95 of the ceiling

    [[nodiscard]] bool is_fit() const { return !output; }
};
// "fits", "mfu>=0.5", "memory.peak_bytes<=70 GiB", "mfu>=95 % of best".
Target parse_target(const std::string& text, Problems& problems);
std::string text_of(const Target& target);  // "MFU ≥ 50.0 %", "it fits"

struct Question {  // asks for the values of an input that meet a target
    Scenario scenario;
    P id;  // the input
    Target target;
    // The range of values to try; NaN: the parameter's range, but at most a thousand times beyond the
    // slider's ends, and of GPUs up to the slider's end.
    double low = kNoValue;
    double high = kNoValue;
    unsigned threads = 1;
};

// A range of values that meet the target, both ends included.
struct MetRange {
    double from = 0;
    double to = 0;
    double below = 0;  // the nearest valid values outside, which miss the target;
    double above = 0;  // NaN if the range extends to the end of the values tried
};

// "Fits at 32, not at 24".
std::string text_of(P id, const MetRange& range, const Target& target);

// The values of an input with which a target is met, or the reason why there is none.
struct Solution {
    std::vector<MetRange> met;  // ascending; choices in the slider's order
    double value = kNoValue;    // the answer
    bool largest = false;       // the answer is the upper end of its range, else the lower one
    double low = 0;             // ends of the values tried
    double high = 0;
    Target target;       // with a share of the best replaced by its value
    Scenario scenario;   // with the answer set
    std::string reason;  // why there is no answer; empty if there is one

    [[nodiscard]] bool found() const { return !met.empty(); }
};

// `progress` receives the share that is done, from any thread. The result is meaningless when it was stopped.
Solution solve(const Question& question, const std::stop_token& stop = {},
               const std::function<void(double)>& progress = {});

// A change of the scenario that makes a question without an answer solvable.
struct Alternative {
    std::string label;  // "with the plan automatic"
    Solution solution;
};
// Tries to choose the plan again at every value, then to recompute all activations, and returns those that
// give an answer.
std::vector<Alternative> alternatives(const Question& question, const std::stop_token& stop = {},
                                      const std::function<void(double)>& progress = {});

// Returns whether a larger value of the input is useful in itself, such as a longer sequence, rather than a
// cost.
bool is_benefit(P id);
// Returns whether an input can be solved for: parameters that only files contain cannot.
bool can_solve_for(P id);

// Predefined frequent questions.
struct PredefinedQuestion {
    std::string_view name;   // "fewest-gpus"
    std::string_view label;  // "Fewest GPUs that fit", in English
    std::optional<P> id;     // none: the input that is selected at the moment
    Target target;
};
std::span<const PredefinedQuestion> predefined_questions();

}  // namespace shardscope
