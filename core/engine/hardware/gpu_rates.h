// What kernels run on: the rates of one GPU under the software stack's constants.
#pragma once

#include "parameters/settings.h"

namespace shardscope {

// Effective numbers: all losses are included except that of a matrix's shape.
struct GpuRates {
    double peak = 0;                  // FLOP/s of bf16 and fp16 (of fp32 where that is the precision)
    double peak_low = 0;              // FLOP/s of fp8 matrices, with their efficiency relative to bf16
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
    double backward_traffic = 1;  // of elementwise operators' backward pass relative to the forward pass
    double launch = 0;            // s between two kernels
};

GpuRates gpu_rates(const Settings& settings);

// FLOP/s that the MFU is measured against, and that of bf16, which fp8 runs are compared with as well.
double peak_flops(const Settings& settings);
double bf16_peak_flops(const Settings& settings);

}  // namespace shardscope
