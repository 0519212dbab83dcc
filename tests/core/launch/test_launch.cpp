// Tests that the written settings contain the plan, and that the notes name what they cannot contain.
#include "launch/launch.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/launch_writing.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

const char* const k70b = R"({"model": {"preset": "llama-3-70b"},
    "cluster": {"gpus": 256, "software": "megatron-core"},
    "training": {"sequence_length": 8192, "micro_batch": 1, "global_batch": 512, "sharding": "zero1",
        "tensor_parallel": 8, "sequence_parallel": true, "pipeline_parallel": 4, "virtual_stages": 5,
        "schedule": "interleaved", "gradient_precision": "fp32", "recompute": 0.5}})";

}  // namespace

TEST_CASE("launch: Megatron-LM gets every setting of a 70B model's plan", "[launch]") {
    const LaunchText launch = kMegatron.write(answer_of(k70b));
    CHECK(launch.notes.empty());
    CHECK(holds(launch, "torchrun --nnodes=32 --nproc-per-node=8"));
    for (const char* option :
         {"--num-layers 80 ", "--num-query-groups 8 ", "--rotary-base 500000 ", "--swiglu ",
          "--tensor-model-parallel-size 8 ", "--sequence-parallel ", "--pipeline-model-parallel-size 4 ",
          "--num-layers-per-virtual-pipeline-stage 4 ", "--use-distributed-optimizer ",
          "--accumulate-allreduce-grads-in-fp32 ", "--global-batch-size 512 ",
          "--recompute-granularity full ", "--recompute-method block ", "--recompute-num-layers 2 ",
          "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"}) {
        INFO(option);
        CHECK(holds(launch, option));
    }
    CHECK_FALSE(holds(launch, "--use-megatron-fsdp"));
}

TEST_CASE("launch: a setting that the tool does not have is named, together with the nearest one",
          "[launch]") {
    const Answer zero_bubble = answer_of(R"({"model": {"preset": "llama-3-8b"},
        "training": {"pipeline_parallel": 4, "accumulation": 8, "schedule": "zb-h2", "sharding": "zero1"}})");
    CHECK(has_note(kMegatron.write(zero_bubble), "ZB-H2”; the nearest one is written, 1F1B"));
    CHECK(has_note(kTorchtitan.write(zero_bubble), "the nearest one is written, 1F1B"));
    CHECK(has_note(kTorchtitan.write(zero_bubble), "torchtitan has no ZeRO-1"));
    CHECK(has_note(kDeepspeed.write(zero_bubble), "has no option for “Pipeline parallel 4”"));
    CHECK(has_note(kFsdp2.write(zero_bubble), "torch.distributed.pipelining"));
    // Settings for the tool that the prediction assumes need no note about the software.
    CHECK(has_note(kTorchtitan.write(zero_bubble), "The prediction is for the software FSDP1"));
    CHECK_FALSE(has_note(kMegatron.write(answer_of(k70b)), "The prediction is for"));

    const Answer wide = answer_of(R"({"model": {"preset": "llama-3-8b", "hidden_size": 5120}})");
    CHECK(has_note(kTorchtitan.write(wide), "no flavor of this shape"));
    CHECK(holds(kTorchtitan.write(wide), "5120 wide"));
    const Answer images = answer_of(R"({"model": {"preset": "resnet-50"}})");
    CHECK(kMegatron.write(images).text.empty());
    CHECK(kTorchtitan.write(images).text.empty());
    CHECK(has_note(kMegatron.write(images), "list of operators"));
    CHECK(holds(kDeepspeed.write(images), "\"stage\": 3"));
}

TEST_CASE("launch: Megatron-LM's stages get an uneven number of layers as in the engine", "[launch]") {
    const auto script = [](int stages) {
        return kMegatron.write(answer_of(R"({"model": {"preset": "llama-3.1-405b"}, "cluster": {"gpus": 64},
            "training": {"pipeline_parallel": )" +
                                         std::to_string(stages) + R"(, "accumulation": 16}})"));
    };
    // With 126 layers and embedding and head counted as layers, 16 stages have 8 each and 4 stages have 32
    // each.
    CHECK(holds(script(16), "--account-for-embedding-in-pipeline-split"));
    CHECK(holds(script(4), "--account-for-loss-in-pipeline-split"));
    CHECK_FALSE(holds(script(2), "account-for"));
    const LaunchText gpt = kMegatron.write(answer_of(R"({"model": {"preset": "gpt-3-175b", "layers": 47},
        "training": {"pipeline_parallel": 8, "accumulation": 16}})"));
    // The head's stage has the fewest layers; the other seven have 6 and 5.
    CHECK(holds(gpt, "--decoder-first-pipeline-num-layers 6"));
    CHECK(holds(gpt, "--decoder-last-pipeline-num-layers 5"));
    const LaunchText odd = kMegatron.write(answer_of(R"({"model": {"preset": "gpt-3-175b", "layers": 43},
        "training": {"pipeline_parallel": 8, "accumulation": 16}})"));
    CHECK(holds(odd, "--pipeline-model-parallel-layout 'Et*5|(t*6|)*3(t*5|)*3t*5L'"));
}

