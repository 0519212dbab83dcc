#include "evidence/calibration_constants.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "evidence/calibration.h"
#include "hardware/gpu_rates.h"

namespace shardscope {
namespace {

// The widths are the spread of measured values over stacks and GPUs. Sources of the ranges: no kernel is
// faster than published benchmarks of its kind (stas00/ml-engineering, Dao 2023, Shah et al. 2024), no link
// faster than nccl-tests tables show, and no kernel moves fewer bytes than its operands have.
constexpr std::array kConstants{
    ConstantRow{P::gemm_efficiency, Scope::gpu, 0.1, 0.3, 0.93},
    ConstantRow{P::attention_efficiency, Scope::gpu, 0.1, 0.15, kFlashBothPasses * 740 / 989},
    ConstantRow{P::flash2_efficiency, Scope::gpu, 0.1, 0.15, kFlashBothPasses * 0.73},
    ConstantRow{P::gemm_half_depth, Scope::gpu, 0.5, 20, 2000},
    ConstantRow{P::gemm_half_area, Scope::gpu, 0.4, 2e5, 4e6},
    ConstantRow{P::fp8_efficiency, Scope::gpu, 0.1, 0.5, 1},
    ConstantRow{P::attention_half_sequence, Scope::everywhere, 0.7, 50, 2000},
    ConstantRow{P::scan_efficiency, Scope::everywhere, 0.5, 0.05, 0.8},
    ConstantRow{P::naive_attention_efficiency, Scope::everywhere, 0.3, 0.1, 0.8},
    ConstantRow{P::softmax_traffic, Scope::stack, 0.3, 4, 30},
    ConstantRow{P::elementwise_backward, Scope::everywhere, 0.2, 1, 3},
    ConstantRow{P::memory_efficiency, Scope::everywhere, 0.1, 0.5, 0.95},
    ConstantRow{P::intra_node_efficiency, Scope::everywhere, 0.1, 0.7, 0.9},
    ConstantRow{P::network_efficiency, Scope::everywhere, 0.1, 0.7, 0.95},
    ConstantRow{P::inter_node_latency, Scope::everywhere, 0.15, 5e-6, 3.3e-5},
    ConstantRow{P::collective_latency, Scope::everywhere, 0.25, 5e-6, 6.6e-5},
    ConstantRow{P::step_overhead, Scope::stack, 0.5, 1e-3, 0.1},
    ConstantRow{P::unaligned_heads, Scope::everywhere, 0.3, 2, 30},
    ConstantRow{P::expert_overhead, Scope::stack, 0.5, 1e-4, 1e-2, true, true},
    ConstantRow{P::expert_cast_overhead, Scope::everywhere, 0.5, 2e-5, 4e-4, true, true},
    ConstantRow{P::launch_overhead, Scope::stack, 0.8, 2e-6, 1e-4, true, true},
    ConstantRow{P::pipeline_layer_overhead, Scope::stack, 0.5e-3, 0, 5e-3, false, true},
    ConstantRow{P::overlap, Scope::stack, 0.1, 0.1, 1, false},
    ConstantRow{P::attention_generation, Scope::stack, 0.2, 0.4, 1},
    ConstantRow{P::elementwise_traffic, Scope::stack, 0.3, 0.95, 5},  // assumed: caches save at most 5 %
    ConstantRow{P::composed_traffic, Scope::stack, 0.4, 1, 6},
    ConstantRow{P::copy_traffic, Scope::stack, 0.5, 6, 60},
    ConstantRow{P::gradient_traffic, Scope::stack, 0.2, 2, 4},
    ConstantRow{P::recompute_share, Scope::stack, 0.1, 0.7, 1, false},
    ConstantRow{P::selective_cost, Scope::stack, 0.15, 0, 0.6, false},
};

// The best share of peak that a search over shapes of matrix products found (stas00/ml-engineering, 744d01e,
// compute/accelerator), of the GPU with the smallest share that a part describes. A fit keeps the constants
// below it. The efficiency in fp8 is relative to that in bf16.
struct Ceiling {
    std::string_view part;
    P id;
    double highest;
};
constexpr std::array kCeilings{
    Ceiling{"gpu-a100", P::gemm_efficiency, 252.9 / 312},  // of the PCIe card; 271.2 of the SXM module
    Ceiling{"gpu-h100", P::gemm_efficiency, 794.5 / 989},
    Ceiling{"gpu-h100", P::fp8_efficiency, 1402.6 / (2 * 794.5)},
    Ceiling{"gpu-h100-500w", P::gemm_efficiency, 794.5 / 989},
    Ceiling{"gpu-h100-500w", P::fp8_efficiency, 1402.6 / (2 * 794.5)},
    Ceiling{"gpu-h200", P::gemm_efficiency, 794.5 / 989},
    Ceiling{"gpu-h200", P::fp8_efficiency, 1453.4 / (2 * 794.5)},
    Ceiling{"gpu-b200", P::gemm_efficiency, 1822.0 / 2500},  // of GB200; 1,745 of 2,250 of B200
    Ceiling{"gpu-b200", P::fp8_efficiency, 3432.5 / (2 * 1745.0)},
    Ceiling{"gpu-gb300", P::gemm_efficiency, 1745.0 / 2250},  // of B200: no search on GB300 is published
    Ceiling{"gpu-mi300", P::gemm_efficiency, 668.4 / 1300},   // of the MI300X
};

}  // namespace

std::span<const ConstantRow> calibration_constants() { return kConstants; }

double highest_of(const ConstantRow& row, std::string_view part, const Settings& settings) {
    if (row.id == P::attention_efficiency)
        return std::clamp(kFlashBothPasses * settings[P::attention_ceiling], row.low, row.high);
    if (row.id == P::flash2_efficiency)
        return std::clamp(kFlashBothPasses * settings[P::flash2_ceiling], row.low, row.high);
    for (const Ceiling& ceiling : kCeilings)
        if (ceiling.part == part && ceiling.id == row.id)
            return std::clamp(ceiling.highest, row.low, row.high);
    return row.high;
}

double inward(const ConstantRow& row, double value) { return row.logarithmic ? std::log(value) : value; }
double outward(const ConstantRow& row, double x) { return row.logarithmic ? std::exp(x) : x; }

std::vector<PriorWidth> prior_widths() {
    std::vector<PriorWidth> out;
    out.reserve(kConstants.size());
    for (const ConstantRow& row : kConstants)
        out.push_back({row.id, row.width, row.low, row.high, row.logarithmic});
    return out;
}

}  // namespace shardscope
