// Tests that the written settings keep the rules of the tools between their options.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "launch/launch.h"
#include "support/launch_options.h"
#include "support/launch_plans.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Checks torchtitan's rules: the batch is whole micro-batches of all data-parallel ranks, CUDA graphs have
// neither a pipeline nor expert parallelism, and asynchronous tensor parallelism needs the compiler.
void check_python_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all(options.begin(), options.end());
    const auto number = [&](const char* field) { return std::stod(all[field]); };
    const double data = number("parallelism.data_parallel_replicate_degree") *
                        number("parallelism.data_parallel_shard_degree");
    const double micro = number("training.num_tokens_per_microbatch_per_dp_rank") * data;
    REQUIRE(std::fmod(number("training.num_tokens_per_train_step"), micro) == 0);
    REQUIRE(number("training.num_tokens_per_train_step") / micro == answer.settings[P::accumulation]);
    REQUIRE(std::fmod(number("training.num_tokens_per_microbatch_per_dp_rank"),
                      number("training.max_context_length")) == 0);
    REQUIRE(data * number("parallelism.tensor_parallel_degree") *
                number("parallelism.context_parallel_degree") *
                number("parallelism.pipeline_parallel_degree") ==
            answer.settings[P::gpus]);
    if (number("parallelism.expert_parallel_degree") > 1 ||
        number("parallelism.pipeline_parallel_degree") > 1)
        REQUIRE(all["training.disable_cuda_graphs"] == "True");
    if (all["compile.enable_async_tensor_parallel"] == "True") REQUIRE(all["compile.enable"] == "True");
}