TEST_CASE("launch: DeepSpeed's batch and sharding of the state are those of the plan", "[launch]") {
    const LaunchText launch = kDeepspeed.write(answer_of(R"({"cluster": {"software": "deepspeed"},
        "training": {"micro_batch": 4, "accumulation": 2, "sharding": "hsdp", "offload": "optimizer"}})"));
    const auto config = nlohmann::json::parse(launch.text);
    CHECK(config["train_batch_size"] == 64 * 4 * 2);
    CHECK(config["zero_optimization"]["stage"] == 3);
    CHECK(config["zero_optimization"]["mics_shard_size"] == 8);
    CHECK(config["zero_optimization"]["offload_optimizer"]["device"] == "cpu");
    CHECK(config["bf16"]["enabled"] == true);
    CHECK(has_note(launch, "MiCS_Init"));
    CHECK(launch.command.starts_with("deepspeed --num_nodes 8 --num_gpus 8 --hostfile"));
}

TEST_CASE("launch: DeepSpeed's batch agrees with the GPUs that it counts", "[launch]") {
    // Without an mpu DeepSpeed counts all GPUs that are in no sequence parallel group.
    const auto config = [](const char* training) {
        return nlohmann::json::parse(
            kDeepspeed
                .write(answer_of(std::string(R"({"cluster": {"software": "deepspeed"}, "training": {)") +
                                 training + "}}"))
                .text);
    };
    const auto ulysses = config(R"("context_parallel": 4, "micro_batch": 2, "accumulation": 3)");
    CHECK(ulysses["sequence_parallel_size"] == 4);
    CHECK(ulysses["train_batch_size"] == 2 * 3 * 64 / 4);
    const auto tensor = config(R"("tensor_parallel": 4, "micro_batch": 2, "accumulation": 3)");
    CHECK_FALSE(tensor.contains("train_batch_size"));
    CHECK(tensor["train_micro_batch_size_per_gpu"] == 2);
    CHECK(tensor["gradient_accumulation_steps"] == 3);
    const auto full = config(R"("gradient_precision": "fp32")");
    CHECK(full["data_types"]["grad_accum_dtype"] == "fp32");
    CHECK_FALSE(config(R"("gradient_precision": "bf16")").contains("data_types"));
}

TEST_CASE("launch: FSDP2's process groups are those that share weights", "[launch]") {
    const auto snippet = [](const char* training) {
        return kFsdp2.write(
            answer_of(std::string(R"({"cluster": {"software": "fsdp2"}, "training": {)") + training + "}}"));
    };
    // ZeRO-1 shards over the replicas of a stage and a tensor rank, not over all GPUs.
    const LaunchText zero1 =
        snippet(R"("sharding": "zero1", "tensor_parallel": 4, "pipeline_parallel": 2, "accumulation": 4)");
    CHECK(holds(
        zero1,
        "init_device_mesh(\"cuda\", (2, 8, 4), mesh_dim_names=(\"pipeline\", \"replicate\", \"tensor\"))"));
    CHECK(holds(zero1, "process_group=mesh[\"replicate\"].get_group()"));
    // Context parallelism has a dimension of its own, over which weights are sharded, too.
    const LaunchText context = snippet(R"("sharding": "zero3", "context_parallel": 4)");
    CHECK(holds(context, "(16, 4), mesh_dim_names=(\"shard\", \"context\")"));
    CHECK(holds(context, "mesh[\"shard\", \"context\"]._flatten(\"fsdp\")"));
    CHECK(holds(context, "fully_shard(model, mesh=mesh[\"fsdp\"]"));
    CHECK(has_note(context, "on mesh[\"context\"]"));
    const LaunchText hybrid = snippet(R"("sharding": "hsdp", "shard_group": 8, "context_parallel": 2)");
    CHECK(holds(hybrid, "(8, 4, 2), mesh_dim_names=(\"replicate\", \"shard\", \"context\")"));
    CHECK(holds(hybrid, "mesh=mesh[\"replicate\", \"fsdp\"]"));
}

