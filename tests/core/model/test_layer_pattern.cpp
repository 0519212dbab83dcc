// Tests E31 to E34: layer patterns, linear attention and Mamba-2 layers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "compile/compiled.h"
#include "effects/linear_attention.h"
#include "effects/state_space.h"
#include "estimate/estimate.h"
#include "explain/symbols.h"
#include "hardware/gpu_rates.h"
#include "memory/kept_activations.h"
#include "model/operator_time.h"
#include "parameters/interned_text.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

double text(const char* pattern) { return intern_text(pattern); }

// Llama 3 8B with a pattern and a window.
Scenario llama_with_pattern(const char* pattern, double window = 1024, double sequence = 8192) {
    return of_model("llama-3-8b", {{P::layer_pattern, text(pattern)},
                                   {P::attention_window, window},
                                   {P::sequence_length, sequence},
                                   {P::gpus, 64}});
}

Estimate estimate_of(const Scenario& scenario) { return estimate(compile(resolve(scenario))); }

}  // namespace

TEST_CASE("layer pattern: a pattern of full layers is the model without one", "[layer_pattern]") {
    const Scenario plain = of_model("llama-3-8b", {{P::sequence_length, 8192}, {P::gpus, 64}});
    const Estimate without = estimate_of(plain);
    for (const char* pattern : {"full", "full/dense", "full*3,full"}) {
        INFO(pattern);
        const Estimate with = estimate_of(llama_with_pattern(pattern, 0));
        CHECK(with.step.total == without.step.total);
        CHECK(with.memory.peak == without.memory.peak);
        CHECK(with.mfu == without.mfu);
    }
    // All layers slide with a window and no pattern.
    Scenario window = plain;
    window.give(P::attention_window, 1024);
    CHECK(estimate_of(window).step.total == estimate_of(llama_with_pattern("sliding")).step.total);
    CHECK(estimate_of(window).mfu == Approx(estimate_of(llama_with_pattern("sliding")).mfu).epsilon(1e-12));
}

TEST_CASE("layer pattern: a chunked layer attends within its chunk", "[layer_pattern]") {
    const auto attended = [](double sequence) {
        return attended_tokens(resolve(llama_with_pattern("chunked", 8192, sequence)), Mixer::chunked);
    };
    // The count has both halves of the square of each chunk.
    CHECK(attended(32768) == 8192);
    // A chunk of 8,192 tokens and one of 2,048.
    CHECK(attended(10240) == (8192.0 * 8192 + 2048.0 * 2048) / 10240);
    CHECK(attended(4096) == 4096);
    // A sequence of whole chunks costs what packed documents of their length cost.
    Scenario packed = llama_with_pattern("full", 0, 16384);
    packed.give(P::packing, 4096);
    const Estimate chunks = estimate_of(llama_with_pattern("chunked", 4096, 16384));
    const Estimate documents = estimate_of(packed);
    CHECK(chunks.step.total == Approx(documents.step.total).epsilon(1e-12));
    CHECK(chunks.memory.peak == Approx(documents.memory.peak).epsilon(1e-12));
    CHECK(chunks.mfu == Approx(documents.mfu).epsilon(1e-12));
    CHECK(chunks.step.total < estimate_of(llama_with_pattern("sliding", 4096, 16384)).step.total);
}

TEST_CASE("layer pattern: the window concerns sliding layers only", "[layer_pattern]") {
    // Gemma 3 has a full layer after five with a window of 1,024 tokens. At 32,768 tokens a causal kernel
    // computes 16,384 scores a token in a full layer, and 1,024 · (1 − 1,024 ÷ 65,536) in the others.
    const OperatorList list =
        list_of(of_model("gemma-3-27b", {{P::sequence_length, 32768}, {P::micro_batch, 1}}));
    REQUIRE(list.kinds == 2);
    CHECK(list.of_kind[0].repeat == 52);
    CHECK(list.of_kind[1].repeat == 10);
    CHECK(operator_of(list.of_kind[0], "attention.core").n == 1008);
    CHECK(operator_of(list.of_kind[1], "attention.core").n == 16384);
    // So the attention of the model needs a fifth of that of full layers: (52 · 1,008 + 10 · 16,384) ÷ 62.
    double scores = 0;
    for (const Block& layer : list.layers()) scores += layer.repeat * operator_of(layer, "attention.core").n;
    CHECK(scores / (62 * 16384) == Approx(0.2129).epsilon(1e-3));
}

