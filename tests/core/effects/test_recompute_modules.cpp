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

double kept(const Scenario& scenario) {
    const Compiled c = compile(resolve(scenario));
    return kept_activations(c.work.layers[0], c).kept;
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
