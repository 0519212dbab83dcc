// Tests E35: what Muon adds to the optimizer's step.
#include "effects/muon.h"

#include <catch2/catch.hpp>

#include "step/step.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

double optimizer_time(Scenario scenario, Optimizer optimizer) {
    scenario.give(P::optimizer, optimizer);
    scenario.give(P::optimizer_traffic, 0);  // Muon has one moment less than AdamW
    const StepTime step = step_time(compile(resolve(scenario)));
    return step.term(StepTerm::optimizer);
}

}  // namespace

TEST_CASE("muon: five Newton-Schulz steps of a matrix", "[effects]") {
    // Each step multiplies 4096×1024 by its transpose, the 1024×1024 result by itself, and that by the
    // matrix.
    CHECK(orthogonalization_flops(4096, 1024) ==
          5 * (2.0 * 4096 * 1024 * 1024 + 2.0 * 1024 * 1024 * 1024 + 2.0 * 4096 * 1024 * 1024));
    CHECK(orthogonalization_flops(1024, 4096) == orthogonalization_flops(4096, 1024));
}

TEST_CASE("muon: the step is longer by the orthogonalization of every layer", "[effects]") {
    // Without sharding every GPU processes all matrices: 32 layers of Llama 3 8B.
    const Scenario scenario =
        without_latency(of_model("llama-3-8b", {{P::gpus, 8}, {P::sharding, Sharding::ddp}}));
    const Compiled c = compile(resolve(scenario));
    const double layer = orthogonalization_flops(4096, 6144) + orthogonalization_flops(4096, 4096) +
                         orthogonalization_flops(4096, 28672) + orthogonalization_flops(14336, 4096);
    const double expected = 32 * layer / (c.gpu.peak * c.gpu.gemm_efficiency);
    CHECK(optimizer_time(scenario, Optimizer::muon) - optimizer_time(scenario, Optimizer::adamw) ==
          Approx(expected).epsilon(1e-9));
    // Sharding the optimizer distributes the matrices and adds a gather.
    const auto extra = [&](double gpus) {
        Scenario sharded = scenario;
        sharded.give(P::sharding, Sharding::zero1);
        sharded.give(P::gpus, gpus);
        return optimizer_time(sharded, Optimizer::muon) - optimizer_time(sharded, Optimizer::adamw);
    };
    CHECK(extra(8) > expected / 8);
    CHECK(extra(8) < expected);
}

TEST_CASE("muon: more GPUs than matrices save no time", "[effects]") {
    // Llama 3 8B has 128 matrices, and the largest, 4,096 × 28,672, has half of the FLOPs of a layer.
    const auto extra = [](double gpus) {
        const Scenario sharded = without_latency(of_model("llama-3-8b", {{P::gpus, gpus},
                                                                         {P::sharding, Sharding::zero1},
                                                                         {P::intra_node_bandwidth, 1e18},
                                                                         {P::inter_node_bandwidth, 1e18}}));
        return optimizer_time(sharded, Optimizer::muon) - optimizer_time(sharded, Optimizer::adamw);
    };
    const Compiled c = compile(resolve(of_model("llama-3-8b", {})));
    const double largest = orthogonalization_flops(4096, 28672) / (c.gpu.peak * c.gpu.gemm_efficiency);
    CHECK(extra(512) == Approx(largest).epsilon(1e-3));
    CHECK(extra(1024) == Approx(largest).epsilon(1e-3));
    CHECK(extra(8) > 2 * largest);
}
