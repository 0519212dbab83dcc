// Tests the programs that are written for Megatron-Bridge: changes of a recipe, and models that have none.
#include <algorithm>
#include <catch2/catch.hpp>

#include "launch/launch.h"
#include "support/launch_writing.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("launch: Megatron-Bridge's program changes a recipe", "[launch]") {
    const LaunchText launch = kMegatronBridge.write(answer_of(R"({"model": {"preset": "llama-3-70b"},
        "cluster": {"gpus": 64, "software": "megatron-bridge"},
        "training": {"sequence_length": 8192, "micro_batch": 1, "global_batch": 128, "sharding": "zero1",
            "tensor_parallel": 4, "sequence_parallel": true, "async_tensor_parallel": true,
            "pipeline_parallel": 4, "virtual_stages": 5, "precision": "fp8", "fp8_recipe": "tensorwise",
            "recompute": "selective", "recompute_modules": ["core_attention", "mlp"],
            "gradient_precision": "fp32"}})"));
    for (const char* line :
         {"from megatron.bridge.recipes.llama import llama3_70b_pretrain_config\n",
          "    cfg = llama3_70b_pretrain_config()\n", "    cfg.model.tensor_model_parallel_size = 4\n",
          "    cfg.model.virtual_pipeline_model_parallel_size = 5\n",
          "    cfg.train.global_batch_size = 128\n",
          "    cfg.model.recompute_modules = [\"core_attn\", \"mlp\"]\n",
          "    cfg.mixed_precision = get_mixed_precision_config(\"bf16_with_fp8_current_scaling_mixed\")\n",
          "    cfg.mixed_precision.grad_reduce_in_fp32 = True\n", "    cfg.optimizer.optimizer = \"adam\"\n",
          "    cfg.model.attention_backend = AttnBackend.auto\n",
          "    cfg.comm_overlap = CommOverlapConfig(tp_comm_overlap=True)\n",
          "    cfg.comm_overlap.overlap_grad_reduce = True\n",
          "    cfg.mixed_precision.first_last_layers_bf16 = False\n",
          "    cfg.tokenizer.vocab_size = 128256\n",
          "    pretrain(config=shardscope_plan(), forward_step_func=forward_step)\n"}) {
        INFO(line);
        CHECK(holds(launch, line));
    }
    CHECK(launch.command.find("pretrain.py") != std::string::npos);
    // Gradients in bf16, replicas of the shards and the optimizer's own precision are in the configuration.
    const LaunchText other = kMegatronBridge.write(answer_of(R"({"model": {"preset": "llama-3-8b"},
        "training": {"sharding": "zero1", "shard_group": 8, "gradient_precision": "bf16",
            "optimizer_precision": "bf16"}})"));
    // What recipes set and the plan does not have is taken back; the dataset has the length of the model.
    const LaunchText replicated = kMegatronBridge.write(answer_of(R"({"model": {"preset": "deepseek-v3"},
        "training": {"sequence_length": 2048, "sharding": "ddp", "optimizer": "adamw"}})"));
    for (const char* line :
         {"    cfg.dataset.seq_length = 2048\n", "    cfg.model.seq_length = 2048\n",
          "    cfg.ddp.use_distributed_optimizer = False\n",
          "    cfg.optimizer.use_distributed_optimizer = False\n",
          "    cfg.optimizer.use_precision_aware_optimizer = False\n",
          "    cfg.optimizer.exp_avg_dtype = torch.float32\n", "    cfg.model.mtp_num_layers = None\n",
          "    cfg.model.pipeline_model_parallel_layout = None\n"}) {
        INFO(line);
        CHECK(holds(replicated, line));
    }
    const LaunchText muon = kMegatronBridge.write(answer_of(R"({"model": {"preset": "llama-3-8b"},
        "training": {"sharding": "zero1", "optimizer": "muon"}})"));
    CHECK(holds(muon, "    cfg.optimizer.optimizer = \"dist_muon\"\n"));
    CHECK(holds(muon, "    cfg.ddp.use_distributed_optimizer = False\n"));
    for (const char* line : {"import torch\n", "    cfg.mixed_precision.grad_reduce_in_fp32 = False\n",
                             "    cfg.ddp.num_distributed_optimizer_instances = 8\n",
                             "    cfg.optimizer.exp_avg_dtype = torch.bfloat16\n"}) {
        INFO(line);
        CHECK(holds(other, line));
    }
}

