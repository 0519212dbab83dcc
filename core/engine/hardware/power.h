// E26: power of one GPU.
//
// P = TDP · f · (0.842 + 0.158·u), where u is the throughput relative to the same step without waiting. The
// slope follows from one public pair of runs: from 128 to 2,048 H100 the throughput per GPU falls by 37.2 %
// and the power per GPU by 5.9 % (Fernandez et al. 2024, arXiv 2411.13055). f is a fit.
#pragma once

namespace shardscope {

namespace power {
inline constexpr double kShareOfTdp = 0.94;  // f, of a step without waiting
inline constexpr double kWaiting = 0.842;    // the share of that power while the GPU only waits
inline constexpr double kSlope = 0.158;      // the share that is proportional to u
}  // namespace power

inline double power_per_gpu(double tdp, double utilization) {
    return tdp * power::kShareOfTdp * (power::kWaiting + power::kSlope * utilization);
}
// Returns the utilization at which a GPU takes `watts`.
inline double utilization_at(double tdp, double watts) {
    return (watts / (tdp * power::kShareOfTdp) - power::kWaiting) / power::kSlope;
}

}  // namespace shardscope
