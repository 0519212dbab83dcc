// E19: tokens travel to their experts and back by an all-to-all, whose time is that of the busiest expert's
// GPU. Source: Lepikhin et al. 2020 (GShard), arXiv 2006.16668.
#pragma once

#include "effects/collectives.h"

namespace shardscope {

// `imbalance`: tokens of the busiest GPU relative to the average one.
inline Time expert_dispatch_time(double bytes, double imbalance, const RingGroup& group,
                                 const NetworkRates& network) {
    return imbalance * all_to_all_time(bytes, group, network);
}

}  // namespace shardscope
