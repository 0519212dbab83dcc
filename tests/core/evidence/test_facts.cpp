// Tests facts that point in opposite directions and must all follow from one engine with one calibration.
#include <catch2/catch.hpp>

#include "evidence/likely_range.h"
#include "files/scenario_file.h"
#include "planner/answer.h"

using namespace shardscope;

namespace {

Answer answer_of_text(const std::string& text) {
    Problems problems;
    static Catalogue catalogue = Catalogue::with_folder({}, problems);
    const Scenario scenario = read_scenario(text, catalogue, {}, problems);
    REQUIRE(problems.empty());
    Answer found = answer(scenario);
    for (const Problem& problem : found.problems) FAIL(problem.text());
    return found;
}

Estimate estimate_of(const std::string& text) { return answer_of_text(text).estimate; }

std::string number(double value) { return std::to_string(static_cast<long long>(value)); }

// FSDP of a 7B model on H100 with micro-batch 2 and sequence length 4,096.
double fsdp_7b(const std::string& software, double gpus) {
    return estimate_of(R"({"model":{"preset":"llama-2-7b"},"cluster":{"preset":"dgx-h100","gpus":)" +
                       number(gpus) + R"(,"software":")" + software +
                       R"("},"training":{"sequence_length":4096,"micro_batch":2,"sharding":"zero3"}})")
        .tokens_per_s_per_gpu;
}

double llama_70b_3d(double gpus) {
    return estimate_of(R"({"model":{"preset":"llama-3-70b"},"cluster":{"preset":"dgx-h100","gpus":)" +
                       number(gpus) +
                       R"(,"software":"megatron-core"},"training":{"sequence_length":8192,"micro_batch":1,
        "accumulation":64,"tensor_parallel":4,"pipeline_parallel":4,"context_parallel":2,"virtual_stages":5,
        "sequence_parallel":true,"sharding":"zero1"}})")
        .tokens_per_s_per_gpu;
}

// Returns TFLOP/s/GPU as Narayanan et al. 2021 count them: 96·l·h²·(1 + s/6h + V/16lh) a token, recomputation
// included.
double gpt3_teraflops(double gpus, bool zero3) {
    const double batch = 1536;
    const std::string plan =
        zero3
            ? R"("sharding":"zero3","micro_batch":)" + number(batch / gpus)
            : R"("sharding":"ddp","micro_batch":1,"global_batch":1536,"tensor_parallel":8,"pipeline_parallel":12)";
    const Estimate found = estimate_of(
        R"({"model":{"preset":"gpt-3-175b"},"cluster":{"preset":"dgx-a100-80gb","gpus":)" + number(gpus) +
        R"(,"software":")" + (zero3 ? "deepspeed-2021" : "megatron-2021") +
        R"("},"training":{"precision":"fp16","sequence_length":2048,"attention":"naive","recompute":"full",)" +
        plan + "}}");
    const double l = 96, h = 12288, s = 2048, v = 51200;
    return found.tokens_per_s_per_gpu * 96 * l * h * h * (1 + s / (6 * h) + v / (16 * l * h)) / 1e12;
}

}  // namespace

TEST_CASE("facts: pure FSDP of a 7B model loses at least a third from 128 to 2,048 H100", "[facts]") {
    // Source: Fernandez et al. 2024, arXiv 2411.13055: 37 %.
    for (const char* software : {"fsdp1", "fsdp2", "fsdp2-compile"}) {
        const double loss = 1 - fsdp_7b(software, 2048) / fsdp_7b(software, 128);
        INFO(software << " loses " << loss);
        CHECK(loss > 0.30);
        CHECK(loss < 0.45);
    }
}

TEST_CASE("facts: a 3D layout of a 70B model keeps its throughput per GPU up to 2,048 H100", "[facts]") {
    // Source: NVIDIA/dgxc-benchmarking: 14.66 s a step at 64 and at 2,048 GPUs.
    CHECK(llama_70b_3d(2048) / llama_70b_3d(64) > 0.97);
}

TEST_CASE("facts: at a fixed batch ZeRO-3 of 2021 collapses where tensor and pipeline parallelism do not",
          "[facts]") {
    // Source: Narayanan et al. 2021, arXiv 2104.04473, table 2: 144, 88 and 44 TFLOP/s with ZeRO-3. A slower
    // network would explain the rest of the difference.
    const double at_384 = gpt3_teraflops(384, true);
    CHECK(gpt3_teraflops(768, true) / at_384 == Approx(88.0 / 144).epsilon(0.15));
    CHECK(gpt3_teraflops(1536, true) / at_384 == Approx(44.0 / 144).epsilon(0.15));
    CHECK(at_384 == Approx(144).epsilon(0.15));
    CHECK(gpt3_teraflops(384, false) == Approx(153).epsilon(0.15));
    CHECK(gpt3_teraflops(1536, false) == Approx(141).epsilon(0.15));
}

TEST_CASE("facts: more memory raises the MFU, and runs close to full memory lie within the band", "[facts]") {
    const auto mpt_70b = [](double gpus, double micro_batch) {
        return answer_of_text(R"({"model":{"preset":"mpt-70b"},"cluster":{"preset":"dgx-a100-40gb","gpus":)" +
                              number(gpus) +
                              R"(,"software":"fsdp1"},"training":{"sequence_length":2048,"micro_batch":)" +
                              number(micro_batch) + R"(,"recompute":"full"}})");
    };
    // Source: mosaicml/llm-foundry: 35.9 % and 48.9 %.
    const Answer tight = mpt_70b(64, 2);
    const Answer roomy = mpt_70b(128, 4);
    CHECK(roomy.estimate.mfu > 1.1 * tight.estimate.mfu);
    for (const auto& [found, measured] : {std::pair{tight, 0.359}, std::pair{roomy, 0.489}}) {
        const double per_token = found.estimate.mfu / found.estimate.tokens_per_s_per_gpu;
        CHECK(likely_range(found).low * per_token < measured);
        CHECK(likely_range(found).high * per_token > measured);
    }
}

TEST_CASE("facts: an H100 reaches a lower MFU than an A100 on the same run", "[facts]") {
    const auto mfu = [](const std::string& cluster) {
        return estimate_of(R"({"model":{"preset":"mpt-7b"},"cluster":{"preset":")" + cluster +
                           R"(","gpus":64},"training":{"sequence_length":2048,"micro_batch":4}})")
            .mfu;
    };
    CHECK(mfu("dgx-h100") < 0.9 * mfu("dgx-a100-80gb"));
}

TEST_CASE("facts: the MFU falls with the sequence length", "[facts]") {
    double before = 1;
    for (const double sequence : {4096, 16384, 65536}) {
        const double mfu =
            estimate_of(R"({"model":{"preset":"mpt-3b"},"cluster":{"preset":"dgx-h100","gpus":8},
            "training":{"sequence_length":)" +
                        number(sequence) + R"(,"micro_batch":)" + number(65536 / sequence) +
                        R"(,"recompute":"full"}})")
                .mfu;
        INFO(sequence);
        CHECK(mfu < before);
        before = mfu;
    }
}
