// E4: the parameters that fully sharded data parallelism (ZeRO-3, HSDP) holds unsharded for a time, and the
// gradients that it accumulates unsharded.
//
// Weights are gathered unit by unit: the root unit (embedding and head), the layer that computes and the one
// that is prefetched. A compiler may gather each matrix when it is used; then a matrix is the unit, and
// embedding and head are not held while the layers compute (`assumptions.gathers_matrices`). Without
// resharding after the forward pass every layer stays unsharded until its backward pass. The gradients of a
// unit are unsharded until they are reduced; this holds for ZeRO-2 as well. Source: Zhao et al. 2023, arXiv
// 2304.11277.
#pragma once

#include <algorithm>

#include "effects/model_states.h"

namespace shardscope {

struct UnitSizes {          // of one stage; parameters on one GPU
    double root = 0;        // embedding and head
    double layer = 0;       // the sharded parameters of the largest layer, or of the largest matrix
    double all_layers = 0;  // the sharded parameters of all layers
    double layers = 0;      // number of layers
    double together = 1;    // layers whose weights the schedule gathers at the same time
};

// Returns the sharded parameters that are gathered at the same time.
inline double gathered_weights(const UnitSizes& units, bool reshards_after_forward) {
    const double at_once = std::min(units.together, units.layers);
    const double live = std::min(2 * at_once, units.layers);
    return units.root + (reshards_after_forward ? live * units.layer : units.all_layers);
}
inline double unsharded_gradients(const UnitSizes& units) {
    return units.root + std::min(units.together, units.layers) * units.layer;
}

// Returns the bytes of the unsharded gradients that FSDP accumulates over a step where it defers its
// reductions, in a pipeline. The two shard groups have `gpus` and `expert_gpus` GPUs; in groups of one the
// gradients count as model states. Gradients are reduced after the last backward pass of their virtual stage,
// so that those of one in `virtual_stages` exist at a time if its passes are not mixed with those of others
// (PyTorch's pull request 166449, REDUCE_GRAD in torch/distributed/pipelining/schedules.py).
inline double accumulated_gradient_bytes(double bytes, const ModelParameters& parameters, double gpus,
                                         double expert_gpus, double virtual_stages) {
    return bytes / virtual_stages *
           ((gpus > 1 ? parameters.non_expert : 0) + (expert_gpus > 1 ? parameters.experts : 0));
}

}  // namespace shardscope
