// E11: the optimizer reads and writes this GPU's shard of the weights, gradients and moments. It runs on the
// GPU or, if its state is offloaded, on the host (effects/offload.h).
#pragma once

#include "time/rates.h"

namespace shardscope {

// Returns the bytes read and written per parameter. `adamw` is that of AdamW with a master copy and two
// moments in fp32; `state` is the bytes of the optimizer's master copy and moments, each of which is read and
// written. The gradient is read twice, for its norm and for the
// update, and the weight written by every optimizer.
inline double optimizer_traffic(double adamw, double state) {
    constexpr double kAdamwState = 12;
    constexpr double kGradientAndWeight = 4 + 4 + 2;
    return adamw * (kGradientAndWeight + 2 * state) / (kGradientAndWeight + 2 * kAdamwState);
}

// Returns the time of updating `parameters`, with `traffic` bytes read and written per parameter, at
// `bandwidth` B/s.
inline Time optimizer_time(double parameters, double traffic, double bandwidth) {
    return {Rate::memory_bandwidth, traffic * parameters / bandwidth};
}

}  // namespace shardscope
