// The model FLOPs of the mixers of all layers, without their projections.
#pragma once

#include "parameters/settings.h"

namespace shardscope {

// The forward FLOPs of one token.
struct MixerFlops {
    double attention = 0;  // scores and values, of the tokens attended to
    // The FLOPs of linear attention and Mamba-2. Every convention counts them in full, because no part of
    // them is masked and they do not depend on the sequence.
    double recurrence = 0;
    [[nodiscard]] double total() const { return attention + recurrence; }
};
MixerFlops mixer_flops(const Settings& settings);

}  // namespace shardscope
