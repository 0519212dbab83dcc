// Tests the two forms of torchtitan's settings that are written: TOML and a Python function.
#include <algorithm>
#include <catch2/catch.hpp>

#include "support/launch_writing.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("launch: torchtitan's batch is that of a whole pipeline, and it shards over the shard group",
          "[launch]") {
    // There are 16 data-parallel GPUs in 2 replicas of 8. With context parallel degree 2, parameters are
    // sharded over 4 of the 8.
    const LaunchText launch = kTorchtitan.write(answer_of(R"({"model": {"preset": "llama-3-8b"},
        "cluster": {"gpus": 64, "software": "fsdp2"},
        "training": {"sequence_length": 8192, "micro_batch": 2, "accumulation": 4, "sharding": "hsdp",
            "shard_group": 8, "context_parallel": 2, "pipeline_parallel": 2, "schedule": "gpipe",
            "gradient_precision": "fp32"}})"));
    CHECK(launch.notes.empty());
    for (const char* line :
         {"name = \"llama3\"\nflavor = \"8B\"\n", "local_batch_size = 8\n", "global_batch_size = 128\n",
          "pipeline_parallel_microbatch_size = 2\n", "data_parallel_replicate_degree = 4\n",
          "data_parallel_shard_degree = 4\n", "pipeline_parallel_schedule = \"GPipe\"\n",
          "pipeline_parallel_layers_per_stage = 16\n", "context_parallel_degree = 2\n"}) {
        INFO(line);
        CHECK(holds(launch, line));
    }
}

TEST_CASE("launch: torchtitan's Python function changes that of its registry", "[launch]") {
    const LaunchText launch = kTorchtitanPython.write(answer_of(R"({"model": {"preset": "llama-3-8b"},
        "cluster": {"gpus": 64, "software": "fsdp2"},
        "training": {"sequence_length": 8192, "micro_batch": 2, "accumulation": 4, "sharding": "hsdp",
            "shard_group": 8, "context_parallel": 2, "pipeline_parallel": 2, "schedule": "gpipe",
            "recompute": "full", "gradient_precision": "fp32"}})"));
    for (const char* line :
         {"from torchtitan.models.llama3.config_registry import llama3_8b\n", "def shardscope_plan():\n",
          "    config = llama3_8b()\n", "    config.training.num_tokens_per_microbatch_per_dp_rank = 16384\n",
          // 16 data-parallel ranks, 2 sequences, 4 micro-batches
          "    config.training.num_tokens_per_train_step = 1048576\n",
          "    config.parallelism.num_pp_microbatches = 4\n",
          "    config.parallelism.data_parallel_shard_degree = 4\n",
          "    config.parallelism.pipeline_parallel_schedule = \"GPipe\"\n",
          "    config.activation_checkpoint = FullAC.Config()\n", "    config.compile.enable = False\n"}) {
        INFO(line);
        CHECK(holds(launch, line));
    }
    CHECK(launch.command.find("--module llama3 --config shardscope_plan") != std::string::npos);
    CHECK(has_note(kTorchtitanPython.write(answer_of(R"({"model": {"preset": "qwen3-8b"}})")),
                   "your_function"));
    CHECK(holds(kTorchtitanPython.write(
                    answer_of(R"({"model": {"preset": "deepseek-v3"}, "cluster": {"gpus": 512}})")),
                "import deepseek_v3_671b\n"));
    // What only the TOML form lacks is not noted for the function.
    const Answer other = answer_of(R"({"model": {"preset": "llama-3-8b", "hidden_size": 5120},
        "training": {"tensor_parallel": 2, "sequence_parallel": false, "recompute": 0.3},
        "assumptions": {"parallel_loss": false}})");
    CHECK(has_note(kTorchtitanPython.write(other), "your_model, your_function and your_flavor"));
    for (const char* words : {"always includes sequence parallelism", "every n-th layer"}) {
        INFO(words);
        CHECK(has_note(kTorchtitan.write(other), words));
        CHECK_FALSE(has_note(kTorchtitanPython.write(other), words));
    }
    CHECK(has_note(kTorchtitanPython.write(other), "is written as every layer"));
    CHECK(has_note(kTorchtitanPython.write(other), "has no option for “Parallel loss off”"));
}

