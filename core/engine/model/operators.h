// E1, E2, E5: a model is blocks of operators. FLOPs, weights, memory traffic, saved activations and time are
// all folds over this one list, so any number can be opened down to an operator.
//
// Tensor parallelism cuts every matrix (Shoeybi et al. 2019, arXiv 1909.08053), sequence parallelism what
// lies between them (Korthikanti et al. 2022), context parallelism the sequence (Liu et al. 2023, arXiv
// 2310.01889), expert parallelism the experts (Lepikhin et al. 2020, arXiv 2006.16668). Multi-head latent
// attention after DeepSeek-V2, arXiv 2405.04434.
//
// Sources: parameters and FLOPs from the matrices' shapes; saved bytes after Korthikanti et al. 2022
// (arXiv 2205.05198, section 4), which add up to 34·s·b·h + 5·a·s²·b for a GPT layer with dropout; the
// memory traffic of elementwise operators counts each tensor read or written once (fully fused).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "parameters/settings.h"
#include "scenario/operator_kind.h"

namespace shardscope {

// What a collective operator does with `bytes`, and among which GPUs. In the backward pass each is mirrored:
// a gather becomes a reduction of the same size and the other way round.
enum class Collective : unsigned char {
    none,
    all_gather,
    reduce_scatter,
    all_reduce,
    all_to_all,
    ring_exchange
};
enum class Among : unsigned char { tensor, context, expert };

// One operator's forward pass over one micro-batch on one GPU: sizes are this GPU's share under tensor,
// context and expert parallelism. The backward pass follows from it.
struct Operator {
    std::string_view name;  // "attention.qkv"
    OperatorKind kind = OperatorKind::gemm;
    double launches = 1;             // kernels in a row; of an average layer's operators less than one
    double count = 1;                // how many of these matrices (batched: sequences × heads)
    double m = 0, n = 0, k = 0;      // C[m×n] = A[m×k]·B[k×n]; for attention m = n = s, k = head size
    double bytes = 0;                // bytes read and written in device memory
    double cast_bytes = 0;           // moved only to change bf16 into fp8, in the forward pass
    double gradient_cast_bytes = 0;  // the same for the output's gradient, in the backward pass
    double weights = 0;              // parameters of the whole operator, in elements
    double share = 1;                // of them on one GPU, before data-parallel sharding
    double saved = 0;                // bytes kept for the backward pass
    bool attention_core = false;     // computed again by selective recompute
    bool composed = false;       // several kernels in stacks that do not fuse (RMSNorm, rotary, gated units)
    bool low_precision = false;  // runs in fp8 where that is the precision
    bool expert = false;         // an expert's weights: other GPUs hold the same copy
    Collective collective = Collective::none;
    Among among = Among::tensor;

    [[nodiscard]] bool multiplies() const {
        return kind == OperatorKind::gemm || kind == OperatorKind::convolution;
    }
    // Forward FLOPs; attention multiplies twice (scores, then values).
    [[nodiscard]] double flops() const {
        if (multiplies()) return 2 * count * m * n * k;
        return kind == OperatorKind::attention ? 4 * count * m * n * k : 0;
    }
};

// Operators that run together as one unit of the model and of FSDP, `repeat` times in a row.
struct Block {
    std::string_view name;  // "layer", in English
    double repeat = 1;
    std::vector<Operator> operators;

    [[nodiscard]] double weights() const;        // of one, all GPUs together
    [[nodiscard]] double local_weights() const;  // of one, on one GPU, experts left out
    [[nodiscard]] double local_experts() const;  // of one, on one GPU, experts only
    [[nodiscard]] double saved() const;          // bytes of one, nothing recomputed
};

// The blocks in forward order. A dense model has no sparse layers, a model of experts may have a few dense
// ones.
struct OperatorList {
    Block embedding, dense, sparse, head;

    [[nodiscard]] std::array<const Block*, 4> blocks() const { return {&embedding, &dense, &sparse, &head}; }
    // The layer most of the model is made of.
    [[nodiscard]] const Block& layer() const { return sparse.repeat > 0 ? sparse : dense; }
    [[nodiscard]] double parameters() const;
    [[nodiscard]] double flops() const;              // forward, of one micro-batch on one GPU
    [[nodiscard]] double active_parameters() const;  // those a token passes through
    double active_experts = 1;                       // share of the experts' weights a token uses
};

// Bytes of one element of a precision's activations (fp8 keeps them in bf16).
double activation_bytes(Precision precision);

// Tokens that model FLOPs count for one token's attention, both halves of the causal square: the sequence, or
// of a window twice what a causal kernel computes of its band.
double attended_tokens(const Settings& settings);

// Builds the model's list into `out`, reusing its storage.
void build_operators(const Settings& settings, OperatorList& out);
// The same of a transformer.
void build_transformer(const Settings& settings, OperatorList& out);

}  // namespace shardscope
