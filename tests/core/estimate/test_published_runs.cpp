// Compares estimates with published runs that no table of measured runs has.
#include <catch2/catch.hpp>

#include "files/scenario_file.h"
#include "planner/answer.h"

using namespace shardscope;

TEST_CASE("published run: DeepSeek-V3 on 2,048 H800", "[estimate]") {
    // DeepSeek-AI 2024, arXiv 2412.19437: 180,000 GPU hours for 10¹² tokens (section 1), with 16 stages of
    // DualPipe, 64 expert-parallel GPUs on 8 nodes and ZeRO-1 (3.2); moments in bf16 (3.3.3); norms, MLA
    // up-projections and SwiGLU outputs are computed again (3.2.3, 3.3.3).
    Problems problems;
    Catalogue catalogue = Catalogue::with_folder("", problems);
    const Scenario scenario = read_scenario(R"({
        "model": {"preset": "deepseek-v3"},
        "cluster": {"gpu": "h800-sxm-80gb", "gpus": 2048, "software": "megatron-core"},
        "training": {"sequence_length": 4096, "micro_batch": 1, "global_batch": 15360, "precision": "fp8",
            "fp8_recipe": "blockwise", "sharding": "zero1", "tensor_parallel": 1, "pipeline_parallel": 16,
            "expert_parallel": 64, "schedule": "dualpipe", "moment_precision": "bf16",
            "recompute": "selective", "recompute_modules": "layernorm+mla_up_proj+activation+moe_activation",
            "moe_dispatcher": "deepep", "moe_overlap": true}})",
                                            catalogue, "", problems);
    REQUIRE(problems.empty());
    const Answer now = answer(scenario);
    REQUIRE(now.valid());
    const double published = 1e12 / (180000.0 * 3600);  // tokens/s/GPU
    CHECK(now.estimate.tokens_per_s_per_gpu == Approx(published).epsilon(0.15));
    // It ran in 80 GB: the estimate is within the margin of the capacity.
    CHECK(now.estimate.verdict != Verdict::does_not_fit);
}
