// E5 and E7: the activations that a layer keeps of one micro-batch for its backward pass, and the additional
// memory that it needs while it is recomputed. A layer always keeps its input, because the backward pass of a
// recomputed layer starts from it.
//
// Source: Korthikanti et al. 2022, arXiv 2205.05198, section 4, for the tensors that a layer saves
// (model/operators.h counts them).
#pragma once

#include <algorithm>

namespace shardscope {

struct SavedTensors {    // of one layer and one micro-batch on one GPU; bytes
    double all = 0;      // without recomputation
    double dropped = 0;  // by selective recompute, a part of all
    double input = 0;    // the layer's input alone
};
struct ActivationPolicy {
    bool selective = false;
    double recomputed = 0;      // share of the layers that are recomputed from their input
    double selective_kept = 1;  // share of the other tensors that selective recompute keeps, 0…1
};
struct Activations {             // bytes
    double kept = 0;             // until the backward pass, the mean of recomputed and stored layers
    double working = 0;          // additional, while one layer is recomputed
    double kept_recomputed = 0;  // until the backward pass, by a layer that the policy recomputes
};
inline Activations activations(const SavedTensors& saved, const ActivationPolicy& policy) {
    const double input = std::min(saved.input, saved.all);
    if (policy.selective) {
        const double kept = std::max(policy.selective_kept * (saved.all - saved.dropped), input);
        return {kept, saved.all - kept, kept};
    }
    if (policy.recomputed <= 0) return {saved.all, 0, saved.all};
    return {(1 - policy.recomputed) * saved.all + policy.recomputed * input, saved.all - input, input};
}

// Returns the gradients of activations that a layer's backward pass holds at the same time: those of its
// largest output and of its input, and a part of the next. With 2.5 the allocated bytes agree with those
// measured on 8 × B200 (MooreThreads/SimuMax).
constexpr double activation_gradient_bytes(double largest_output) { return 2.5 * largest_output; }

}  // namespace shardscope
