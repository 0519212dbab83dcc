// Megatron-Bridge: a Python program that changes a pre-training recipe and starts it.
//
// Source: NVIDIA-NeMo/Megatron-Bridge at commit 067f987 (August 2026),
// src/megatron/bridge/recipes/{llama,qwen,deepseek} for the recipes and the fields that they set,
// recipes/common.py and models/{gpt,mla,hybrid/hybrid}_provider.py for a model that has none,
// models/{nemotronh/nemotron_h,qwen/qwen3_next}_bridge.py for hybrid models and linear attention,
// src/megatron/bridge/training/config.py (ConfigContainer), and training/mixed_precision.py for the names of
// precisions and for the precision of the gradients, which it sets in all parts. Fields of model, ddp and
// optimizer are those of Megatron-Core (transformer_config.py, distributed_data_parallel_config.py,
// optimizer_config.py at commit d98e8a6), so that the plan is that of the Megatron-LM writer.
#include <algorithm>
#include <array>
#include <string>

#include "launch/launch.h"
#include "launch/megatron_model.h"
#include "launch/megatron_options.h"
#include "launch/shapes.h"
#include "launch/stage_layers.h"
#include "launch/writing.h"
#include "parameters/layer_pattern.h"
#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace launch {
namespace {

struct Recipe {
    std::string_view preset, family, function;
};
constexpr std::array kRecipes{
    Recipe{"llama-2-7b", "llama", "llama2_7b_pretrain_config"},
    Recipe{"llama-3-8b", "llama", "llama3_8b_pretrain_config"},
    Recipe{"llama-3-70b", "llama", "llama3_70b_pretrain_config"},
    Recipe{"llama-3.1-405b", "llama", "llama31_405b_pretrain_config"},
    Recipe{"qwen3-8b", "qwen", "qwen3_8b_pretrain_config"},
    Recipe{"qwen3-32b", "qwen", "qwen3_32b_pretrain_config"},
    Recipe{"qwen3-30b-a3b", "qwen", "qwen3_30b_a3b_pretrain_config"},
    Recipe{"qwen3-235b-a22b", "qwen", "qwen3_235b_a22b_pretrain_config"},
    Recipe{"deepseek-v3", "deepseek", "deepseek_v3_pretrain_config"},
};

// Options of Megatron-LM and the fields of a recipe that they are. A flag is True.
struct Field {
    std::string_view option, field;
};
constexpr auto kFields = std::to_array<Field>({
    {"--tensor-model-parallel-size", "model.tensor_model_parallel_size"},
    {"--pipeline-model-parallel-size", "model.pipeline_model_parallel_size"},
    {"--pipeline-model-parallel-layout", "model.pipeline_model_parallel_layout"},
    {"--decoder-first-pipeline-num-layers", "model.num_layers_in_first_pipeline_stage"},
    {"--decoder-last-pipeline-num-layers", "model.num_layers_in_last_pipeline_stage"},
    {"--account-for-embedding-in-pipeline-split", "model.account_for_embedding_in_pipeline_split"},
    {"--account-for-loss-in-pipeline-split", "model.account_for_loss_in_pipeline_split"},
    {"--context-parallel-size", "model.context_parallel_size"},
    {"--cp-comm-type", "model.cp_comm_type"},
    {"--hierarchical-context-parallel-sizes", "model.hierarchical_context_parallel_sizes"},
    {"--expert-model-parallel-size", "model.expert_model_parallel_size"},
    {"--expert-tensor-parallel-size", "model.expert_tensor_parallel_size"},
    {"--sequence-parallel", "model.sequence_parallel"},
    {"--use-tp-pp-dp-mapping", "dist.use_tp_pp_dp_mapping"},
    {"--fp8-param-gather", "mixed_precision.fp8_param_gather"},
    {"--reuse-grad-buf-for-mxfp8-param-ag", "mixed_precision.reuse_grad_buf_for_mxfp8_param_ag"},
    {"--first-last-layers-bf16", "mixed_precision.first_last_layers_bf16"},
    {"--num-layers-at-start-in-bf16", "mixed_precision.num_layers_at_start_in_bf16"},
    {"--num-layers-at-end-in-bf16", "mixed_precision.num_layers_at_end_in_bf16"},
    {"--cross-entropy-loss-fusion", "model.cross_entropy_loss_fusion"},
    {"--cuda-graph-impl", "model.cuda_graph_impl"},
    {"--cuda-graph-modules", "model.cuda_graph_modules"},
    {"--mtp-num-layers", "model.mtp_num_layers"},
    {"--recompute-granularity", "model.recompute_granularity"},
    {"--recompute-method", "model.recompute_method"},
    {"--recompute-num-layers", "model.recompute_num_layers"},
    {"--recompute-modules", "model.recompute_modules"},
    {"--moe-token-dispatcher-type", "model.moe_token_dispatcher_type"},
    {"--moe-grouped-gemm", "model.moe_grouped_gemm"},
    {"--attention-backend", "model.attention_backend"},
    {"--attention-dropout", "model.attention_dropout"},
    {"--hidden-dropout", "model.hidden_dropout"},
    {"--seq-length", "model.seq_length"},
    {"--micro-batch-size", "train.micro_batch_size"},
    {"--global-batch-size", "train.global_batch_size"},
    {"--train-iters", "train.train_iters"},
    {"--use-distributed-optimizer", "ddp.use_distributed_optimizer"},
    {"--num-distributed-optimizer-instances", "ddp.num_distributed_optimizer_instances"},
    {"--overlap-grad-reduce", "ddp.overlap_grad_reduce"},
    {"--overlap-param-gather", "ddp.overlap_param_gather"},
    {"--use-megatron-fsdp", "ddp.use_megatron_fsdp"},
    {"--data-parallel-sharding-strategy", "ddp.data_parallel_sharding_strategy"},
    {"--megatron-fsdp-main-grads-dtype", "ddp.megatron_fsdp_main_grads_dtype"},
    {"--megatron-fsdp-grad-comm-dtype", "ddp.megatron_fsdp_grad_comm_dtype"},
    {"--overlap-moe-expert-parallel-comm", "comm_overlap.overlap_moe_expert_parallel_comm"},
    {"--accumulate-allreduce-grads-in-fp32", "mixed_precision.grad_reduce_in_fp32"},
    {"--grad-reduce-in-bf16", "mixed_precision.grad_reduce_in_fp32"},
    {"--optimizer", "optimizer.optimizer"},
    {"--sgd-momentum", "optimizer.sgd_momentum"},
    {"--use-precision-aware-optimizer", "optimizer.use_precision_aware_optimizer"},
    {"--main-grads-dtype", "optimizer.main_grads_dtype"},
    {"--exp-avg-dtype", "optimizer.exp_avg_dtype"},
    {"--exp-avg-sq-dtype", "optimizer.exp_avg_sq_dtype"},
    {"--optimizer-cpu-offload", "optimizer.optimizer_cpu_offload"},
    {"--ckpt-format", "checkpoint.ckpt_format"},
    {"--cpu-offloading-num-layers", "model.cpu_offloading_num_layers"},
});
// Options that describe the model. A recipe has them; without one, they are fields of the model's provider.
// An option without a field has code of its own, or its field follows from others.
constexpr auto kOfModel = std::to_array<Field>({
    {"--num-layers", "model.num_layers"},
    {"--hybrid-layer-pattern", "model.hybrid_layer_pattern"},
    {"--mamba-num-heads", "model.mamba_num_heads"},
    {"--mamba-head-dim", "model.mamba_head_dim"},
    {"--mamba-state-dim", "model.mamba_state_dim"},
    {"--mamba-num-groups", "model.mamba_num_groups"},
    {"--experimental-attention-variant", "model.experimental_attention_variant"},
    {"--linear-attention-freq", "model.linear_attention_freq"},
    {"--linear-num-key-heads", "model.linear_num_key_heads"},
    {"--linear-num-value-heads", "model.linear_num_value_heads"},
    {"--linear-key-head-dim", "model.linear_key_head_dim"},
    {"--linear-value-head-dim", "model.linear_value_head_dim"},
    {"--linear-conv-kernel-dim", "model.linear_conv_kernel_dim"},
    {"--hidden-size", "model.hidden_size"},
    {"--ffn-hidden-size", "model.ffn_hidden_size"},
    {"--num-attention-heads", "model.num_attention_heads"},
    {"--multi-latent-attention", ""},
    {"--q-lora-rank", "model.q_lora_rank"},
    {"--kv-lora-rank", "model.kv_lora_rank"},
    {"--qk-head-dim", "model.qk_head_dim"},
    {"--qk-pos-emb-head-dim", "model.qk_pos_emb_head_dim"},
    {"--v-head-dim", "model.v_head_dim"},
    {"--kv-channels", "model.kv_channels"},
    {"--group-query-attention", ""},
    {"--num-query-groups", "model.num_query_groups"},
    {"--qk-layernorm", "model.qk_layernorm"},
    {"--window-size", "model.window_size"},
    {"--window-attn-skip-freq", "model.window_attn_skip_freq"},
    {"--vocab-size", "model.vocab_size"},
    {"--make-vocab-size-divisible-by", "model.make_vocab_size_divisible_by"},
    {"--swiglu", "model.gated_linear_unit"},
    {"--normalization", "model.normalization"},
    {"--untie-embeddings-and-output-weights", "model.share_embeddings_and_output_weights"},
    {"--disable-bias-linear", "model.add_bias_linear"},
    {"--add-qkv-bias", "model.add_qkv_bias"},
    {"--position-embedding-type", "model.position_embedding_type"},
    {"--max-position-embeddings", ""},
    {"--num-experts", "model.num_moe_experts"},
    {"--moe-router-topk", "model.moe_router_topk"},
    {"--rotary-base", "model.rotary_base"},
    {"--rotary-percent", "model.rotary_percent"},
    {"--squared-relu", "model.activation_func"},
    {"--no-bias-gelu-fusion", "model.bias_activation_fusion"},
    {"--moe-router-score-function", "model.moe_router_score_function"},
    {"--moe-router-pre-softmax", "model.moe_router_pre_softmax"},
    {"--moe-router-num-groups", "model.moe_router_num_groups"},
    {"--moe-router-group-topk", "model.moe_router_group_topk"},
    {"--moe-router-enable-expert-bias", "model.moe_router_enable_expert_bias"},
    {"--moe-router-topk-scaling-factor", "model.moe_router_topk_scaling_factor"},
    {"--moe-router-load-balancing-type", "model.moe_router_load_balancing_type"},
    {"--moe-aux-loss-coeff", "model.moe_aux_loss_coeff"},
    {"--moe-ffn-hidden-size", "model.moe_ffn_hidden_size"},
    {"--moe-shared-expert-intermediate-size", "model.moe_shared_expert_intermediate_size"},
    {"--moe-layer-freq", "model.moe_layer_freq"},
    {"--moe-shared-expert-gate", "model.moe_shared_expert_gate"},
    {"--moe-latent-size", "model.moe_latent_size"},
    {"--softmax-type", "model.softmax_type"},
    {"--attention-output-gate", "model.attention_output_gate"},
});
// Options whose fields have code of their own.
constexpr auto kWrittenApart = std::to_array<std::string_view>({
    "--bf16",
    "--fp16",
    "--fp8-format",
    "--fp8-recipe",
    "--fp4-format",
    "--tp-comm-overlap",
    "--moe-flex-dispatcher-backend",
    "--num-layers-per-virtual-pipeline-stage",
});
// Fields that recipes may set, with the values of a plan that says nothing of them.
constexpr auto kBridgeDefaults = std::to_array<std::pair<std::string_view, const char*>>({
    {"model.sequence_parallel", "False"},
    {"model.recompute_granularity", "None"},
    {"model.recompute_method", "None"},
    {"model.recompute_num_layers", "None"},
    {"model.pipeline_model_parallel_layout", "None"},
    {"model.num_layers_in_first_pipeline_stage", "None"},
    {"model.num_layers_in_last_pipeline_stage", "None"},
    {"model.account_for_embedding_in_pipeline_split", "False"},
    {"model.account_for_loss_in_pipeline_split", "False"},
    {"model.expert_model_parallel_size", "1"},
    {"model.cross_entropy_loss_fusion", "False"},
    {"model.cuda_graph_impl", "\"none\""},
    {"model.cuda_graph_scope", "None"},
    {"model.mtp_num_layers", "None"},
    {"mixed_precision.fp8_param_gather", "False"},
    {"mixed_precision.first_last_layers_bf16", "False"},
    {"mixed_precision.fp4_param_gather", "False"},
    {"ddp.use_distributed_optimizer", "False"},
    {"ddp.overlap_grad_reduce", "False"},
    {"ddp.overlap_param_gather", "False"},
    {"ddp.use_megatron_fsdp", "False"},
    {"optimizer.use_precision_aware_optimizer", "False"},
    {"optimizer.optimizer_cpu_offload", "False"},
    {"optimizer.optimizer_offload_fraction", "0.0"},
    {"optimizer.main_params_dtype", "torch.float32"},
    {"optimizer.main_grads_dtype", "torch.float32"},
    {"optimizer.exp_avg_dtype", "torch.float32"},
    {"optimizer.exp_avg_sq_dtype", "torch.float32"},
});

// Returns "[a, b]" for the words "a b", each of them quoted unless it is a number.
std::string python_list(const std::string& words) {
    const auto quoted = [](const std::string& word) {
        const bool number = word.find_first_not_of("0123456789") == std::string::npos;
        return number ? word : "\"" + word + "\"";
    };
    return "[" + joined(split(words, ' '), ", ", quoted) + "]";
}

std::string python_value(std::string_view option, const std::string& value) {
    // Flags that switch a field off.
    static constexpr std::array<std::string_view, 4> kOff{"--grad-reduce-in-bf16",
                                                          "--untie-embeddings-and-output-weights",
                                                          "--disable-bias-linear", "--no-bias-gelu-fusion"};
    if (std::ranges::find(kOff, option) != kOff.end()) return "False";
    if (option == "--squared-relu") return "squared_relu";
    if (value.empty()) return "True";
    if (option == "--window-size") return "(" + value.substr(0, value.find(',')) + ", 0)";
    // The shell's quotes are around a Python expression.
    if (value.starts_with("'([")) return value.substr(1, value.size() - 2);
    if (option == "--hierarchical-context-parallel-sizes" || option == "--recompute-modules" ||
        option == "--cuda-graph-modules")
        return python_list(value);
    if (option == "--attention-backend") return "AttnBackend." + value;
    // Megatron-LM keeps moments in fp8 as bytes.
    if (option.ends_with("-dtype"))
        return value == "bf16"   ? "torch.bfloat16"
               : value == "fp16" ? "torch.float16"
               : value == "fp8"  ? "torch.uint8"
                                 : "torch.float32";
    if (value.find_first_not_of("0123456789.") == std::string::npos) return value;
    // The layout of a pipeline is quoted for the shell.
    std::string plain;
    for (const char c : value)
        if (c != '\'') plain += c;
    return "\"" + plain + "\"";
}

// The assignments of the plan, one line each.
class Assignments {
  public:
    void set(std::string_view field, const std::string& value) {
        lines_ += "    cfg." + std::string(field) + " = " + value + "\n";
        fields_ += " " + std::string(field) + " ";
    }
    [[nodiscard]] bool has(std::string_view field) const {
        return fields_.find(" " + std::string(field) + " ") != std::string::npos;
    }
    [[nodiscard]] const std::string& lines() const { return lines_; }

