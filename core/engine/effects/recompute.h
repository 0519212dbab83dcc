// E2: what the backward pass computes a second time because the forward pass did not keep it.
//
// Full recompute repeats a share of the layers, each from its input, and stops where the last kept tensor is
// made. Selective recompute repeats the attention core or, where the stack's policy costs more, a share of a
// layer. Source: Korthikanti et al. 2022, arXiv 2205.05198; torch.utils.checkpoint.
#pragma once

#include "parameters/settings.h"
#include "time/rates.h"

namespace shardscope {

struct RecomputePolicy {  // what the backward pass computes again
    bool selective = false;
    double share = 0;           // of the layers, 0…1; without selective recompute
    double repeated = 1;        // of a layer's forward pass that is repeated
    double selective_cost = 0;  // of it with selective recompute, at least the attention core
};
RecomputePolicy recompute_policy(const Settings& settings);

struct ForwardWork {       // of one layer
    Time time, attention;  // of it the attention core
    double flops = 0, attention_flops = 0;
};
struct Recompute {  // of one layer
    Time time;
    double flops = 0;  // executed for it on the average GPU
};
Recompute recompute(const ForwardWork& forward, const RecomputePolicy& policy);

}  // namespace shardscope
