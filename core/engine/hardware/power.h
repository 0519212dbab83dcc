// E26: power of one GPU.
//
// P = TDP · f · (0.842 + 0.158·u), where u is the throughput relative to the same step without waiting. The
// slope follows from one public pair of runs: from 128 to 2,048 H100 the throughput per GPU falls by 37.2 %
// and the power per GPU by 5.9 % (Fernandez et al. 2024, arXiv 2411.13055). f ≈ 0.94 is a fit.
#pragma once

namespace shardscope {

inline double power_per_gpu(double tdp, double utilization) {
    return tdp * 0.94 * (0.842 + 0.158 * utilization);
}
// Returns the utilization at which a GPU takes `power`.
inline double utilization_at(double tdp, double power) { return (power / (tdp * 0.94) - 0.842) / 0.158; }

}  // namespace shardscope
