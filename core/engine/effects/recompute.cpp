#include "effects/recompute.h"

namespace shardscope {

Recompute recompute(const ForwardWork& forward, const RecomputePolicy& policy) {
    if (policy.selective) {
        const Time policy_time = policy.selective_cost * forward.time;
        if (forward.repeated.total() >= policy_time.total())
            return {forward.repeated, forward.repeated_flops};
        return {policy_time, policy.selective_cost * forward.flops};
    }
    const double share = policy.share * policy.repeated;
    return {share * forward.time, share * forward.flops};
}

}  // namespace shardscope
