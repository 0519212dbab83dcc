#include "memory/kept_activations.h"

#include "compile/effect_inputs.h"
#include "effects/recompute.h"

namespace shardscope {

double layer_input_bytes(const Compiled& c) {
    const double bytes = activation_tensor_bytes(c);
    return c.settings.on(P::sequence_parallel) ? bytes / c.layout.tensor : bytes;
}

Activations kept_activations(const BlockWork& layer, const Compiled& c) {
    const Settings& s = c.settings;
    const RecomputePolicy policy = recompute_policy(s);
    return activations({layer.saved, layer.dropped, layer_input_bytes(c)},
                       {policy.selective, policy.share, policy.kept});
}

}  // namespace shardscope
