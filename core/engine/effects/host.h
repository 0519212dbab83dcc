// E12: the host issues kernels ahead of the GPU, one after the other (model/operator_launches.h counts them).
// If issuing a pass takes the host longer than the pass takes the GPU, the GPU waits.
#pragma once

#include "effects/stragglers.h"
#include "time/rates.h"

namespace shardscope {

// The kernels that the host launches in a layer's forward and backward pass.
struct PassLaunches {
    double forward = 0, backward = 0;
    PassLaunches& operator+=(const PassLaunches& other) {
        forward += other.forward;
        backward += other.backward;
        return *this;
    }
};

// What the host does to issue a layer's pass; times in seconds.
struct HostWork {
    bool graphs = false;                 // CUDA graphs replay recorded kernels without the host
    bool static_expert_buffers = false;  // the host does not wait for the router's counts
    double launch = 0;                   // of one kernel
    double message_wait = 0;             // in a pipeline: for each tensor-parallel GPU
    double tensor = 1;                   // tensor-parallel GPUs
    double experts = 0;                  // further kernels of a layer with experts, and the router's counts
    double cast = 0;                     // of one operand of one expert
    double casts = 0;                    // of the operands of one expert, in the average layer
    double local_experts = 0;            // on one GPU
};
// Returns the host's time to issue one layer's pass of `launches` kernels; s. In 8 or 4 bits, the operands of
// every local expert are cast by kernels of their own; formats that scale blocks also rearrange the scales,
// which about doubles the kernels (Qwen3-30B-A3B with 16 experts per B200 in Megatron-Bridge: 2.4 ms a layer
// and pass in fp8, 4.4 to 4.6 ms in mxfp8, where the GPU needs 1.8 ms). In some stacks' pipelines the hosts
// wait for the messages between stages; then every tensor-parallel GPU adds to the time of a layer (826
// public runs of nanotron with 1B and 8B parameters: 5 ms a pass for 2 GPUs, 7 to 8 for 4, 12 for 8 and 26
// for 16, at any micro-batch that the GPU computes in less; 2.2 ms without a pipeline).
inline double layer_host_time(const HostWork& work, double launches, bool has_experts) {
    double out = work.graphs ? 0 : launches * work.launch;
    if (!work.graphs && work.tensor > 1) out += work.tensor * work.message_wait;
    if (!has_experts || (work.graphs && work.static_expert_buffers)) return out;
    return out + work.experts + work.casts * work.cast * work.local_experts;
}

// Returns the host time per step that does not depend on the number of layers: a fixed time, and the wait for
// the slowest GPU; s.
inline double host_time_per_step(double overhead, double jitter, double gpus) {
    return overhead + straggler_wait(jitter, gpus);
}

// Returns the time of a pass that takes `device` on the GPU and that the host issues in `host` seconds.
inline double host_bound_time(double device, double host) { return std::max(device, host); }
inline Time host_bound_time(const Time& device, double host) {
    return host > device.total() ? Time{Rate::latency, host} : device;
}

}  // namespace shardscope
