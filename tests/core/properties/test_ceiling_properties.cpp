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

// The largest shares of peak that a search over shapes of matrix products found, in 16 bits and in fp8, of
// the fastest GPU that a part of the calibration describes (stas00/ml-engineering, 744d01e,
// compute/accelerator).
struct Best {
    double bits_16, fp8;
};
const std::map<std::string, Best> kBest{
    {"gpu-a100", {271.2 / 312, 1}},  // no fp8
    {"gpu-h100", {794.5 / 989, 1402.6 / 1979}},
    {"gpu-h100-500w", {794.5 / 989, 1402.6 / 1979}},
    {"gpu-h200", {794.5 / 989, 1453.4 / 1979}},
    {"gpu-gh200", {828.6 / 989, 1535.0 / 1979}},
    {"gpu-b200", {1769.0 / 2250, 3432.5 / 4500}},  // B300 in 16 bits
    {"gpu-gb200", {1822.0 / 2500, 3615.6 / 5000}},
    {"gpu-mi300", {1565.0 / 2300, 0.95}},  // MI355X; not measured in fp8
};
constexpr Best kNotMeasured{0.95, 0.95};  // assumed
// FlashAttention-3, forward, on H100 (Shah et al. 2024, arXiv 2407.08608).
constexpr double kBestAttention = 740.0 / 989;

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
        const Best& best = found == kBest.end() ? kNotMeasured : found->second;
        // Matrix products in fp32 run without tensor cores and get closer to their peak; only plans that
        // would not fit in memory have so large ones that nothing else takes time.
        const bool fp32 = s.choice<Precision>(P::precision) == Precision::fp32;
        if (!fp32 || now.estimate.verdict != Verdict::does_not_fit)
            RC_ASSERT(now.estimate.hfu <= (part.starts_with("gpu-tpu") ? 0.9 : 0.8));

        const Compiled& c = now.compiled;
        const double peak = peak_flops(s);
        const bool low = is_low(s.choice<Precision>(P::precision));
        const double gemm = (low ? best.fp8 : best.bits_16) * peak;
        const double attention = kBestAttention * bf16_peak_flops(s);
        // The other GPUs of a group have at least half of a tensor, and every GPU receives that.
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
