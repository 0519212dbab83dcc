// Compares estimates with published runs that no table of measured runs has.
#include <catch2/catch.hpp>

#include "evidence/likely_range.h"
#include "files/scenario_file.h"
#include "planner/answer.h"

using namespace shardscope;

TEST_CASE("published run: Llama 3.1 405B on 8,192 and 16,384 H100", "[estimate]") {
    // Llama team 2024, arXiv 2407.21783, table 4: TFLOP/s of each GPU. Meta's program is not public and its
    // runs took no part in the fit. It uses PyTorch's FSDP without resharding after the forward pass, with
    // gradients accumulated and reduced in fp32 (section 3.3.2), so the nearest public stack is torchtitan,
    // here with attention kernels for H100 (torchtitan's share of the kernel's efficiency was fitted with
    // FlashAttention-2, so it is not used). Its ranks are in the order TP, CP, PP, DP, so that a pipeline is
    // in a pod of 3,072 GPUs. The runs with as many micro-batches as stages fit 80 GB without recomputation,
    // as reported. With twice as many the estimate exceeds it: gradients of the first group of micro-batches
    // are then unsharded while the second one is in flight, and the schedule that Meta used there is not
    // public.
    struct Layout {
        double gpus, sequence, context, accumulation, teraflops;
    };
    for (const Layout& run : {Layout{8192, 8192, 1, 32, 430}, Layout{16384, 8192, 1, 16, 400},
                              Layout{16384, 131072, 16, 16, 380}}) {
        Problems problems;
        Catalogue catalogue = Catalogue::with_folder("", problems);
        Scenario scenario = read_scenario(R"({
            "model": {"preset": "llama-3.1-405b"},
            "cluster": {"preset": "grand-teton-h100-pods", "gpus": 8192, "software": "torchtitan"},
            "assumptions": {"flops_convention": "causal", "native_attention": true, "attention_generation": 1},
            "training": {"micro_batch": 1, "accumulation": 32, "sharding": "zero3",
                "reshard_after_forward": false, "gradient_precision": "fp32", "tensor_parallel": 8, "sequence_parallel": true,
                "pipeline_parallel": 16, "virtual_stages": 8, "context_parallel_kind": "all-gather",
                "rank_order": "tp-cp-ep-pp-dp"}})",
                                          catalogue, "", problems);
        REQUIRE(problems.empty());
        scenario.give(P::gpus, run.gpus);
        scenario.give(P::sequence_length, run.sequence);
        scenario.give(P::context_parallel, run.context);
        scenario.give(P::accumulation, run.accumulation);
        const Answer now = answer(scenario);
        REQUIRE(now.valid());
        INFO(run.gpus << " GPUs, " << run.sequence << " tokens");
        CHECK(now.estimate.mfu * now.compiled.peak / 1e12 == Approx(run.teraflops).epsilon(0.13));
        if (run.accumulation <= 16) CHECK(now.estimate.verdict != Verdict::does_not_fit);
        // The stated range contains the published value.
        const double published =
            run.teraflops * 1e12 / now.compiled.peak / now.estimate.mfu * now.estimate.tokens_per_s_per_gpu;
        const LikelyRange range = likely_range(now);
        CHECK(published > range.low);
        CHECK(published < range.high);
    }
}

TEST_CASE("published run: DeepSeek-V3 on 2,048 H800", "[estimate]") {
    // DeepSeek-AI 2024, arXiv 2412.19437: 180,000 GPU hours for 10¹² tokens (section 1), with 16 stages of
    // DualPipe, 64 expert-parallel GPUs on 8 nodes and ZeRO-1 (3.2); moments in bf16 (3.3.3); norms, MLA
    // up-projections and SwiGLU outputs are computed again (3.2.3, 3.3.3). One prediction layer (4.2).
    // Matrices take fp8 weights that are cast from the master copy (figure 6), tokens are sent to experts in
    // fp8 (3.3.3), and so are kept the inputs of SwiGLU. The shipped scenario has all of this.
    Problems problems;
    Catalogue catalogue = Catalogue::with_folder("", problems);
    const Preset* preset = catalogue.find(PresetKind::scenario, "deepseek-v3-on-2048-h800");
    REQUIRE(preset);
    const Scenario scenario = read_scenario(preset->text, catalogue, {}, problems);
    REQUIRE(problems.empty());
    const Answer now = answer(scenario);
    REQUIRE(now.valid());
    const double published = 1e12 / (180000.0 * 3600);  // tokens/s/GPU
    CHECK(now.estimate.tokens_per_s_per_gpu == Approx(published).epsilon(0.15));
    // It ran in 80 GB: the estimate is within the margin of the capacity.
    CHECK(now.estimate.verdict != Verdict::does_not_fit);
}
