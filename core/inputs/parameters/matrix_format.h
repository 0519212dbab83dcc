// The number format of the matrices in low precision.
#pragma once

#include <algorithm>

#include "parameters/settings.h"

namespace shardscope {

// Returns the format that `precision` and a recipe for fp8 give: fp8 with the recipe mxfp8 is mxfp8.
constexpr Precision matrix_format(Precision precision, Fp8Recipe recipe) {
    return precision == Precision::fp8 && recipe == Fp8Recipe::mxfp8 ? Precision::mxfp8 : precision;
}
inline Precision matrix_format(const Settings& s) {
    return matrix_format(s.choice<Precision>(P::precision), s.choice<Fp8Recipe>(P::fp8_recipe));
}
// Returns whether the weights are kept in fp8 alone, and whether data-parallel GPUs gather them in it. Scales
// of blocks of 32 elements differ between a matrix and its transpose, so that the GPUs gather mxfp8 weights
// in 16 bits and cast them (Megatron-Core, distributed/param_and_grad_buffer.py).
inline bool keeps_fp8_weights(const Settings& s) {
    const Precision format = matrix_format(s);
    return (format == Precision::fp8 || format == Precision::mxfp8) && s.on(P::fp8_param_gather);
}
inline bool gathers_fp8(const Settings& s) {
    return matrix_format(s) == Precision::fp8 && keeps_fp8_weights(s);
}
// Returns the share of the layers whose matrices are in low precision.
inline double low_precision_share(const Settings& s) {
    const bool low = is_low(s.choice<Precision>(P::precision));
    return low ? 1 - std::min(1.0, s[P::bf16_layers] / s[P::layers]) : 0;
}
// Returns the parameter that `cluster.gpu.peak_flops` stands for: the peak of that format.
inline P peak_of(const Settings& s) { return peak_of(matrix_format(s)); }

}  // namespace shardscope
