// E12: the host issues kernels ahead of the GPU. If issuing a pass takes the host longer than the pass takes
// the GPU, the GPU waits.
#pragma once

#include "effects/stragglers.h"
#include "parameters/settings.h"
#include "time/rates.h"

namespace shardscope {

// Returns the host's time to issue one layer's pass; s. CUDA graphs replay recorded kernels without the host.
// Experts launch further kernels, and the host waits for the router's counts unless their buffers are static.
// In 8 or 4 bits, the operands of every local expert are cast by kernels of their own; formats that scale
// blocks also rearrange the scales, which about doubles the kernels (Qwen3-30B-A3B with 16 experts per B200
// in Megatron-Bridge: 2.4 ms a layer and pass in fp8, 4.4 to 4.6 ms in mxfp8, where the GPU needs 1.8 ms). In
// some stacks' pipelines the hosts wait for the messages between stages; then every tensor-parallel GPU adds
// to the time of a layer (826 public runs of nanotron with 1B and 8B parameters: 5 ms a pass for 2 GPUs, 7 to
// 8 for 4, 12 for 8 and 26 for 16, at any micro-batch that the GPU computes in less; 2.2 ms without a
// pipeline). `share` is that of a layer with attention and feed-forward: a layer that has only one of them
// launches half as many kernels.
inline double layer_host_time(const Settings& s, bool has_experts, double share = 1) {
    const bool graphs = s.on(P::cuda_graphs);
    double out = graphs ? 0 : share * s[P::layer_overhead];
    const double tensor = s[P::tensor_parallel];
    if (!graphs && tensor > 1 && s[P::pipeline_parallel] > 1) out += tensor * s[P::pipeline_layer_overhead];
    if (!has_experts || (graphs && s.on(P::static_expert_buffers))) return out;
    out += s[P::expert_overhead];
    const auto precision = s.choice<Precision>(P::precision);
    const double casts = precision == Precision::fp8 ? 1 : is_low(precision) ? 2 : 0;
    return out + casts * s[P::expert_cast_overhead] * s[P::experts] / s[P::expert_parallel];
}

// Returns the time of a step that passes on the host and depends on no layer: a fixed time, and the wait for
// the slowest GPU; s.
inline double host_time_per_step(const Settings& s) {
    return s[P::step_overhead] + straggler_wait(s[P::step_jitter], s[P::gpus]);
}

// Returns the time of a pass that takes `device` on the GPU and that the host issues in `host` seconds.
inline Time host_bound_time(const Time& device, double host) {
    return host > device.total() ? Time{Rate::latency, host} : device;
}

}  // namespace shardscope