TEST_CASE("layer pattern: mixtures lie between the pure models", "[layer_pattern]") {
    const auto step = [](const char* pattern) {
        return estimate_of(llama_with_pattern(pattern, 512, 32768)).step.total;
    };
    const double full = step("full");
    const double sliding = step("sliding");
    CHECK(sliding < full);
    double last = sliding;
    for (const char* pattern : {"sliding*7,full", "sliding*3,full", "sliding,full", "sliding,full*3"}) {
        INFO(pattern);
        CHECK(step(pattern) > last);
        last = step(pattern);
    }
    CHECK(last < full);
    // Without a pipeline the order of the layers does not matter, except for the one at the end.
    CHECK(step("full,sliding,full,full") == Approx(step("sliding,full*3")).epsilon(1e-9));
    CHECK(step("sliding*3,full") == Approx(0.75 * sliding + 0.25 * full).epsilon(0.01));
}

TEST_CASE("layer pattern: attention in a short window is as inefficient as over a short sequence",
          "[layer_pattern]") {
    const auto rate = [](const char* pattern, double window, double sequence) {
        const Settings s = resolve(llama_with_pattern(pattern, window, sequence));
        const Operator core =
            operator_of(list_of(llama_with_pattern(pattern, window, sequence)).of_kind[0], "attention.core");
        return core.flops() / forward_time(core, gpu_rates(s)).total();
    };
    // A token in a window of 1,024 meets about as many keys as one in a sequence of 2,048.
    CHECK(rate("sliding", 1024, 131072) == Approx(rate("full", 0, 2048)).epsilon(0.01));
    CHECK(rate("sliding", 1024, 131072) < 0.95 * rate("full", 0, 131072));
}

TEST_CASE("layer pattern: what follows a mixer is chosen, or by the place of the layer", "[layer_pattern]") {
    const auto counts = [](const char* pattern, double dense) {
        Scenario scenario = of_model("qwen3-30b-a3b", {{P::dense_layers, dense}, {P::attention_window, 128}});
        scenario.give(P::layer_pattern, text(pattern));
        const OperatorList list = list_of(scenario);
        std::vector<std::pair<std::string, double>> out;
        for (const Block& layer : list.layers()) out.emplace_back(layer.name, layer.repeat);
        return out;
    };
    using Counts = std::vector<std::pair<std::string, double>>;
    CHECK(counts("full", 0) == Counts{{"full attention, experts", 48}});
    CHECK(counts("sliding,full", 3) == Counts{{"sliding attention, experts", 22},
                                              {"sliding attention", 2},
                                              {"full attention, experts", 23},
                                              {"full attention", 1}});
    CHECK(counts("full/dense,full/experts", 0) ==
          Counts{{"full attention", 24}, {"full attention, experts", 24}});
    CHECK(counts("full/none,none/dense", 0) ==
          Counts{{"full attention alone", 24}, {"feed-forward alone", 24}});
    // A layer that is split in two has the same operators but for the residuals between them.
    const OperatorList whole = list_of(llama_with_pattern("full"));
    const OperatorList halves = list_of(llama_with_pattern("full/none,none/dense"));
    CHECK(halves.of_kind[0].weights() + halves.of_kind[1].weights() == whole.of_kind[0].weights());
    CHECK(halves.of_kind[0].saved() + halves.of_kind[1].saved() == whole.of_kind[0].saved());
}

