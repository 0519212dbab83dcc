// When it does not fit: single changes that would make it fit, with their predicted results.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "planner/answer.h"

namespace shardscope {

struct Repair {       // one change, and what it would bring
    P id = P::count;  // P::count: several of the plan's at once
    double value = 0;
    bool works = false;
    std::string label;   // "Micro-batch 2 → 1", or "More GPUs" when it does not work
    std::string detail;  // what the label has no room for: the plan, of "Other plan"
    std::string result;  // "fits, 74 GiB, MFU 46.0 %", or why it does not work
    double mfu = 0;
    double peak = 0;
    Scenario scenario;  // the scenario with the repair made
};

// Best first: other plans for the same job by MFU, then other jobs (sequence, GPUs) by MFU, then what does
// not work. What is automatic is planned anew for each, and is no change of its own. Asked to stop: none.
std::vector<Repair> repairs(const Scenario& scenario, const std::stop_token& stop = {});

// The best of all plans for the same job, by a search that may take seconds; what is automatic stays so.
// Empty where all of the plan is automatic, as it is that plan already, or when asked to stop.
std::optional<Repair> other_plan(const Scenario& scenario, unsigned threads,
                                 const std::stop_token& stop = {});

// The single change that helps most: the first repair where the scenario does not fit, else the change of the
// plan by one step that raises MFU most and still fits. Empty when nothing would help.
std::optional<Repair> best_fix(const Answer& now);

}  // namespace shardscope
