#include "physics/kernels.h"

#include <algorithm>
#include <cmath>

namespace shardscope {
namespace {

// Backward passes of attention: five matrices for two with flash (the scores are computed again), four
// without.
constexpr double kFlashBackward = 2.5;
constexpr double kNaiveBackward = 2.0;

double attention_backward(const GpuRates& gpu) { return gpu.flash ? kFlashBackward : kNaiveBackward; }

Time longer_of(double arithmetic, double traffic) {
    return arithmetic >= traffic ? Time{Rate::compute, arithmetic} : Time{Rate::memory_bandwidth, traffic};
}

Time gemm_time(const Operator& op, double m, double n, double k, const GpuRates& gpu) {
    // FLOPs ÷ (peak · η) with η's saturating factors multiplied out, which saves divisions: every factor k/(k
    // + K½) makes 2·m·n·k one (k + K½).
    // A convolution whose result is small, as its weight gradient is, shares its depth out among the tiles:
    // in s parts it takes (k/s + K½)·s·(m·n + A½/s), least at s = √(k·A½ ÷ (K½·m·n)).
    double area = m * n;
    if (op.kind == OperatorKind::convolution) {
        const double parts = std::max(1.0, std::sqrt(k * gpu.half_area / (gpu.half_depth * area)));
        area = (k + parts * gpu.half_depth) / (k + gpu.half_depth) * (area + gpu.half_area / parts) -
               gpu.half_area;
    }
    const double peak = op.low_precision ? gpu.peak_low : gpu.peak;
    const double arithmetic =
        2 * op.count * (k + gpu.half_depth) * (area + gpu.half_area) / (peak * gpu.gemm_efficiency);
    Time time = longer_of(arithmetic, op.bytes / gpu.memory_bandwidth);
    time.by[static_cast<std::size_t>(Rate::latency)] += op.launches * gpu.launch;
    return time;
}

Time cast_time(double bytes, const GpuRates& gpu) {
    return {Rate::memory_bandwidth, bytes / gpu.memory_bandwidth};
}

Time attention_time(const Operator& op, double passes, const GpuRates& gpu) {
    const double efficiency =
        gpu.flash ? gpu.attention_efficiency * op.m / (op.m + gpu.half_sequence) : gpu.naive_efficiency;
    Time time =
        longer_of(passes * op.flops() / (gpu.peak * efficiency), passes * op.bytes / gpu.memory_bandwidth);
    time.by[static_cast<std::size_t>(Rate::latency)] += op.launches * gpu.launch;
    return time;
}

Time streaming_time(const Operator& op, double passes, const GpuRates& gpu) {
    double factor = op.kind == OperatorKind::softmax ? 1 : gpu.elementwise_traffic;
    if (op.composed) factor *= gpu.composed_traffic;
    Time time{Rate::memory_bandwidth, passes * factor * op.bytes / gpu.memory_bandwidth};
    time.by[static_cast<std::size_t>(Rate::latency)] += op.launches * gpu.launch;
    return time;
}

}  // namespace

double gemm_efficiency(double m, double n, double k, const GpuRates& gpu) {
    const double area = m * n;
    return gpu.gemm_efficiency * (k / (k + gpu.half_depth)) * (area / (area + gpu.half_area));
}

Time forward_time(const Operator& op, const GpuRates& gpu) {
    switch (op.kind) {
        case OperatorKind::gemm:
        case OperatorKind::convolution:
            return gemm_time(op, op.m, op.n, op.k, gpu) + cast_time(op.cast_bytes, gpu);
        case OperatorKind::attention: return attention_time(op, 1, gpu);
        case OperatorKind::norm:
        case OperatorKind::elementwise:
        case OperatorKind::softmax:
        case OperatorKind::gather: return streaming_time(op, 1, gpu);
        case OperatorKind::collective: break;
    }
    return {};
}

Time backward_time(const Operator& op, const GpuRates& gpu) {
    switch (op.kind) {
        case OperatorKind::gemm:
        case OperatorKind::convolution:
            // Input gradient M×K over N, weight gradient K×N over M.
            return gemm_time(op, op.m, op.k, op.n, gpu) + gemm_time(op, op.k, op.n, op.m, gpu) +
                   cast_time(op.gradient_cast_bytes, gpu);
        case OperatorKind::attention: return attention_time(op, attention_backward(gpu), gpu);
        case OperatorKind::softmax: return streaming_time(op, 1, gpu);
        case OperatorKind::norm:
        case OperatorKind::elementwise:
        case OperatorKind::gather: return streaming_time(op, gpu.backward_traffic, gpu);
        case OperatorKind::collective: break;
    }
    return {};
}

double backward_flops(const Operator& op, const GpuRates& gpu) {
    if (op.kind == OperatorKind::attention) return attention_backward(gpu) * op.flops();
    return 2 * op.flops();
}

Time weight_gradient_time(const Operator& op, const GpuRates& gpu) {
    return op.multiplies() ? gemm_time(op, op.k, op.n, op.m, gpu) : Time{};
}

}  // namespace shardscope