TEST_CASE("layer pattern: unusable patterns are refused with the reason", "[layer_pattern]") {
    const auto problem = [](const char* pattern, std::initializer_list<std::pair<P, Value>> values = {}) {
        Scenario scenario = of_model("llama-3-8b", values);
        scenario.give(P::layer_pattern, text(pattern));
        const Problems problems = check(scenario, resolve(scenario));
        return problems.empty() ? std::string() : problems.front().text();
    };
    CHECK(problem("full").empty());
    CHECK(problem("full*32,").find("kind of layer") != std::string::npos);
    CHECK(problem("ful").find("“ful”") != std::string::npos);
    CHECK(problem("full/expert").find("“full/expert”") != std::string::npos);
    CHECK(problem("full*0").find("number") != std::string::npos);
    CHECK(problem("none/none").find("does nothing") != std::string::npos);
    CHECK(problem("full/experts").find("model.experts is 0") != std::string::npos);
    CHECK(problem("sliding").find("attention_window") != std::string::npos);
    CHECK(problem("sliding", {{P::attention_window, 512}}).empty());
    CHECK(problem("linear").find("heads") != std::string::npos);
    CHECK(problem("mamba2").find("ssm_heads") != std::string::npos);
    CHECK(problem("full*20000").find("too long") != std::string::npos);
    // With leading dense layers, five mixers make ten kinds, of which the list holds eight.
    const auto mixture = [](double dense) {
        Scenario scenario = of_model("nemotron-3-nano-30b-a3b", {{P::dense_layers, dense},
                                                                 {P::attention_window, 512},
                                                                 {P::linear_key_heads, 16},
                                                                 {P::linear_key_head_size, 128}});
        scenario.give(P::layer_pattern, text("full,sliding,linear,mamba2,none"));
        const Problems problems = check(scenario, resolve(scenario));
        return problems.empty() ? std::string() : problems.front().text();
    };
    CHECK(mixture(0).empty());
    CHECK(mixture(10).find("a model can have 8 kinds of layers") != std::string::npos);
}

TEST_CASE("layer pattern: the usual layer is the most frequent one", "[layer_pattern]") {
    const OperatorList gemma = list_of(of_model("gemma-3-27b", {}));
    CHECK(gemma.usual_layer().repeat == 52);
    // Without a pattern it is the one with experts, also where fewer layers have them.
    const OperatorList mostly_dense = list_of(of_model("deepseek-v3", {{P::dense_layers, 40}}));
    CHECK(mostly_dense.usual_layer().repeat == 21);
    // Half of Nemotron-H's layers, not the last kind, have a feed-forward.
    const Answer nemotron = answer(of_model("nemotron-h-56b", {{P::gpus, 64}, {P::tensor_parallel, 8}}));
    REQUIRE(nemotron.valid());
    for (const char* symbol : {"η_up", "η_qkv"}) {
        const double efficiency = find_symbol(symbol)->get(nemotron);
        CHECK(efficiency > 0);
        CHECK(efficiency < 1);
    }
}

TEST_CASE("layer pattern: the kind of each layer is the one that is counted there", "[layer_pattern]") {
    for (const Preset* model : Catalogue::shipped().all(PresetKind::model)) {
        if (model->operators) continue;
        INFO(model->name);
        const LayerSequence layers(resolve(of_model(model->name, {})));
        for (std::size_t i = 0; static_cast<double>(i) < layers.layers(); ++i) {
            const auto at = static_cast<double>(i);
            const LayerCounts counts = layers.counts(at, at + 1);
            const auto kind = static_cast<std::size_t>(std::ranges::find(counts, 1.0) - counts.begin());
            REQUIRE(kind < layers.kinds());
            CHECK(layers.kind_of_layer(i) == layers.kind(kind));
        }
    }
    // The pattern is repeated, and two leading layers have no experts where it does not say.
    const LayerSequence mixed(
        resolve(of_model("mixtral-8x7b", {{P::layer_pattern, text("sliding,full/dense,full")},
                                          {P::attention_window, 4096},
                                          {P::dense_layers, 2}})));
    CHECK(mixed.kind_of_layer(0) == LayerKind{Mixer::sliding, FeedForward::dense});
    CHECK(mixed.kind_of_layer(2) == LayerKind{Mixer::full, FeedForward::experts});
    CHECK(mixed.kind_of_layer(3) == LayerKind{Mixer::sliding, FeedForward::experts});
    CHECK(mixed.kind_of_layer(4) == LayerKind{Mixer::full, FeedForward::dense});
}

