#include "effects/recompute.h"

#include <algorithm>

namespace shardscope {

RecomputePolicy recompute_policy(const Settings& s) {
    return {.selective = s[P::recompute] == kRecomputeSelective,
            .share = std::max(0.0, s[P::recompute]),
            .repeated = s[P::recompute_share],
            .selective_cost = s[P::selective_cost]};
}

Recompute recompute(const ForwardWork& forward, const RecomputePolicy& policy) {
    if (policy.selective) {
        const Time policy_time = policy.selective_cost * forward.time;
        if (forward.attention.total() >= policy_time.total())
            return {forward.attention, forward.attention_flops};
        return {policy_time, policy.selective_cost * forward.flops};
    }
    const double share = policy.share * policy.repeated;
    return {share * forward.time, share * forward.flops};
}

}  // namespace shardscope
