// The time of one operator on one GPU: which effect it is (effects/gemm.h, attention.h, streaming.h), and
// what of it runs in the forward and in the backward pass. Collective operators take none here; see
// effects/collectives.h.
#pragma once

#include "hardware/gpu_rates.h"
#include "model/operators.h"
#include "time/rates.h"

namespace shardscope {

Time forward_time(const Operator& op, const GpuRates& gpu);
// The part of the backward pass that makes weight gradients, which zero-bubble schedules compute later.
Time weight_gradient_time(const Operator& op, const GpuRates& gpu);
// E2: twice the forward FLOPs (input and weight gradients); attention as often as its kernel multiplies.
// `weight_gradient`: the part above.
Time backward_time(const Operator& op, const GpuRates& gpu, const Time& weight_gradient);
inline Time backward_time(const Operator& op, const GpuRates& gpu) {
    return backward_time(op, gpu, weight_gradient_time(op, gpu));
}
// FLOPs the GPU executes in the backward pass: for matrices twice the forward pass's, for attention as often
// as its kernel multiplies.
double backward_flops(const Operator& op, const GpuRates& gpu);

}  // namespace shardscope
