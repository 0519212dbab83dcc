// E11: the optimizer reads and writes this GPU's shard of the weights, gradients and moments. It runs on the
// GPU or, if its state is offloaded, on the host (effects/offload.h).
#pragma once

#include "time/rates.h"

namespace shardscope {

// Returns the time of updating `parameters`, with `traffic` bytes read and written per parameter, at
// `bandwidth` B/s.
inline Time optimizer_time(double parameters, double traffic, double bandwidth) {
    return {Rate::memory_bandwidth, traffic * parameters / bandwidth};
}

}  // namespace shardscope
