// The kinds of operators, of transformers and of models given as a list of operators.
#pragma once

namespace shardscope {

enum class OperatorKind : unsigned char {
    gemm,
    convolution,  // as its implicit matrix product
    attention,
    norm,
    elementwise,
    softmax,
    gather,
    collective
};

}  // namespace shardscope