TEST_CASE("launch: torchtitan's Python function converts the layers and experts of the plan's precision",
          "[launch]") {
    const auto written = [](const char* model, const char* cluster, const char* training) {
        return kTorchtitanPython.write(answer_of(
            R"({"model": {"preset": ")" + std::string(model) + R"("}, "cluster": {"preset": ")" + cluster +
            R"(", "gpus": 512, "software": "fsdp2-compile"}, "training": {)" + training + "}}"));
    };
    const LaunchText fp8 = written("deepseek-v3", "dgx-h100", R"("precision": "fp8", "expert_parallel": 8,
        "moe_dispatcher": "deepep", "fp8_recipe": "tensorwise")");
    INFO(fp8.text);
    CHECK(holds(fp8, R"(from torchtitan.components.quantization import (
    Float8LinearConverter,
    Float8GroupedExpertsConverter,
)
)"));
    CHECK(holds(fp8, R"(    config.compile.enable = True
    config.compile.components = ["model", "loss"]
    config.compile.enable_async_tensor_parallel = False
    config.model_spec = model_registry(
        "671B", moe_comm_backend="deepep",
        converters=[
            Float8LinearConverter.Config(model_compile_enabled=True, recipe_name="rowwise", filter_fqns=["lm_head", "router.gate"]),
            Float8GroupedExpertsConverter.Config(model_compile_enabled=True),
        ],
    )
)"));
    // Each is for GPUs that compute in it.
    const LaunchText mxfp8 = written("qwen3-30b-a3b", "dgx-b200", R"("precision": "mxfp8")");
    CHECK(holds(mxfp8,
                "MXFP8LinearConverter.Config(model_compile_enabled=True, fqns=[\"attention\", "
                "\"shared_experts\", \"feed_forward\"]),\n"));
    CHECK(
        holds(mxfp8, "MXFP8GroupedExpertsConverter.Config(model_compile_enabled=True, pad_multiple=128),\n"));
    const LaunchText nvfp4 = written("llama-3-8b", "dgx-b200", R"("precision": "nvfp4")");
    CHECK(holds(nvfp4, "NVFP4LinearConverter.Config(model_compile_enabled=True, fqns=[\"layers\"]),\n"));
    CHECK(has_note(written("qwen3-30b-a3b", "dgx-b200", R"("precision": "nvfp4")"), "stay in bf16"));
    // torchtitan's own function for 405B converts to fp8, which a plan in bf16 takes back.
    const LaunchText bf16 = written("llama-3.1-405b", "dgx-h100", R"("precision": "bf16")");
    CHECK(holds(bf16, "    config.model_spec = model_registry(\"405B\")\n"));
    CHECK_FALSE(holds(bf16, "Converter"));
}

// Source: pytorch/torchtitan, model_registry and deepseek_v3_debugmodel_mtp in torchtitan/models/deepseek_v3
// at commit b5bcd76; MTP.md there says that prediction layers exclude context and pipeline parallelism.
TEST_CASE("launch: torchtitan's registry has DeepSeek-V3 with prediction layers", "[launch]") {
    const auto with = [](const std::string& more) {
        return kTorchtitanPython.write(answer_of(R"({"model": {"preset": "deepseek-v3", "mtp_layers": 1},
            "cluster": {"gpus": 512}, "training": {"expert_parallel": 8)" +
                                                 more + "}}"));
    };
    const LaunchText launch = with("");
    INFO(launch.text);
    CHECK(holds(launch, "import deepseek_v3_671b\n"));
    CHECK(holds(launch, "    config.model_spec = model_registry(\"671B\", num_mtp_layers=1)\n"));
    CHECK(holds(launch, "from torchtitan.models.deepseek_v3.mtp import MTPLoss\n"));
    CHECK(
        holds(launch,
              "    config.loss = MTPLoss.Config(global_vocab_size=decoder_vocab_size(config.model_spec))\n"));
    CHECK_FALSE(has_note(launch, "your_model"));
    CHECK_FALSE(has_note(launch, "neither context nor pipeline"));
    CHECK(has_note(with(R"(, "context_parallel": 2)"), "neither context nor pipeline"));
    const LaunchText without = kTorchtitanPython.write(
        answer_of(R"({"model": {"preset": "deepseek-v3"}, "cluster": {"gpus": 512}})"));
    CHECK_FALSE(holds(without, "mtp"));
    // The registries of other models have none.
    CHECK(has_note(
        kTorchtitanPython.write(answer_of(R"({"model": {"preset": "llama-3-8b", "mtp_layers": 1}})")),
        "your_model"));
}

