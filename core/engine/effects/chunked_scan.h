// E34: the time of the kernels that compute a recurrence in chunks, for linear attention and state-space
// layers: the time of their matrix products plus that of their memory traffic.
//
// The kernels are written in Triton for the instructions of A100, as FlashAttention-2 is, so their products
// reach a share of its efficiency on each architecture, `scan_efficiency`. They have the size of a chunk, and
// each kernel waits for its operands. The backward pass repeats the scores and the states of the chunks,
// which are not kept, in about a dozen kernels. Counted in state-spaces/mamba (ops/triton/ssd_combined.py at
// e9594ce), with a state as large as the chunk, it reads and writes 68 bytes where the forward pass has 22,
// and computes 131 FLOPs where that has 49. Linear attention is assumed to behave alike.
#pragma once

#include "hardware/gpu_rates.h"
#include "time/rates.h"

namespace shardscope {

struct ChunkedScan {
    double flops = 0;     // of the forward pass
    double bytes = 0;     // read and written in device memory in the forward pass
    double launches = 1;  // consecutive kernels
};

// The work of the backward pass relative to that of the forward pass.
inline constexpr double kScanBackwardFlops = 2.7;
inline constexpr double kScanBackwardTraffic = 3.1;
inline constexpr double kScanBackwardLaunches = 2.5;

Time scan_forward_time(const ChunkedScan& scan, const GpuRates& gpu);
Time scan_backward_time(const ChunkedScan& scan, const GpuRates& gpu);

}  // namespace shardscope
