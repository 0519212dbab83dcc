#include "effects/recompute.h"

#include <algorithm>

namespace shardscope {

RecomputePolicy recompute_policy(const Settings& s) {
    // The stack's own policy applies unless modules are chosen.
    const bool modules_chosen = s.origin(P::recompute_modules) == Origin::given;
    return {.selective = s[P::recompute] == kRecomputeSelective,
            .share = std::max(0.0, s[P::recompute]),
            .repeated = s[P::recompute_share],
            .selective_cost = modules_chosen ? 0 : s[P::selective_cost],
            .kept = modules_chosen ? 1 : s[P::selective_kept]};
}

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
