// Tests selective recomputation of chosen modules.
#include <catch2/catch.hpp>

#include "effects/activations.h"
#include "memory/kept_activations.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

Scenario llama_recomputing(const char* modules) {
    Scenario scenario = of_model("llama-3-8b", {{P::recompute, kRecomputeSelective}});
    scenario.give(P::software, parse(P::software, "megatron-core").value);
    if (modules) scenario.give(P::recompute_modules, parse(P::recompute_modules, modules).value);
    return scenario;
}

double kept(const Scenario& scenario, std::size_t kind = 0) {
    const Compiled c = compile(resolve(scenario));
    return kept_activations(c.work.layers[kind], c).kept;
}

// DeepSeek-V3 with balanced experts.
Scenario deepseek_recomputing(const char* modules, Precision precision = Precision::bf16) {
    return of_model("deepseek-v3", {{P::software, Software::megatron_core},
                                    {P::precision, precision},
                                    {P::expert_imbalance, 1},
                                    {P::recompute, kRecomputeSelective},
                                    {P::recompute_modules, parse(P::recompute_modules, modules).value}});
}

// Returns the bytes per token that a layer of experts does not keep.
double dropped_by_experts(const char* modules, Precision precision = Precision::bf16) {
    const auto bytes = [&](const char* set) { return kept(deepseek_recomputing(set, precision), 1); };
    return (bytes("none") - bytes(modules)) /
           compile(resolve(deepseek_recomputing("none", precision))).tokens_per_micro_batch;
}

}  // namespace

TEST_CASE("recompute modules: each drops the tensors that it recomputes", "[effects]") {
    const Compiled c = compile(resolve(llama_recomputing("core_attention")));
    const double tokens = c.tokens_per_micro_batch;
    const double all = c.work.layers[0].saved;
    // Two norm outputs of width 4,096, the product of width 14,336, and all of the feed-forward part, bf16.
    CHECK(kept(llama_recomputing("layernorm")) == Approx(all - tokens * 2 * 2 * 4096));
    CHECK(kept(llama_recomputing("activation")) == Approx(all - tokens * 2 * 14336));
    CHECK(kept(llama_recomputing("mlp")) == Approx(all - tokens * 2 * 3 * 14336));
    CHECK(kept(llama_recomputing("layernorm+mlp")) == Approx(all - tokens * 2 * (2 * 4096 + 3 * 14336)));
    CHECK(kept(llama_recomputing("none")) == Approx(all));
}

TEST_CASE("recompute modules: experts keep the input of their layer alone", "[effects]") {
    // The shared expert's two halves and their product of width 2,048, bf16. Its input is that of the layer.
    constexpr double kShared = 2 * 3 * 2048;
    CHECK(dropped_by_experts("shared_experts") == Approx(kShared));
    // The product of width 2,048 in each of eight experts.
    CHECK(dropped_by_experts("moe_activation") == Approx(2 * 8 * 2048));
    // The probabilities of 256 experts in fp32; in each of eight experts, the token of width 7,168, two
    // halves and their product.
    constexpr double kRouted = 4 * 256 + 2 * 8 * (7168 + 3 * 2048);
    CHECK(dropped_by_experts("moe") == Approx(kRouted + kShared));
    // What two modules drop is dropped once.
    CHECK(dropped_by_experts("moe+moe_activation+shared_experts") == Approx(kRouted + kShared));
    // The input of the layer is the output of its norm.
    CHECK(dropped_by_experts("layernorm+moe") == Approx(dropped_by_experts("layernorm") + kRouted + kShared));
    CHECK(dropped_by_experts("mlp") == 0);
    // In fp8 the shared expert keeps a copy of its input in one byte, and its product.
    CHECK(dropped_by_experts("shared_experts", Precision::fp8) == Approx(7168 + 2 * 2 * 2048 + 2048));
}

TEST_CASE("recompute modules: experts are repeated from the router to their last matrix", "[effects]") {
    const auto is_repeated = [](const char* model, std::string_view name, RecomputeModule module) {
        const Block block = list_of(of_model(model, {{P::expert_parallel, 8},
                                                     {P::tensor_parallel, 2},
                                                     {P::sequence_parallel, true}}))
                                .of_kind[1];
        return (operator_of(block, name).repeated_by & bit(module)) != 0;
    };
    for (const char* name : {"router", "experts.dispatch", "experts.permute", "experts.up",
                             "experts.activation", "mlp.gather", "shared.up", "shared.activation"})
        CHECK(is_repeated("deepseek-v3", name, RecomputeModule::moe));
    for (const char* name : {"experts.down", "experts.combine", "experts.unpermute", "shared.down"})
        CHECK_FALSE(is_repeated("deepseek-v3", name, RecomputeModule::moe));
    CHECK(is_repeated("nemotron-3-super-120b-a12b", "experts.latent", RecomputeModule::moe));
    CHECK_FALSE(is_repeated("nemotron-3-super-120b-a12b", "experts.unlatent", RecomputeModule::moe));
    // The input of a shared expert is gathered again.
    CHECK(is_repeated("deepseek-v3", "mlp.gather", RecomputeModule::shared_experts));
    CHECK_FALSE(is_repeated("deepseek-v3", "router", RecomputeModule::shared_experts));
}

TEST_CASE("recompute modules: they cost the time of their operators", "[effects]") {
    const auto repeated = [](const char* modules) {
        return compile(resolve(llama_recomputing(modules))).work.layers[0].repeated.total();
    };
    CHECK(repeated("none") == 0);
    CHECK(repeated("mlp") > repeated("activation"));
    CHECK(repeated("layernorm+mlp") == Approx(repeated("layernorm") + repeated("mlp")));
    // Without modules the attention core is repeated.
    CHECK(compile(resolve(llama_recomputing(nullptr))).work.layers[0].repeated.total() ==
          Approx(repeated("core_attention")));
}

TEST_CASE("recompute: a layer keeps at least its input, whatever the policy drops", "[effects]") {
    // With tensor parallelism the tensors inside a layer are sharded and its input is not.
    const SavedTensors saved{.all = 10, .dropped = 4, .input = 3};
    CHECK(activations(saved, {.selective = true, .selective_kept = 1}).kept == 6);
    const Activations few = activations(saved, {.selective = true, .selective_kept = 0.1});
    CHECK(few.kept == 3);
    CHECK(few.working == 7);
    CHECK(activations(saved, {.recomputed = 1}).kept == 3);

    const Scenario scenario = of_model("llama-2-7b", {{P::gpus, 16},
                                                      {P::gpus_per_node, 16},
                                                      {P::software, Software::maxtext},
                                                      {P::tensor_parallel, 16},
                                                      {P::sequence_parallel, false},
                                                      {P::sequence_length, 8192},
                                                      {P::micro_batch, 4},
                                                      {P::recompute, kRecomputeSelective}});
    const double input = 2 * 8192.0 * 4 * 4096;
    CHECK(kept(scenario) >= input);
    CHECK(kept(scenario) < 1.5 * input);
}

TEST_CASE("recompute modules: a set is read and written as names", "[parameters]") {
    const Parsed parsed = parse(P::recompute_modules, "layernorm, moe_activation");
    REQUIRE(parsed.ok);
    CHECK(written(P::recompute_modules, parsed.value) == "layernorm+moe_activation");
    CHECK(written(P::recompute_modules, 0) == "none");
    CHECK_FALSE(parse(P::recompute_modules, "layernorm+atention").ok);
    CHECK(parse(P::recompute_modules, "core_atention").suggestion.find("core_attention") !=
          std::string::npos);
}
