// E12: the host issues kernels ahead of the GPU. If issuing a pass takes the host longer than the pass takes
// the GPU, the GPU waits.
#pragma once

#include "time/rates.h"

namespace shardscope {

// Returns the time of a pass that takes `device` on the GPU and that the host issues in `host` seconds.
inline Time host_bound_time(const Time& device, double host) {
    return host > device.total() ? Time{Rate::latency, host} : device;
}

}  // namespace shardscope
