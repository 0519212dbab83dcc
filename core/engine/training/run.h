// The whole run: how long, how many GPU hours, what it costs.
#pragma once

#include "compile/compiled.h"

namespace shardscope {

inline constexpr double kSecondsPerDay = 86400;

struct TrainingRun {            // the whole run, not one step
    double batch = 0;           // tokens of an optimizer step
    double critical_batch = 0;  // tokens, E28; infinite: no law chosen
    double tokens = 0;          // trained on, with what the batch costs
    double steps = 0;

    double checkpoint = 0;         // s to write one
    double interval = 0;           // s of training between two; infinite: none are written
    double mean_time_between = 0;  // s between failures of the job; infinite: none
    double goodput = 1;            // share of the time that goes into training that is kept
    double failures = 0;           // expected

    double training = 0;   // s, without failures and checkpoints
    double seconds = 0;    // s, with them
    double gpu_hours = 0;  // of all that time
    double cost = 0;       // dollars
    double energy = 0;     // J

    // Tokens that the time of the run would be enough for, were nothing lost.
    [[nodiscard]] double tokens_with_losses() const { return tokens / goodput; }
};

// Of the throughput of all GPUs and the power of one (W).
TrainingRun training_run(const Compiled& compiled, double tokens_per_s, double power_per_gpu);

}  // namespace shardscope