TEST_CASE("launch: Accelerate's mesh and a job for SLURM have the scenario's nodes", "[launch]") {
    const Answer subject = answer_of(R"({"cluster": {"software": "fsdp2"}, "training": {"sharding": "hsdp",
        "shard_group": 8, "context_parallel": 2, "recompute": "full"}})");
    const LaunchText launch = kAccelerate.write(subject);
    for (const char* line :
         {"parallelism_config_dp_replicate_size: 8\n", "parallelism_config_dp_shard_size: 4\n",
          "parallelism_config_cp_size: 2\n", "num_processes: 64\n", "num_machines: 8\n",
          "fsdp_activation_checkpointing: true\n", "mixed_precision: bf16\n"}) {
        INFO(line);
        CHECK(holds(launch, line));
    }
    const std::string job = slurm_job(kAccelerate, launch);
    CHECK(job.starts_with("#!/usr/bin/env bash\n"));
    CHECK(job.find("#SBATCH --nodes=8\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8\n") !=
          std::string::npos);
    // Each node expands its own rank.
    CHECK(job.find("\nsrun bash -c 'accelerate launch --config_file accelerate.yaml --machine_rank "
                   "$SLURM_NODEID ") != std::string::npos);
    // All directives come before the first command, or sbatch ignores them.
    CHECK(job.rfind("#SBATCH") < job.find("set -euo"));
    const Answer one = answer_of(R"({"cluster": {"gpus": 8, "software": "megatron-core"}})");
    const std::string single = slurm_job(kMegatron, kMegatron.write(one));
    CHECK(single.find("HEAD_NODE") == std::string::npos);
    CHECK(single.ends_with("\nsrun bash train.sh \"$@\"\n"));
    const std::string deepspeed = slurm_job(kDeepspeed, kDeepspeed.write(subject));
    CHECK(
        deepspeed.ends_with("\nsrun torchrun --nnodes=8 --nproc-per-node=8 --rdzv-backend=c10d "
                            "--rdzv-endpoint=\"$HEAD_NODE:29500\" train.py --deepspeed "
                            "--deepspeed_config ds_config.json\n"));
    // Primus's launcher runs srun by itself.
    const std::string primus = slurm_job(kPrimus, kPrimus.write(subject));
    CHECK(primus.ends_with("\n./runner/primus-cli slurm srun -N 8 -- train pretrain --config primus.yaml\n"));
    CHECK(primus.find("HEAD_NODE=") == std::string::npos);
    // The job has the nodes of one stage where the tool has no pipeline, as the file has.
    const Answer stages = answer_of(R"({"cluster": {"software": "fsdp2"}, "training": {"sharding": "zero3",
        "pipeline_parallel": 4, "accumulation": 8}})");
    const LaunchText stage = kAccelerate.write(stages);
    CHECK(holds(stage, "num_machines: 2\nnum_processes: 16\n"));
    CHECK(slurm_job(kAccelerate, stage).find("--nodes=2\n") != std::string::npos);
}

TEST_CASE("launch: Accelerate replicates weights only with DistributedDataParallel", "[launch]") {
    const auto file = [](const std::string& training) {
        return kAccelerate.write(
            answer_of(R"({"cluster": {"software": "fsdp2"}, "training": {)" + training + "}}"));
    };
    const LaunchText ddp = file(R"("sharding": "ddp", "recompute": "full")");
    CHECK(holds(ddp, "distributed_type: MULTI_GPU\n"));
    CHECK_FALSE(holds(ddp, "parallelism_config"));
    CHECK(has_note(ddp, "has no option for “Recompute full”"));
    const LaunchText tensor = file(R"("sharding": "zero1", "tensor_parallel": 2)");
    CHECK(holds(tensor, "dp_replicate_size: 1\n"));
    CHECK(holds(tensor, "dp_shard_size: 32\n"));
    CHECK(has_note(tensor, "weights are sharded over all data-parallel GPUs"));
    const LaunchText group = file(R"("sharding": "hsdp", "shard_group": 2, "context_parallel": 2)");
    CHECK(holds(group, "dp_shard_size: 32\n"));
    CHECK(has_note(group, "weights are sharded over all data-parallel GPUs"));
    CHECK_FALSE(
        has_note(file(R"("sharding": "zero3", "tensor_parallel": 2)"), "weights are sharded over all"));
}

TEST_CASE("launch: Megatron-LM gets modules, recipes, dispatcher and overlap, and Primus the same as YAML",
          "[launch]") {
    const Answer subject = answer_of(R"({"model": {"preset": "deepseek-v3"},
        "cluster": {"gpus": 256, "software": "megatron-core"},
        "training": {"sequence_length": 4096, "sharding": "zero1", "tensor_parallel": 2, "sequence_parallel": true,
            "expert_parallel": 64, "expert_tensor_parallel": 1, "moe_dispatcher": "deepep", "precision": "fp8",
            "fp8_recipe": "blockwise", "recompute": "selective", "recompute_modules": ["mla_up_proj", "mlp"],
            "overlap_grad_reduce": true, "overlap_param_gather": false, "micro_batch": 1}})");
    const LaunchText script = kMegatron.write(subject);
    for (const char* option : {"--moe-token-dispatcher-type flex", "--moe-flex-dispatcher-backend deepep",
                               "--expert-tensor-parallel-size 1", "--fp8-recipe blockwise",
                               "--recompute-modules mla_up_proj mlp", "--overlap-grad-reduce"}) {
        INFO(option);
        CHECK(holds(script, option));
    }
    CHECK_FALSE(holds(script, "--overlap-param-gather"));
    const LaunchText primus = kPrimus.write(subject);
    for (const char* line :
         {"      moe_enable_deepep: true\n", "      fp8: hybrid\n",
          "      recompute_modules: [mla_up_proj, mlp]\n", "      add_bias_linear: false\n",
          "      overlap_param_gather: false\n", "      num_layers: 61\n", "    framework: megatron\n"}) {
        INFO(line);
        CHECK(holds(primus, line));
    }
    CHECK(primus.command.starts_with("./runner/primus-cli slurm srun -N 32 -- train pretrain --config"));
}