// Checks Megatron-LM's rules between options: validate_args, and OptimizerConfig.__post_init__.
void check_megatron_rules(const Written& options, const Answer& /*answer*/) {
    std::map<std::string, std::string> all;
    for (const auto& [name, value] : options) {
        INFO(name);
        REQUIRE(all.emplace(name, value).second);
    }
    const auto has = [&](const char* name) { return all.contains(name); };
    const auto wants = [&](const char* name, const char* other) {
        INFO(name << " without " << other);
        REQUIRE((!has(name) || has(other)));
    };
    const auto excludes = [&](const char* name, const char* other) {
        INFO(name << " with " << other);
        REQUIRE_FALSE((has(name) && has(other)));
    };
    wants("--use-precision-aware-optimizer", "--use-distributed-optimizer");
    if (has("--use-precision-aware-optimizer")) REQUIRE(all["--optimizer"] == "adam");
    for (const char* option :
         {"--main-grads-dtype", "--exp-avg-dtype", "--exp-avg-sq-dtype", "--optimizer-cpu-offload"})
        wants(option, "--use-precision-aware-optimizer");
    excludes("--main-grads-dtype", "--accumulate-allreduce-grads-in-fp32");
    if (has("--optimizer-cpu-offload") && has("--fp8-param-gather"))
        REQUIRE(all["--fp8-recipe"] == "delayed");
    // An offloaded optimizer ignores them.
    excludes("--exp-avg-dtype", "--optimizer-cpu-offload");
    for (const char* option : {"--use-megatron-fsdp", "--num-distributed-optimizer-instances",
                               "--overlap-param-gather", "--data-parallel-sharding-strategy"})
        wants(option, "--use-distributed-optimizer");
    wants("--overlap-param-gather", "--overlap-grad-reduce");
    wants("--tp-comm-overlap", "--sequence-parallel");
    if (has("--use-megatron-fsdp")) REQUIRE(all["--ckpt-format"] == "fsdp_dtensor");
    // Emerging optimizers are sharded matrix by matrix, not by Megatron-FSDP.
    if (all["--optimizer"] == "muon" || all["--optimizer"] == "lion") {
        REQUIRE_FALSE(has("--use-megatron-fsdp"));
        REQUIRE_FALSE(has("--ckpt-format"));
        REQUIRE_FALSE(has("--num-distributed-optimizer-instances"));
    }
    excludes("--multi-latent-attention", "--attention-output-gate");
    excludes("--multi-latent-attention", "--group-query-attention");
    wants("--moe-shared-expert-gate", "--moe-shared-expert-intermediate-size");
    for (const char* other : {"--recompute-granularity", "--cuda-graph-impl"})
        excludes("--cpu-offloading-num-layers", other);
    if (has("--cpu-offloading-num-layers")) {
        REQUIRE(all["--pipeline-model-parallel-size"] == "1");
        const std::string pattern = all["--hybrid-layer-pattern"];
        const double letters =
            static_cast<double>(pattern.size()) - 2 - static_cast<double>(std::ranges::count(pattern, '|'));
        const double layers = letters > 0 ? letters : std::stod(all["--num-layers"]);
        REQUIRE(std::stod(all["--cpu-offloading-num-layers"]) < layers);
    }
    if (has("--mtp-num-layers")) REQUIRE(all["--position-embedding-type"] != "learned_absolute");
    if (has("--expert-model-parallel-size") && has("--num-experts"))
        REQUIRE(std::fmod(std::stod(all["--num-experts"]), std::stod(all["--expert-model-parallel-size"])) ==
                0);
    if (std::stod(all["--context-parallel-size"]) > 1 && all["--cp-comm-type"] == "a2a+p2p")
        REQUIRE(has("--hierarchical-context-parallel-sizes"));
    excludes("--accumulate-allreduce-grads-in-fp32", "--grad-reduce-in-bf16");
    excludes("--bf16", "--fp16");
    excludes("--num-layers-per-virtual-pipeline-stage", "--num-virtual-stages-per-pipeline-rank");
    for (const char* partition :
         {"--decoder-first-pipeline-num-layers", "--account-for-embedding-in-pipeline-split"})
        excludes(partition, "--pipeline-model-parallel-layout");
    // The pattern of a hybrid model separates its stages.
    for (const char* partition :
         {"--num-layers-per-virtual-pipeline-stage", "--pipeline-model-parallel-layout",
          "--account-for-embedding-in-pipeline-split", "--decoder-first-pipeline-num-layers"})
        excludes("--hybrid-layer-pattern", partition);
    if (has("--hybrid-layer-pattern")) {
        const auto stages = std::ranges::count(all["--hybrid-layer-pattern"], '|') + 1;
        REQUIRE(stages % std::stol(all["--pipeline-model-parallel-size"]) == 0);
    }
    const auto recomputes = [&](const char* module) {
        return (" " + all["--recompute-modules"] + " ").find(" " + std::string(module) + " ") !=
               std::string::npos;
    };
    if (recomputes("moe_act")) REQUIRE(has("--moe-grouped-gemm"));
    if (has("--overlap-moe-expert-parallel-comm") && has("--mtp-num-layers"))
        REQUIRE(all["--mtp-num-layers"] == "1");
    if (recomputes("moe")) REQUIRE(all["--cuda-graph-modules"].find("moe_router") == std::string::npos);
    if (recomputes("mla_up_proj")) REQUIRE(has("--multi-latent-attention"));
    if (recomputes("layernorm") || recomputes("moe_act")) REQUIRE(all["--fp8-recipe"] != "delayed");
    if (has("--overlap-moe-expert-parallel-comm")) {
        REQUIRE((has("--bf16") || has("--fp16")));
        REQUIRE(all["--recompute-granularity"] != "full");
        REQUIRE_FALSE(recomputes("moe"));
    }
    excludes("--decoder-first-pipeline-num-layers", "--account-for-embedding-in-pipeline-split");
}

// Checks DeepSpeed's rules: the batch, which deepspeed/runtime/config.py compares with the GPUs that are not
// in a sequence parallel group, the optimizers with which ZeRO is tested, what each stage can offload, and
// what does not combine.
void check_deepspeed_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all(options.begin(), options.end());
    const Settings& s = answer.settings;
    if (all.contains("train_batch_size")) {
        // A pipeline's module has an mpu, which knows the stages.
        double world = s[P::gpus] / s[P::pipeline_parallel];
        if (all.contains("sequence_parallel_size")) world /= std::stod(all["sequence_parallel_size"]);
        REQUIRE(std::stod(all["train_batch_size"]) == std::stod(all["train_micro_batch_size_per_gpu"]) *
                                                          std::stod(all["gradient_accumulation_steps"]) *
                                                          world);
    }
    REQUIRE_FALSE((all.contains("tensor_parallel.autotp_size") && all.contains("expert_parallel.enabled")));
    if (all.contains("data_types.grad_accum_dtype")) REQUIRE(all["bf16.enabled"] == "true");
    const int stage = std::stoi(all["zero_optimization.stage"]);
    if (all["optimizer.type"] == "SGD" && stage > 0) REQUIRE(all["zero_allow_untested_optimizer"] == "true");
    if (all.contains("zero_optimization.offload_optimizer.device")) REQUIRE(stage > 0);
    if (all.contains("zero_optimization.offload_param.device")) REQUIRE(stage == 3);
    if (all.contains("zero_optimization.mics_shard_size")) REQUIRE(stage == 3);
}

