// E26: power of one GPU.
//
// P = TDP · f · (0.842 + 0.158·u), where u is the throughput relative to the same step without waiting. The
// slope follows from one public pair of runs: from 128 to 2,048 H100 the throughput per GPU falls by 37.2 %
// and the power per GPU by 5.9 % (Fernandez et al. 2024, arXiv 2411.13055). f is a fit.
#pragma once

namespace shardscope {

namespace power {
inline constexpr double kShareOfTdp = 0.94;
inline constexpr double kIdle = 0.842;
inline constexpr double kSlope = 0.158;
}  // namespace power

inline double power_per_gpu(double tdp, double utilization) {
    return tdp * power::kShareOfTdp * (power::kIdle + power::kSlope * utilization);
}
// Returns the utilization at which a GPU takes `watts`.
inline double utilization_at(double tdp, double watts) {
    return (watts / (tdp * power::kShareOfTdp) - power::kIdle) / power::kSlope;
}

}  // namespace shardscope
