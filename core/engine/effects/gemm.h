// E9: the time of a matrix multiplication on one GPU.
//
// It takes the longer of its arithmetic, at an efficiency that depends smoothly on its shape, and its memory
// traffic. Efficiency is continuous in every dimension, so that a slider makes no steps:
//
//   η(M,N,K) = η_max · K/(K+K½) · MN/(MN+A½)
//
// Source of the form: saturating products fit public runs as well as tile and wave quantization do; η_max
// from best-achieved GEMMs (stas00/ml-engineering, compute/accelerator).
#pragma once

#include "hardware/gpu_rates.h"
#include "time/rates.h"

namespace shardscope {

struct Gemm {                    // `count` matrices C[m×n] = A[m×k]·B[k×n]
    double m = 0, n = 0, k = 0;  // elements
    double count = 1;
    double bytes = 0;            // read and written in device memory
    double launches = 1;         // kernels in a row
    bool low_precision = false;  // in fp8
    bool splits_depth = false;   // a convolution, whose kernels share a deep product out among the tiles
};

Time gemm_time(const Gemm& gemm, const GpuRates& gpu);
// The time to convert operands to fp8, which moves `bytes`.
Time cast_time(double bytes, const GpuRates& gpu);

// η of one matrix multiplication relative to the peak.
double gemm_efficiency(double m, double n, double k, const GpuRates& gpu);

}  // namespace shardscope
