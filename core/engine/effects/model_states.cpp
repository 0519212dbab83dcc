#include "effects/model_states.h"

namespace shardscope {
namespace {

// The number of moments per parameter. Row and column sums (Adafactor) are negligible.
constexpr double moments(Optimizer optimizer) {
    switch (optimizer) {
        case Optimizer::adamw:
        case Optimizer::adamw_8bit: return 2;
        case Optimizer::adafactor:
        case Optimizer::sgd: return 0;
        case Optimizer::lion:
        case Optimizer::muon:
        case Optimizer::momentum: return 1;
    }
    return 2;
}

struct MomentBytes {
    double first = 4, second = 4;
};
constexpr MomentBytes moment_bytes(MomentPrecision precision) {
    switch (precision) {
        case MomentPrecision::bf16: return {2, 2};
        case MomentPrecision::fp8: return {1, 1};
        case MomentPrecision::fp32: return {4, 4};
        case MomentPrecision::bf16_fp32: return {2, 4};
        case MomentPrecision::fp8_bf16: return {1, 2};
        case MomentPrecision::fp8_fp32: return {1, 4};
        case MomentPrecision::fp32_bf16: return {4, 2};
        case MomentPrecision::fp32_fp8: return {4, 1};
        case MomentPrecision::bf16_fp8: return {2, 1};
    }
    return {};
}

}  // namespace

StateBytes state_bytes(const StateFormats& formats) {
    const bool full_precision = formats.weights == Precision::fp32;
    const bool master_in_fp32 = formats.master == Precision::fp32;
    const auto gradient_bytes = [&](Precision of) {
        return of == Precision::fp32 || full_precision ? 4.0 : 2.0;
    };
    StateBytes out;
    out.weights = full_precision ? 4 : 2;
    out.reduced_gradients = gradient_bytes(formats.reduced_gradients);
    out.gradients = gradient_bytes(formats.main_gradients);
    // With fp32 weights no separate master copy is needed, and a half-precision optimizer keeps none.
    const double master = master_in_fp32 && !full_precision ? 4 : 0;
    // Beside a sharded master copy, gradients are kept in its format.
    if (master > 0 && formats.shards_master) {
        out.weights = 0;
        out.gradients = 4;
    }
    const double usual = formats.optimizer == Optimizer::adamw_8bit ? 1 : master_in_fp32 ? 4 : 2;
    const MomentBytes each = formats.moments ? moment_bytes(*formats.moments) : MomentBytes{usual, usual};
    const double count = moments(formats.optimizer);
    out.optimizer = master + (count > 0 ? each.first : 0) + (count > 1 ? each.second : 0);
    out.end_moment = formats.optimizer == Optimizer::muon ? each.second : 0;
    return out;
}

}  // namespace shardscope