// Source: pytorch/torchtitan, ParallelDims in torchtitan/distributed/parallel_dims.py.
TEST_CASE("launch: torchtitan's expert-parallel groups include the tensor-parallel GPUs", "[launch]") {
    const auto plan = [](int gpus, int expert_parallel, int expert_tensor) {
        return answer_of(R"({"model": {"preset": "qwen3-235b-a22b"}, "cluster": {"gpus": )" +
                         std::to_string(gpus) +
                         R"(}, "training": {"sharding": "hsdp", "shard_group": 32, "tensor_parallel": 2,
            "expert_tensor_parallel": )" +
                         std::to_string(expert_tensor) + R"(, "expert_parallel": )" +
                         std::to_string(expert_parallel) + "}}");
    };
    const char* const kWithin = "requires expert parallelism within";
    // 32 shards of 2 tensor-parallel GPUs are 64, in groups of 64.
    const Answer fitting = plan(64, 64, 1);
    CHECK_FALSE(has_note(kTorchtitanPython.write(fitting), kWithin));
    CHECK_FALSE(has_note(kTorchtitan.write(fitting), kWithin));
    CHECK(holds(kTorchtitan.write(fitting), "expert_tensor_parallel_degree = 1\n"));
    // Of 256 GPUs, 64 hold one copy of the weights, which are too few for groups of 128.
    const Answer wide = plan(256, 128, 1);
    CHECK(has_note(kTorchtitanPython.write(wide), kWithin));
    CHECK(has_note(kTorchtitan.write(wide), kWithin));
    // Where both GPUs split each matrix of an expert, the 32 shards are in groups of 64 only without that.
    const Answer split = plan(128, 64, 2);
    CHECK(has_note(kTorchtitan.write(split), kWithin));
    CHECK(holds(kTorchtitan.write(split), "expert_tensor_parallel_degree = 2\n"));
    CHECK_FALSE(has_note(kTorchtitanPython.write(split), kWithin));
    CHECK(has_note(kTorchtitanPython.write(split), "the experts' matrices are not split"));
}

TEST_CASE("launch: torchtitan splits the layers as the estimate does, or a note gives both splits",
          "[launch]") {
    const auto config = [](int layers, int stages, const char* more) {
        return kTorchtitan.write(answer_of(R"({"model": {"preset": "llama-3-8b", "layers": )" +
                                           std::to_string(layers) +
                                           R"(}, "training": {"sequence_length": 4096, "accumulation": 16,
            "gradient_precision": "fp32", "pipeline_parallel": )" +
                                           std::to_string(stages) + more + "}}"));
    };
    const auto less = [](const LaunchText& launch, int first, int last) {
        return holds(launch, "first_stage_less_layers = " + std::to_string(first) + "\n") &&
               holds(launch, "last_stage_less_layers = " + std::to_string(last) + "\n");
    };
    const char* const kPartitions = "torchtitan partitions";
    // The stages have 8 layers each, or 7, 8, …, 8, 7 layers on 8 stages if the ends count one more.
    CHECK(less(config(32, 4, ""), 0, 0));
    CHECK_FALSE(has_note(config(32, 4, ""), kPartitions));
    CHECK(less(config(62, 8, ""), 1, 1));
    CHECK_FALSE(has_note(config(62, 8, ""), kPartitions));
    // 31 = 8 + 8 + 8 + 7: torchtitan also gives the remaining layers to the first stages.
    CHECK(less(config(31, 4, ""), 0, 0));
    CHECK_FALSE(has_note(config(31, 4, ""), kPartitions));
    // Both give the two remaining layers to the first of the middle stages.
    CHECK(less(config(34, 8, ""), 1, 0));
    CHECK_FALSE(has_note(config(34, 8, ""), kPartitions));
    // The stages have 10 layers each, less 3 and 5 at the ends.
    const LaunchText given = config(32, 4, R"(, "first_stage_layers": 7, "last_stage_layers": 5)");
    CHECK(less(given, 3, 5));
    CHECK_FALSE(has_note(given, kPartitions));
    // The first stage gets the remaining layer in torchtitan, too.
    CHECK(less(config(33, 4, R"(, "first_stage_layers": 9, "last_stage_layers": 8)"), 0, 0));
    // torchtitan cannot give a stage more layers for its missing end.
    const LaunchText full = config(32, 4, R"(, "first_stage_layers": 14, "last_stage_layers": 6)");
    CHECK(has_note(full, "partitions the 32 layers as 8, 8, 8 and 8, the estimate as 14, 6, 6 and 6;"));
    // With 33 layers in eight virtual stages, GPU i of four has the stages i and i + 4; the extra layer goes
    // to the second GPU.
    const char* const pieces = R"(, "virtual_stages": 2)";
    CHECK(less(config(33, 4, pieces), 1, 0));
    CHECK_FALSE(has_note(config(33, 4, pieces), kPartitions));
    CHECK_FALSE(has_note(config(36, 4, pieces), kPartitions));
    CHECK_FALSE(has_note(config(34, 32, ""), kPartitions));
    CHECK_FALSE(has_note(config(34, 4, pieces), kPartitions));
}

TEST_CASE("launch: torchtitan's TOML names DeepSeek-V3 without its prediction layers", "[launch]") {
    const Scenario scenario =
        of_model("deepseek-v3", {{P::gpus, 2048}, {P::mtp_layers, 1}, {P::expert_parallel, 64}});
    const LaunchText toml = kTorchtitan.write(answer(scenario));
    CHECK(toml.text.find("name = \"deepseek_v3\"") != std::string::npos);
    CHECK(toml.text.find("flavor = \"671B\"") != std::string::npos);
    CHECK(has_note(toml, "has no prediction layers"));
}
