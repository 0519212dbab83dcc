// E11: the optimizer streams over this GPU's share of the weights, gradients and moments, on the GPU or,
// where its state is offloaded, on the host (effects/offload.h).
#pragma once

#include "time/rates.h"

namespace shardscope {

// Of `parameters` updated here, each with `traffic` bytes read and written, at `bandwidth` B/s.
inline Time optimizer_time(double parameters, double traffic, double bandwidth) {
    return {Rate::memory_bandwidth, traffic * parameters / bandwidth};
}

}  // namespace shardscope
