#include "effects/model_states.h"

#include "scenario/gpu_groups.h"

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

// The mean bytes of the two moments of one parameter.
constexpr double moment_bytes(MomentPrecision precision) {
    switch (precision) {
        case MomentPrecision::bf16: return 2;
        case MomentPrecision::fp8: return 1;
        case MomentPrecision::fp32: return 4;
        case MomentPrecision::bf16_fp32: return 3;
        case MomentPrecision::fp8_bf16: return 1.5;
        case MomentPrecision::fp8_fp32: return 2.5;
    }
    return 4;
}

}  // namespace

StateBytes state_bytes(const Settings& s) {
    const auto precision = s.choice<Precision>(P::precision);
    const auto reduced = s.choice<Precision>(P::gradient_precision);
    const bool full_precision = precision == Precision::fp32;
    const bool master_in_fp32 = s.choice<Precision>(P::optimizer_precision) == Precision::fp32;
    const double main_gradients = s[P::main_gradient_precision] == kAsReduced ? s[P::gradient_precision]
                                                                              : s[P::main_gradient_precision];
    const auto gradient_bytes = [&](Precision of) {
        return of == Precision::fp32 || full_precision ? 4.0 : 2.0;
    };
    StateBytes out;
    out.weights = full_precision ? 4 : 2;
    out.reduced_gradients = gradient_bytes(reduced);
    out.gradients = gradient_bytes(static_cast<Precision>(static_cast<int>(main_gradients)));
    // With fp32 weights no separate master copy is needed, and a half-precision optimizer keeps none.
    double master = master_in_fp32 && !full_precision ? 4 : 0;
    // FSDP shards the master copy and casts it to half precision when it gathers; gradients are kept in the
    // master's format.
    if (master > 0 && is_fsdp(s) && !s.on(P::half_precision_shard)) {
        out.weights = 0;
        out.gradients = 4;
    }
    const auto optimizer = s.choice<Optimizer>(P::optimizer);
    const double each = s[P::moment_precision] != kAsMaster
                            ? moment_bytes(s.choice<MomentPrecision>(P::moment_precision))
                        : optimizer == Optimizer::adamw_8bit ? 1
                        : master_in_fp32                     ? 4
                                                             : 2;
    out.optimizer = master + moments(optimizer) * each;
    return out;
}

}  // namespace shardscope