TEST_CASE("launch: Megatron-Bridge's program describes a model that no recipe has", "[launch]") {
    const auto program = [](const char* model) {
        return kMegatronBridge.write(answer_of(R"({"model": )" + std::string(model) +
                                               R"(, "cluster": {"gpus": 64, "software": "megatron-bridge"},
            "training": {"sequence_length": 4096, "sharding": "zero1"}})"));
    };
    const LaunchText dense = program(R"({"preset": "phi-4", "layers": 36})");
    for (const char* line :
         {"from megatron.bridge.models.gpt_provider import GPTModelProvider\n",
          "from megatron.bridge.recipes.common import _pretrain_common\n",
          "    cfg = _pretrain_common()\n    cfg.model = GPTModelProvider()\n",
          "    cfg.model.activation_func = torch.nn.functional.silu\n", "    cfg.model.num_layers = 36\n",
          "    cfg.model.hidden_size = 5120\n", "    cfg.model.num_query_groups = 10\n",
          "    cfg.model.vocab_size = 100352\n", "    cfg.tokenizer.vocab_size = 100352\n",
          "    cfg.model.gated_linear_unit = True\n", "    cfg.model.add_bias_linear = False\n",
          "    cfg.model.share_embeddings_and_output_weights = False\n"}) {
        INFO(line);
        CHECK(holds(dense, line));
    }
    CHECK_FALSE(holds(dense, "your_"));
    const LaunchText latent = program(R"({"preset": "kimi-k2"})");
    for (const char* line :
         {"from functools import partial\n", "    cfg.model = MLAModelProvider()\n",
          "    cfg.model.transformer_layer_spec = partial(get_gpt_decoder_block_spec, "
          "use_transformer_engine=True)\n",
          "    cfg.model.num_moe_experts = 384\n", "    cfg.model.moe_layer_freq = ([0]*1+[1]*60)\n",
          "    cfg.model.kv_lora_rank = 512\n"}) {
        INFO(line);
        CHECK(holds(latent, line));
    }
    CHECK(holds(program(R"({"preset": "gemma-3-27b"})"), "    cfg.model.window_size = (1023, 0)\n"));
    // What a recipe sets is not written a second time.
    CHECK_FALSE(holds(program(R"({"preset": "llama-3-8b"})"), "hidden_size"));
}

TEST_CASE("launch: Megatron-Bridge's program describes hybrid models and layers in any order", "[launch]") {
    const auto check_lines = [](const std::string& model, std::initializer_list<const char*> lines) {
        const LaunchText launch = kMegatronBridge.write(
            answer_of(R"({"model": )" + model + R"(, "cluster": {"gpus": 64, "software": "megatron-bridge"},
            "training": {"sequence_length": 4096, "sharding": "zero1"}})"));
        INFO(model);
        for (const char* line : lines) {
            INFO(line);
            CHECK(holds(launch, line));
        }
        return launch;
    };
    const LaunchText hybrid =
        check_lines(R"({"preset": "nemotron-h-56b"})",
                    {"from megatron.bridge.models.hybrid.hybrid_provider import HybridModelProvider\n",
                     "    cfg.model = HybridModelProvider()\n    cfg.model.is_hybrid_model = True\n",
                     "    cfg.model.hybrid_layer_pattern = \"M-M-", "    cfg.model.mamba_state_dim = 256\n",
                     "    cfg.model.position_embedding_type = \"none\"\n"});
    CHECK_FALSE(holds(hybrid, "model.num_layers ="));
    CHECK_FALSE(holds(hybrid, "transformer_layer_spec"));
    // Experts are letters of the pattern.
    CHECK_FALSE(holds(
        check_lines(R"({"preset": "nemotron-3-nano-30b-a3b"})",
                    {"    cfg.model = HybridModelProvider()\n", "    cfg.model.num_moe_experts = 128\n"}),
        "transformer_layer_spec"));
    check_lines(R"({"preset": "qwen3-next-80b-a3b"})",
                {"from megatron.core.models.gpt.experimental_attention_variant_module_specs import "
                 "get_transformer_block_with_experimental_attention_variant_spec\n",
                 "    cfg.model.transformer_layer_spec = "
                 "get_transformer_block_with_experimental_attention_variant_spec\n",
                 "    cfg.model.hetereogenous_dist_checkpoint = True\n",
                 "    cfg.model.experimental_attention_variant = \"gated_delta_net\"\n",
                 "    cfg.model.linear_attention_freq = 4\n", "    cfg.model.linear_num_value_heads = 32\n"});
    check_lines(R"({"preset": "llama-4-maverick"})",
                {"    cfg.model.transformer_layer_spec = partial(get_gpt_decoder_block_spec, "
                 "use_transformer_engine=True)\n",
                 "    cfg.model.moe_layer_freq = ([0]*1+[1]*1)*24\n"});
    check_lines(R"({"preset": "gemma-3-12b", "layer_pattern": ["sliding", "sliding", "full", "full"]})",
                {"    cfg.model.window_size = (1023, 0)\n",
                 "    cfg.model.window_attn_skip_freq = ([1]*2+[0]*2)*12\n"});
    // The pattern separates the stages of a pipeline.
    CHECK(holds(kMegatronBridge.write(answer_of(R"({"model": {"preset": "nemotron-3-nano-30b-a3b"},
        "cluster": {"gpus": 64}, "training": {"pipeline_parallel": 2, "sharding": "zero1", "accumulation": 8}})")),
                "|"));
}
