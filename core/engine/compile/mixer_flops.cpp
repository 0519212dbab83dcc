#include "compile/mixer_flops.h"

#include "effects/linear_attention.h"
#include "effects/state_space.h"
#include "model/operators.h"
#include "parameters/layer_pattern.h"

namespace shardscope {
namespace {

// FLOPs of attention's two products for one token in one layer, forward: 4·a·d·s where queries, keys and
// values are equally wide.
double attention_flops(const Settings& s, Mixer mixer) {
    double widths = 2 * s[P::head_size];
    if (s[P::kv_lora_rank] > 0) {
        const double value = s[P::value_head_size] > 0 ? s[P::value_head_size] : s[P::head_size];
        widths = s[P::head_size] + s[P::rope_head_size] + value;
    }
    return 2 * s[P::heads] * widths * attended_tokens(s, mixer);
}

// FLOPs of the recurrence of a mixer with a state for one token in one layer, forward.
double recurrence_flops(const Settings& s, Mixer mixer) {
    if (mixer == Mixer::mamba2)
        return state_space_recurrence(
            {s[P::ssm_heads], s[P::ssm_head_size], s[P::ssm_state_size], s[P::ssm_groups]});
    if (mixer != Mixer::linear) return 0;
    return linear_value_heads(s) *
           linear_attention_recurrence(
               {s[P::linear_key_head_size], linear_value_head_size(s), s[P::convolution_kernel] > 0});
}

}  // namespace

MixerFlops mixer_flops(const Settings& s) {
    const LayerSequence layers(s);
    MixerFlops out;
    const LayerCounts counts = layers.counts();
    for (std::size_t i = 0; i < layers.kinds(); ++i) {
        const Mixer mixer = layers.kind(i).mixer;
        if (is_attention(mixer)) out.attention += counts[i] * attention_flops(s, mixer);
        out.recurrence += counts[i] * recurrence_flops(s, mixer);
    }
    return out;
}

}  // namespace shardscope