TEST_CASE("launch: Primus has schedules that Megatron-LM lacks, and Muon by another name", "[launch]") {
    const LaunchText folded = kPrimus.write(answer_of(R"({"model": {"preset": "llama-3-8b"},
        "cluster": {"gpus": 64, "software": "primus"},
        "training": {"sharding": "zero1", "pipeline_parallel": 4, "schedule": "v-half", "accumulation": 16,
            "optimizer": "muon", "overlap_grad_reduce": true}})"));
    for (const char* line : {"      patch_primus_pipeline: true\n", "      pp_algorithm: v-half\n",
                             "      num_virtual_stages_per_pipeline_rank: 2\n",
                             "      optimizer: dist_muon\n", "      use_distributed_optimizer: false\n"}) {
        INFO(line);
        CHECK(holds(folded, line));
    }
    CHECK_FALSE(has_note(folded, "1F1B"));
    CHECK(has_note(folded, "with Muon; no overlap is written"));
}

TEST_CASE("launch: tools are refused layers that their files cannot describe", "[launch]") {
    const auto refused = [](const LaunchFormat& format, const std::string& scenario) {
        INFO(scenario);
        const LaunchText launch = format.write(answer_of(scenario));
        CHECK(launch.text.empty());
        REQUIRE(launch.notes.size() == 1);
        CHECK(launch.notes.front().starts_with("A file for " + std::string(format.label)));
        return launch.notes.front();
    };
    for (const char* model : {"nemotron-h-56b", "qwen3-next-80b-a3b", "mamba2-2.7b"})
        refused(kPrimus, R"({"model": {"preset": ")" + std::string(model) + R"("}})");
    refused(kPrimus, R"({"model": {"preset": "gemma-3-12b", "layer_pattern": ["sliding", "full", "full"]}})");
    const std::string chunks =
        R"({"model": {"preset": "llama-4-scout"}, "training": {"sequence_length": 32768}})";
    const std::string with_feed_forward =
        R"({"model": {"preset": "nemotron-h-56b", "layer_pattern": ["mamba2/dense", "full/dense"]}})";
    for (const LaunchFormat* format : {&kPrimus, &kMegatronBridge}) {
        CHECK(refused(*format, chunks).find("chunks of 8192 tokens are shorter") != std::string::npos);
        refused(*format, with_feed_forward);
    }
    CHECK(
        refused(kMegatronBridge, R"({"model": {"preset": "nemotron-3-nano-30b-a3b"}, "cluster": {"gpus": 64},
        "training": {"pipeline_parallel": 2, "virtual_stages": 2, "schedule": "interleaved", "sharding": "zero1",
            "accumulation": 8}})")
            .find("no virtual pipeline stages") != std::string::npos);
    CHECK_FALSE(kPrimus.write(answer_of(R"({"model": {"preset": "llama-4-maverick"}})")).text.empty());
    for (const char* model : {"gemma-3-27b", "gpt-oss-20b"})
        CHECK_FALSE(kPrimus.write(answer_of(R"({"model": {"preset": ")" + std::string(model) + R"("}})"))
                        .text.empty());
}

