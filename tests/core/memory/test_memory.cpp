// Tests E3–E8: the contents of memory at each moment of the step.
#include <algorithm>
#include <catch2/catch.hpp>

#include "compile/effect_inputs.h"
#include "memory/memory.h"
#include "support/check_scenario.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Returns the activations of one layer per s·b·h at the end of the forward pass.
double activation_factor(double recompute) {
    Scenario scenario =
        with({{P::dropout, true}, {P::attention, AttentionKernel::naive}, {P::recompute, recompute}});
    scenario.model = scenario.catalogue->find(PresetKind::model, "gpt-3-175b");
    const Compiled c = compile(resolve(scenario));
    const double held = memory_use(c).resident;
    const double boundary = c.operators.embedding.saved() + c.operators.head.saved();
    const Settings& s = c.settings;
    return (held - boundary) / (s[P::layers] * c.tokens_per_micro_batch * s[P::hidden_size]);
}

}  // namespace

TEST_CASE("memory: activations have Korthikanti's factors with no, selective and full recompute",
          "[memory]") {
    // The factor is 34 + 5·a·s/h with a = 96, s = 2,048 and h = 12,288: 34 + 80. Selective recompute drops
    // the scores, full recompute keeps only the input.
    CHECK(activation_factor(0) == Approx(114).epsilon(1e-12));
    CHECK(activation_factor(kRecomputeSelective) == Approx(34).epsilon(1e-12));
    CHECK(activation_factor(1) == Approx(2).epsilon(1e-12));
    CHECK(activation_factor(0.5) == Approx(58).epsilon(1e-12));
}

TEST_CASE("memory: the peak is the fullest moment, not the sum of all terms", "[memory]") {
    const MemoryUse use = memory_use(compile(resolve(first())));
    double fullest = 0;
    for (std::size_t m = 0; m < kMoments; ++m) fullest = std::max(fullest, use.at(static_cast<Moment>(m)));
    CHECK(use.peak == fullest);
    CHECK(use.at(use.peak_moment) == use.peak);
    CHECK(use.at(Moment::optimizer_step) < use.peak);
}

TEST_CASE("memory: full recompute still needs the memory of one whole layer while it is recomputed",
          "[memory]") {
    const Compiled c = compile(resolve(with({{P::recompute, 1}})));
    const MemoryUse use = memory_use(c);
    const auto activations = static_cast<std::size_t>(MemoryTerm::activations);
    const double forward = use.by_moment[static_cast<std::size_t>(Moment::forward_end)][activations];
    const double backward = use.by_moment[static_cast<std::size_t>(Moment::backward)][activations];
    const double input = 2 * c.tokens_per_micro_batch * c.settings[P::hidden_size];
    // The backward pass also holds gradients of activations: that of the residual connection, and those of
    // the output and the input, four times as wide as the model, of the feed-forward's last matrix.
    const double gradients = (1 + 1 + 4) * input;
    CHECK(backward - forward == Approx(c.operators.usual_layer().saved() - input + gradients).epsilon(1e-9));
}

TEST_CASE("memory: a recomputed layer counts whole only where it needs more than the stored ones",
          "[memory]") {
    const auto backward = [](double recompute) {
        const Compiled c = compile(resolve(of_model(
            "llama-2-7b", {{P::gpus, 8}, {P::sharding, Sharding::zero3}, {P::recompute, recompute}})));
        const MemoryTerms terms = memory_use(c).by_moment[static_cast<std::size_t>(Moment::backward)];
        return terms[static_cast<std::size_t>(MemoryTerm::activations)];
    };
    const Compiled c = compile(resolve(of_model("llama-2-7b", {{P::gpus, 8}})));
    const double saved = c.work.layers[0].saved;
    const double input = 2 * c.tokens_per_micro_batch * c.settings[P::hidden_size];
    const double layers = c.settings[P::layers];
    REQUIRE(layers == 32);
    // Every recomputed layer frees all but its input, until only one stored layer is left.
    for (const double recomputed : {0.32, 1.0, 8.0, 31.0}) {
        INFO(recomputed);
        CHECK(backward(0) - backward(recomputed / layers) == Approx(recomputed * (saved - input)));
    }
    CHECK(backward(1) == Approx(backward(31.0 / 32)));
    CHECK(backward(31.5 / 32) == Approx(backward(1)));
}

