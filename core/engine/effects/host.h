// E12: the host issues kernels ahead of the GPU. If issuing a pass takes the host longer than the pass takes
// the GPU, the GPU waits.
#pragma once

#include "parameters/settings.h"
#include "time/rates.h"

namespace shardscope {

// Returns the host's time to issue one layer's pass; s. CUDA graphs replay recorded kernels without the host.
// Experts launch further kernels, and the host waits for the router's counts unless their buffers are static.
inline double layer_host_time(const Settings& s, bool has_experts) {
    const bool graphs = s.on(P::cuda_graphs);
    double out = graphs ? 0 : s[P::layer_overhead];
    if (has_experts && !(graphs && s.on(P::static_expert_buffers))) out += s[P::expert_overhead];
    return out;
}

// Returns the time of a pass that takes `device` on the GPU and that the host issues in `host` seconds.
inline Time host_bound_time(const Time& device, double host) {
    return host > device.total() ? Time{Rate::latency, host} : device;
}

}  // namespace shardscope
