// The scenarios whose launch settings tests write for every tool.
#pragma once

#include <string>
#include <vector>

#include "files/scenario_file.h"
#include "planner/answer.h"
#include "support/properties.h"

namespace shardscope::testing {

inline constexpr std::size_t kRandomPlans = 500;

// Adds valid scenarios with random values of any parameters, the same ones in every run.
inline void add_random_scenarios(std::vector<Answer>& out) {
    rc::Random seed(20260822);
    for (const std::size_t all = out.size() + kRandomPlans; out.size() < all;) {
        constexpr int kSize = 100;
        const Scenario scenario = scenario_of(random::scenario()(seed.split(), kSize).value());
        const Settings s = resolve(scenario);
        // More tokens in a batch are no whole number in a file.
        constexpr double kTokens = 1e15;
        if (check(scenario, s).empty() && s[P::global_batch] * s[P::sequence_length] < kTokens)
            out.push_back(answer(scenario));
    }
}

// Returns every shipped model under plans that together use every choice, and random scenarios.
inline const std::vector<Answer>& launch_scenarios() {
    static const std::vector<Answer> all = [] {
        const std::vector<std::string> plans{
            R"("sharding": "zero3")",
            R"("sharding": "ddp", "optimizer": "sgd", "precision": "fp16", "gradient_precision": "fp16")",
            R"("sharding": "zero1", "tensor_parallel": 2, "sequence_parallel": true, "recompute": "full",
               "optimizer_precision": "bf16")",
            R"("sharding": "zero2", "precision": "fp8", "recompute": 0.25, "offload": "optimizer",
               "gradient_precision": "fp32")",
            R"("sharding": "hsdp", "shard_group": 8, "reshard_after_forward": false, "recompute": "selective",
               "optimizer": "muon", "training_tokens": 1e12)",
            R"("sharding": "zero3", "offload": "optimizer+parameters", "context_parallel": 2,
               "attention": "naive", "precision": "fp32", "optimizer": "momentum", "gradient_precision": "fp32")",
            R"("sharding": "zero1", "pipeline_parallel": 4, "accumulation": 8, "tensor_parallel": 2,
               "sequence_parallel": true, "async_tensor_parallel": true)",
            R"("sharding": "zero1", "pipeline_parallel": 2, "virtual_stages": 3, "schedule": "interleaved",
               "accumulation": 8, "optimizer": "lion")",
            R"("sharding": "zero3", "pipeline_parallel": 4, "schedule": "gpipe", "accumulation": 8)",
            R"("sharding": "zero1", "pipeline_parallel": 4, "schedule": "zb-h2", "accumulation": 16)",
            R"("sharding": "zero3", "pipeline_parallel": 2, "virtual_stages": 2, "schedule": "breadth-first",
               "accumulation": 4, "recompute": 0.3)",
            R"("sharding": "zero1", "pipeline_parallel": 8, "schedule": "seq1f1b", "accumulation": 8)",
            R"("sharding": "ddp", "offload": "optimizer")",
            R"("sharding": "zero1", "offload": "optimizer", "optimizer": "sgd")",
            R"("sharding": "zero2", "offload": "optimizer", "optimizer": "muon")",
            R"("sharding": "zero1", "optimizer": "momentum", "optimizer_precision": "bf16")",
            R"("sharding": "zero3", "optimizer": "muon", "optimizer_precision": "bf16")",
            R"("sharding": "zero1", "precision": "nvfp4", "recompute": "selective",
               "recompute_modules": ["mlp", "layernorm"], "overlap_param_gather": false)",
            R"("sharding": "zero1", "precision": "fp8", "fp8_recipe": "blockwise", "context_parallel": 4,
               "context_parallel_kind": "all-gather", "overlap_grad_reduce": false)",
            R"("sharding": "zero1", "moe_dispatcher": "deepep", "tensor_parallel": 2,
               "sequence_parallel": true, "expert_tensor_parallel": 1)",
            R"("sharding": "zero1", "pipeline_parallel": 4, "accumulation": 8, "first_stage_layers": 3,
               "offload": "optimizer", "optimizer_precision": "bf16")",
            R"("sharding": "zero3", "loss": "chunked", "packing": 512, "context_parallel": 2, "micro_batch": 1,
               "context_parallel_kind": "all-gather", "activation_offload": 1)",
            R"("sharding": "hsdp", "shard_group": 16, "loss": "fused", "cuda_graphs": true, "packing": 512,
               "context_parallel": 2, "micro_batch": 2, "optimizer": "adamw-8bit", "precision": "fp8",
               "fp8_param_gather": true)",
            R"("sharding": "zero3", "loss": "chunked", "precision": "fp32", "gradient_precision": "fp32",
               "optimizer": "adafactor", "recompute": "full", "activation_offload": 1,
               "moment_precision": "bf16+fp32", "moe_dispatcher": "all-gather")",
            R"("sharding": "zero3", "tensor_parallel": 8, "sequence_parallel": true, "context_parallel": 4,
               "pipeline_parallel": 2, "accumulation": 5, "precision": "mxfp8")",
        };
        std::vector<Answer> out;
        static Catalogue catalogue = [] {
            Problems none;
            return Catalogue::with_folder("", none);
        }();
        for (const Preset* model : catalogue.all(PresetKind::model)) {
            for (const std::string& plan : plans) {
                const std::string experts =
                    plan.find("zero") != std::string::npos && model->name.find('x') != std::string::npos
                        ? R"(, "expert_parallel": 2)"
                        : "";
                for (const std::string& more : {experts, std::string()}) {
                    Problems problems;
                    const bool blackwell =
                        plan.find("nvfp4") != std::string::npos || plan.find("mxfp8") != std::string::npos;
                    const std::string cluster = blackwell ? "dgx-b200" : "dgx-h100";
                    const Scenario scenario = read_scenario(R"({"model": {"preset": ")" + model->name +
                                                                R"("}, "cluster": {"preset": ")" + cluster +
                                                                R"("}, "training": {)" + plan + more + "}}",
                                                            catalogue, {}, problems);
                    if (problems.empty()) out.push_back(answer(scenario));
                    if (experts.empty()) break;
                }
            }
        }
        add_random_scenarios(out);
        return out;
    }();
    return all;
}

}  // namespace shardscope::testing
