// What failures and checkpoints leave of a run's time.
//
// A job of G GPUs stops whenever one of them does: its time between failures is M = MTBF of a GPU ÷ G. It
// computes for an interval τ, writes a checkpoint for δ, and so on; a failure throws away what was done since
// the last checkpoint and costs a restart R, in which the job may fail again. With failures that come at any
// moment with the same chance (exponential), one interval takes on average
//   T = M · e^(R/M) · (e^((τ+δ)/M) − 1),
// and the goodput is τ ÷ T, exactly. Source: Daly 2006, Future Generation Computer Systems 22(3), 303–312,
// equation for the total wall-clock time. For τ, δ, R ≪ M it is 1 − δ/τ − (τ+δ)/(2M) − R/M; without failures
// it is τ ÷ (τ + δ), and 1 where no checkpoints are written.
#pragma once

namespace shardscope {

struct Failures {
    double mean_time_between = 0;  // s, of the whole job; infinite: none
    double checkpoint = 0;         // s to write one, nothing computing meanwhile
    double restart = 0;            // s from a failure until training goes on
};

// The interval of the highest goodput, s: the root of ln(1 − τ/M) + τ/M + δ/M = 0, whatever the restart
// takes. Young 1974 (Communications of the ACM 17(9), 530–531) gives its limit for δ ≪ M, √(2·δ·M).
double optimal_interval(const Failures& failures);
// Share of the time that goes into training that is kept, 0 … 1. An infinite interval without failures is 1.
double goodput(const Failures& failures, double interval);

}  // namespace shardscope