TEST_CASE("memory: bytes per parameter follow from the formats and the optimizer", "[memory]") {
    const auto total = [](Precision precision, Precision gradients, Optimizer optimizer) {
        const StateBytes bytes = state_bytes(state_formats(resolve(with({{P::sharding, Sharding::zero1},
                                                                         {P::precision, precision},
                                                                         {P::gradient_precision, gradients},
                                                                         {P::optimizer, optimizer}}))));
        return bytes.weights + bytes.gradients + bytes.optimizer;
    };
    CHECK(total(Precision::bf16, Precision::bf16, Optimizer::adamw) == 16);
    CHECK(total(Precision::bf16, Precision::fp32, Optimizer::adamw) == 18);
    CHECK(total(Precision::fp32, Precision::fp32, Optimizer::adamw) == 16);
    CHECK(total(Precision::bf16, Precision::bf16, Optimizer::sgd) == 8);
    CHECK(total(Precision::bf16, Precision::bf16, Optimizer::adamw_8bit) == 10);
}

TEST_CASE("memory: moments, main gradients and FSDP's master copy have their own formats", "[memory]") {
    const auto bytes = [](std::initializer_list<std::pair<P, Value>> values) {
        return state_bytes(state_formats(resolve(with(values))));
    };
    // DeepSeek-V3 keeps both moments in bf16 with an fp32 master copy.
    CHECK(bytes({{P::sharding, Sharding::zero1}, {P::moment_precision, MomentPrecision::bf16}}).optimizer ==
          8);
    const StateBytes reduced_in_bf16 = bytes({{P::sharding, Sharding::zero1},
                                              {P::gradient_precision, Precision::bf16},
                                              {P::main_gradient_precision, Precision::fp32}});
    CHECK(reduced_in_bf16.gradients == 4);
    CHECK(reduced_in_bf16.reduced_gradients == 2);
    // FSDP shards the fp32 weights and casts them when it gathers: 4 + 4 + 8 bytes a parameter.
    const StateBytes fsdp = bytes({{P::sharding, Sharding::zero3}});
    CHECK(fsdp.weights == 0);
    CHECK(fsdp.gradients == 4);
    CHECK(fsdp.optimizer == 12);
}

TEST_CASE("memory: work up to its limit fits, and more does not", "[memory]") {
    // FSDP holds unsharded parameters, for which the allocator keeps slack; ZeRO-1 holds a new gradient
    // instead.
    for (const Sharding sharding : {Sharding::zero3, Sharding::zero1}) {
        const Compiled c = compile(
            resolve(with({{P::sharding, sharding}, {P::fragmentation, 0.07}, {P::gathered_slack, 0.5}})));
        const StateMemory state = state_memory(c.stages.first, c);
        const double bytes = 60e9;
        const ActivationBytes limit = activation_limit(state, bytes, c);
        REQUIRE(limit.forward > 1e9);
        REQUIRE(limit.backward > 1e9);
        // Logits count at the end of forward only, and what is recomputed at the start of backward only.
        CHECK(bytes_of({3, 5, 11}).forward == 14);
        CHECK(bytes_of({3, 5, 11}).backward == 8);
        for (const double factor : {1 - 1e-6, 1 + 1e-6}) {
            CHECK((peak_memory(state, {0, 0, factor * limit.forward}, c) <= bytes) == (factor < 1));
            CHECK((peak_memory(state, {0, factor * limit.backward, 0}, c) <= bytes) == (factor < 1));
        }
        CHECK(activation_limit(state, 1e9, c).forward < 0);
    }
}

