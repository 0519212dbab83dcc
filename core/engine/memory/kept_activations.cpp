#include "memory/kept_activations.h"

#include "effects/recompute.h"

namespace shardscope {

double layer_input_bytes(const Compiled& c) {
    const Settings& s = c.settings;
    const double bytes =
        activation_bytes(s.choice<Precision>(P::precision)) * c.tokens_per_micro_batch * c.width;
    return s.on(P::sequence_parallel) ? bytes / c.layout.tensor : bytes;
}

Activations kept_activations(const BlockWork& layer, const Compiled& c) {
    const Settings& s = c.settings;
    const RecomputePolicy policy = recompute_policy(s);
    return activations({layer.saved, layer.dropped, layer_input_bytes(c)},
                       {policy.selective, policy.share, policy.kept});
}

}  // namespace shardscope
