// The effective rates of one GPU with the constants of the software stack.
#pragma once

#include "parameters/settings.h"

namespace shardscope {

// The rates include all losses except those that depend on the shape of a matrix.
struct GpuRates {
    double peak = 0;                  // FLOP/s in bf16 and fp16, or in fp32 if that is the precision
    double peak_low = 0;              // FLOP/s of fp8 matrices, with their efficiency relative to bf16
    double gemm_efficiency = 0;       // η_max
    double half_depth = 0;            // K½
    double half_area = 0;             // A½, output elements
    double attention_efficiency = 0;  // on long sequences, including the kernel generation
    double attention_backward_efficiency = 0;  // the same for the backward pass
    double half_sequence = 0;                  // sequence length at which flash attention reaches half of it
    double naive_efficiency = 0;               // of the batched matrices of attention without flash
    double scan_efficiency = 0;                // of the chunked kernels of linear attention and state spaces
    bool flash = true;
    double memory_bandwidth = 0;     // B/s that a streaming kernel reaches
    double elementwise_traffic = 1;  // of every streaming kernel, relative to fully fused ones
    double composed_traffic = 1;     // further factor for operators that eager stacks run as several kernels
    double backward_traffic = 1;     // of elementwise operators' backward pass relative to the forward pass
    double launch = 0;               // s per kernel launch
};

GpuRates gpu_rates(const Settings& settings);

// Returns the efficiency of flash attention at a head size from that at 128 (E9). In the forward pass, the
// time per score is that of its matrix products, in proportion to the head size, and that of one exponential,
// which takes as long as the products at peak do at head size `half`. The backward pass, with more products
// and other elementwise work per score, is assumed to lose as much.
double attention_efficiency_at(double at_128, double head, double half);
// FLOPs of the backward pass of flash attention relative to the forward pass: it recomputes the scores (Dao
// 2023, arXiv 2307.08691, section 4.1).
inline constexpr double kFlashBackwardFlops = 2.5;
// Its efficiency relative to the forward pass: FlashAttention-2 reaches at most 73 % of an A100 forward and
// 63 % backward (Dao 2023), FlashAttention-3 648 and 561 TFLOP/s of an H100 (Shah et al. 2024, arXiv
// 2407.08608).
inline constexpr double kFlashBackwardEfficiency = 0.63 / 0.73;
// The efficiency of both passes together relative to the forward pass.
inline constexpr double kFlashBothPasses =
    (1 + kFlashBackwardFlops) / (1 + kFlashBackwardFlops / kFlashBackwardEfficiency);

// What limits flash attention on a GPU.
struct AttentionLimits {
    double half_head = 0;  // the `half` of attention_efficiency_at
    double ceiling = 1;    // the best published share of peak of the kernel on the GPU, in the forward pass
};
// Returns the limits of the attention kernel that the stack uses on the GPU.
AttentionLimits attention_limits(const Settings& settings);
// Sets the efficiencies of both passes at a head size from that of both together at 128. No kernel exceeds
// the best published one, and no published backward pass is faster with larger heads than with 128, which
// leave no room for larger tiles.
void set_attention_efficiency(GpuRates& gpu, const AttentionLimits& limits, double at_128, double head);

// Returns the FLOP/s that the MFU refers to. The bf16 peak differs from it only for fp8 runs, whose MFU is
// also given relative to bf16.
double peak_flops(const Settings& settings);
double bf16_peak_flops(const Settings& settings);

}  // namespace shardscope