TEST_CASE("launch: a file's header gives the prediction, and a scenario's name cannot end the comment",
          "[launch]") {
    const LaunchText launch =
        kMegatron.write(answer_of(R"({"name": "mine\nrm -rf ~", "training": {"sequence_length": 4096}})"));
    CHECK(holds(launch, "\n# mine rm -rf ~, by Shardscope "));
    CHECK(holds(launch, "\n# Predicted: "));
    CHECK(holds(launch, " MFU "));
    CHECK_FALSE(holds(launch, "\nrm"));
    const LaunchText large = kMegatron.write(answer_of(R"({"model": {"preset": "gpt-1t"}})"));
    CHECK(holds(large, "does not fit"));
    CHECK(
        holds(kTorchtitan.write(answer_of(R"({"name": "a \"b\" \\c"})")), R"(description = "a \"b\" \\c")"));
}

TEST_CASE("launch: an automatic plan is written with the values that the planner found", "[launch]") {
    const Answer found = answer_of(R"({"model": {"preset": "llama-3-70b"},
        "training": {"auto": ["micro_batch", "recompute", "tensor_parallel"]}})");
    const LaunchText launch = kMegatron.write(found);
    const auto number = [](double value) { return std::to_string(static_cast<int>(value)); };
    CHECK(holds(launch, "--micro-batch-size " + number(found.settings[P::micro_batch]) + " "));
    CHECK(holds(launch, "--tensor-model-parallel-size " + number(found.settings[P::tensor_parallel]) + " "));
}

TEST_CASE("launch: the tool follows from the software, and the kind of a file is recognized", "[launch]") {
    const auto tool = [](const char* software) {
        const LaunchFormat* found = launch_format_for(
            answer_of(R"({"cluster": {"software": ")" + std::string(software) + R"("}})").settings);
        return found ? found->name : std::string_view("none");
    };
    CHECK(tool("megatron-core") == "megatron");
    CHECK(tool("deepspeed") == "deepspeed");
    CHECK(tool("fsdp2-compile") == "torchtitan-python");
    CHECK(tool("fsdp1") == "torchtitan-python");
    CHECK(tool("torchtitan") == "torchtitan-python");
    CHECK(tool("jax") == "maxtext");
    CHECK(tool("nanotron") == "none");
    CHECK(launch_format("fsdp2") == &kFsdp2);
    CHECK(launch_format("nemo") == nullptr);
    const Answer found = answer_of(k70b);
    for (const LaunchFormat* format : launch_formats()) {
        if (format->read) CHECK(launch_format_of(format->write(found).text) == format);
    }
    CHECK(launch_format_of(write_scenario(found.scenario)) == nullptr);
    CHECK(launch_format_of("") == nullptr);
    CHECK(launch_format_of("[model]\nname = 1\n") == nullptr);
}

TEST_CASE("launch: axolotl shards over the dimensions of its mesh, and ZeRO-1 is DeepSpeed's", "[launch]") {
    // Of 64 GPUs, 2 share a sequence. A group of 8 GPUs shards the weights: 4 of them have other sequences.
    const LaunchText hybrid = kAxolotl.write(answer_of(R"({"model": {"preset": "llama-3-8b"},
        "cluster": {"gpus": 64, "software": "fsdp2-compile"},
        "training": {"sequence_length": 8192, "micro_batch": 2, "accumulation": 4, "sharding": "hsdp",
            "shard_group": 8, "context_parallel": 2, "recompute": "full", "optimizer_precision": "bf16"}})"));
    for (const char* line :
         {"base_model: meta-llama/Meta-Llama-3-8B\n", "sequence_len: 8192\n", "micro_batch_size: 2\n",
          "gradient_accumulation_steps: 4\n", "bf16: true\n", "torch_compile: true\n",
          "optimizer: adamw_torch_fused\n", "gradient_checkpointing: true\n",
          "attn_implementation: flash_attention_2\n", "context_parallel_size: 2\n",
          "ring_attn_func: batch_ring\n", "dp_shard_size: 4\n", "dp_replicate_size: 8\n",
          "fsdp_version: 2\nfsdp_config:\n  fsdp_version: 2\n", "  reshard_after_forward: true\n"}) {
        INFO(line);
        CHECK(holds(hybrid, line));
    }
    CHECK(hybrid.notes.size() == 2);  // the layers that are wrapped, and the data
    CHECK(hybrid.command ==
          "axolotl train axolotl.yaml --launcher torchrun -- --nnodes=8 --nproc-per-node=8 "
          "--rdzv-backend=c10d --rdzv-endpoint=\"$HEAD_NODE:29500\"");

    const auto file = [](const char* model, const std::string& training) {
        return kAxolotl.write(answer_of(R"({"model": {"preset": ")" + std::string(model) +
                                        R"("}, "cluster": {"gpus": 64, "software": "fsdp2"}, "training": {)" +
                                        training + "}}"));
    };
    const LaunchText zero1 = file("llama-3-8b", R"("sharding": "zero1", "tensor_parallel": 4)");
    CHECK(holds(zero1, "tensor_parallel_size: 4\ndeepspeed: deepspeed_configs/zero1.json\n"));
    CHECK_FALSE(holds(zero1, "fsdp"));
    // The GPUs of four stages get further sequences: 8 micro-batches of 16 replicas are 2 of 64.
    const LaunchText pipeline =
        file("llama-3-8b", R"("sharding": "zero3", "pipeline_parallel": 4, "accumulation": 8)");
    CHECK(holds(pipeline, "gradient_accumulation_steps: 2\n"));
    CHECK(holds(pipeline, "dp_shard_size: 64\n"));
    CHECK(has_note(pipeline, "accumulation 8 becomes 2, which makes a global batch of 256"));
    // Eight groups of GPUs hold different experts, and each shards them over eight GPUs.
    const LaunchText experts = file("qwen3-30b-a3b", R"("sharding": "zero3", "expert_parallel": 8)");
    CHECK(holds(experts, "expert_parallel_size: 8\n"));
    CHECK(holds(experts, "dp_shard_size: 8\n"));
    CHECK(holds(experts, "plugins: [axolotl.integrations.expert_parallel.ExpertParallelPlugin]\n"));
    CHECK(has_note(experts, "sends tokens with DeepEP"));
    const LaunchText loss = file("llama-3-8b", R"("sharding": "ddp", "loss": "chunked")");
    CHECK(holds(loss, "cut_cross_entropy: true\n"));
    CHECK_FALSE(has_note(loss, "Loss chunked"));
    CHECK_FALSE(holds(loss, "fsdp"));
    CHECK(has_note(file("gpt-22b", R"("sharding": "zero3")"), "place of your_model"));
    CHECK(kAxolotl.write(answer_of(R"({"model": {"preset": "resnet-50"}})")).text.empty());
}

