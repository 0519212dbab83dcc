// The number format of the matrices in low precision.
#pragma once

#include "parameters/settings.h"

namespace shardscope {

// Returns the format that `precision` and a recipe for fp8 give: fp8 with the recipe mxfp8 is mxfp8.
constexpr Precision matrix_format(Precision precision, Fp8Recipe recipe) {
    return precision == Precision::fp8 && recipe == Fp8Recipe::mxfp8 ? Precision::mxfp8 : precision;
}
inline Precision matrix_format(const Settings& s) {
    return matrix_format(s.choice<Precision>(P::precision), s.choice<Fp8Recipe>(P::fp8_recipe));
}
// Returns the parameter that `cluster.gpu.peak_flops` stands for: the peak of that format.
inline P peak_of(const Settings& s) { return peak_of(matrix_format(s)); }

}  // namespace shardscope
