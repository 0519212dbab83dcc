// One scenario with everything that follows from it. Windows, commands and plots work on answers.
#pragma once

#include "estimate/estimate.h"
#include "scenario/scenario.h"
#include "text/problem.h"

namespace shardscope {

// The elasticity of throughput to the GPU memory and to the batch, E29: ln(tokens/s at 2× ÷ tokens/s) ÷ ln 2.
// The window shows them beside the wall.
struct Levers {
    double gpu_memory = 0;  // twice the memory; automatic parameters are re-planned
    double batch = 0;       // twice the micro-batch with the plan held; NaN: not valid, or it does not fit
};

struct Answer {         // a scenario and all that follows from it
    Scenario scenario;  // automatic parameters have the planner's values
    Settings settings;
    Problems problems;  // not empty: the fields below are meaningless
    Compiled compiled;
    Estimate estimate;

    // The values are valid, but the engine's result is physically impossible: an error of the engine, which
    // the user is asked to report.
    bool impossible = false;

    PresetSettings presets;  // what `answer_into` reuses for the next scenario

    [[nodiscard]] bool valid() const { return problems.empty(); }
    [[nodiscard]] bool fits() const { return valid() && estimate.fits(); }
};

// Plans the automatic parameters, checks, compiles and estimates. An estimate that no hardware could reach is
// reported as a problem.
Answer answer(const Scenario& scenario);

// The message for an impossible answer. If the MFU was set by hand, it explains what is wrong with that
// value, else it says that the program is wrong.
Problem impossible_problem(const Answer& answer);

// Does the same as `answer` for loops over many scenarios: it reuses `out`'s storage and leaves `problems` to
// the caller. Returns false when the values are not valid, or the estimate is not possible.
bool answer_into(const Scenario& scenario, Answer& out);

Levers levers(const Answer& base);

}  // namespace shardscope
