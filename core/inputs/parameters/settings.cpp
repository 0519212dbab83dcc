#include "parameters/settings.h"

namespace shardscope {

P peak_of(Precision precision) {
    switch (precision) {
        case Precision::bf16: return P::peak_flops_bf16;
        case Precision::fp16: return P::peak_flops_fp16;
        case Precision::fp8: return P::peak_flops_fp8;
        case Precision::mxfp8: return P::peak_flops_mxfp8;
        case Precision::nvfp4: return P::peak_flops_nvfp4;
        case Precision::fp32: return P::peak_flops_fp32;
    }
    return P::peak_flops_bf16;
}

}  // namespace shardscope
