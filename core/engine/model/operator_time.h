// The time of one operator's forward and backward pass on one GPU, by the effect of its kind (effects/gemm.h,
// attention.h, streaming.h). Collective operators have no time here; see effects/collectives.h.
#pragma once

#include "hardware/gpu_rates.h"
#include "model/operators.h"
#include "time/rates.h"

namespace shardscope {

Time forward_time(const Operator& op, const GpuRates& gpu);
// Returns the time of the weight-gradient pass, a part of the backward pass that zero-bubble schedules delay.
Time weight_gradient_time(const Operator& op, const GpuRates& gpu);
// E2: the backward pass executes twice the forward FLOPs, for input and weight gradients. For attention the
// factor depends on its kernel. `weight_gradient` is the result of weight_gradient_time.
Time backward_time(const Operator& op, const GpuRates& gpu, const Time& weight_gradient);
inline Time backward_time(const Operator& op, const GpuRates& gpu) {
    return backward_time(op, gpu, weight_gradient_time(op, gpu));
}
// Returns the FLOPs that the GPU executes in the backward pass: twice the forward FLOPs for matrices, and for
// attention the factor of its kernel.
double backward_flops(const Operator& op, const GpuRates& gpu);

}  // namespace shardscope