  private:
    std::string lines_, fields_;
};

// Returns the mixed precision as Megatron-Bridge constructs it.
std::string precision_of(const LaunchSettings& plan) {
    const auto named = [](const std::string& name) { return "get_mixed_precision_config(\"" + name + "\")"; };
    switch (matrix_format(plan.s)) {
        case Precision::bf16: return named("bf16_mixed");
        case Precision::fp16: return named("fp16_mixed");
        case Precision::mxfp8: return named("bf16_with_mxfp8_mixed");
        case Precision::nvfp4: return named("bf16_with_nvfp4_mixed");
        case Precision::fp32:
            return "MixedPrecisionConfig(fp32=True,params_dtype=torch.float32,pipeline_dtype=torch.float32)";
        case Precision::fp8: break;
    }
    switch (plan.s.choice<Fp8Recipe>(P::fp8_recipe)) {
        case Fp8Recipe::tensorwise: return named("bf16_with_fp8_current_scaling_mixed");
        case Fp8Recipe::blockwise: return named("bf16_with_fp8_subchannel_scaling_mixed");
        default: return named("bf16_with_fp8_delayed_scaling_mixed");
    }
}

// Changes the options of a sharded Muon or Lion, which has a name of its own here, and whose gathers overlap
// with nothing.
void name_sharded_optimizer(LaunchSettings& plan, std::vector<MegatronArgument>& arguments) {
    const auto optimizer = std::ranges::find(arguments, "--optimizer", &MegatronArgument::option);
    if (optimizer == arguments.end() || optimizer->value == "adam" || optimizer->value == "sgd") return;
    const std::string name = "dist_" + optimizer->value;
    const auto sharded = [](const MegatronArgument& argument) {
        return argument.option == "--use-distributed-optimizer" ||
               argument.option == "--overlap-param-gather";
    };
    if (std::erase_if(arguments, sharded) == 0) return;
    std::ranges::find(arguments, "--optimizer", &MegatronArgument::option)->value = name;
    if (plan.s.on(P::overlap_param_gather))
        plan.note_missing_option(kMegatronBridge, P::overlap_param_gather);
}

// Writes the options that are fields, and notes those that nothing else writes either. A recipe describes the
// model.
void write_options(LaunchSettings& plan, bool has_recipe, Assignments& out) {
    const auto is_in = [](const auto& options, const std::string& option) {
        return std::ranges::find(options, option) != options.end();
    };
    std::vector<std::string> unwritten;
    std::vector<MegatronArgument> arguments = megatron_arguments(plan, kMegatronBridge);
    name_sharded_optimizer(plan, arguments);
    for (const MegatronArgument& argument : arguments) {
        const auto known = std::ranges::find(kFields, argument.option, &Field::option);
        const auto of_model = std::ranges::find(kOfModel, argument.option, &Field::option);
        if (known != kFields.end()) {
            out.set(known->field, python_value(argument.option, argument.value));
        } else if (of_model != kOfModel.end()) {
            if (!has_recipe && !of_model->field.empty())
                out.set(of_model->field, python_value(argument.option, argument.value));
        } else if (!is_in(kWrittenApart, argument.option)) {
            unwritten.push_back(argument.option);
        }
    }
    if (!unwritten.empty())
        plan.note(translate("The plan also needs these options of Megatron-LM, which are not written: {1}.",
                            {joined(unwritten, ", ")}));
}

// Writes a model that no recipe has, with mock data and a tokenizer that fits its vocabulary.
void write_provider(const Settings& s, Assignments& out) {
    const bool hybrid = !hybrid_letters(s).empty();
    out.set("model", hybrid                   ? "HybridModelProvider()"
                     : s[P::kv_lora_rank] > 0 ? "MLAModelProvider()"
                                              : "GPTModelProvider()");
    // Layers that differ in their attention, and those with and without experts, have specifications of their
    // own. A hybrid model takes them from its pattern.
    if (hybrid) {
        out.set("model.is_hybrid_model", "True");
    } else if (has_mixer(s, Mixer::linear)) {
        out.set("model.transformer_layer_spec",
                "get_transformer_block_with_experimental_attention_variant_spec");
        out.set("model.hetereogenous_dist_checkpoint", "True");
    } else if (s[P::experts] > 0) {
        out.set("model.transformer_layer_spec",
                "partial(get_gpt_decoder_block_spec, use_transformer_engine=True)");
    }
    if (s.choice<Mlp>(P::mlp) == Mlp::gated) out.set("model.activation_func", "torch.nn.functional.silu");
    out.set("model.should_pad_vocab", "True");
    out.set("tokenizer.tokenizer_type", "\"NullTokenizer\"");
}

void write_fields(LaunchSettings& plan, bool has_recipe, Assignments& out) {
    const Settings& s = plan.s;
    if (!has_recipe) write_provider(s, out);
    // These come before their fields, which are options.
    out.set("mixed_precision", precision_of(plan));
    const bool tensor_overlap =
        s[P::tensor_parallel] > 1 && s.on(P::async_tensor_parallel) && s.on(P::sequence_parallel);
    out.set("comm_overlap",
            std::string("CommOverlapConfig(tp_comm_overlap=") + (tensor_overlap ? "True" : "False") + ")");
    write_options(plan, has_recipe, out);
    // Weights that are gathered in bf16 need no gradient buffer for it.
    if (matrix_format(s) == Precision::mxfp8 && !out.has("mixed_precision.fp8_param_gather"))
        out.set("mixed_precision.reuse_grad_buf_for_mxfp8_param_ag", "False");
    // Megatron-Bridge chooses these two itself unless they are given here.
    for (const std::string field : {"overlap_grad_reduce", "overlap_param_gather"})
        out.set("comm_overlap." + field, out.has("ddp." + field) ? "True" : "False");
    // Megatron-Bridge switches both on where a recipe has one of them on.
    for (const std::string field : {"use_distributed_optimizer", "overlap_param_gather"})
        out.set("optimizer." + field, out.has("ddp." + field) ? "True" : "False");
    if (out.has("optimizer.optimizer_cpu_offload")) out.set("optimizer.optimizer_offload_fraction", "1.0");
    if (out.has("model.cuda_graph_impl")) {
        out.set("model.use_te_rng_tracker", "True");
        out.set("rng.te_rng_tracker", "True");
    }
    // With expert parallelism, None stands for 1 (bridge/models/transformer_config.py), not for the degree of
    // tensor parallelism.
    if (!out.has("model.expert_tensor_parallel_size"))
        out.set("model.expert_tensor_parallel_size",
                s[P::experts] > 0 ? whole(expert_tensor_parallel(s)) : "None");
    for (const auto& [field, value] : kBridgeDefaults)
        if (!out.has(field)) out.set(field, value);
    out.set("tokenizer.vocab_size", plan.whole(P::vocab_size));
    if (out.has("model.cpu_offloading_num_layers")) out.set("model.cpu_offloading", "True");
    out.set("model.virtual_pipeline_model_parallel_size",
            s[P::pipeline_parallel] > 1 && s[P::virtual_stages] > 1 ? plan.whole(P::virtual_stages) : "None");
    out.set("dataset.seq_length", plan.whole(P::sequence_length));
    if (s[P::experts] > 0 && s.choice<MoeDispatcher>(P::moe_dispatcher) == MoeDispatcher::deepep)
        out.set("model.moe_flex_dispatcher_backend", '"' + std::string(flex_backend(s)) + '"');
}

// Returns the imports that the assignments need, in the order of their names.
std::string imports_of(const std::string& lines, const std::string& recipe) {
    std::string out;
    const auto add = [&](const char* name, const std::string& line) {
        if (lines.find(name) != std::string::npos) out += line + "\n";
    };
    const auto add_from = [&](const std::string& module, const char* name) {
        add(name, "from megatron." + module + " import " + name);
    };
    add("partial(", "from functools import partial");
    add("torch.", "import torch");
    add_from("bridge.models.gpt_provider", "GPTModelProvider");
    add_from("bridge.models.hybrid.hybrid_provider", "HybridModelProvider");
    add_from("bridge.models.mla_provider", "MLAModelProvider");
    out += recipe +
           "\nfrom megatron.bridge.training.comm_overlap import CommOverlapConfig\n"
           "from megatron.bridge.training.gpt_step import forward_step\n";
    add_from("bridge.training.mixed_precision", "MixedPrecisionConfig");
    add_from("bridge.training.mixed_precision", "get_mixed_precision_config");
    out += "from megatron.bridge.training.pretrain import pretrain\n";
    add_from("core.activations", "squared_relu");
    add_from("core.models.gpt.experimental_attention_variant_module_specs",
             "get_transformer_block_with_experimental_attention_variant_spec");
    add_from("core.models.gpt.gpt_layer_specs", "get_gpt_decoder_block_spec");
    add_from("core.transformer.enums", "AttnBackend");
    return out;
}

// Returns whether a hybrid model has several stages on a GPU, which HybridModelProvider refuses.
bool has_virtual_hybrid_stages(const Settings& s) {
    return !hybrid_letters(s).empty() &&
           static_cast<double>(planned_stages(s).size()) > s[P::pipeline_parallel];
}

LaunchText write_megatron_bridge(const Answer& answer, const std::string& file) {
    LaunchSettings plan(answer);
    const Settings& s = plan.s;
    if (s.listed())
        return {"", "", {translate("Megatron-LM trains transformers; this model is a list of operators.")}};
    if (!writes_layer_pattern(s, kMegatronBridge)) return {"", "", {refused_layers(s, kMegatronBridge)}};
    if (has_virtual_hybrid_stages(s))
        return {"",
                "",
                {translate("A file for {1} has no virtual pipeline stages for a hybrid model.",
                           {kMegatronBridge.label})}};
    plan.note_mismatches(kMegatronBridge, true);
    const Recipe* known = row_of_model(kRecipes, s, answer.scenario);
    const std::string family = known ? std::string(known->family) : "common";
    const std::string function = known ? std::string(known->function) : "_pretrain_common";
    if (!known) note_options_without_preset(plan);
    Assignments fields;
    write_fields(plan, known, fields);
    const std::string command = torchrun(plan) + " " + shell_word(file);
    std::string text =
        header(kMegatronBridge, answer, comment_line("Start on every node:") + comment_line("  " + command));
    text += imports_of(fields.lines(), "from megatron.bridge.recipes." + family + " import " + function) +
            "\n\n"
            "def shardscope_plan():\n    cfg = " +
            function + "()\n" + fields.lines() +
            "    return cfg\n\n\nif __name__ == \"__main__\":\n"
            "    pretrain(config=shardscope_plan(), forward_step_func=forward_step)\n";
    plan.note(known ? translate("Data, tokenizer and learning rate are those of the recipe.")
                    : translate("This program knows no recipe of Megatron-Bridge for this model, so that the "
                                "file describes the model; add data, tokenizer and learning rate."));
    return {text, command, plan.notes, hosts(s)};
}

}  // namespace
}  // namespace launch

const LaunchFormat kMegatronBridge{
    .name = "megatron-bridge",
    .label = "Megatron-Bridge",
    .file_name = "pretrain.py",
    .stack = "megatron-bridge",
    .checked = "Megatron-Bridge at commit 067f987 (August 2026), recipes and training/config.py",
    .write_file = launch::write_megatron_bridge,
    .gpus_only = true,
    .same_plan = &kMegatron,
};

}  // namespace shardscope
