#include "effects/streaming.h"

namespace shardscope {
namespace {

Time streaming_time(const StreamingOperator& op, double passes, const GpuRates& gpu) {
    double factor = op.fused ? 1 : gpu.elementwise_traffic;
    if (op.composed) factor *= gpu.composed_traffic;
    Time time{Rate::memory_bandwidth, passes * factor * op.bytes / gpu.memory_bandwidth};
    time.by[static_cast<std::size_t>(Rate::latency)] += op.launches * gpu.launch;
    return time;
}

}  // namespace

Time streaming_forward_time(const StreamingOperator& op, const GpuRates& gpu) {
    return streaming_time(op, 1, gpu);
}

Time streaming_backward_time(const StreamingOperator& op, const GpuRates& gpu) {
    return streaming_time(op, op.fused ? 1 : gpu.backward_traffic, gpu);
}

Time kernel_time(double arithmetic, double bytes, double launches, const GpuRates& gpu) {
    const double traffic = bytes / gpu.memory_bandwidth;
    Time time =
        arithmetic >= traffic ? Time{Rate::compute, arithmetic} : Time{Rate::memory_bandwidth, traffic};
    time.by[static_cast<std::size_t>(Rate::latency)] += launches * gpu.launch;
    return time;
}

}  // namespace shardscope