TEST_CASE("launch: a setting that a file does not contain is noted if it changes the prediction",
          "[launch]") {
    const auto of = [](const std::string& training, const char* more = "") {
        return answer_of(R"({"model": {"preset": "llama-3-8b"}, "cluster": {"gpus": 64}, "training": {)" +
                         training + "}" + more + "}");
    };
    const Answer stages = of(R"("pipeline_parallel": 4, "accumulation": 8, "first_stage_layers": 7)");
    for (const LaunchFormat* format : {&kDeepspeed, &kFsdp2, &kAccelerate, &kAxolotl}) {
        INFO(format->name);
        CHECK(has_note(format->write(stages), "The file does not set “First stage's layers 7”"));
    }
    CHECK_FALSE(has_note(kMegatron.write(stages), "First stage's layers"));
    // The accumulation goes layer by layer without a pipeline, too.
    CHECK(has_note(kFsdp2.write(of(R"("schedule": "breadth-first", "accumulation": 4)")),
                   "The file does not set “Pipeline schedule breadth-first”"));
    const Answer whole_loss = of(R"("tensor_parallel": 2, "sequence_parallel": true)",
                                 R"(, "assumptions": {"parallel_loss": false})");
    for (const LaunchFormat* format : launch_formats()) {
        INFO(format->name);
        const LaunchText launch = format->write(whole_loss);
        if (format == &kTorchtitan) CHECK(holds(launch, "disable_loss_parallel = true\n"));
        else CHECK(has_note(launch, "“Parallel loss off”"));
    }
    CHECK(has_note(kAccelerate.write(of(R"("sequence_length": 16384)")),
                   "The program defines the model, with its sequence of 16,384"));
    // MaxText recomputes norms with every policy, so that the file is the same with and without them.
    CHECK(has_note(kMaxText.write(of(R"("recompute": "selective",
                       "recompute_modules": ["core_attention", "layernorm"])")),
                   "The scenario has “Recomputed modules LayerNorm + core attention”."));
    // The usual value needs no note, and neither does one that changes nothing.
    for (const LaunchFormat* format : launch_formats()) {
        INFO(format->name);
        CHECK_FALSE(has_note(
            format->write(of(R"("schedule": "1f1b", "cuda_graphs": false, "first_stage_layers": 7)")),
            "The file does not set"));
    }
}

TEST_CASE("launch: of models of the same shape, the file names that of the scenario's preset", "[launch]") {
    const auto base_model = [](const char* preset) {
        const LaunchText launch = kAxolotl.write(answer_of(R"({"model": {"preset": ")" + std::string(preset) +
                                                           R"("}, "training": {"sequence_length": 2048}})"));
        const std::size_t at = launch.text.find("base_model: ") + 12;
        return launch.text.substr(at, launch.text.find('\n', at) - at);
    };
    CHECK(base_model("llama-2-13b") == "meta-llama/Llama-2-13b-hf");
    CHECK(base_model("llama-13b") == "huggyllama/llama-13b");
    CHECK(base_model("llama-2-7b") == "meta-llama/Llama-2-7b-hf");
    CHECK(base_model("llama-7b") == "huggyllama/llama-7b");
}

