// What an operator of a model does, for transformers and for models given as a list of operators alike.
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
