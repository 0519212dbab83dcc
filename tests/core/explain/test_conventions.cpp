// Tests the conventions of MFU against formulas worked out by hand and published numbers.
#include <catch2/catch.hpp>
#include <cmath>

#include "explain/conventions.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

double flops(const Answer& answer, std::string_view name) {
    for (const ConventionValue& value : in_conventions(answer, 1))
        if (value.convention->name == name) return value.flops_per_token;
    return std::nan("");
}

bool has_flops(const Answer& answer, std::string_view name) { return !std::isnan(flops(answer, name)); }

Answer llama_8b() {
    return answer(
        of_model("llama-3-8b", {{P::sequence_length, 8192}, {P::recompute, 0}, {P::micro_batch, 1}}));
}

}  // namespace

TEST_CASE("conventions: Llama 3 8B at 8,192 tokens, by hand", "[conventions]") {
    const Answer subject = llama_8b();
    REQUIRE(subject.valid());
    // Published: 8,030,261,248 parameters, embedding and head of 128,256 × 4,096 each, 32 layers of 32 heads
    // of 128: attention is 12 · 32 · 4,096 · 8,192 FLOPs per token.
    constexpr double kParameters = 8030261248;
    constexpr double kHead = 128256.0 * 4096;
    constexpr double kAttention = 12.0 * 32 * 4096 * 8192;
    CHECK(flops(subject, "6n") == Approx(6 * kParameters));
    CHECK(flops(subject, "6n-non-embedding") == Approx(6 * (kParameters - 2 * kHead)));
    CHECK(flops(subject, "palm") == Approx(6 * kParameters + kAttention));
    CHECK(flops(subject, "causal") == Approx(6 * kParameters + kAttention / 2));
    // torchtitan leaves the embedding out and keeps the head.
    CHECK(flops(subject, "torchtitan") == Approx(6 * (kParameters - kHead) + kAttention));
    CHECK_FALSE(has_flops(subject, "6n-total"));
    CHECK_FALSE(has_flops(subject, "operators"));
    // Megatron-LM's formula, term by term: 12·h² per layer times attention, MLP and logits, without norms.
    constexpr double kLayers = 32, kHidden = 4096, kFfn = 14336, kSequence = 8192, kVocabulary = 128256;
    const double megatron = 12 * kLayers * kHidden * kHidden *
                            ((1 + 8.0 / 32 + kSequence / kHidden / 2) + kFfn / kHidden * 1.5 +
                             kVocabulary / (2 * kLayers * kHidden));
    CHECK(flops(subject, "megatron") == Approx(megatron).epsilon(1e-4));
    CHECK(flops(subject, "megatron-2024") == Approx(megatron + kAttention / 2).epsilon(1e-4));
}

TEST_CASE("conventions: GPT-3 175B by the formula of Narayanan et al. 2021", "[conventions]") {
    const Answer subject = answer(of_model("gpt-3-175b", {{P::sequence_length, 2048},
                                                          {P::tensor_parallel, 8},
                                                          {P::pipeline_parallel, 8},
                                                          {P::sharding, Sharding::ddp},
                                                          {P::micro_batch, 1},
                                                          {P::recompute, 1}}));
    REQUIRE(subject.valid());
    // 96·B·s·l·h²·(1 + s/(6h) + V/(16·l·h)), for one token.
    const double h = 12288, l = 96, s = 2048;
    const double v = subject.settings[P::vocab_size];
    const double published = 96 * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
    CHECK(flops(subject, "megatron-2021") == Approx(published).epsilon(2e-3));
}

