// E9: the time of the attention core (scores, softmax and values in one kernel, or its two batched matrix
// multiplications without flash) on one GPU.
//
// The efficiency of flash attention saturates with the sequence length. The backward pass executes 2.5 times
// the forward FLOPs with flash attention, which recomputes the scores, and twice the forward FLOPs without
// it. Source: Dao 2023, arXiv 2307.08691, section 4.1.
#pragma once

#include "hardware/gpu_rates.h"
#include "time/rates.h"

namespace shardscope {

struct AttentionCore {
    double flops = 0;     // of the forward pass
    double bytes = 0;     // read and written in device memory in the forward pass
    double sequence = 0;  // query tokens of one sequence on this GPU, or the keys in a shorter window
    double launches = 1;  // consecutive kernels
};

Time attention_forward_time(const AttentionCore& core, const GpuRates& gpu);
Time attention_backward_time(const AttentionCore& core, const GpuRates& gpu);
// Returns the backward FLOPs per forward FLOP.
double attention_backward_factor(const GpuRates& gpu);
// Returns the efficiency of flash attention in both passes together.
double flash_efficiency(const GpuRates& gpu);

}  // namespace shardscope