TEST_CASE("memory: freed tensors of collectives are reserved but decide no verdict", "[memory]") {
    const auto compiled = [](double slack, double tensor, double stages) {
        return compile(resolve(with({{P::tensor_parallel, tensor},
                                     {P::pipeline_parallel, stages},
                                     {P::sharding, Sharding::zero1},
                                     {P::collective_slack, slack}})));
    };
    const Compiled c = compiled(3, 8, 1);
    const MemoryUse without = memory_use(compiled(0, 8, 1));
    const MemoryUse held = memory_use(c);
    const double tensor = 2 * c.tokens_per_micro_batch * c.settings[P::hidden_size];
    CHECK(held.reserved() - without.reserved() == Approx(3 * tensor).epsilon(1e-9));
    CHECK(held.allocated() == Approx(without.allocated()).epsilon(1e-12));
    CHECK(peak_memory(state_memory(c.stages.first, c), activation_memory(c.stages.first, c), c) == held.peak);
    // A layer frees four tensors in both passes.
    CHECK(memory_use(compiled(1000, 8, 1)).peak ==
          memory_use(compiled(4 * c.settings[P::layers], 8, 1)).peak);
    // Only collectives of tensor parallelism without a pipeline count.
    CHECK(memory_use(compiled(3, 1, 1)).peak == memory_use(compiled(0, 1, 1)).peak);
    CHECK(memory_use(compiled(3, 4, 2)).peak == memory_use(compiled(0, 4, 2)).peak);

    // They fill what is free at most, so that the verdict stays.
    const auto in = [&](double capacity) {
        Settings s = c.settings;
        s.set(P::memory, capacity, Origin::given);
        return memory_use(compile(s));
    };
    const double limit = without.peak + tensor;
    const double margin = c.settings[P::risk_margin];
    CHECK(in(limit / (1 - margin)).peak == Approx(limit).epsilon(1e-12));
    CHECK(in(0.9 * without.peak).peak == Approx(without.peak).epsilon(1e-12));
}

TEST_CASE("memory: gathered layers have the precision of the gather, their gradients that of the reduction",
          "[memory]") {
    const auto gathered = [](std::initializer_list<std::pair<P, Value>> values) {
        Scenario scenario = of_model("llama-3-70b", {{P::gpus, 64}, {P::sharding, Sharding::zero3}});
        for (const auto& [id, value] : values) scenario.give(id, value);
        const Compiled c = compile(resolve(scenario));
        return memory_use(c).by_moment[static_cast<std::size_t>(Moment::backward)]
                                      [static_cast<std::size_t>(MemoryTerm::gathered)];
    };
    // Embedding and head with 2 × 128,256 × 8,192 parameters and the last norm, and two layers with 855.6 M.
    const double root = 2 * 128256.0 * 8192 + 8192;
    const double layer = 2 * 8192.0 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28672 + 2 * 8192;
    CHECK(gathered({{P::gradient_precision, Precision::bf16}}) ==
          Approx(2 * (root + 2 * layer) + 2 * (root + layer)));
    CHECK(gathered({{P::gradient_precision, Precision::fp32}}) ==
          Approx(2 * (root + 2 * layer) + 4 * (root + layer)));
    CHECK(gathered({{P::gradient_precision, Precision::bf16},
                    {P::precision, Precision::fp8},
                    {P::fp8_param_gather, true}}) == Approx(2 * root + 2 * layer + 2 * (root + layer)));
}

TEST_CASE("memory: a compiler that gathers single matrices holds two of them instead of two layers",
          "[memory]") {
    const auto gathered = [](bool matrices, Moment moment) {
        const Compiled c = compile(resolve(of_model("llama-3-70b", {{P::gpus, 64},
                                                                    {P::sharding, Sharding::zero3},
                                                                    {P::gradient_precision, Precision::bf16},
                                                                    {P::gathers_matrices, matrices}})));
        return memory_use(c)
            .by_moment[static_cast<std::size_t>(moment)][static_cast<std::size_t>(MemoryTerm::gathered)];
    };
    // Llama 3 70B: matrices of 28,672 × 8,192, and a head of 128,256 × 8,192 with a norm, gathered alone.
    constexpr double kMatrix = 28672.0 * 8192;
    CHECK(gathered(true, Moment::forward_end) == 2 * (128256.0 * 8192 + 8192));
    CHECK(gathered(true, Moment::backward) == Approx(2 * 2 * kMatrix + 2 * kMatrix).epsilon(1e-12));
    CHECK(gathered(false, Moment::backward) > 5 * gathered(true, Moment::backward));
}