TEST_CASE("layer pattern: a folded stage ends with the last layer of its later half", "[layer_pattern]") {
    const Settings s = resolve(of_model("nemotron-3-nano-30b-a3b", {}));
    const LayerSequence layers(s);
    Partition partition;
    partition.folded = true;
    constexpr double kGpus = 13;  // with two virtual stages of two layers each
    std::set<std::size_t> kinds;
    for (const Stage& stage : every_stage(partition_layers(layers, kGpus, 1, partition), layers)) {
        const double end = 2 * (2 * kGpus - stage.position);
        const LayerCounts last = layers.counts(end - 1, end);
        CHECK(last[stage.last_kind] == 1);
        kinds.insert(stage.last_kind);
    }
    CHECK(kinds.size() > 1);
}

TEST_CASE("layer pattern: each head of lightning attention has a norm of its own", "[layer_pattern]") {
    const auto norm = [](double tensor, double kernel) {
        return operator_of(list_of(of_model("llama-3-8b", {{P::layer_pattern, text("linear")},
                                                           {P::linear_key_heads, 32},
                                                           {P::linear_key_head_size, 128},
                                                           {P::convolution_kernel, kernel},
                                                           {P::tensor_parallel, tensor}}))
                               .of_kind[0],
                           "mixer.gated_norm");
    };
    CHECK(norm(8, 0).weights == 32 * 128);
    CHECK(norm(8, 0).share == 1.0 / 8);
    // With the delta rule the heads share the weights of one.
    CHECK(norm(8, 4).weights == 128);
    CHECK(norm(8, 4).share == 1);
}

TEST_CASE("linear attention: FLOPs of the chunked algorithm and of the recurrence", "[layer_pattern]") {
    // One head of Qwen3-Next: 64 · 2 · (3 · 128 + 2 · 128) + 6 · 128² + 64².
    constexpr LinearAttention kHead{128, 128, true};
    CHECK(linear_attention_flops(kHead) == 81920 + 98304 + 4096);
    CHECK(linear_attention_recurrence(kHead) == 98304);
    constexpr LinearAttention kLightning{96, 128, false};
    CHECK(linear_attention_flops(kLightning) == 2 * 256 * 224 + 4 * 96 * 128);
    CHECK(linear_attention_recurrence(kLightning) == 4 * 96 * 128);
}

TEST_CASE("linear attention: a token costs the same in a long sequence", "[layer_pattern]") {
    const auto per_token = [](double sequence) {
        const OperatorList list =
            list_of(of_model("qwen3-next-80b-a3b", {{P::sequence_length, sequence}, {P::micro_batch, 1}}));
        double flops = 0;
        for (const Operator& op : list.of_kind[0].operators) flops += op.flops();
        return flops / sequence;
    };
    CHECK(per_token(4096) == Approx(per_token(262144)).epsilon(1e-12));
    // 2,048 → 12,288 + 64 and 4,096 → 2,048 are the projections; 32 heads scan.
    const OperatorList list =
        list_of(of_model("qwen3-next-80b-a3b", {{P::sequence_length, 4096}, {P::micro_batch, 1}}));
    const Block& layer = list.of_kind[0];
    CHECK(operator_of(layer, "mixer.input").flops() == 2.0 * 4096 * 2048 * (12288 + 64));
    CHECK(operator_of(layer, "mixer.output").flops() == 2.0 * 4096 * 4096 * 2048);
    CHECK(operator_of(layer, "mixer.scan").flops() == Approx(4096.0 * 32 * 184320).epsilon(1e-12));
}

TEST_CASE("state space: the FLOPs are those of state-space duality", "[layer_pattern]") {
    // Mamba-2 2.7B: 80 heads of 64 channels, a state of 128, one group, chunks of 128 tokens.
    constexpr StateSpace kLayer{80, 64, 128, 1};
    CHECK(state_space_flops(kLayer) == 2 * 128 * 128 + 80 * (2 * 128 * 64 + 4 * 64 * 128));
    CHECK(state_space_recurrence(kLayer) == 7 * 5120 * 128);
    // Bytes per token: states of the chunks 30,976, their sum over the chunks 30,720, scores 1,024, output
    // 51,968, step sizes 960.
    CHECK(state_space_bytes(kLayer, 2) == 115648);
    const OperatorList list =
        list_of(of_model("mamba2-2.7b", {{P::micro_batch, 1}, {P::sequence_length, 2048}}));
    REQUIRE(list.kinds == 1);
    CHECK(operator_of(list.of_kind[0], "mixer.scan").flops() == Approx(2048 * state_space_flops(kLayer)));
    CHECK(operator_of(list.of_kind[0], "mixer.input").weights == 2560.0 * (2 * 5120 + 2 * 128 + 80));
}