TEST_CASE("conventions: Megatron counts the head again for each prediction layer", "[conventions]") {
    const auto megatron = [](double predictions) {
        const Answer subject = answer(of_model("deepseek-v3", {{P::sequence_length, 4096},
                                                               {P::gpus, 256},
                                                               {P::expert_parallel, 32},
                                                               {P::mtp_layers, predictions}}));
        REQUIRE(subject.valid());
        return flops(subject, "megatron");
    };
    // Megatron-Bridge's performance summary (v0.6.0, docs/performance-summary.md): model TFLOP/s ÷ tokens/s.
    CHECK(megatron(1) == Approx(260.0e9).epsilon(5e-3));
    CHECK(megatron(1) - megatron(0) > 6 * 7168.0 * 129280);
}

TEST_CASE("conventions: tied embeddings are counted once", "[conventions]") {
    const Answer subject = answer(of_model("gpt2-1.5b", {{P::sequence_length, 1024}, {P::micro_batch, 1}}));
    REQUIRE(subject.valid());
    const FlopCounts counts = flop_counts(subject);
    REQUIRE(counts.tied);
    CHECK(counts.embedding == 0);
    CHECK(counts.positions == subject.settings[P::learned_positions] * subject.settings[P::hidden_size]);
    // The head's matrix stays in Megatron-LM's formula; the lookup of positions does not.
    CHECK(flops(subject, "megatron-2024") ==
          Approx(6 * (counts.parameters - counts.positions) + counts.attention));
    CHECK(flops(subject, "6n") - flops(subject, "6n-non-embedding") ==
          Approx(6 * (counts.head + counts.positions)));
    // torchtitan keeps the shared matrix, too. nanoGPT leaves out the positions only.
    CHECK(flops(subject, "torchtitan") ==
          Approx(6 * (counts.parameters - counts.positions) + counts.attention));
    CHECK(flops(subject, "nanogpt") == Approx(6 * (counts.parameters - counts.positions) + counts.attention));
    CHECK_FALSE(has_flops(llama_8b(), "nanogpt"));
}

TEST_CASE("conventions: only GPUs that gain from 2:4 sparsity have its peak", "[conventions]") {
    const auto sparse = [](const char* gpu, Precision precision) {
        Scenario scenario = of_model("gpt2-1.5b", {{P::micro_batch, 1}, {P::precision, precision}});
        scenario.cluster = nullptr;
        scenario.gpu = scenario.catalogue->find(PresetKind::gpu, gpu);
        REQUIRE(scenario.gpu);
        const Answer subject = answer(scenario);
        REQUIRE(subject.valid());
        return peak_flops(subject, PeakKind::sparse) / peak_flops(subject, PeakKind::dense);
    };
    // Data sheets: A100 312 and 624 TFLOP/s; the V100, TPUs and Gaudi have no sparse rate.
    CHECK(sparse("a100-sxm-80gb", Precision::bf16) == 2);
    CHECK(sparse("mi300x", Precision::fp8) == 2);
    CHECK(sparse("b200-sxm", Precision::nvfp4) == 2);
    for (const char* gpu : {"tpu-v5p", "gaudi3", "mi250x"}) {
        INFO(gpu);
        CHECK(std::isnan(sparse(gpu, Precision::bf16)));
    }
    CHECK(std::isnan(sparse("v100-sxm-32gb", Precision::fp16)));
    CHECK(std::isnan(sparse("b300-sxm", Precision::nvfp4)));
}

TEST_CASE("conventions: experts count as far as a token passes through them", "[conventions]") {
    const Answer subject =
        answer(of_model("mixtral-8x7b", {{P::sequence_length, 4096}, {P::micro_batch, 1}}));
    REQUIRE(subject.valid());
    // Published: 46.7 B parameters, of which a token uses 12.9 B.
    CHECK(flops(subject, "6n") == Approx(6 * 12.9e9).epsilon(0.01));
    CHECK(flops(subject, "6n-total") == Approx(6 * 46.7e9).epsilon(0.01));
}