TEST_CASE("launch: MaxText's dimensions fill the nodes, and a pipeline's micro-batches are one batch",
          "[launch]") {
    // Of 64 GPUs, 2 share a layer and 4 are stages: 8 have other sequences. A node of 8 GPUs holds the 2 of
    // a layer and 4 of the 8 that shard the weights. 8 micro-batches of 2 sequences on each of the 8 are 128
    // sequences, 2 for each GPU.
    const LaunchText launch = kMaxText.write(answer_of(R"({"model": {"preset": "llama-3-8b"},
        "cluster": {"gpus": 64, "software": "maxtext"},
        "training": {"sequence_length": 8192, "micro_batch": 2, "accumulation": 8, "sharding": "zero3",
            "tensor_parallel": 2, "sequence_parallel": true, "pipeline_parallel": 4, "virtual_stages": 2,
            "schedule": "breadth-first", "gradient_precision": "fp32", "recompute": "full"}})"));
    for (const char* line : {"base_config: base.yml\n",
                             "model_name: llama3-8b\n",
                             "max_target_length: 8192\n",
                             "per_device_batch_size: 2\n",
                             "gradient_accumulation_steps: 1\n",
                             "ici_tensor_sequence_parallelism: 2\n",
                             "ici_fsdp_parallelism: 4\n",
                             "dcn_fsdp_parallelism: 2\n",
                             "dcn_data_parallelism: 1\n",
                             "dcn_pipeline_parallelism: 4\n",
                             "scan_layers: false\n",
                             "num_layers_per_pipeline_stage: 4\n",
                             "num_pipeline_repeats: 2\n",
                             "num_pipeline_microbatches: 8\n",
                             "pipeline_fsdp_ag_once: false\n",
                             "weight_dtype: float32\n",
                             "grad_dtype: float32\n",
                             "opt_type: adamw\n",
                             "remat_policy: full\n",
                             "attention: cudnn_flash_te\n"}) {
        INFO(line);
        CHECK(holds(launch, line));
    }
    CHECK(launch.notes.size() == 1);  // data, tokenizer and learning rate
    CHECK(launch.command ==
          "JAX_COORDINATOR_IP=$HEAD_NODE JAX_COORDINATOR_PORT=29500 NNODES=8 NODE_RANK=$RANK_OF_NODE python3 "
          "-m maxtext.trainers.pre_train.train maxtext.yml");
    CHECK(slurm_job(kMaxText, launch).find("\nsrun bash -c 'JAX_COORDINATOR_IP=$HEAD_NODE ") !=
          std::string::npos);
    CHECK(has_note(kMaxText.write_as(answer_of("{}"), "plan.yaml"), "its name ends in .yml"));

    const auto file = [](const std::string& scenario) { return kMaxText.write(answer_of(scenario)); };
    // On a TPU slice nothing crosses slices, and three quarters of a sequence for each chip are a quarter of
    // three sequences for four.
    const LaunchText tpu = file(R"({"model": {"preset": "llama-3-70b"},
        "cluster": {"preset": "tpu-v5p-slice", "gpus": 1024}, "training": {"sharding": "zero3",
            "tensor_parallel": 4, "micro_batch": 3, "precision": "bf16"}})");
    CHECK(holds(tpu, "hardware: tpu\n"));
    CHECK(holds(tpu, "per_device_batch_size: 0.75\n"));
    CHECK(holds(tpu,
                "ici_tensor_sequence_parallelism: 4\nici_fsdp_parallelism: 256\ndcn_fsdp_parallelism: 1\n"));
    CHECK(holds(tpu, "attention: flash\n"));
    CHECK(tpu.command == "python3 -m maxtext.trainers.pre_train.train maxtext.yml");
    // 126 layers are 120 in 8 stages of 15, and 6 outside.
    const LaunchText uneven = file(R"({"model": {"preset": "llama-3.1-405b"}, "cluster": {"gpus": 64},
        "training": {"pipeline_parallel": 8, "accumulation": 8, "schedule": "gpipe"}})");
    CHECK(holds(uneven, "num_layers_per_pipeline_stage: 15\n"));
    CHECK(holds(uneven, "pipeline_parallel_layers: 120\n"));
    CHECK(has_note(uneven, "120 of the 126 layers"));
    // A shape without a name has its sizes.
    const LaunchText shape = file(R"({"model": {"preset": "gpt-3-175b"}, "cluster": {"gpus": 64}})");
    for (const char* line : {"decoder_block: gpt3\n", "base_emb_dim: 12288\n", "base_num_query_heads: 96\n",
                             "head_dim: 128\n", "base_mlp_dim: 49152\n", "base_num_decoder_layers: 96\n",
                             "mlp_activations: [gelu]\n", "trainable_position_size: 2048\n"}) {
        INFO(line);
        CHECK(holds(shape, line));
    }
    CHECK(launch_format_for(answer_of(R"({"cluster": {"software": "maxtext"}})").settings) == &kMaxText);
    CHECK(kMaxText.write(answer_of(R"({"model": {"preset": "resnet-50"}})")).text.empty());
}