TEST_CASE("state space: memory grows with the sequence and not with its square", "[layer_pattern]") {
    const auto saved = [](double sequence, double tensor) {
        return list_of(of_model("nemotron-h-56b", {{P::sequence_length, sequence},
                                                   {P::micro_batch, 1},
                                                   {P::sequence_parallel, tensor > 1},
                                                   {P::tensor_parallel, tensor}}))
            .of_kind[0]
            .saved();
    };
    CHECK(saved(65536, 1) == Approx(16 * saved(4096, 1)).epsilon(1e-12));
    CHECK(saved(8192, 8) == Approx(saved(8192, 1) / 8).epsilon(1e-12));
}

TEST_CASE("layer pattern: tensor parallelism divides the mixers without losing FLOPs or weights",
          "[layer_pattern]") {
    for (const char* model : {"qwen3-next-80b-a3b", "nemotron-h-56b", "nemotron-3-super-120b-a12b"}) {
        INFO(model);
        const OperatorList one = list_of(of_model(model, {}));
        const OperatorList two = list_of(of_model(model, {{P::tensor_parallel, 2}}));
        for (std::size_t i = 0; i < one.kinds; ++i) {
            for (const std::string_view name : {"mixer.input", "mixer.scan", "mixer.output"}) {
                if (std::ranges::none_of(one.of_kind[i].operators,
                                         [&](const Operator& op) { return op.name == name; }))
                    continue;
                const Operator& whole = operator_of(one.of_kind[i], name);
                const Operator& half = operator_of(two.of_kind[i], name);
                CHECK(half.flops() == Approx(whole.flops() / 2).epsilon(1e-12));
                CHECK(half.weights == whole.weights);
                CHECK(half.share == Approx(0.5).epsilon(1e-12));
            }
        }
    }
}

TEST_CASE("layer pattern: model FLOPs count windows, recurrences and projections", "[layer_pattern]") {
    const Compiled gemma = compile(resolve(of_model("gemma-3-27b", {{P::sequence_length, 32768}})));
    const double window = 1024 * (2 - 1024 / 32768.0);
    CHECK(gemma.flops_per_token ==
          Approx(6 * gemma.active_parameters + 12 * 32 * 128 * (52 * window + 10 * 32768)).epsilon(1e-12));
    const Compiled mamba = compile(resolve(of_model("mamba2-2.7b", {})));
    CHECK(mamba.flops_per_token ==
          Approx(6 * mamba.active_parameters + 3 * 64 * 7 * 5120 * 128.0).epsilon(1e-12));
}

TEST_CASE("layer pattern: the stages of a pipeline hold every layer once", "[layer_pattern]") {
    for (const double stages : {2.0, 4.0, 8.0, 13.0}) {
        INFO(stages);
        const Compiled c = compile(
            resolve(of_model("nemotron-3-nano-30b-a3b",
                             {{P::pipeline_parallel, stages}, {P::gpus, 104}, {P::accumulation, 16}})));
        LayerCounts sum{};
        for (const Stage& stage : every_stage(c.stages, LayerSequence(c.settings))) {
            for (std::size_t i = 0; i < c.operators.kinds; ++i) sum[i] += stage.counts[i];
        }
        for (std::size_t i = 0; i < c.operators.kinds; ++i) CHECK(sum[i] == c.operators.of_kind[i].repeat);
    }
}

TEST_CASE("layer pattern: the stages do not depend on times", "[layer_pattern]") {
    const auto stages = [](double micro_batch, double sequence_parallel) {
        return compile(resolve(of_model("nemotron-h-56b", {{P::tensor_parallel, 8},
                                                           {P::pipeline_parallel, 16},
                                                           {P::gpus, 128},
                                                           {P::micro_batch, micro_batch},
                                                           {P::sequence_parallel, sequence_parallel}})))
            .stages;
    };
    const Stages one = stages(1, 0);
    const Stages other = stages(8, 1);
    REQUIRE(one.size() > 4);
    REQUIRE(one.size() == other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        CHECK(one[i].has_same_content(other[i]));
        CHECK(one[i].position == other[i].position);
    }
}

