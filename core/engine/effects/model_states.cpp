#include "effects/model_states.h"

namespace shardscope {
namespace {

constexpr double moments_bytes(Optimizer optimizer) {
    switch (optimizer) {
        case Optimizer::adamw: return 8;       // two fp32 moments
        case Optimizer::adamw_8bit: return 2;  // two moments of one byte
        case Optimizer::adafactor: return 0;   // row and column sums: negligible
        case Optimizer::lion:
        case Optimizer::muon:
        case Optimizer::momentum: return 4;  // one fp32 moment
        case Optimizer::sgd: return 0;
    }
    return 8;
}

}  // namespace

StateBytes state_bytes(Precision precision, Precision gradients, Optimizer optimizer,
                       Precision optimizer_precision) {
    StateBytes out;
    out.weights = precision == Precision::fp32 ? 4 : 2;
    out.gradients = gradients == Precision::fp32 || precision == Precision::fp32 ? 4 : 2;
    // With fp32 weights no separate master copy is needed, and a half-precision optimizer keeps none.
    const bool full_precision = optimizer_precision == Precision::fp32;
    const double master = full_precision && precision != Precision::fp32 ? 4 : 0;
    out.optimizer = master + moments_bytes(optimizer) * (full_precision ? 1 : 0.5);
    return out;
}

ShardCounts shard_counts(Sharding sharding, double group) {
    switch (sharding) {
        case Sharding::ddp: return {1, 1, 1};
        case Sharding::zero1: return {1, 1, group};
        case Sharding::zero2: return {1, group, group};
        case Sharding::zero3:
        case Sharding::hsdp: return {group, group, group};
    }
    return {1, 1, 1};
}

}  // namespace shardscope
