// E3: weights, gradients and optimizer state on one GPU.
//
// Source: Rajbhandari et al. 2020, arXiv 1910.02054, section 3; the optimizers' states from their papers.
#pragma once

#include "parameters/parameter.h"

namespace shardscope {

struct StateBytes {  // bytes per parameter
    double weights = 0;
    double gradients = 0;
    double optimizer = 0;  // master copy and moments
};
// With the optimizer's state in bf16 there is no fp32 master copy.
StateBytes state_bytes(Precision precision, Precision gradients, Optimizer optimizer,
                       Precision optimizer_precision = Precision::fp32);

struct StateShares {  // GPUs that share one copy of each
    double weights = 1, gradients = 1, optimizer = 1;
};
// Under sharding over `group` GPUs.
StateShares state_shares(Sharding sharding, double group);

struct ModelParameters {  // on one GPU before data-parallel sharding; experts are shared by other groups
    double shared = 0;
    double experts = 0;
};
// Bytes on one GPU of a state of `bytes` per parameter, of which each part is shared by its own group.
inline double sharded_bytes(double bytes, const ModelParameters& parameters, double shared_by,
                            double experts_shared_by) {
    return bytes * (parameters.shared / shared_by + parameters.experts / experts_shared_by);
}

}  // namespace shardscope
