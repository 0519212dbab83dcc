// What would explain the difference between a measured run and its prediction, ranked by plausibility.
#pragma once

#include <vector>

#include "evidence/measured.h"
#include "model/step_terms.h"

namespace shardscope {

// One input whose other value brings the prediction to the measurement, all else held.
struct RankedCause {
    P id;
    bool setting = false;  // an input that the run does not state; otherwise a constant of the calibration
    double now = 0;
    double value = 0;
    double step_time = 0;              // s, predicted with `value`
    StepTerm term = StepTerm::matmul;  // the term of the step that changes most
    // How unusual the change is, in standard deviations. For a constant: its distance from the present value
    // by the width of its prior. For a setting: one, plus what remains unexplained in units of 5 %.
    double deviations = 0;
};

inline constexpr double kNegligibleDifference = 0.01;  // of the step time; it needs no explanation

// Returns the causes, the most plausible first: settings that explain at least half of the difference,
// and constants that explain all of it. Settings that the scenario gives are not varied. The result is empty
// if prediction and measurement differ by less than 1 %. This takes about a thousand estimates.
std::vector<RankedCause> ranked_causes(const Answer& answer, const Measurement& measurement);

// One term of the step, and what it would have to be if it alone explained the difference.
struct TermGap {
    StepTerm term;
    double predicted = 0;  // s
    double needed = 0;     // s, predicted + the whole difference; negative where the term is too short
};
// Returns the terms that are not zero, those first whose relative change is the smallest.
std::vector<TermGap> term_gaps(const Answer& answer, const Measurement& measurement);

}  // namespace shardscope
