#include "model/operator_time.h"

#include <algorithm>

#include "effects/attention.h"
#include "effects/chunked_scan.h"
#include "effects/gemm.h"
#include "effects/streaming.h"

namespace shardscope {
namespace {

Time product_time(const Operator& op, double m, double n, double k, const GpuRates& gpu) {
    return gemm_time({.m = m,
                      .n = n,
                      .k = k,
                      .count = op.count,
                      .bytes = op.bytes,
                      .launches = op.launches,
                      .low_precision = op.low_precision,
                      .grouped = op.expert,
                      .splits_depth = op.kind == OperatorKind::convolution},
                     gpu);
}
// A kernel's loop runs over the queries or, in the other direction, over the keys; in a window there are
// fewer of the latter. With a causal mask n is half of the keys.
AttentionCore attention_of(const Operator& op) {
    return {op.flops(), op.bytes, std::min(op.m, 2 * op.n), op.launches};
}
ChunkedScan scan_of(const Operator& op) { return {op.flops(), op.bytes, op.launches}; }
StreamingOperator streaming_of(const Operator& op) {
    return {op.bytes, op.launches, op.kind == OperatorKind::softmax, op.composed()};
}

}  // namespace

Time forward_time(const Operator& op, const GpuRates& gpu) {
    switch (op.kind) {
        case OperatorKind::gemm:
        case OperatorKind::convolution:
            return product_time(op, op.m, op.n, op.k, gpu) + cast_time(op.cast_bytes, gpu);
        case OperatorKind::attention: return attention_forward_time(attention_of(op), gpu);
        case OperatorKind::scan: return scan_forward_time(scan_of(op), gpu);
        case OperatorKind::norm:
        case OperatorKind::elementwise:
        case OperatorKind::softmax:
        case OperatorKind::gather: return streaming_forward_time(streaming_of(op), gpu);
        case OperatorKind::collective: break;
    }
    return {};
}

Time backward_time(const Operator& op, const GpuRates& gpu, const Time& weight_gradient) {
    switch (op.kind) {
        case OperatorKind::gemm:
        case OperatorKind::convolution:
            // The input gradient is an M×K matrix with inner dimension N.
            return product_time(op, op.m, op.k, op.n, gpu) + weight_gradient +
                   cast_time(op.gradient_cast_bytes, gpu);
        case OperatorKind::attention: return attention_backward_time(attention_of(op), gpu);
        case OperatorKind::scan: return scan_backward_time(scan_of(op), gpu);
        case OperatorKind::norm:
        case OperatorKind::elementwise:
        case OperatorKind::softmax:
        case OperatorKind::gather: return streaming_backward_time(streaming_of(op), gpu);
        case OperatorKind::collective: break;
    }
    return {};
}

Time weight_gradient_time(const Operator& op, const GpuRates& gpu) {
    // The weight gradient is a K×N matrix with inner dimension M.
    return op.multiplies() ? product_time(op, op.k, op.n, op.m, gpu) : Time{};
}

double backward_flops(const Operator& op, const GpuRates& gpu) {
    if (op.kind == OperatorKind::attention) return attention_backward_factor(gpu) * op.flops();
    if (op.kind == OperatorKind::scan) return kScanBackwardFlops * op.flops();
    return 2 * op.flops();
}

}  // namespace shardscope
