// The whole training run: duration, GPU hours, cost and energy.
#pragma once

#include "compile/compiled.h"

namespace shardscope {

inline constexpr double kSecondsPerDay = 86400;

struct TrainingRun {            // the whole run, not one step
    double batch = 0;           // tokens of an optimizer step
    double critical_batch = 0;  // tokens, E28; infinite if no law is chosen
    double tokens = 0;          // trained on, including those that a large batch adds
    double steps = 0;

    double checkpoint = 0;         // s to write one
    double interval = 0;           // s of training between two; infinite if none are written
    double mean_time_between = 0;  // s between failures of the job; infinite if there are none
    double goodput = 1;            // share of the time that goes into training whose results are kept
    double failures = 0;           // expected number

    double training = 0;   // s, without failures and checkpoints
    double seconds = 0;    // s, with failures and checkpoints
    double gpu_hours = 0;  // over `seconds`
    double cost = 0;       // dollars; NaN without a price
    double energy = 0;     // J

    // Returns the tokens that could be trained in the time of the run if no time were lost.
    [[nodiscard]] double tokens_at_full_goodput() const { return tokens / goodput; }
};

// Computes the run from the throughput of all GPUs and the power of one GPU (W).
TrainingRun training_run(const Compiled& compiled, double tokens_per_s, double power_per_gpu);

}  // namespace shardscope
