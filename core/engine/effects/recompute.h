// E2: activation checkpointing. The backward pass recomputes activations that the forward pass did not keep.
//
// Full recompute repeats a share of the layers, each from its input, and stops when the last tensor to be
// kept has been computed. Selective recompute repeats chosen modules, by default the attention core; if it
// is the default and the stack's own policy costs more, it repeats a share of a layer. Source: Korthikanti et
// al. 2022, arXiv 2205.05198; torch.utils.checkpoint.
#pragma once

#include "time/rates.h"

namespace shardscope {

struct RecomputePolicy {  // what the backward pass recomputes
    bool selective = false;
    double share = 0;           // full recompute: share of the layers, 0…1
    double repeated = 1;        // full recompute: repeated share of a layer's forward pass
    double selective_cost = 0;  // selective recompute: repeated share, at least that of the modules
    double kept = 1;            // selective recompute: kept share of the tensors outside of the modules
};

struct ForwardWork {      // of one layer
    Time time, repeated;  // `repeated` is the part of the modules that selective recompute repeats
    double flops = 0, repeated_flops = 0;
};
struct Recompute {  // of one layer
    Time time;
    double flops = 0;  // that the average GPU recomputes
};
Recompute recompute(const ForwardWork& forward, const RecomputePolicy& policy);

}  // namespace shardscope
