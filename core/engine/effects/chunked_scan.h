// E34: the time of the kernels that compute a recurrence in chunks, for linear attention and state-space
// layers: the longer of their matrix products at `scan_efficiency` of the peak and their memory traffic.
//
// The products have the size of a chunk, so they reach a smaller share of the peak than large matrices. The
// backward pass has two products for each one of the forward pass, and repeats half of the forward pass: the
// states of the chunks, which are not kept (Dao and Gu 2024, arXiv 2405.21060; state-spaces/mamba).
#pragma once

#include "hardware/gpu_rates.h"
#include "time/rates.h"

namespace shardscope {

struct ChunkedScan {
    double flops = 0;     // of the forward pass
    double bytes = 0;     // read and written in device memory in the forward pass
    double launches = 1;  // consecutive kernels
};

inline constexpr double kScanBackward = 2.5;  // backward FLOPs and traffic per forward one

Time scan_forward_time(const ChunkedScan& scan, const GpuRates& gpu);
Time scan_backward_time(const ChunkedScan& scan, const GpuRates& gpu);

}  // namespace shardscope
