#include "effects/attention.h"

#include "effects/streaming.h"

namespace shardscope {
namespace {

constexpr double kNaiveBackward = 2.0;

Time attention_time(const AttentionCore& core, double passes, double at_long, const GpuRates& gpu) {
    const double efficiency =
        gpu.flash ? at_long * core.sequence / (core.sequence + gpu.half_sequence) : gpu.naive_efficiency;
    return kernel_time(passes * core.flops / (gpu.peak * efficiency), passes * core.bytes, core.launches,
                       gpu);
}

}  // namespace

Time attention_forward_time(const AttentionCore& core, const GpuRates& gpu) {
    return attention_time(core, 1, gpu.attention_efficiency, gpu);
}

Time attention_backward_time(const AttentionCore& core, const GpuRates& gpu) {
    return attention_time(core, attention_backward_factor(gpu), gpu.attention_backward_efficiency, gpu);
}

double attention_backward_factor(const GpuRates& gpu) {
    return gpu.flash ? kFlashBackwardFlops : kNaiveBackward;
}

double flash_efficiency(const GpuRates& gpu) {
    return (1 + kFlashBackwardFlops) /
           (1 / gpu.attention_efficiency + kFlashBackwardFlops / gpu.attention_backward_efficiency);
}

}  // namespace shardscope