// Checks the rules of Accelerate's ParallelismConfig (__post_init__): the degrees multiply to the number of
// processes, and replicas need a sharded dimension, beside tensor and context parallelism above all.
void check_accelerate_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all(options.begin(), options.end());
    const double processes = std::stod(all["num_processes"]);
    REQUIRE(processes == answer.settings[P::gpus] / answer.settings[P::pipeline_parallel]);
    REQUIRE(std::fmod(processes, std::stod(all["num_machines"])) == 0);
    REQUIRE(processes <= std::stod(all["num_machines"]) * answer.settings[P::gpus_used_per_node]);
    const auto size = [&](const std::string& name) {
        return std::stod(all["parallelism_config.parallelism_config_" + name + "_size"]);
    };
    if (all["distributed_type"] == "MULTI_GPU") {
        REQUIRE_FALSE(all.contains("fsdp_config.fsdp_version"));
        // Tensor parallelism over all processes has nothing to shard over.
        if (all.contains("parallelism_config.parallelism_config_tp_size")) REQUIRE(size("tp") == processes);
        return;
    }
    REQUIRE(size("dp_replicate") * size("dp_shard") * size("cp") * size("tp") == processes);
    if (size("dp_replicate") > 1) REQUIRE(size("dp_shard") > 1);
}

// Checks axolotl's rules: the dimensions that axolotl/utils/distributed.py multiplies to the number of
// processes, what the validators of the schema refuse together, and what the plugin of expert parallelism
// demands of the dimensions.
void check_axolotl_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all = each_once(options);
    const Settings& s = answer.settings;
    const auto size = [&](const char* key) { return all.contains(key) ? std::stod(all[key]) : 1; };
    const double gpus = s[P::gpus];
    const double divided = size("tensor_parallel_size") * size("context_parallel_size");
    REQUIRE(std::fmod(gpus, divided) == 0);
    const bool fsdp = all.contains("fsdp_version");
    REQUIRE(fsdp == all.contains("dp_shard_size"));
    REQUIRE_FALSE((fsdp && all.contains("deepspeed")));
    if (fsdp)
        REQUIRE(divided * size("dp_shard_size") * size("dp_replicate_size") * size("expert_parallel_size") ==
                gpus);
    if (all.contains("dp_replicate_size")) REQUIRE(size("dp_shard_size") > 1);
    if (all.contains("expert_parallel_size")) {
        REQUIRE(fsdp);
        REQUIRE(size("tensor_parallel_size") == 1);
        REQUIRE_FALSE(all.contains("dp_replicate_size"));
    }
    if (all["optimizer"] == "muon") REQUIRE_FALSE(all.contains("deepspeed"));
    if (all["fp8"] == "true" && fsdp) REQUIRE(all["fsdp_config.cpu_ram_efficient_loading"] == "false");
    if (all.contains("activation_offloading")) REQUIRE(all["gradient_checkpointing"] == "true");
    if (all.contains("fp8_enable_fsdp_float8_all_gather")) REQUIRE(fsdp);
    if (all.contains("torch_compile_options.triton.cudagraphs")) REQUIRE(all["torch_compile"] == "true");
    if (all.contains("cut_cross_entropy")) REQUIRE((all["bf16"] == "true" || all["fp16"] == "true"));
    if (size("context_parallel_size") > 1) {
        REQUIRE(all["attn_implementation"] == "flash_attention_2");
        REQUIRE((all["sample_packing"] == "false" || all["micro_batch_size"] == "1"));
    }
    // A batch of the optimizer has at least the scenario's sequences.
    const double batch = size("micro_batch_size") * size("gradient_accumulation_steps") * gpus / divided;
    if (s[P::pipeline_parallel] <= 1) REQUIRE(batch == s[P::global_batch]);
    else REQUIRE(batch >= s[P::global_batch]);
}

