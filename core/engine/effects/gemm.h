// E9: the time of a matrix multiplication on one GPU.
//
// The time is the longer of arithmetic and memory traffic. The efficiency of the arithmetic is a continuous
// function of the shape, so results do not jump while a slider moves:
//
//   η(M,N,K) = η_max · K/(K+K½) · MN/(MN+A½)
//
// A grouped kernel (the matrices of several experts) fills the GPU with the area of all its matrices, but
// each matrix wastes half a tile of rows on average.
//
// The form is a product of saturating factors because it fits public runs as well as a model of tile and wave
// quantization does. The source of η_max is best-achieved GEMMs (stas00/ml-engineering, compute/accelerator).
#pragma once

#include "hardware/gpu_rates.h"
#include "time/rates.h"

namespace shardscope {

struct Gemm {                    // `count` matrices C[m×n] = A[m×k]·B[k×n]
    double m = 0, n = 0, k = 0;  // elements
    double count = 1;
    double bytes = 0;            // read and written in device memory
    double launches = 1;         // consecutive kernels
    bool low_precision = false;  // in fp8
    bool grouped = false;        // all `count` matrices run in one kernel and fill the GPU together
    bool splits_depth = false;   // a convolution, whose kernels split a deep product over several tiles
};

Time gemm_time(const Gemm& gemm, const GpuRates& gpu);
// Returns the time of casting operands to fp8, which moves `bytes`.
Time cast_time(double bytes, const GpuRates& gpu);

// Returns η of one matrix multiplication, its share of the peak.
double gemm_efficiency(double m, double n, double k, const GpuRates& gpu);

}  // namespace shardscope
