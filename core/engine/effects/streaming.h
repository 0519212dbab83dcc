// E10: the time of operators that stream through device memory: norms, elementwise operators, softmax,
// embeddings. They take the time of their memory traffic.
//
// Stacks that do not fuse move more than the fused traffic that operators count (`elementwise_traffic`), and
// more again where they compose one operator of several kernels (`composed_traffic`).
#pragma once

#include "hardware/gpu_rates.h"
#include "time/rates.h"

namespace shardscope {

struct StreamingOperator {
    double bytes = 0;       // read and written in the forward pass, fully fused
    double launches = 1;    // kernels in a row
    bool fused = false;     // one kernel in every stack, as softmax is
    bool composed = false;  // several kernels in stacks that do not fuse
};

Time streaming_forward_time(const StreamingOperator& op, const GpuRates& gpu);
Time streaming_backward_time(const StreamingOperator& op, const GpuRates& gpu);

// The longer of a kernel's arithmetic (s) and its memory traffic (B), and the launches.
Time kernel_time(double arithmetic, double bytes, double launches, const GpuRates& gpu);

}  // namespace shardscope