// Checks MaxText's rules: the dimensions fill the slices and their number (max_utils.py), the batch is whole,
// the stages have equally many layers, and what types.py refuses together.
void check_maxtext_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all = each_once(options);
    const Settings& s = answer.settings;
    const auto number = [&](const std::string& key, double otherwise = 1) {
        return all.contains(key) ? std::stod(all[key]) : otherwise;
    };
    double inside = 1;
    double across = 1;
    for (const char* name : {"data", "fsdp", "context", "tensor", "tensor_sequence", "pipeline", "expert"}) {
        inside *= number("ici_" + std::string(name) + "_parallelism");
        across *= number("dcn_" + std::string(name) + "_parallelism");
    }
    REQUIRE(inside == std::fmin(s[P::gpus], s[P::gpus_used_per_node]));
    REQUIRE(inside * across == s[P::gpus]);
    const double stages = number("ici_pipeline_parallelism") * number("dcn_pipeline_parallelism");
    REQUIRE(stages == s[P::pipeline_parallel]);
    const double forward = std::floor(number("per_device_batch_size") * s[P::gpus]);
    const double accumulated = number("gradient_accumulation_steps");
    if (stages > 1) {
        const double batches = number("num_pipeline_microbatches");
        REQUIRE(std::fmod(batches, stages) == 0);
        REQUIRE(forward * s[P::accumulation] == batches * s[P::global_batch]);
        REQUIRE(accumulated == 1);
        REQUIRE(stages * number("num_pipeline_repeats") * number("num_layers_per_pipeline_stage") ==
                number("pipeline_parallel_layers"));
        REQUIRE(number("pipeline_parallel_layers") <= s[P::layers]);
    } else {
        REQUIRE(forward * accumulated == s[P::global_batch]);
    }
    if (all["quantization"] == "te_fp8_delayedscaling") REQUIRE(accumulated == 1);
    // Transformer Engine's layers have neither experts nor sinks.
    if (all["quantization"].starts_with("te_")) REQUIRE_FALSE(all.contains("num_experts"));
    if (all["attention_sink"] == "true") REQUIRE(all["attention"] != "cudnn_flash_te");
    if (all["use_ring_of_experts"] == "true")
        REQUIRE(number("ici_expert_parallelism") * number("dcn_expert_parallelism") > 1);
    if (all["remat_policy"] == "custom") REQUIRE(all["decoder_layer_input"] == "offload");
    REQUIRE(all.contains("model_name") != all.contains("decoder_block"));
    if (all["packing"] == "true") REQUIRE(number("max_segments_per_seq") > 0);
    if (all.contains("num_vocab_tiling"))
        REQUIRE(std::fmod(number("per_device_batch_size") * s[P::sequence_length],
                          number("num_vocab_tiling")) == 0);
    if (all.contains("num_experts") && number("first_num_dense_layers", 0) == 0)
        REQUIRE(all["base_mlp_dim"] == all["base_moe_mlp_dim"]);
}

// Checks that Primus gets every flag that its defaults switch on.
void check_primus_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all = each_once(options);
    REQUIRE(all.contains("sequence_parallel"));
    REQUIRE(all["num_layers"] == std::to_string(static_cast<int>(answer.settings[P::layers])));
    REQUIRE(all.contains("window_attn_skip_freq") <= all.contains("window_size"));
    REQUIRE_FALSE((all.contains("fp8") && all.contains("fp4")));
    if (all["position_embedding_type"] == "learned_absolute")
        REQUIRE(all["add_position_embedding"] == "true");
    if (all["optimizer"] == "dist_muon") REQUIRE(all["use_distributed_optimizer"] == "false");
    if (all.contains("hierarchical_context_parallel_sizes")) REQUIRE(all["cp_comm_type"] == "a2a+p2p");
}