TEST_CASE("conventions: peaks of other precisions and of sparse matrices", "[conventions]") {
    Scenario scenario = of_model("llama-3-8b", {{P::sequence_length, 8192}, {P::micro_batch, 1}});
    scenario.give(P::precision, Precision::fp8);
    const Answer subject = answer(scenario);
    REQUIRE(subject.valid());
    const std::vector<ConventionValue> values = in_conventions(subject, 10'000);
    for (const ConventionValue& value : values) {
        INFO(value.convention->name);
        CHECK(value.rate == Approx(value.flops_per_token * 10'000));
        // The H100's data sheet: 989.4 TFLOP/s in bf16, 1,978.9 in fp8, both twice as much with sparsity.
        CHECK(value.share[1] == Approx(value.rate / 989.4e12).epsilon(1e-3));
        CHECK(value.share[0] == Approx(value.share[2]));
        CHECK(value.share[3] == Approx(value.share[0] / 2));
    }
    // A V100 has no bf16.
    Scenario old = of_model("gpt2-1.5b", {{P::micro_batch, 1}, {P::precision, Precision::fp16}});
    old.cluster = nullptr;
    old.gpu = old.catalogue->find(PresetKind::gpu, "v100-sxm-32gb");
    const Answer v100 = answer(old);
    REQUIRE(v100.valid());
    CHECK(std::isnan(in_conventions(v100, 1000).front().share[2]));
}

TEST_CASE("conventions: a quoted number becomes the throughput that gives it back", "[conventions]") {
    const Answer subject = llama_8b();
    for (const Convention& convention : conventions()) {
        if (!has_flops(subject, convention.name)) continue;
        for (const char* value : {"41.2 %", "0.412"}) {
            for (const char* peak : {"", "/bf16", "/sparse"}) {
                Problems problems;
                const QuotedValue quoted =
                    parse_quoted_value(value, std::string(convention.name) + peak, problems);
                REQUIRE(problems.empty());
                const double tokens = tokens_per_s(subject, quoted);
                for (const ConventionValue& again : in_conventions(subject, tokens)) {
                    if (again.convention != &convention) continue;
                    CHECK(again.share[static_cast<std::size_t>(quoted.peak)] == Approx(0.412));
                }
            }
        }
    }
    Problems problems;
    const QuotedValue rate = parse_quoted_value("407 TFLOP/s", "palm", problems);
    REQUIRE(problems.empty());
    CHECK(tokens_per_s(subject, rate) == Approx(407e12 / flops(subject, "palm")));
    // The prediction in the convention of the scenario is the MFU of the estimate.
    const double predicted = in_conventions(subject, subject.estimate.tokens_per_s_per_gpu)[2].share[0];
    CHECK(in_conventions(subject, 1)[2].convention->name == "palm");
    CHECK(predicted == Approx(subject.estimate.mfu));
}

TEST_CASE("conventions: what cannot be read is explained", "[conventions]") {
    const auto problem_of = [](const char* value, const char* name) {
        Problems problems;
        parse_quoted_value(value, name, problems);
        return problems.empty() ? std::string() : problems.front().text();
    };
    CHECK(problem_of("41.2 %", "plam").find("palm") != std::string::npos);
    CHECK(problem_of("41.2 %", "palm/int8").find("sparse") != std::string::npos);
    CHECK(problem_of("41.2", "palm").find("41.2 %") != std::string::npos);
    CHECK(problem_of("-3 %", "palm").find("share") != std::string::npos);
    CHECK_FALSE(problem_of("many", "palm").empty());
    Problems problems;
    const QuotedValue total = parse_quoted_value("40 %", "6n-total", problems);
    CHECK(std::isnan(tokens_per_s(llama_8b(), total)));
}

TEST_CASE("conventions: recurrences have no masked half", "[conventions]") {
    // Published: 2,702,599,680 parameters; 64 layers of 80 heads of 64 with a state of 128. Megatron-LM
    // counts 7 FLOPs per state and token, forward.
    constexpr double kRecurrence = 3.0 * 64 * 7 * 80 * 64 * 128;
    for (const FlopsConvention convention : {FlopsConvention::palm, FlopsConvention::causal}) {
        const Answer mamba =
            answer(of_model("mamba2-2.7b", {{P::flops_convention, convention}, {P::sequence_length, 8192}}));
        REQUIRE(mamba.valid());
        CHECK(flop_counts(mamba).attention == 0);
        CHECK(flop_counts(mamba).recurrence == kRecurrence);
        // The table agrees with the engine, whichever convention that one uses.
        CHECK(flops(mamba, "causal") == Approx(mamba.compiled.flops_per_token).epsilon(1e-12));
        CHECK(flops(mamba, "palm") == Approx(mamba.compiled.flops_per_token).epsilon(1e-12));
        CHECK(flops(mamba, "megatron") == flops(mamba, "megatron-2024"));
        CHECK(flops(mamba, "6n") + kRecurrence == Approx(flops(mamba, "palm")).epsilon(1e-12));
    }
    // Three of four layers of Qwen3-Next keep a state, the fourth has a masked half.
    const auto of = [](FlopsConvention convention) {
        return answer(of_model("qwen3-next-80b-a3b", {{P::flops_convention, convention}}));
    };
    CHECK(flops(of(FlopsConvention::palm), "causal") ==
          Approx(of(FlopsConvention::causal).compiled.flops_per_token).epsilon(1e-12));
}

TEST_CASE("conventions: a rate in small letters is told how to write its unit", "[conventions]") {
    Problems problems;
    CHECK_FALSE(parse_quoted_value("407 tflop/s", "palm", problems).is_share);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().suggestion.find("TFLOP/s") != std::string::npos);
}

TEST_CASE("conventions: a rate may name the GPU, and its unit has several forms", "[conventions]") {
    for (const char* value : {"400 TFLOP/s", "400 TFLOP/s/GPU", "400 TFLOPs", "400TFLOPs/GPU", "400 TFLOPS",
                              "400 TFLOP/s per GPU", "0.4 PFLOPs/s/GPU", "400 TFLOPs per device"}) {
        INFO(value);
        Problems problems;
        const QuotedValue quoted = parse_quoted_value(value, "palm", problems);
        CHECK(problems.empty());
        CHECK_FALSE(quoted.is_share);
        CHECK(quoted.value == Approx(400e12));
    }
}

TEST_CASE("conventions: a share and a rate are limited by the peak of the precision in use",
          "[conventions]") {
    Problems problems;
    // The peak of an H100 in bf16 is 989.5 TFLOP/s.
    CHECK_FALSE(exceeds_peak(llama_8b(), parse_quoted_value("989 TFLOP/s", "palm", problems)));
    CHECK(exceeds_peak(llama_8b(), parse_quoted_value("990 TFLOP/s", "palm", problems)));
    CHECK(exceeds_peak(llama_8b(), parse_quoted_value("120 %", "palm", problems)));
    // All experts of DeepSeek-V3 have 18 times the parameters that a token uses.
    const Answer sparse = answer(of_model("deepseek-v3", {}));
    CHECK_FALSE(exceeds_peak(sparse, parse_quoted_value("5000 TFLOP/s", "6n-total", problems)));
    CHECK(exceeds_peak(sparse, parse_quoted_value("5000 TFLOP/s", "palm", problems)));
    const QuotedValue of_bf16 = parse_quoted_value("107.3 %", "palm/bf16", problems);
    REQUIRE(problems.empty());
    CHECK(exceeds_peak(llama_8b(), of_bf16));
    Scenario fp8 = of_model("llama-3-8b", {{P::precision, Precision::fp8}, {P::micro_batch, 1}});
    const Answer faster = answer(fp8);
    REQUIRE(faster.valid());
    CHECK_FALSE(exceeds_peak(faster, of_bf16));
    CHECK(tokens_per_s(faster, of_bf16) > 0);
}
