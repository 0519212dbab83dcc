// E9, E10: the time of one operator on one GPU.
//
// A matrix multiplication takes the longer of its arithmetic at an efficiency that depends smoothly on its
// shape and its memory traffic; everything else takes its memory traffic. Efficiency is continuous in every
// dimension, so that a slider makes no steps.
//
//   η(M,N,K) = η_max · K/(K+K½) · MN/(MN+A½)
//
// Source of the form: saturating products fit public runs as well as tile and wave quantization do; η_max
// from best-achieved GEMMs (stas00/ml-engineering, compute/accelerator).
#pragma once

#include "model/operators.h"
#include "time/rates.h"

namespace shardscope {

// What kernels run on; effective numbers, all losses included except the shape's.
struct GpuRates {
    double peak = 0;                  // FLOP/s, of bf16/fp16 (fp32 where that is the precision)
    double peak_low = 0;              // FLOP/s of fp8 matrices, their efficiency relative to bf16 included
    double gemm_efficiency = 0;       // η_max
    double half_depth = 0;            // K½
    double half_area = 0;             // A½, output elements
    double attention_efficiency = 0;  // of long sequences, kernel generation included
    double half_sequence = 0;         // sequence at which flash attention reaches half of it
    double naive_efficiency = 0;      // of attention's batched matrices without flash
    bool flash = true;
    double memory_bandwidth = 0;     // B/s a streaming kernel reaches
    double elementwise_traffic = 1;  // of every streaming kernel, relative to fully fused ones
    double composed_traffic = 1;  // the same again for operators that eager stacks compose of several kernels
    double backward_traffic =
        1;              // of the backward pass of elementwise operators relative to the forward pass
    double launch = 0;  // s between two kernels
};

Time forward_time(const Operator& op, const GpuRates& gpu);
// E2: twice the forward FLOPs (input and weight gradients); flash attention 2.5 times.
Time backward_time(const Operator& op, const GpuRates& gpu);
// The part of the backward pass that makes weight gradients, which zero-bubble schedules compute later.
Time weight_gradient_time(const Operator& op, const GpuRates& gpu);

// FLOPs the GPU executes in the backward pass: for matrices twice the forward pass's, for attention as often
// as its kernel multiplies.
double backward_flops(const Operator& op, const GpuRates& gpu);

// η of one matrix multiplication relative to the peak.
double gemm_efficiency(double m, double n, double k, const GpuRates& gpu);

}  // namespace shardscope
