// Tests that the planner finds what the literature reports about good plans, without assuming it.
#include <catch2/catch.hpp>
#include <random>

#include "planner/answer.h"
#include "planner/planner.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

Scenario on(const char* model, const char* cluster, std::initializer_list<std::pair<P, Value>> values) {
    Scenario scenario = of_model(model, {});
    scenario = with_cluster(scenario, *scenario.catalogue->find(PresetKind::cluster, cluster));
    for (const auto& [id, value] : values) scenario.give(id, value);
    return scenario;
}

constexpr double kMegatronCore = 6;

}  // namespace

TEST_CASE("optima: tensor parallelism stays inside a node", "[planner]") {
    // Source: Narayanan et al. 2021, arXiv 2104.04473, takeaway 1.
    for (const double gpus : {512.0, 1024.0}) {
        Scenario scenario = on("gpt-3-175b", "dgx-a100-80gb",
                               {{P::software, kMegatronCore}, {P::gpus, gpus}, {P::global_batch, 1536}});
        scenario.automatic = default_free_parameters();
        const Answer best = answer(planned(scenario));
        REQUIRE(best.fits());
        CHECK(best.settings[P::tensor_parallel] <= 8);
        CHECK(best.settings[P::tensor_parallel] * best.settings[P::pipeline_parallel] > 8);
    }
}

TEST_CASE("optima: at fixed work pure FSDP is slower than model parallelism on many H100", "[planner]") {
    // Source: Fernandez et al. 2024, arXiv 2411.13055: tensor or pipeline parallelism of 2 to 4 overtakes it.
    const auto best_degree = [](double gpus) {
        Scenario scenario = on("llama-2-7b", "dgx-h100",
                               {{P::gpus, gpus}, {P::global_batch, 1024}, {P::sequence_length, 4096}});
        for (const P id : {P::tensor_parallel, P::sequence_parallel, P::pipeline_parallel, P::micro_batch})
            scenario.automatic.set(index(id));
        const Answer best = answer(planned(scenario));
        REQUIRE(best.fits());
        return best.settings[P::tensor_parallel] * best.settings[P::pipeline_parallel];
    };
    CHECK(best_degree(64) == 1);
    const double many = best_degree(1024);
    CHECK(many >= 2);
    CHECK(many <= 8);
}

TEST_CASE("optima: more memory never makes the best plan slower", "[planner]") {
    double last = 0;
    for (const double gib : {24.0, 40.0, 80.0, 141.0, 192.0}) {
        Scenario scenario = on("llama-2-13b", "dgx-h100", {{P::gpus, 64}, {P::global_batch, 256}});
        scenario.give(P::memory, gib * 1024 * 1024 * 1024);
        scenario.automatic = default_free_parameters();
        const Answer best = answer(planned(scenario));
        const double rate = best.fits() ? best.estimate.tokens_per_s_per_gpu : 0;
        CHECK(rate >= last);
        last = rate;
    }
    CHECK(last > 0);
}

TEST_CASE("planned: if the per-GPU batch is held, the planner finds the largest usual micro-batch that fits",
          "[planner]") {
    const Answer best = answer(with_auto(first(), P::micro_batch, true));
    REQUIRE(best.fits());
    Scenario next = locked(best.scenario);
    // Usual sizes are powers of two and three times a power of two.
    const double size = best.settings[P::micro_batch];
    const bool power = std::exp2(std::round(std::log2(size))) == size;
    REQUIRE((power || std::exp2(std::round(std::log2(size / 3))) * 3 == size));
    next.give(P::micro_batch, size == 1 ? 2 : power ? size * 3 / 2 : size * 4 / 3);
    CHECK(answer(next).estimate.verdict != Verdict::fits);
}

TEST_CASE("planned: automatic degrees do not restrict the GPU count", "[planner]") {
    Scenario scenario =
        of_model("llama-2-13b",
                 {{P::gpus, 64}, {P::global_batch, 384}, {P::tensor_parallel, 8}, {P::pipeline_parallel, 8}});
    // With held degrees the count must be a multiple of 64, with automatic ones it need not.
    CHECK(resolve(edited(scenario, P::gpus, 24))[P::gpus] == 64);
    scenario.automatic.set(index(P::tensor_parallel));
    scenario.automatic.set(index(P::pipeline_parallel));
    const Answer smaller = answer(edited(scenario, P::gpus, 24));
    REQUIRE(smaller.valid());
    CHECK(smaller.settings[P::gpus] == 24);
}

TEST_CASE("planned: a first guess of the plan saves time and does not change the result", "[planner]") {
    Scenario scenario = of_model("llama-2-13b", {{P::gpus, 32}, {P::global_batch, 128}});
    scenario.automatic = default_free_parameters();
    const Scenario exact = planned(scenario);
    std::mt19937 random(7);
    const auto any = [&](std::initializer_list<double> values) {
        return values.begin()[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
    };
    Plan likely = plan_of(resolve(exact));
    CHECK(planned(scenario, &likely) == exact);
    for (int i = 0; i < 40; ++i) {
        // The guesses include good, poor and invalid plans.
        likely[P::tensor_parallel] = any({1, 2, 4, 8, 3});
        likely[P::pipeline_parallel] = any({1, 2, 4, 8});
        likely[P::micro_batch] = any({1, 2, 3, 4, 8, 1000});
        likely[P::sharding] = any({0, 1, 2, 3});
        likely[P::recompute] = any({0, kRecomputeSelective, 1});
        INFO(i);
        CHECK(planned(scenario, &likely) == exact);
    }
}

TEST_CASE("optima: experts are spread over tensor-parallel GPUs rather than split", "[planner]") {
    // Source: Liu et al. 2025 (MoE parallel folding), arXiv 2504.14960: where attention needs tensor
    // parallelism, experts are faster with expert parallelism alone. Splitting them only saves memory.
    Scenario scenario = on("mixtral-8x7b", "dgx-h200",
                           {{P::software, kMegatronCore},
                            {P::gpus, 64},
                            {P::global_batch, 256},
                            {P::sequence_length, 4096},
                            {P::sharding, Sharding::zero1},
                            {P::tensor_parallel, 4},
                            {P::sequence_parallel, true}});
    for (const P id :
         {P::expert_parallel, P::expert_tensor_parallel, P::pipeline_parallel, P::micro_batch, P::recompute})
        scenario.automatic.set(index(id));
    const Answer best = answer(planned(scenario));
    REQUIRE(best.fits());
    CHECK(best.settings[P::expert_tensor_parallel] == 1);
    CHECK(best.settings[P::expert_parallel] == 8);
}

TEST_CASE("optima: with a fast link to the host, offloaded activations replace recomputation", "[planner]") {
    const auto best_over = [](double link) {
        Scenario scenario = on("llama-3-8b", "dgx-h100",
                               {{P::gpus, 64},
                                {P::global_batch, 64},
                                {P::micro_batch, 1},
                                {P::sequence_length, 32768},
                                {P::host_bandwidth, link}});
        for (const P id : {P::recompute, P::activation_offload}) scenario.automatic.set(index(id));
        return answer(planned(scenario));
    };
    const Answer fast = best_over(300e9);
    REQUIRE(fast.fits());
    CHECK(fast.settings[P::recompute] == 0);
    CHECK(fast.settings[P::activation_offload] == 1);
    // Over a slow link the copies would take longer than recomputation.
    const Answer slow = best_over(5e9);
    REQUIRE(slow.fits());
    CHECK(slow.settings[P::recompute] == 1);
    CHECK(slow.estimate.mfu < fast.estimate.mfu);
}
