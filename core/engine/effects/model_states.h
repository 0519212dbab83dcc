// E3: weights, gradients and optimizer state on one GPU.
//
// Matrices in fp8 or fp4 need their weights in that format. Without FSDP these stay in memory for the whole
// step: one copy for the forward pass and, because fp8 units before Blackwell and block scales need it, one
// transposed for the backward pass. The weights in 16 bits remain beside them unless the GPUs gather the
// weights in fp8. Muon updates the embedding and the head with AdamW, which has one more moment.
//
// Sources: Rajbhandari et al. 2020, arXiv 1910.02054, section 3; the optimizers' states from their papers;
// NVIDIA/TransformerEngine (quantized weights: pytorch/module/base.py, get_weight_workspace; transposes:
// is_non_tn_fp8_gemm_supported).
#pragma once

#include <optional>

#include "parameters/parameter.h"

namespace shardscope {

struct StateBytes {  // bytes per parameter
    double weights = 0;
    double gradients = 0;          // accumulated
    double optimizer = 0;          // master copy and moments
    double end_moment = 0;         // Muon's additional moment of the embedding and the head
    double reduced_gradients = 0;  // communicated
};
// The formats in which a training keeps its states.
struct StateFormats {
    Precision weights = Precision::bf16;            // in which the matrices are computed
    Precision reduced_gradients = Precision::fp32;  // communicated
    Precision main_gradients = Precision::fp32;     // accumulated
    Precision master = Precision::fp32;             // with bf16 there is no master copy
    std::optional<MomentPrecision> moments{};       // nothing: the master's
    Optimizer optimizer = Optimizer::adamw;
    // FSDP shards the master copy and casts it to half precision when it gathers.
    bool shards_master = false;
};
StateBytes state_bytes(const StateFormats& formats);

// How weights in low precision are kept.
struct QuantizedWeights {
    double operand = 0;           // bytes of a weight in low precision, with its scale
    bool block_scales = false;    // a scale belongs to a part of a row, so the transpose has other scales
    bool any_layout = false;      // the GPU multiplies transposed fp8 operands
    bool replace_16_bit = false;  // the weights are updated and gathered in low precision
};
// Returns the bytes by which one weight of a matrix in low precision exceeds one in 16 bits. It is negative
// where a single copy replaces the 16 bits.
constexpr double quantized_weight_bytes(const QuantizedWeights& weights) {
    const double copies = weights.any_layout && !weights.block_scales ? 1 : 2;
    return copies * weights.operand - (weights.replace_16_bit ? 2 : 0);
}

struct ShardCounts {  // GPUs over which each is sharded
    double weights = 1, gradients = 1, optimizer = 1;
};
// Returns over how many GPUs each state is sharded, for a shard group of `group` GPUs.
constexpr ShardCounts shard_counts(Sharding sharding, double group) {
    switch (sharding) {
        case Sharding::ddp: return {1, 1, 1};
        case Sharding::zero1: return {1, 1, group};
        case Sharding::zero2: return {1, group, group};
        case Sharding::zero3:
        case Sharding::hsdp:
        case Sharding::zero_pp: return {group, group, group};
    }
    return {1, 1, 1};
}

struct ModelParameters {    // on one GPU before data-parallel sharding; experts have other shard groups
    double non_expert = 0;  // all parameters but the experts'
    double experts = 0;
};
// Returns the bytes on one GPU of a state with `bytes` per parameter. `group` and `expert_group` are
// the sizes of the shard groups of the two kinds of parameters.
inline double sharded_bytes(double bytes, const ModelParameters& parameters, double group,
                            double expert_group) {
    return bytes * (parameters.non_expert / group + parameters.experts / expert_group);
}
// Returns how many parameters the optimizer of one GPU updates. `group` and `expert_group` are the GPUs of
// the shard groups of the two kinds of parameters.
inline double updated_parameters(const ModelParameters& parameters, Sharding sharding, double group,
                                 double expert_group) {
    return sharded_bytes(1, parameters, shard_counts(sharding, group).optimizer,
                         shard_counts(sharding, expert_group).optimizer);
}

}  // namespace shardscope
