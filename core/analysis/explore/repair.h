// Single changes that make a scenario fit, with their predicted results.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

struct Repair {           // one change and its result
    std::optional<P> id;  // none: several plan parameters at once
    double value = 0;
    bool works = false;
    std::string label;   // "Micro-batch 2 → 1", "Best plan: TP 4, zero3"; "More GPUs" when it does not work
    std::string result;  // "fits, 74 GiB, MFU 46.0 %", or why it does not work
    double mfu = 0;
    double peak = 0;
    Scenario scenario;  // the scenario with the repair made
};

// The repairs, best first: other plans for the same job by MFU, then other jobs (sequence, GPUs) by MFU, then
// changes that do not work. Automatic parameters are planned again for each and are not changed otherwise.
// Returns none when it was stopped.
std::vector<Repair> repairs(const Scenario& scenario, const std::stop_token& stop = {});

// The best of all plans for the same job, by a search that may take seconds. Automatic parameters stay
// automatic. Empty if the whole plan is automatic, because it is the best already, or when it was stopped.
std::optional<Repair> other_plan(const Scenario& scenario, unsigned threads,
                                 const std::stop_token& stop = {});

// A change of a plan that fits is offered if it raises MFU at least by this.
inline constexpr double kMinReportedGain = 0.002;

// The most effective single change: the first repair if the scenario does not fit, else the one-step change
// of the plan that raises MFU most and still fits. Empty if no change helps.
std::optional<Repair> best_fix(const Answer& now);

}  // namespace shardscope
