// E26: power of one GPU.
//
// P = TDP · f · (0.842 + 0.158·u), u the throughput relative to the same step without waiting. The slope
// comes from one public pair: 128 → 2,048 H100, throughput per GPU −37.2 %, power per GPU −5.9 % (Fernandez
// et al. 2024, arXiv 2411.13055); f ≈ 0.94 is a fit.
#pragma once

namespace shardscope {

inline double power_per_gpu(double tdp, double utilization) {
    return tdp * 0.94 * (0.842 + 0.158 * utilization);
}

}  // namespace shardscope
