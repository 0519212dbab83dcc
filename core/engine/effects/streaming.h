// E10: the time of memory-bound operators: norms, elementwise operators, softmax, embeddings. It is the time
// of their memory traffic.
//
// Operators count the traffic of fully fused kernels. Stacks that do not fuse move more
// (`elementwise_traffic`), and they move more again if they implement one operator by several kernels
// (`composed_traffic`).
#pragma once

#include "hardware/gpu_rates.h"
#include "time/rates.h"

namespace shardscope {

struct StreamingOperator {
    double bytes = 0;       // read and written in the forward pass, fully fused
    double launches = 1;    // consecutive kernels
    bool fused = false;     // one kernel in every stack, for example softmax
    bool composed = false;  // several kernels in stacks that do not fuse
};

Time streaming_forward_time(const StreamingOperator& op, const GpuRates& gpu);
Time streaming_backward_time(const StreamingOperator& op, const GpuRates& gpu);

// Returns the longer of a kernel's arithmetic (`arithmetic` s) and its memory traffic (`bytes` B), plus the
// time of `launches`.
Time kernel_time(double arithmetic, double bytes, double launches, const GpuRates& gpu);

}  // namespace shardscope
