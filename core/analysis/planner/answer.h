// One scenario with everything that follows from it: what windows, commands and plots work on.
#pragma once

#include "estimate/estimate.h"
#include "scenario/scenario.h"
#include "text/problem.h"

namespace shardscope {

// Shown beside the wall: what twice the memory or the batch would bring, E29.
struct Levers {
    double gpu_memory = 0;  // ln(tokens/s at 2×) ÷ ln 2, automatic parameters planned again
    double batch = 0;       // of twice the micro-batch, plan held; NaN: no such thing, or it does not fit
};

struct Answer {         // a scenario and all that follows from it
    Scenario scenario;  // automatic parameters hold the planner's values
    Settings settings;
    Problems problems;  // not empty: the rest means nothing
    Compiled compiled;
    Estimate estimate;

    // The values are valid, but what the engine made of them is not possible: its own error, to be reported.
    bool impossible = false;

    [[nodiscard]] bool valid() const { return problems.empty(); }
    [[nodiscard]] bool fits() const { return valid() && estimate.fits(); }
};

// Plans what is automatic, checks, compiles and estimates. An estimate that no hardware could reach is a
// problem, not an answer.
Answer answer(const Scenario& scenario);

// What to say of an answer that is not possible: where the MFU was set by hand what is wrong with it, else
// that the program is wrong.
Problem impossible_problem(const Answer& answer);

// As `answer`, for loops over many scenarios: reuses `out`'s storage and leaves `problems` to the caller.
// Returns false when the values are not valid, or the estimate is not possible.
bool answer_into(const Scenario& scenario, Answer& out);

Levers levers(const Answer& base);

}  // namespace shardscope