TEST_CASE("layer pattern: the step is that of the slowest of all stages", "[layer_pattern]") {
    const Compiled c = compile(resolve(of_model(
        "nemotron-3-super-120b-a12b",
        {{P::gpus, 88}, {P::tensor_parallel, 8}, {P::pipeline_parallel, 11}, {P::accumulation, 44}})));
    double slowest = 0;
    for (std::size_t i = 0; i < c.stages.size(); ++i)
        slowest = std::max(slowest, step_time(c, c.stages[i]).total);
    CHECK(step_time(c).total == slowest);
    CHECK(step_time(c, c.stages[step_time(c).stage]).total == slowest);
}

TEST_CASE("layer pattern: experts at a latent width send and compute less", "[layer_pattern]") {
    const auto layer = [](double latent) {
        return list_of(of_model("nemotron-3-super-120b-a12b",
                                {{P::latent_expert_size, latent}, {P::expert_parallel, 8}}))
            .of_kind[1];
    };
    const Block narrow = layer(1024);
    const Block wide = layer(0);
    CHECK(operator_of(narrow, "experts.dispatch").bytes == operator_of(wide, "experts.dispatch").bytes / 4);
    CHECK(operator_of(narrow, "experts.up").weights == operator_of(wide, "experts.up").weights / 4);
    CHECK(operator_of(narrow, "experts.latent").weights == 4096.0 * 1024);
    CHECK(operator_of(narrow, "experts.unlatent").weights == 4096.0 * 1024);
    // The shared expert keeps the layer's input, and the second projection its own.
    CHECK(operator_of(narrow, "experts.latent").saved == 0);
    CHECK(operator_of(narrow, "experts.unlatent").saved > 0);
    // With sequence parallelism a GPU casts its part of the sequence to fp8.
    const auto cast = [](double tensor, const char* name) {
        return operator_of(list_of(of_model("nemotron-3-super-120b-a12b", {{P::precision, Precision::fp8},
                                                                           {P::tensor_parallel, tensor},
                                                                           {P::sequence_parallel, 1}}))
                               .of_kind[1],
                           name)
            .gradient_cast_bytes;
    };
    for (const char* name : {"experts.latent", "experts.unlatent"})
        CHECK(cast(8, name) == Approx(cast(1, name) / 8).epsilon(1e-12));
}

TEST_CASE("operators: today's models have their published total and active parameters", "[model]") {
    struct Published {
        const char* model;
        double all, active;      // 0: not published
        double left_out = 0;     // embeddings that the published counts leave out
        double active_left_out;  // from the active parameters
        double margin;           // relative, at most that of the published digits
    };
    const double oss = 201088.0 * 2880;
    const double glm = 151552.0;
    // Sources: the presets. A published count with two digits allows half of its last digit.
    for (const Published& p :
         {Published{"gpt-oss-20b", 20.91e9, 3.61e9, 0, oss, 0.002},
          Published{"gpt-oss-120b", 116.83e9, 5.13e9, 0, oss, 0.002},
          // The report's 1.04 T and 32.6 B do not follow from its shape; the published tensors have 1.026 T.
          Published{"kimi-k2", 1.026e12, 32.6e9, 0, 0, 0.009},
          Published{"glm-4.5-air", 106e9, 12e9, 2 * glm * 4096, 2 * glm * 4096, 0.016},
          Published{"qwen3-next-80b-a3b", 80e9, 0, 0, 0, 0.005},
          Published{"llama-4-maverick", 400e9, 17e9, 0, 0, 0.011},
          Published{"minimax-m2", 229e9, 0, 0, 0, 0.005}, Published{"gemma-3-4b", 3.884e9, 0, 0, 0, 0.005},
          Published{"gemma-3-12b", 11.771e9, 0, 0, 0, 0.005},
          Published{"gemma-3-27b", 27.016e9, 0, 0, 0, 0.005}, Published{"olmo-2-32b", 32.2e9, 0, 0, 0, 0.005},
          Published{"phi-4", 14.7e9, 0, 0, 0, 0.005},
          Published{"nemotron-3-nano-30b-a3b", 31.6e9, 3.6e9, 0, 0, 0.006},
          Published{"nemotron-3-super-120b-a12b", 120.6e9, 12.7e9, 0, 0, 0.006},
          Published{"nemotron-h-56b", 56e9, 0, 0, 0, 0.006},
          Published{"mamba2-2.7b", 2.7e9, 0, 0, 0, 0.005}}) {
        INFO(p.model);
        const OperatorList list = list_of(of_model(p.model, {}));
        CHECK(list.parameters() - p.left_out == Approx(p.all).epsilon(p.margin));
        if (p.active > 0)
            CHECK(list.active_parameters() - p.active_left_out == Approx(p.active).epsilon(p.margin));
    }
    // GLM-4.5's 355 B include the prediction layer.
    const OperatorList glm_45 = list_of(of_model("glm-4.5", {{P::mtp_layers, 1}}));
    CHECK(glm_45.parameters() - 2 * glm * 5120 == Approx(355e9).epsilon(0.002));
}

