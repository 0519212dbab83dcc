// The steady state of a run: the steps that remain after warm-up, evaluations, checkpoints and outliers are
// left out.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "logs/log_contents.h"

namespace shardscope::logs {

// How many logged steps were left out, and why. A step counts once, for the first reason in this order.
struct LeftOutSteps {
    std::size_t earlier_start = 0;  // before the program started again with other settings
    std::size_t other_batch = 0;    // before the last global batch was reached (a ramp)
    std::size_t restart = 0;        // the first step after the program started again
    std::size_t evaluation = 0;     // the first step after an evaluation
    std::size_t checkpoint = 0;     // the first step after a checkpoint
    std::size_t warm_up = 0;
    std::size_t outliers = 0;
    [[nodiscard]] std::size_t total() const {
        return earlier_start + other_batch + restart + evaluation + checkpoint + warm_up + outliers;
    }
};

struct SteadyState {
    std::size_t logged = 0;  // steps
    LeftOutSteps left_out;
    // The median of the steps that remain and the quantiles between which 80 % of them lie, in the unit of
    // the samples; 0 where no step remains.
    double median = 0, low = 0, high = 0;
    [[nodiscard]] std::size_t used() const { return logged - left_out.total(); }
};

struct StepSample {
    double value = 0;         // > 0, such as s
    double global_batch = 0;  // sequences; 0 where it is not stated
    Interruption interruption = Interruption::none;
};

// Warm-up is the first step and those after it that are more than 5 % slower than the median of the second
// half, up to half of all. An outlier is further from the median than 3.5 times the scaled median absolute
// deviation (the modified z-score of Iglewicz and Hoaglin 1993, How to Detect and Handle Outliers) and more
// than 5 %. Fewer than three samples are all kept.
SteadyState steady_state(std::span<const StepSample> samples);

}  // namespace shardscope::logs
