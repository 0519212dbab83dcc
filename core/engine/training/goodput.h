// Goodput: the share of a run's time that remains after failures and checkpoints.
//
// A job of G GPUs stops when one of them fails, so its mean time between failures is M = MTBF of a GPU ÷ G.
// The job repeatedly trains for an interval τ and writes a checkpoint for δ. A failure loses the work since
// the last checkpoint and costs a restart R, during which the job may fail again. If failures are equally
// likely at every moment (exponential), one interval takes on average
//   T = M · e^(R/M) · (e^((τ+δ)/M) − 1),
// and the goodput is τ ÷ T, exactly. Source: Daly 2006, Future Generation Computer Systems 22(3), 303–312,
// equation for the total wall-clock time. For τ, δ, R ≪ M the goodput is 1 − δ/τ − (τ+δ)/(2M) − R/M. Without
// failures it is τ ÷ (τ + δ), or 1 if no checkpoints are written.
#pragma once

namespace shardscope {

struct Failures {
    double mean_time_between = 0;  // s, of the whole job; infinite: none
    double checkpoint = 0;         // s to write one, during which training stops
    double restart = 0;            // s from a failure until training goes on
};

// The part of a checkpoint that no number of GPUs shortens: they agree on what each of them writes, and their
// state is copied to the hosts. Storage that grows with the GPUs shortens only the rest. It takes several
// seconds (Jiang et al. 2024 (MegaScale), arXiv 2402.15627); 5 is assumed.
inline constexpr double kCheckpointPause = 5;  // s

// Returns the interval with the highest goodput, s: the root of ln(1 − τ/M) + τ/M + δ/M = 0. It does not
// depend on the restart time. Its limit for δ ≪ M is √(2·δ·M), by Young 1974 (Communications of the ACM
// 17(9), 530–531).
double optimal_interval(const Failures& failures);
// Returns the share of the time that goes into training whose results are kept, 0…1. It is 1 for an infinite
// interval without failures.
double goodput(const Failures& failures, double interval);

}  // namespace shardscope
