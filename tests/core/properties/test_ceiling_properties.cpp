// Properties of shipped models, machines and stacks at any plan, without constants set by hand: nothing is
// faster than hardware was ever measured to be.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "block/block_work.h"
#include "model/operator_time.h"
#include "support/properties.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

constexpr int kCases = 200000;      // of which more than half are valid
constexpr double kRounding = 1e-9;  // relative

// The largest published shares of peak of the fastest GPU that a part of the calibration describes.
// Matrix products in 16 bits and in fp8: a search over shapes (stas00/ml-engineering, 744d01e,
// compute/accelerator). Attention in the forward pass: of the best kernel, and of FlashAttention-2 or
// Triton's version of it. Dao 2023, arXiv 2307.08691 (230 of 312 TFLOP/s); Shah et al. 2024, arXiv
// 2407.08608 (740 of 989); pytorch/benchmark, ff65cb6 (477 of 989); Zadouri et al. 2026, arXiv 2603.05451
// (1,613 of 2,250, 2.7 times Triton's).
struct Best {
    double bits_16, fp8, attention, flash2;
};
constexpr double kHopperAttention = 740.0 / 989, kHopperFlash2 = 477.0 / 989;
constexpr double kBlackwellAttention = 1613.0 / 2250, kBlackwellFlash2 = kBlackwellAttention / 2.7;
const std::map<std::string, Best> kBest{
    {"gpu-a100", {271.2 / 312, 1, 230.0 / 312, 230.0 / 312}},  // no fp8
    {"gpu-h100", {794.5 / 989, 1402.6 / 1979, kHopperAttention, kHopperFlash2}},
    {"gpu-h100-500w", {794.5 / 989, 1402.6 / 1979, kHopperAttention, kHopperFlash2}},
    {"gpu-h200", {794.5 / 989, 1453.4 / 1979, kHopperAttention, kHopperFlash2}},
    {"gpu-gh200", {828.6 / 989, 1535.0 / 1979, kHopperAttention, kHopperFlash2}},
    // 16 bits: B300
    {"gpu-b200", {1769.0 / 2250, 3432.5 / 4500, kBlackwellAttention, kBlackwellFlash2}},
    {"gpu-b300", {1769.0 / 2250, 3432.5 / 4500, kBlackwellAttention, kBlackwellFlash2}},
    {"gpu-gb300", {1822.0 / 2500, 3615.6 / 5000, kBlackwellAttention, kBlackwellFlash2}},
    {"gpu-gb200", {1822.0 / 2500, 3615.6 / 5000, kBlackwellAttention, kBlackwellFlash2}},
    // 16 bits: MI355X; neither fp8 nor attention was measured
    {"gpu-mi300", {1565.0 / 2300, 0.95, kHopperAttention, 230.0 / 312}},
};
constexpr Best kNotMeasured{0.95, 0.95, kHopperAttention, 230.0 / 312};  // assumed
// The backward pass of FlashAttention-2 reaches at most 63 % on A100, the forward pass 73 %.
constexpr double kBackwardAttention = 0.63 / 0.73;

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

double members(const BlockRates& rates, CommunicationGroup group) {
    switch (group) {
        case CommunicationGroup::tensor: return rates.tensor.size();
        case CommunicationGroup::context: return rates.context.size();
        case CommunicationGroup::context_inner: return rates.context_inner.size();
        case CommunicationGroup::context_outer: return rates.context_outer.size();
        case CommunicationGroup::expert: return rates.expert.size();
        case CommunicationGroup::expert_tensor: return rates.expert_tensor.size();
        case CommunicationGroup::count: break;
    }
    return 1;
}

// Returns the bytes that every GPU of a group receives at least; 0 where that is not known.
double received(const Operator& op, const BlockRates& rates) {
    const double size = members(rates, op.group);
    switch (op.collective) {
        case Collective::all_gather:
        case Collective::reduce_scatter: return op.bytes * (size - 1) / size;
        // A switch that adds up sends the sum once.
        case Collective::all_reduce: return size > 1 ? op.bytes : 0;
        case Collective::all_to_all:
            return op.group == CommunicationGroup::expert ? 0 : op.bytes * (size - 1) / size;
        case Collective::ring_exchange:
        case Collective::none: break;
    }
    return 0;
}

// Returns the bytes of weights that FSDP gathers for one layer, at least: in 16 bits, those of this GPU's
// group without its own shard.
double gathered(const BlockWork& layer, const Compiled& c) {
    const Settings& s = c.settings;
    if (s.choice<Sharding>(P::sharding) != Sharding::zero3 || is_low(s.choice<Precision>(P::precision)))
        return 0;
    const double shared = c.layout.shard.size(), experts = c.layout.expert_shard.size();
    return 2 * (layer.weights * (shared - 1) / shared + layer.experts * (experts - 1) / experts);
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
        const StepTime& step = now.estimate.step;
        RC_ASSERT(std::isfinite(step.total));
        RC_ASSERT(std::isfinite(now.estimate.memory.peak));
        const double terms = std::accumulate(step.terms.begin(), step.terms.end(), 0.0);
        RC_ASSERT(std::abs(terms - step.total) <= kRounding * step.total);

        const Compiled& c = now.compiled;
        const double peak = peak_flops(s);
        const bool low = is_low(s.choice<Precision>(P::precision));
        const double gemm = (low ? best.fp8 : best.bits_16) * peak;
        // Naive attention consists of matrix products.
        const double kernel = !c.gpu.flash                ? best.bits_16
                              : s.on(P::native_attention) ? best.attention
                                                          : best.flash2;
        const double attention = kernel * bf16_peak_flops(s);
        const BlockRates rates = block_rates(s, c.layout, c.gpu, c.network);
        const double wire = std::max(s[P::intra_node_bandwidth], s[P::inter_node_bandwidth]);
        for (const Block* block : c.operators.blocks()) {
            if (block->repeat <= 0) continue;
            for (const Operator& op : block->operators) {
                RC_LOG() << op.name << "\n";
                if (op.kind == OperatorKind::collective) {
                    const double seconds = collective_operator_time(op, rates).total();
                    RC_ASSERT(received(op, rates) <= wire * seconds * (1 + kRounding));
                    continue;
                }
                const double forward = forward_time(op, c.gpu).total();
                const double backward = backward_time(op, c.gpu).total();
                const double fastest = op.multiplies() ? gemm : attention;
                const bool flash = op.kind == OperatorKind::attention && c.gpu.flash;
                const double share = flash ? kBackwardAttention : 1;
                RC_ASSERT(op.flops() <= fastest * forward * (1 + kRounding));
                RC_ASSERT(backward_flops(op, c.gpu) <= share * fastest * backward * (1 + kRounding));
                for (const double seconds : {forward, backward})
                    RC_ASSERT(op.bytes <= s[P::memory_bandwidth] * seconds * (1 + kRounding));
            }
        }
        for (std::size_t i = 0; i < c.work.layers.size(); ++i)
            RC_ASSERT(gathered(c.work.layers[i], c) <=
                      wire * c.traffic.layers[i].gather.total() * (1 + kRounding));
    });
    CHECK(valid > tried / 2);
}