TEST_CASE("memory: without FSDP, weights in low precision stay beside those in 16 bits or replace them",
          "[memory]") {
    const auto weights = [](std::string_view gpu, std::initializer_list<std::pair<P, Value>> values) {
        Scenario scenario = of_model("llama-3-8b", {{P::gpus, 8}, {P::sharding, Sharding::zero1}});
        scenario.cluster = nullptr;
        scenario.gpu = scenario.catalogue->find(PresetKind::gpu, gpu);
        REQUIRE(scenario.gpu);
        for (const auto& [id, value] : values) scenario.give(id, value);
        return memory_use(compile(resolve(scenario))).term(MemoryTerm::weights);
    };
    // Llama 3 8B: 8,030,261,248 parameters, with an embedding and a head of 128,256 × 4,096 and a last norm.
    constexpr double kAll = 8030261248, kVocabulary = 2 * 128256.0 * 4096 + 4096,
                     kLayers = kAll - kVocabulary;
    const std::pair<P, Value> fp8{P::precision, Precision::fp8}, mxfp8{P::precision, Precision::mxfp8};
    const std::pair<P, Value> nvfp4{P::precision, Precision::nvfp4}, gather{P::fp8_param_gather, true};
    const std::pair<P, Value> tensorwise{P::fp8_recipe, Fp8Recipe::tensorwise};
    CHECK(weights("h100-sxm-80gb", {}) == Approx(2 * kAll));
    // H100 multiplies one layout of fp8 only: the weights and their transpose, a byte each.
    CHECK(weights("h100-sxm-80gb", {fp8, tensorwise}) == Approx(2 * kAll + 2 * kLayers));
    CHECK(weights("h100-sxm-80gb", {fp8, tensorwise, gather}) == Approx(2 * kVocabulary + 2 * kLayers));
    // Blocks of 128 have scales of four bytes, which belong to rows or to columns.
    CHECK(weights("h100-sxm-80gb", {fp8, {P::fp8_recipe, Fp8Recipe::blockwise}}) ==
          Approx(2 * kAll + 2 * (1 + 4.0 / 128) * kLayers));
    // B200 multiplies all layouts; blocks of 32 still have a scale a byte for each direction.
    CHECK(weights("b200-sxm", {fp8, tensorwise}) == Approx(2 * kAll + kLayers));
    CHECK(weights("b200-sxm", {fp8, tensorwise, gather}) == Approx(2 * kVocabulary + kLayers));
    CHECK(weights("b200-sxm", {mxfp8, gather}) == Approx(2 * kVocabulary + 2 * (33.0 / 32) * kLayers));
    // Four bits and a scale of a byte for 16 weights; the 16-bit weights are gathered.
    CHECK(weights("b200-sxm", {nvfp4, gather}) == Approx(2 * kAll + 2 * (0.5 + 1.0 / 16) * kLayers));
    // Half of the 32 layers stay in bf16.
    CHECK(weights("h100-sxm-80gb", {fp8, {P::bf16_layers, 16}}) == Approx(2 * kAll + kLayers));
    // FSDP casts the weights when it gathers them.
    CHECK(weights("h100-sxm-80gb", {fp8, {P::sharding, Sharding::zero3}}) ==
          weights("h100-sxm-80gb", {{P::sharding, Sharding::zero3}}));
}

TEST_CASE("memory: Muon keeps one moment, and two of the embedding and the head", "[memory]") {
    const auto state = [](Optimizer optimizer, Sharding sharding) {
        const Scenario scenario =
            of_model("llama-3-8b", {{P::gpus, 8}, {P::sharding, sharding}, {P::optimizer, optimizer}});
        return memory_use(compile(resolve(scenario))).term(MemoryTerm::optimizer);
    };
    // A master copy and moments in fp32, four bytes each.
    constexpr double kAll = 8030261248, kVocabulary = 2 * 128256.0 * 4096 + 4096;
    CHECK(state(Optimizer::adamw, Sharding::ddp) == Approx(12 * kAll));
    CHECK(state(Optimizer::muon, Sharding::ddp) == Approx(8 * kAll + 4 * kVocabulary));
    CHECK(state(Optimizer::muon, Sharding::zero1) == Approx((8 * kAll + 4 * kVocabulary) / 8));
}

