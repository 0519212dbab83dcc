#include "effects/gemm.h"

#include <algorithm>
#include <cmath>

#include "effects/streaming.h"

namespace shardscope {

Time gemm_time(const Gemm& gemm, const GpuRates& gpu) {
    // FLOPs ÷ (peak · η), with η's saturating factors multiplied out to save divisions: dividing by k/(k +
    // K½) replaces the factor k in 2·m·n·k by k + K½, and likewise for the area m·n. A convolution with a
    // small result, such as its weight gradient, splits its depth over several tiles. In s parts its time is
    // proportional to (k/s + K½)·s·(m·n + A½/s), which is least at s = √(k·A½ ÷ (K½·m·n)).
    double area = gemm.m * gemm.n;
    if (gemm.splits_depth) {
        const double parts = std::max(1.0, std::sqrt(gemm.k * gpu.half_area / (gpu.half_depth * area)));
        area =
            (gemm.k + parts * gpu.half_depth) / (gemm.k + gpu.half_depth) * (area + gpu.half_area / parts) -
            gpu.half_area;
    }
    if (gemm.grouped) {
        constexpr double kHalfTile = 64;  // rows; tiles of CUTLASS and cuBLAS kernels have 128
        area = (gemm.m + kHalfTile) * gemm.n + gpu.half_area / gemm.count - gpu.half_area;
    }
    const double peak = gemm.low_precision ? gpu.peak_low : gpu.peak;
    const double arithmetic =
        2 * gemm.count * (gemm.k + gpu.half_depth) * (area + gpu.half_area) / (peak * gpu.gemm_efficiency);
    return kernel_time(arithmetic, gemm.bytes, gemm.launches, gpu);
}

Time cast_time(double bytes, const GpuRates& gpu) {
    return {Rate::memory_bandwidth, bytes / gpu.memory_bandwidth};
}

double gemm_efficiency(double m, double n, double k, const GpuRates& gpu) {
    const double area = m * n;
    return gpu.gemm_efficiency * (k / (k + gpu.half_depth)) * (area / (area + gpu.half_area));
}

}  // namespace shardscope
