// Properties of shipped models, machines and stacks at any plan, without constants set by hand: nothing is
// faster than hardware was ever measured to be.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "block/block_work.h"
#include "model/operator_time.h"
#include "support/properties.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

constexpr int kCases = 3000;
constexpr double kRounding = 1e-9;  // relative

// The largest shares of peak that benchmarks of single kernels found: of matrix products in 16 bits and in
// fp8 the best shape of a search (stas00/ml-engineering, 744d01e, compute/accelerator), of attention the
// forward pass (Dao 2023, arXiv 2307.08691; Shah et al. 2024, arXiv 2407.08608; NVIDIA cuDNN 9 on B200).
struct Best {
    double gemm, gemm_fp8, attention;
};
const std::map<std::string, Best> kBest{
    {"gpu-a100", {0.87, 1, 0.74}},          {"gpu-h100", {0.804, 0.71, 0.75}},
    {"gpu-h100-500w", {0.804, 0.71, 0.75}}, {"gpu-h200", {0.804, 0.735, 0.75}},
    {"gpu-gh200", {0.838, 0.776, 0.75}},    {"gpu-b200", {0.787, 0.763, 0.72}},
    {"gpu-gb200", {0.776, 0.763, 0.72}},    {"gpu-mi300", {0.681, 0.681, 0.6}},
};
constexpr Best kOther{0.95, 0.95, 0.75};

// Returns a random choice of model, cluster, stack, and values of the training settings and the plan.
rc::Gen<RandomScenario> preset_scenario() {
    return rc::gen::map(random::scenario(), [](RandomScenario scenario) {
        std::erase_if(scenario.edits, [](const RandomEdit& edit) {
            const auto id = static_cast<P>(edit.parameter);
            const Group group = parameter(id).group;
            const bool chosen =
                group == Group::training || group == Group::plan || id == P::gpus || id == P::software;
            return !chosen;
        });
        return scenario;
    });
}

}  // namespace

TEST_CASE("any preset and plan: no kernel is above its best benchmark and no link above its wire",
          "[properties][ceiling-properties]") {
    int valid = 0;
    int tried = 0;
    hold("ceilings", kCases, [&] {
        const Scenario scenario = scenario_of(*preset_scenario());
        const Answer now = answer(scenario);
        ++tried;
        if (!now.valid()) return;
        ++valid;
        const Settings& s = now.settings;
        const Preset* gpu = scenario.gpu_preset();
        const std::string part = gpu && gpu->calibration ? gpu->calibration->name : "";
        RC_LOG() << part << "\n";
        const auto found = kBest.find(part);
        const Best& best = found == kBest.end() ? kOther : found->second;
        // Matrix products in fp32 run without tensor cores and get closer to their peak; only plans that
        // would not fit in memory have so large ones that nothing else takes time.
        const bool fp32 = s.choice<Precision>(P::precision) == Precision::fp32;
        if (!fp32 || now.estimate.verdict != Verdict::does_not_fit)
            RC_ASSERT(now.estimate.hfu <= (part == "gpu-tpu" ? 0.9 : 0.8));

        const Compiled& c = now.compiled;
        const double peak = peak_flops(s);
        const bool low = is_low(s.choice<Precision>(P::precision));
        const double gemm = (low ? std::max(best.gemm_fp8, best.gemm) : best.gemm) * peak;
        const double attention = best.attention * bf16_peak_flops(s);
        // Every GPU receives at least what the others of its group have of a tensor.
        const BlockRates rates = block_rates(s, c.layout, c.gpu, c.network);
        const double wire = std::max(s[P::intra_node_bandwidth], s[P::inter_node_bandwidth]);
        for (const Block* block : c.operators.blocks()) {
            if (block->repeat <= 0) continue;
            for (const Operator& op : block->operators) {
                RC_LOG() << op.name << "\n";
                if (op.kind == OperatorKind::collective) {
                    const bool whole = op.collective == Collective::all_gather ||
                                       op.collective == Collective::reduce_scatter ||
                                       op.collective == Collective::all_reduce;
                    if (!whole) continue;
                    const double seconds = collective_operator_time(op, rates).total();
                    if (seconds > 0) RC_ASSERT(op.bytes / 2 <= wire * seconds * (1 + kRounding));
                    continue;
                }
                const double seconds = forward_time(op, c.gpu).total();
                const double fastest = op.multiplies() ? gemm : attention;
                RC_ASSERT(op.flops() <= fastest * seconds * (1 + kRounding));
                RC_ASSERT(op.bytes <= s[P::memory_bandwidth] * seconds * (1 + kRounding));
            }
        }
    });
    CHECK(valid > tried / 2);
}
