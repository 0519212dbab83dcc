#include "hardware/gpu_rates.h"

#include <algorithm>
#include <cmath>

#include "parameters/matrix_format.h"

namespace shardscope {
double attention_efficiency_at(double at_128, double head, double half) {
    const double least = std::min(half, 128 / at_128);
    return 1 / (1 / at_128 - least / 128 + least / head);
}

void set_attention_efficiency(GpuRates& gpu, const AttentionLimits& limits, double at_128, double head) {
    const double forward = at_128 / kFlashBothPasses;
    const auto at_head = [&](double at, double size, double ceiling) {
        return std::min(ceiling, attention_efficiency_at(std::min(at, ceiling), size, limits.half_head));
    };
    gpu.attention_efficiency = at_head(forward, head, limits.ceiling);
    gpu.attention_backward_efficiency = at_head(kFlashBackwardEfficiency * forward, std::min(head, 128.0),
                                                kFlashBackwardEfficiency * limits.ceiling);
}

AttentionLimits attention_limits(const Settings& s) {
    return {s[P::attention_half_head],
            s[s.on(P::native_attention) ? P::attention_ceiling : P::flash2_ceiling]};
}

double peak_flops(const Settings& s) { return s[P::peak_flops]; }

double bf16_peak_flops(const Settings& s) {
    return is_low(s.choice<Precision>(P::precision)) ? s[P::peak_flops_bf16] : s[P::peak_flops];
}

GpuRates gpu_rates(const Settings& s) {
    GpuRates gpu;
    // No matrix is faster than the peak that the MFU refers to, even if constants are overridden.
    gpu.peak = std::min(bf16_peak_flops(s), peak_flops(s));
    gpu.gemm_efficiency = s[P::gemm_efficiency];
    gpu.peak_low = peak_flops(s) * std::min(s[P::fp8_efficiency], 1 / gpu.gemm_efficiency);
    // Layers that stay in bf16 take the bf16 rate, in the mean over all layers.
    if (s[P::bf16_layers] > 0) {
        const double low = low_precision_share(s);
        gpu.peak_low = 1 / (low / gpu.peak_low + (1 - low) / gpu.peak);
    }
    gpu.half_depth = s[P::gemm_half_depth];
    gpu.half_area = s[P::gemm_half_area];
    // An efficiency belongs to a kernel on an architecture.
    const double kernel = s.on(P::native_attention)
                              ? s[P::attention_efficiency]
                              : std::min(s[P::flash2_efficiency], s[P::attention_efficiency]);
    set_attention_efficiency(gpu, attention_limits(s), kernel * s[P::attention_generation], s[P::head_size]);
    gpu.half_sequence = s[P::attention_half_sequence];
    gpu.naive_efficiency = s[P::naive_attention_efficiency];
    gpu.scan_efficiency = s[P::flash2_efficiency] * s[P::scan_efficiency];
    // Tensor cores require head sizes that are multiples of 8.
    if (std::fmod(s[P::head_size], 8) != 0) gpu.naive_efficiency /= s[P::unaligned_heads];
    gpu.flash = s.choice<AttentionKernel>(P::attention) == AttentionKernel::flash;
    gpu.memory_bandwidth = s[P::memory_bandwidth] * s[P::memory_efficiency];
    gpu.elementwise_traffic = s[P::elementwise_traffic];
    gpu.composed_traffic = s[P::composed_traffic];
    gpu.backward_traffic = s[P::elementwise_backward];
    gpu.launch = s[P::kernel_launch];
    return gpu;
}

}  // namespace shardscope
