// The question turned round: which values of one input meet a target. A scan over the valid values and
// bisection between them, because outputs have steps (degrees, whole nodes, kernels' tiles).
//
// With automatic parameters the plan is found anew at every value. Every stretch of values that meets the
// target is reported. The answer is the end of a stretch beyond which the target is missed:
//   a stretch that runs on upwards    its smallest value (memory for a target MFU)
//   a stretch that runs on downwards  its largest value (the longest sequence that fits)
//   otherwise                         the smallest of what costs (GPUs, memory, rates, degrees), the largest
//                                     of what one wants (sequence, batch, model size, training tokens)
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "explain/output.h"
#include "planner/answer.h"

namespace shardscope {

enum class Comparison { at_least, at_most };

struct Target {  // what an output shall be
    Output output =
        Output::count;  // Output::count: it fits, with the margin to spare; the rest means nothing
    Comparison comparison = Comparison::at_least;
    double value = 0;      // in SI units
    bool of_best = false;  // `value` is a share of the best that the input reaches: 0.95 of the ceiling

    [[nodiscard]] bool is_fit() const { return output == Output::count; }
};
// "fits", "mfu>=0.5", "memory.peak_bytes<=70 GiB", "mfu>=95 % of best".
Target parse_target(const std::string& text, Problems& problems);
std::string text_of(const Target& target);  // "MFU ≥ 50.0 %", "it fits"

struct Question {  // which value of an input meets a target
    Scenario scenario;
    P id = P::count;  // the input that is changed
    Target target;
    // The values to look at; NaN: all that make sense, but at most a thousand times beyond the slider's ends,
    // and of GPUs up to the slider's end.
    double low = std::numeric_limits<double>::quiet_NaN();
    double high = std::numeric_limits<double>::quiet_NaN();
    unsigned threads = 1;
};

// Values that meet the target, both ends included.
struct MetStretch {
    double from = 0;
    double to = 0;
    double below = 0;  // the valid values next to it, which miss the target;
    double above = 0;  // NaN where it runs on to the end of what was looked at
};

// "from 32 GPUs up, missed at 24".
std::string text_of(P id, const MetStretch& stretch);

struct Solution {                                             // the values that meet it, or what blocks them
    std::vector<MetStretch> met;                              // ascending; choices in the slider's order
    double value = std::numeric_limits<double>::quiet_NaN();  // the answer
    bool largest = false;  // it is the upper end of its stretch, else the lower one
    double low = 0;        // what was looked at
    double high = 0;
    Target target;       // a share of the best has become a value
    Scenario scenario;   // with the answer set
    std::string reason;  // why there is no answer; empty when there is one

    [[nodiscard]] bool found() const { return !met.empty(); }
};

// `progress` hears the share that is done, from any thread. A stopped search returns what means nothing.
Solution solve(const Question& question, const std::stop_token& stop = {},
               const std::function<void(double)>& progress = {});

// What else would give an answer where there is none: the plan chosen anew at every value, or the activations
// recomputed. Those that do, in this order.
struct WayOut {
    std::string label;  // "with the plan automatic"
    Solution solution;
};
std::vector<WayOut> ways_out(const Question& question, const std::stop_token& stop = {},
                             const std::function<void(double)>& progress = {});

// Whether more of it is what one wants, rather than what it costs.
bool is_wanted(P id);
// Whether it can be solved for: it has more than one value.
bool can_solve_for(P id);

// Questions people ask, ready made.
struct CannedQuestion {
    std::string_view name;   // "fewest-gpus"
    std::string_view label;  // "Fewest GPUs that fit", in English
    P id = P::count;         // P::count: the input that is chosen already
    Target target;
};
std::span<const CannedQuestion> canned_questions();

}  // namespace shardscope
