// The time of one block's forward and backward pass over one micro-batch on one GPU: the sum over its
// operators.
#pragma once

#include <array>

#include "effects/expert_dispatch.h"
#include "effects/host.h"
#include "effects/recompute.h"
#include "hardware/gpu_rates.h"
#include "hardware/network_rates.h"
#include "layout/layout.h"
#include "model/operators.h"
#include "model/step_terms.h"

namespace shardscope {

// One pass of a block, including tensor, context and expert communication.
struct PassTime {
    std::array<double, kStepTerms> terms{};  // exposed s; their sum is time.total()
    Time time;
    Time attention;     // the attention core alone
    double hidden = 0;  // s of communication that compute hides
};

// The sums over a block's operators. They depend neither on data-parallel sharding nor on the pipeline nor on
// recomputation, so many plans use the same values.
struct BlockWork {
    PassTime forward, backward;
    Time weight_gradient;   // the part of the backward pass that zero-bubble schedules compute later
    PassLaunches launches;  // kernels that the host launches, E12
    double weights = 0;     // parameters on one GPU before data-parallel sharding, without experts
    double experts = 0;     // parameters of the experts, counted in the same way
    // FLOPs executed on the average GPU.
    double forward_flops = 0, backward_flops = 0;
    // FLOPs by which Muon orthogonalizes the block's matrices on one GPU, before they are distributed over
    // the GPUs that shard the optimizer.
    double orthogonalization = 0, expert_orthogonalization = 0;
    // The FLOPs of the largest matrix, which one GPU processes alone.
    double largest_orthogonalization = 0, largest_expert_orthogonalization = 0;
    double saved = 0;                  // bytes kept for the backward pass without recomputation
    double saved_after_attention = 0;  // a part of saved: by the operators after the attention core
    AttentionBuffers buffers;          // of context parallelism
    double largest_matrix = 0;         // bytes of the largest weight matrix on one GPU, in half precision
    // Bytes of one weight matrix of each shape on one GPU, in half precision: in the mixer, and in the
    // feed-forward.
    double mixer_shapes = 0, feed_forward_shapes = 0;
    // The most bytes of activations' gradients in the backward pass, see GradientBytes.
    double gradients = 0;
    // The modules of `training.recompute_modules`: what selective recompute repeats and drops.
    Time repeated;
    double repeated_flops = 0;
    double dropped = 0;  // bytes, a part of saved

    [[nodiscard]] ForwardWork forward_work() const {
        return {forward.time, repeated, forward_flops, repeated_flops};
    }
    [[nodiscard]] Time both_passes() const { return forward.time + backward.time; }
};
// The work of every kind of block of the model.
struct Work {
    BlockWork embedding, head;
    BlockWork prediction;                        // one prediction layer (MTP)
    double predictions = 0;                      // prediction layers
    BoundedList<BlockWork, kLayerKinds> layers;  // a layer of each kind
};

// The rates and groups of GPUs that a block's operators run on.
struct BlockRates {
    const GpuRates& gpu;
    const NetworkRates& network;
    RingGroup tensor, context, context_inner, context_outer, expert, expert_tensor;
    bool async_tensor = false;     // tensor-parallel collectives overlap with their matrices
    double expert_imbalance = 1;   // tokens of the busiest expert's GPU relative to the average one
    double context_imbalance = 1;  // attention work of the busiest GPU, likewise
    double overlap = 0;            // ω, see effects/overlap.h
    MoeDispatcher dispatcher = MoeDispatcher::all_to_all;
    ExpertGroups expert_groups;
    bool expert_overlap = false;          // expert communication overlaps with compute
    double element_bytes = 2;             // of an activation
    unsigned char recompute_modules = 0;  // bits of RecomputeModule
};
BlockRates block_rates(const Settings& settings, const Layout& layout, const GpuRates& gpu,
                       const NetworkRates& network);

Work work_of(const OperatorList& operators, const BlockRates& rates);
BlockWork work_of(const Block& block, const BlockRates& rates);

// Returns the step term that contains the operator's time.
StepTerm step_term_of(const Operator& op);

// Returns the time of one collective operator without any overlap.
Time collective_operator_time(const Operator& op, const BlockRates& rates);

}  // namespace shardscope
