// E4: what fully sharded data parallelism (ZeRO-3, HSDP) holds whole for a while, and copies.
//
// Weights are gathered unit by unit: the root unit (embedding and head), the layer at work and the one that
// is prefetched. Without resharding after the forward pass every layer stays whole until its backward pass.
// Gradients of a unit are whole until they are reduced, under ZeRO-2 as well. Source: Zhao et al. 2023,
// arXiv 2304.11277.
#pragma once

#include <algorithm>

namespace shardscope {

struct UnitSizes {          // of one stage; parameters on one GPU
    double root = 0;        // embedding and head
    double layer = 0;       // of the largest layer that is shared out
    double all_layers = 0;  // of all of them
    double layers = 0;      // number of layers
    double together = 1;    // layers of which a schedule gathers the weights together
};

// Parameters that are whole at once although they are shared out.
inline double gathered_weights(const UnitSizes& units, bool reshards_after_forward) {
    const double at_once = std::min(units.together, units.layers);
    const double live = std::min(2 * at_once, units.layers);
    return units.root + (reshards_after_forward ? live * units.layer : units.all_layers);
}
inline double whole_gradients(const UnitSizes& units) {
    return units.root + std::min(units.together, units.layers) * units.layer;
}

// Bytes that one turn copies in device memory, of `parameters` on a stage: gathered weights and gradients are
// cast and laid out (`copied` bytes each); those that are `whole` on every GPU only have their gradients
// added up (`accumulated` bytes each).
inline double fsdp_copies(double parameters, double whole, double copied, double accumulated) {
    return copied * (parameters - whole) + accumulated * whole;
}

}  // namespace shardscope