TEST_CASE("packing: attention grows with the mean of the squared lengths of documents", "[model]") {
    // A causal kernel computes half of each document's square: documents of 1,024 tokens need 512 scores a
    // token, whatever the sequence.
    const auto scores = [](double packing, double window) {
        const OperatorList list = list_of(
            of_model("llama-3-8b",
                     {{P::sequence_length, 8192}, {P::packing, packing}, {P::attention_window, window}}));
        return operator_of(list.of_kind[0], "attention.core").n;
    };
    CHECK(scores(0, 0) == 4096);
    CHECK(scores(8192, 0) == 4096);
    CHECK(scores(1024, 0) == 512);
    CHECK(scores(1024, 2048) == 512);
    // A window inside a document: 256 · (1 − 256 ÷ 2,048).
    CHECK(scores(1024, 256) == 224);
    const Compiled packed = compile(
        resolve(of_model("llama-3-8b", {{P::sequence_length, 8192}, {P::packing, 1024}, {P::gpus, 64}})));
    CHECK(packed.flops_per_token ==
          Approx(6 * packed.active_parameters + 12.0 * 32 * 4096 * 1024).epsilon(1e-12));
}

TEST_CASE("packing: attention over documents takes the time of sequences of their length", "[model]") {
    const auto time = [](double sequence, double batch, double packing) {
        const Scenario scenario = of_model(
            "llama-3-8b",
            {{P::sequence_length, sequence}, {P::micro_batch, batch}, {P::packing, packing}, {P::gpus, 64}});
        return estimate_of(scenario).step.term(StepTerm::attention);
    };
    for (const double document : {4096.0, 1024.0, 256.0})
        CHECK(time(32768, 1, document) == Approx(time(document, 32768 / document, 0)).epsilon(1e-9));
}

TEST_CASE("experts with biases add them and limit the activation's inputs", "[layer_pattern]") {
    const auto layer = [](const char* model, bool bias) {
        return list_of(of_model(model, {{P::sequence_length, 4096},
                                        {P::micro_batch, 1},
                                        {P::gpus, 64},
                                        {P::expert_parallel, 64},
                                        {P::bias, bias}}))
            .of_kind[0];
    };
    const auto has_biases = [](const Block& block) {
        return std::ranges::any_of(block.operators,
                                   [](const Operator& op) { return op.name == "experts.bias"; });
    };
    // Four experts a token of width 2,880, 14 elements of two bytes each; the activation reads and writes
    // 4 + 8 elements per value of its output.
    const Block with_bias = layer("gpt-oss-120b", true);
    REQUIRE(has_biases(with_bias));
    CHECK(operator_of(with_bias, "experts.bias").bytes == 14.0 * 4 * 4096 * 2880 * 2);
    CHECK(operator_of(with_bias, "experts.activation").bytes == 12.0 * 4 * 4096 * 2880 * 2);
    const Block without = layer("gpt-oss-120b", false);
    CHECK_FALSE(has_biases(without));
    CHECK(operator_of(without, "experts.activation").bytes == 4.0 * 4 * 4096 * 2880 * 2);
    // The limited copy of the activation's inputs is kept, too.
    CHECK(operator_of(with_bias, "experts.activation").saved ==
          2 * operator_of(without, "experts.activation").saved);
}
