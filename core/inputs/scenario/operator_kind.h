// The kinds of operators, of transformers and of models given as a list of operators.
#pragma once

namespace shardscope {

enum class OperatorKind : unsigned char {
    gemm,
    convolution,  // as its implicit matrix product
    attention,
    scan,  // a recurrence that is computed in chunks: linear attention, state-space layers
    norm,
    elementwise,
    softmax,
    gather,
    collective
};

}  // namespace shardscope
