#include "effects/chunked_scan.h"

namespace shardscope {
namespace {

Time scan_time(double flops, double bytes, double launches, const GpuRates& gpu) {
    Time time{Rate::compute, flops / (gpu.peak * gpu.scan_efficiency)};
    time += Time{Rate::memory_bandwidth, bytes / gpu.memory_bandwidth};
    time += Time{Rate::latency, launches * gpu.launch};
    return time;
}

}  // namespace

Time scan_forward_time(const ChunkedScan& scan, const GpuRates& gpu) {
    return scan_time(scan.flops, scan.bytes, scan.launches, gpu);
}

Time scan_backward_time(const ChunkedScan& scan, const GpuRates& gpu) {
    return scan_time(kScanBackwardFlops * scan.flops, kScanBackwardTraffic * scan.bytes,
                     kScanBackwardLaunches * scan.launches, gpu);
}

}  // namespace shardscope
