#include "effects/chunked_scan.h"

#include "effects/streaming.h"

namespace shardscope {
namespace {

Time scan_time(const ChunkedScan& scan, double passes, const GpuRates& gpu) {
    return kernel_time(passes * scan.flops / (gpu.peak * gpu.scan_efficiency), passes * scan.bytes,
                       scan.launches, gpu);
}

}  // namespace

Time scan_forward_time(const ChunkedScan& scan, const GpuRates& gpu) { return scan_time(scan, 1, gpu); }

Time scan_backward_time(const ChunkedScan& scan, const GpuRates& gpu) {
    return scan_time(scan, kScanBackward, gpu);
}

}  // namespace shardscope
