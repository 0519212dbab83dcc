// E9: the time of the attention core (scores, softmax and values in one kernel, or its two batched matrix
// multiplications without flash) on one GPU.
//
// Efficiency saturates with the sequence length for flash attention. The backward pass multiplies 2.5 times
// as often as the forward pass with flash, which computes the scores again, and twice as often without.
// Source: Dao 2023, arXiv 2307.08691, section 3.
#pragma once

#include "hardware/gpu_rates.h"
#include "time/rates.h"

namespace shardscope {

struct AttentionCore {
    double flops = 0;     // of the forward pass
    double bytes = 0;     // read and written in device memory in the forward pass
    double sequence = 0;  // tokens that one kernel attends over
    double launches = 1;  // kernels in a row
};

Time attention_forward_time(const AttentionCore& core, const GpuRates& gpu);
Time attention_backward_time(const AttentionCore& core, const GpuRates& gpu);
// FLOPs that the backward pass executes for each of the forward pass.
double attention_backward_factor(const GpuRates& gpu);

}  // namespace shardscope