TEST_CASE("memory: an optimizer with one moment has the format of the first", "[memory]") {
    const auto optimizer = [](Optimizer kind, MomentPrecision precision) {
        return state_bytes({.moments = precision, .optimizer = kind}).optimizer;
    };
    // A master copy of four bytes, and one byte and four for the two moments.
    CHECK(optimizer(Optimizer::adamw, MomentPrecision::fp8_fp32) == 4 + 1 + 4);
    CHECK(optimizer(Optimizer::lion, MomentPrecision::fp8_fp32) == 4 + 1);
    CHECK(optimizer(Optimizer::muon, MomentPrecision::bf16_fp32) == 4 + 2);
    CHECK(state_bytes({.moments = MomentPrecision::bf16_fp32, .optimizer = Optimizer::muon}).end_moment == 4);
}

TEST_CASE("memory: each moment may have a format of its own, in a list or joined", "[memory]") {
    const auto bytes = [](const std::string& moments) {
        const Settings s = resolve(check_scenario(R"({"training": {"moment_precision": )" + moments + "}}"));
        return compile(s).state.optimizer;
    };
    const std::pair<const char*, double> formats[] = {{"fp32", 4}, {"bf16", 2}, {"fp8", 1}};
    for (const auto& [first, a] : formats) {
        // Beside a master copy of four bytes.
        CHECK(bytes(std::string("\"") + first + "\"") == 4 + 2 * a);
        for (const auto& [second, b] : formats) {
            INFO(first << " " << second);
            CHECK(bytes(std::string("[\"") + first + "\", \"" + second + "\"]") == 4 + a + b);
            CHECK(bytes(std::string("\"") + first + "+" + second + "\"") == 4 + a + b);
        }
    }
    CHECK(parse(P::moment_precision, "bf16+bf16").value == Value(MomentPrecision::bf16));
    CHECK_FALSE(parse(P::moment_precision, "bf16+bf16+bf16").ok);
    CHECK(parse(P::moment_precision, "fp16+fp32").suggestion == "did you mean “bf16+fp32”?");
}

TEST_CASE("memory: with an offloaded optimizer FSDP keeps a shard of the weights", "[memory]") {
    const auto weights = [](Offload offload) {
        return memory_use(compile(resolve(of_model("llama-3-8b", {{P::gpus, 8},
                                                                  {P::software, Software::fsdp2},
                                                                  {P::sharding, Sharding::zero3},
                                                                  {P::offload, offload}}))))
            .term(MemoryTerm::weights);
    };
    // The master copy is sharded on the GPU, or on the host with the optimizer.
    CHECK(weights(Offload::none) == 0);
    CHECK(weights(Offload::optimizer) == Approx(2 * 8030261248.0 / 8));
    CHECK(weights(Offload::optimizer_and_parameters) == 0);
}

TEST_CASE("memory: offloaded activations leave two layers of one micro-batch on the GPU", "[memory]") {
    const auto parts = [](double offloaded) {
        const Compiled c = compile(resolve(of_model("llama-3-70b", {{P::gpus, 64},
                                                                    {P::tensor_parallel, 8},
                                                                    {P::sequence_parallel, true},
                                                                    {P::pipeline_parallel, 8},
                                                                    {P::sharding, Sharding::zero1},
                                                                    {P::activation_offload, offloaded}})));
        const auto middle = std::ranges::find(c.stages.middles.items(), false, &Stage::head);
        return micro_batch_memory(*middle, c);
    };
    const MicroBatchMemory on_gpu = parts(0), half = parts(0.5), none = parts(1);
    const double kept = on_gpu.held - none.held;  // by the ten layers of the stage
    REQUIRE(kept > 0);
    CHECK(on_gpu.held - half.held == Approx(kept / 2));
    CHECK(none.working - on_gpu.working == Approx(kept * 2 / 10));
    CHECK(half.working - on_gpu.working == Approx(kept / 10));
}

