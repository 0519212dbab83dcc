// E19: an all-to-all sends tokens to their experts and another returns them. The GPU with the busiest expert
// determines the time. Source: Lepikhin et al. 2020 (GShard), arXiv 2006.16668.
#pragma once

#include "effects/collectives.h"

namespace shardscope {

// `imbalance` is the number of tokens on the busiest GPU relative to the average one.
inline Time expert_dispatch_time(double bytes, double imbalance, const RingGroup& group,
                                 const NetworkRates& network) {
    return imbalance * all_to_all_time(bytes, group, network);
}

}  // namespace shardscope
