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

// The gradients of activations in a layer's backward pass, operator by operator from the last one back to the
// first: an operator holds the gradient of its output until it has the gradients of its inputs, and what it
// kept for this is free afterwards.
class GradientBytes {
  public:
    // Passes an operator whose backward pass needs the gradients of inputs and output at the same time.
    // `input` and `output` are those of its forward pass, `beside` is what its backward pass allocates in
    // addition, and `saved` is what it kept; bytes.
    void pass(double input, double output, double beside, double saved) {
        // Operators in between turned the gradient of the later input into that of this output, so that both
        // existed at the same time.
        most_ = std::max(most_, output + later_input_ - freed_before_);
        most_ = std::max(most_, output + input + beside - freed_);
        later_input_ = input;
        freed_ += saved;
        freed_before_ = freed_;
    }
    // Passes any other operator.
    void pass(double saved) { freed_ += saved; }
    // Returns the most bytes beside the tensors that the layer keeps.
    [[nodiscard]] double most() const { return most_; }

  private:
    double most_ = 0;
    double later_input_ = 0;
    double freed_ = 0;         // by all operators so far
    double freed_before_ = 0;  // by those up to the operator of `later_input_`
};

}  // namespace shardscope
