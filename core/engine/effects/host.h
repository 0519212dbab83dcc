// E12: the host issues the work of the GPU ahead of it. Where a pass is shorter than the time that the host
// needs to issue it, the GPU waits.
#pragma once

#include "time/rates.h"

namespace shardscope {

// What a pass takes of which the GPU needs `device`, while the host needs `host` seconds to issue it.
inline Time with_host(const Time& device, double host) {
    return host > device.total() ? Time{Rate::latency, host} : device;
}

}  // namespace shardscope
