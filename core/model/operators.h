// E1, E2, E5: a model is blocks of operators. FLOPs, weights, memory traffic, saved activations and time are
// all folds over this one list, so any number can be opened down to an operator.
//
// Sources: parameters and FLOPs from the matrices' shapes; saved bytes after Korthikanti et al. 2022
// (arXiv 2205.05198, section 4), which add up to 34·s·b·h + 5·a·s²·b for a GPT layer with dropout; the
// memory traffic of elementwise operators counts each tensor read or written once (fully fused).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "scenario/settings.h"

namespace shardscope {

enum class OperatorKind : unsigned char { gemm, attention, norm, elementwise, softmax, gather };

// One operator's forward pass over one micro-batch on one GPU. The backward pass follows from it.
struct Operator {
    std::string_view name;  // "attention.qkv"
    OperatorKind kind = OperatorKind::gemm;
    double count = 1;             // how many of these matrices (batched: sequences × heads)
    double m = 0, n = 0, k = 0;   // C[m×n] = A[m×k]·B[k×n]; for attention m = n = s, k = head size
    double bytes = 0;             // bytes read and written in device memory
    double cast_bytes = 0;        // of which only to change between bf16 and fp8, by kernels of their own
    double weights = 0;           // parameters, in elements
    double saved = 0;             // bytes kept for the backward pass
    bool attention_core = false;  // computed again by selective recompute
    bool composed = false;        // several kernels in stacks that do not fuse (RMSNorm, rotary, gated units)
    bool low_precision = false;   // runs in fp8 where that is the precision

    // Forward FLOPs; attention multiplies twice (scores, then values).
    [[nodiscard]] double flops() const {
        if (kind == OperatorKind::gemm) return 2 * count * m * n * k;
        return kind == OperatorKind::attention ? 4 * count * m * n * k : 0;
    }
};

// Operators that run together as one unit of the model and of FSDP, `repeat` times in a row.
struct Block {
    std::string_view name;  // "layer"
    double repeat = 1;
    std::vector<Operator> operators;

    [[nodiscard]] double weights() const;  // of one
    [[nodiscard]] double saved() const;    // bytes of one, nothing recomputed
};

// The blocks in forward order.
struct OperatorList {
    std::array<Block, 3> blocks;  // embedding, layer, head
    std::size_t size = 0;

    [[nodiscard]] const Block* begin() const { return blocks.data(); }
    [[nodiscard]] const Block* end() const { return blocks.data() + size; }
    [[nodiscard]] double parameters() const;
};

// Bytes of one element of a precision's activations (fp8 keeps them in bf16).
double activation_bytes(Precision precision);

// Builds a transformer's list into `out`, reusing its storage.
void build_transformer(const Settings& settings, OperatorList& out);

}  // namespace shardscope