TEST_CASE("launch: options that Megatron-LM supports for Adam alone are not written for other optimizers",
          "[launch]") {
    const auto script = [](const char* training) {
        return kMegatron.write(answer_of(R"({"cluster": {"software": "megatron-core"}, "training": {)" +
                                         std::string(training) + "}}"));
    };
    for (const char* refused : {R"("sharding": "ddp", "offload": "optimizer")",
                                R"("sharding": "zero1", "optimizer": "sgd", "offload": "optimizer")",
                                R"("sharding": "zero1", "optimizer": "muon", "offload": "optimizer")"}) {
        INFO(refused);
        CHECK_FALSE(holds(script(refused), "offload"));
        CHECK(has_note(script(refused), "it offloads only a sharded Adam"));
    }
    const LaunchText momentum =
        script(R"("sharding": "zero1", "optimizer": "momentum", "optimizer_precision": "bf16")");
    CHECK_FALSE(holds(momentum, "--use-precision-aware-optimizer"));
    CHECK(has_note(momentum, "only a sharded Adam can have state of lower precision"));
    const LaunchText muon = script(R"("sharding": "zero3", "optimizer": "muon")");
    CHECK(holds(muon, "--optimizer muon \\\n"));
    CHECK(holds(muon, "--use-distributed-optimizer"));
    CHECK_FALSE(holds(muon, "fsdp"));
    CHECK(has_note(muon, "ZeRO-1 is written"));
    const LaunchText lion = script(R"("sharding": "ddp", "optimizer": "lion")");
    CHECK(holds(lion, "--optimizer lion \\\n"));
    CHECK_FALSE(holds(lion, "--use-distributed-optimizer"));
    const LaunchText low =
        script(R"("sharding": "zero1", "offload": "optimizer", "moment_precision": "bf16")");
    CHECK_FALSE(holds(low, "--exp-avg-dtype"));
    CHECK(has_note(low, "keeps the state of an offloaded optimizer in fp32"));
    const LaunchText adam = script(R"("sharding": "zero1", "offload": "optimizer")");
    CHECK(holds(adam, "--use-precision-aware-optimizer"));
    CHECK(holds(adam, "--optimizer-cpu-offload"));
}

TEST_CASE("launch: for SGD under ZeRO the DeepSpeed config sets the option that allows it", "[launch]") {
    const auto config = [](const char* training) {
        return kDeepspeed.write(answer_of(R"({"cluster": {"software": "deepspeed"}, "training": {)" +
                                          std::string(training) + "}}"));
    };
    for (const char* optimizer : {"sgd", "momentum"}) {
        const std::string training = R"("sharding": "zero2", "optimizer": ")" + std::string(optimizer) + "\"";
        const LaunchText launch = config(training.c_str());
        CHECK(nlohmann::json::parse(launch.text)["zero_allow_untested_optimizer"] == true);
        CHECK(has_note(launch, "does not test ZeRO with SGD"));
    }
    CHECK_FALSE(holds(config(R"("sharding": "ddp", "optimizer": "sgd")"), "untested"));
    CHECK_FALSE(holds(config(R"("sharding": "zero2")"), "untested"));
    const LaunchText plain = config(R"("sharding": "ddp", "offload": "optimizer")");
    CHECK_FALSE(holds(plain, "offload"));
    CHECK(has_note(plain, "it offloads only with ZeRO"));
    const LaunchText group = config(R"("sharding": "hsdp", "shard_group": 8)");
    CHECK(holds(group, "\"mics_shard_size\": 8"));
    CHECK_FALSE(holds(group, "8.0"));
    CHECK(has_note(group, "before September 2026"));
}

TEST_CASE("launch: MaxText names accelerators that it does not run on", "[launch]") {
    const auto notes = [](const char* cluster) {
        std::string all;
        const Answer now =
            answer_of(std::string(R"({"model": {"preset": "llama-3-8b"}, "cluster": {"preset": ")") +
                      cluster + R"(", "gpus": 64, "software": "maxtext"}})");
        for (const std::string& note : kMaxText.write(now).notes) all += note + "\n";
        return all;
    };
    CHECK(notes("gaudi3-node").find("MaxText runs on TPUs and GPUs, not on") != std::string::npos);
    CHECK(notes("tpu-v5p-slice").find("not on") == std::string::npos);
    CHECK(notes("dgx-h100").find("not on") == std::string::npos);
}

TEST_CASE("launch: a file that cannot have the scenario's plan predicts itself", "[launch]") {
    const auto predicted = [](const char* training) {
        const LaunchText launch =
            kMegatron.write(answer_of(std::string(R"({"model": {"preset": "llama-3-70b"},
            "cluster": {"gpus": 64, "software": "megatron-core"}, "training": {"sharding": "zero1",
            "tensor_parallel": 4, "sequence_parallel": true, "pipeline_parallel": 4, "accumulation": 16,
            "sequence_length": 4096, "micro_batch": 1, )") +
                                      training + "}}"));
        const std::size_t at = launch.text.find("# Predicted: ");
        REQUIRE(at != std::string::npos);
        return launch.text.substr(at, launch.text.find('\n', at) - at);
    };
    CHECK(predicted(R"("schedule": "1f1b")").find("own plan") == std::string::npos);
    // Megatron-LM runs 1F1B instead of DualPipe.
    const std::string other = predicted(R"("schedule": "dualpipe")");
    CHECK(other.find("; the scenario's own plan: ") != std::string::npos);
    CHECK(other.starts_with(predicted(R"("schedule": "1f1b")")));
}