// Checks the rules of Megatron-Core between fields, and that no option of the plan is left out.
void check_bridge_rules(const Written& options, const Answer& answer) {
    std::map<std::string, std::string> all(options.begin(), options.end());
    const auto is_on = [&](const char* field) { return all[field] == "True"; };
    for (const char* field :
         {"ddp.use_megatron_fsdp", "ddp.overlap_param_gather", "optimizer.use_precision_aware_optimizer"})
        if (is_on(field)) REQUIRE(is_on("ddp.use_distributed_optimizer"));
    for (const char* type : {"main_params_dtype", "main_grads_dtype", "exp_avg_dtype", "exp_avg_sq_dtype"})
        if (all["optimizer." + std::string(type)] != "torch.float32")
            REQUIRE(is_on("optimizer.use_precision_aware_optimizer"));
    // Only "dist_muon" and "dist_lion" are sharded Muon and Lion.
    if (is_on("ddp.use_distributed_optimizer"))
        REQUIRE((all["optimizer.optimizer"] == "\"adam\"" || all["optimizer.optimizer"] == "\"sgd\""));
    // Megatron-Bridge's own choices are replaced: of overlaps, of what its precisions gather, of the
    // offloaded share, and of experts' tensor parallelism.
    for (const std::string overlap : {"overlap_grad_reduce", "overlap_param_gather"})
        REQUIRE(all["comm_overlap." + overlap] == all["ddp." + overlap]);
    if (is_low(answer.settings.choice<Precision>(P::precision)))
        REQUIRE(all.contains("mixed_precision.fp8_param_gather"));
    if (is_on("optimizer.optimizer_cpu_offload"))
        REQUIRE(all["optimizer.optimizer_offload_fraction"] == "1.0");
    if (all["model.cuda_graph_impl"] != "\"none\"") REQUIRE(is_on("rng.te_rng_tracker"));
    if (answer.settings[P::experts] > 0) REQUIRE(all["model.expert_tensor_parallel_size"] != "None");
    REQUIRE(all["model.pipeline_model_parallel_size"] ==
            std::to_string(answer.settings.whole(P::pipeline_parallel)));
    for (const std::string& note : kMegatronBridge.write(answer).notes)
        REQUIRE_FALSE(note.starts_with("The plan also needs"));
}

void check_rules(const LaunchFormat& format, Written (*options)(const std::string&),
                 void (*rules)(const Written&, const Answer&)) {
    for (const Answer& answer : launch_scenarios()) {
        const LaunchText launch = format.write(answer);
        if (launch.text.empty()) continue;
        INFO(launch.text);
        rules(options(launch.text), answer);
    }
}

}  // namespace

TEST_CASE("launch: options that Megatron-LM refuses together are never written together", "[launch]") {
    check_rules(kMegatron, options_of_script, check_megatron_rules);
}

TEST_CASE("launch: options that DeepSpeed refuses together are never written together", "[launch]") {
    check_rules(kDeepspeed, options_of_json, check_deepspeed_rules);
}

TEST_CASE("launch: options that Accelerate refuses together are never written together", "[launch]") {
    check_rules(kAccelerate, options_of_yaml, check_accelerate_rules);
}

TEST_CASE("launch: options that torchtitan refuses together are never written together", "[launch]") {
    check_rules(kTorchtitanPython, options_of_python, check_python_rules);
}

TEST_CASE("launch: options that Primus refuses together are never written together", "[launch]") {
    check_rules(kPrimus, options_of_primus, check_primus_rules);
}

TEST_CASE("launch: options that Megatron-Bridge refuses together are never written together", "[launch]") {
    check_rules(kMegatronBridge, options_of_python, check_bridge_rules);
}

TEST_CASE("launch: options that axolotl refuses together are never written together", "[launch]") {
    check_rules(kAxolotl, options_of_yaml, check_axolotl_rules);
}

TEST_CASE("launch: options that MaxText refuses together are never written together", "[launch]") {
    check_rules(kMaxText, options_of_yaml, check_maxtext_rules);
}

TEST_CASE("launch: MaxText refuses more stages than layers, which a stage of the embedding alone allows",
          "[launch]") {
    const auto notes = [](double layers) {
        Scenario scenario = of_model("llama-3-8b", {{P::gpus, 16},
                                                    {P::layers, layers},
                                                    {P::pipeline_parallel, 16},
                                                    {P::accumulation, 16},
                                                    {P::sharding, Sharding::zero1}});
        const Answer now = answer(scenario);
        REQUIRE(now.valid());
        const LaunchText launch = kMaxText.write(now);
        return launch.text.empty() ? launch.notes.front() : std::string();
    };
    CHECK(notes(14) == "Each of MaxText's stages has a layer; 16 stages have 14 layers here.");
    CHECK(notes(16).empty());
}
