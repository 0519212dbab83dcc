#include "effects/chunked_scan.h"

namespace shardscope {
namespace {

Time scan_time(const ChunkedScan& scan, double passes, const GpuRates& gpu) {
    Time time{Rate::compute, passes * scan.flops / (gpu.peak * gpu.scan_efficiency)};
    time += Time{Rate::memory_bandwidth, passes * scan.bytes / gpu.memory_bandwidth};
    time.by[static_cast<std::size_t>(Rate::latency)] += scan.launches * gpu.launch;
    return time;
}

}  // namespace

Time scan_forward_time(const ChunkedScan& scan, const GpuRates& gpu) { return scan_time(scan, 1, gpu); }

Time scan_backward_time(const ChunkedScan& scan, const GpuRates& gpu) {
    return scan_time(scan, kScanBackward, gpu);
}

}  // namespace shardscope
