// E1, E2, E5: a model consists of blocks of operators. FLOPs, weights, memory traffic, saved activations and
// time are all sums over this one list, so every number can be split into the contributions of its operators.
//
// Tensor parallelism shards every matrix (Shoeybi et al. 2019, arXiv 1909.08053), sequence parallelism the
// operators between the matrices (Korthikanti et al. 2022), context parallelism the sequence (Liu et al.
// 2023, arXiv 2310.01889), and expert parallelism the experts (Lepikhin et al. 2020, arXiv 2006.16668).
// Multi-head latent attention follows DeepSeek-V2, arXiv 2405.04434.
//
// Sources: parameters and FLOPs follow from the shapes of the matrices. Saved bytes follow Korthikanti et al.
// 2022 (arXiv 2205.05198, section 4); they add up to 34·s·b·h + 5·a·s²·b for a GPT layer with dropout. The
// memory traffic of elementwise operators counts each tensor read or written once (fully fused).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "containers/bounded_list.h"
#include "effects/context_parallel_memory.h"
#include "parameters/layer_pattern.h"
#include "parameters/settings.h"
#include "scenario/operator_kind.h"

namespace shardscope {

// The kind of a collective operator, and the group of GPUs among which it runs. The backward pass runs the
// mirror image of each: a gather becomes a reduction of the same size and vice versa. The mirror image of a
// gather whose result every GPU of the group uses in the same way is a slice of the gradient, which moves no
// data (`forward_only`).
enum class Collective : unsigned char {
    none,
    all_gather,
    reduce_scatter,
    all_reduce,
    all_to_all,
    ring_exchange
};
// The inner and outer groups are those of hierarchical context parallelism (a2a+p2p).
enum class CommunicationGroup : unsigned char {
    tensor,
    context,
    context_inner,
    context_outer,
    expert,
    expert_tensor,
    count
};

// The forward pass of one operator over one micro-batch on one GPU. Sizes are this GPU's share under tensor,
// context and expert parallelism. The backward pass is derived from it.
struct Operator {
    std::string_view name;  // "attention.qkv"
    OperatorKind kind = OperatorKind::gemm;
    double launches = 1;  // kernels of the forward pass; may be below one in an average layer
    double count = 1;     // number of such matrices (batched: sequences × heads)
    // C[m×n] = A[m×k]·B[k×n]; for attention m = n = s, k = head size; for a scan m tokens, n values, and k
    // multiplications a value.
    double m = 0, n = 0, k = 0;
    double bytes = 0;                // bytes read and written in device memory
    double cast_bytes = 0;           // moved by casts from bf16 to fp8 in the forward pass
    double gradient_cast_bytes = 0;  // moved by casts of the output's gradient in the backward pass
    double weights = 0;              // parameters of the whole operator, in elements
    double share = 1;                // share of weights on one GPU, before data-parallel sharding
    double saved = 0;                // bytes kept for the backward pass
    double experts_per_token = 1;    // of the experts' all-to-all
    AttentionBuffers buffers;        // of context parallelism
    bool attention_core = false;
    // Bits of RecomputeModule: the modules that repeat this operator, and those that drop what it keeps.
    unsigned char repeated_by = 0, dropped_by = 0;
    // Kernels where the stack does not fuse (RMSNorm, rotary, gated units); 0: as many as in other stacks.
    double eager_launches = 0;
    bool low_precision = false;  // runs in fp8 if that is the precision
    bool expert = false;         // has weights of experts, which have shard groups of their own
    bool forward_only = false;   // a collective whose mirror image moves no data
    bool feed_forward = false;   // of a layer's feed-forward or experts, not of its mixer
    Collective collective = Collective::none;
    CommunicationGroup group = CommunicationGroup::tensor;

    // Returns whether stacks that do not fuse run the operator as several kernels.
    [[nodiscard]] bool composed() const { return eager_launches > launches; }
    [[nodiscard]] bool multiplies() const {
        return kind == OperatorKind::gemm || kind == OperatorKind::convolution;
    }
    // Returns the forward FLOPs. Attention multiplies twice (scores, then values).
    [[nodiscard]] double flops() const {
        if (multiplies() || kind == OperatorKind::scan) return 2 * count * m * n * k;
        return kind == OperatorKind::attention ? 4 * count * m * n * k : 0;
    }
};

// The operators of one unit of the model and of FSDP. The model has `repeat` such units in sequence.
struct Block {
    std::string_view name;  // "layer", in English
    double repeat = 1;
    std::vector<Operator> operators;

    [[nodiscard]] double weights() const;        // of one unit, summed over all GPUs
    [[nodiscard]] double local_weights() const;  // of one unit on one GPU, without experts
    [[nodiscard]] double local_experts() const;  // of one unit on one GPU, experts only
    [[nodiscard]] double saved() const;          // bytes of one unit without recomputation
};

// The blocks of a model: its ends, and a layer of each kind (parameters/layer_pattern.h).
struct OperatorList {
    Block embedding, head;
    Block prediction{{}, 0, {}};  // one prediction layer (MTP); its pass through the head is part of `head`
    std::array<Block, kLayerKinds> of_kind;  // the first `kinds` are used
    std::size_t kinds = 0;
    bool has_pattern = false;  // the layers' kinds are those of a pattern

    [[nodiscard]] std::span<const Block> layers() const { return {of_kind.data(), kinds}; }
    [[nodiscard]] BoundedList<const Block*, kLayerKinds + 3> blocks() const;
    // Returns the kind with the most layers; without a pattern, the one with experts if there is one.
    [[nodiscard]] const Block& usual_layer() const;
    [[nodiscard]] double parameters() const;
    [[nodiscard]] double flops() const;              // forward, of one micro-batch on one GPU
    [[nodiscard]] double active_parameters() const;  // parameters that a token passes through
    double active_experts = 1;                       // share of the experts' weights that a token uses
};

// Returns the bytes of one activation element. With fp8, activations are kept in bf16.
double activation_bytes(Precision precision);

// Returns the width of the embedding and the LM head.
double embedding_width(const Settings& settings);

// Returns the tokens to which one token may attend without a window: the sequence or, where documents are
// packed into it, the document.
double document_tokens(const Settings& settings);
// Returns the tokens that model FLOPs count for the attention of one token in a layer with this mixer. They
// include both halves of the causal square: the count is the sequence (or the document) or, with a window
// or chunks, twice the part that a causal kernel computes.
double attended_tokens(const Settings& settings, Mixer mixer);

// Builds the operators of the model into `out` and reuses its storage.
void build_operators(const Settings& settings, OperatorList& out);
// Does the same for a transformer.
void build_transformer(const Settings& settings, OperatorList& out);

}  // namespace shardscope