namespace {

// Returns the states of the first stage of Llama 3 8B with FSDP2 in a pipeline on 64 GPUs, with these
// overrides.
StateMemory states_in_pipeline(std::initializer_list<std::pair<P, Value>> values) {
    Scenario scenario = of_model("llama-3-8b", {{P::gpus, 64},
                                                {P::sharding, Sharding::zero3},
                                                {P::software, Software::torchtitan},
                                                {P::gradient_precision, Precision::fp32},
                                                {P::pipeline_parallel, 2},
                                                {P::accumulation, 8}});
    for (const auto& [id, value] : values) scenario.give(id, value);
    const Compiled c = compile(resolve(scenario));
    return state_memory(c.stages.first, c);
}

}  // namespace

TEST_CASE("memory: FSDP in a pipeline accumulates unsharded gradients", "[memory]") {
    // The first of two stages has 16 layers and the embedding; fp32 gradients of all of it, and a 32nd part.
    const double layer = 2 * 4096.0 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096;
    const double stage = 16 * layer + 128256.0 * 4096;
    CHECK(states_in_pipeline({{P::reshard_after_forward, true}}).gradients ==
          Approx(4 * stage * (1 + 1.0 / 32)).epsilon(1e-3));
    // Without resharding the weights of the stage stay gathered from the first micro-batch to the last.
    CHECK(states_in_pipeline({{P::reshard_after_forward, false}}).gathered_forward ==
          Approx(2 * stage).epsilon(1e-3));
    // Without a pipeline they are reduced layer by layer.
    CHECK(states_in_pipeline({{P::pipeline_parallel, 1}, {P::reshard_after_forward, true}}).gradients ==
          Approx(4 * 8030261248.0 / 64));
}

TEST_CASE("memory: FSDP reduces one virtual stage after the other where micro-batches are one group",
          "[memory]") {
    const auto gradients = [](double virtual_stages, double micro_batches) {
        return states_in_pipeline({{P::schedule, ScheduleKind::interleaved},
                                   {P::virtual_stages, virtual_stages},
                                   {P::accumulation, micro_batches}})
            .gradients;
    };
    // Of the gradients of a stage with 32 data-parallel GPUs, a 32nd part is sharded.
    const double stage = gradients(1, 8) / (1 + 1.0 / 32);
    CHECK(gradients(4, 3) == Approx(stage * (1.0 / 4 + 1.0 / 32)).epsilon(1e-3));
    CHECK(gradients(8, 2) == Approx(stage * (1.0 / 8 + 1.0 / 32)).epsilon(1e-3));
    // The second group returns to virtual stages that have gradients of the first one.
    CHECK(gradients(4, 4) == Approx(stage * (1 + 1.0 / 32)).epsilon(1e-3));
}

TEST_CASE("memory: in fp8 the router keeps its input in 16 bits beside that of a shared expert", "[memory]") {
    const auto kept = [](Precision precision, double shared) {
        const Compiled c = compile(resolve(of_model("deepseek-v3", {{P::gpus, 1024},
                                                                    {P::precision, precision},
                                                                    {P::expert_parallel, 64},
                                                                    {P::pipeline_parallel, 16},
                                                                    {P::sharding, Sharding::zero1},
                                                                    {P::recompute, 0},
                                                                    {P::shared_expert_ffn_size, shared}})));
        return memory_use(c).term(MemoryTerm::activations);
    };
    CHECK(kept(Precision::fp8, 1) > kept(Precision::fp8, 0));
    CHECK(kept(Precision::bf16, 1) == Approx(kept(Precision::bf16, 0)).epsilon(1e-3));
}

TEST_CASE("memory: weights in mxfp8 are gathered in 16 bits, other fp8 weights in a byte", "[memory]") {
    const auto bytes = [](Precision precision, Fp8Recipe recipe) {
        return compile(resolve(with({{P::precision, precision},
                                     {P::fp8_recipe, recipe},
                                     {P::fp8_param_gather, true},
                                     {P::sharding, Sharding::zero1}})))
            .gathered_bytes;
    };
    CHECK(bytes(Precision::fp8, Fp8Recipe::tensorwise) == 1);
    CHECK(bytes(Precision::fp8, Fp8Recipe::mxfp8) == 2);
    CHECK(bytes(Precision::bf16, Fp8Recipe::tensorwise) == 2);
}
