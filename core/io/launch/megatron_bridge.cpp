// Megatron-Bridge: a Python program that changes a pre-training recipe and starts it.
//
// Source: NVIDIA-NeMo/Megatron-Bridge of 2026, src/megatron/bridge/recipes/{llama,qwen,deepseek} for the
// recipes and the fields that they set, src/megatron/bridge/training/config.py (ConfigContainer), and
// training/mixed_precision.py for the names of precisions. The model's fields are those of Megatron-Core's
// TransformerConfig, so that the plan is that of the Megatron-LM writer.
#include <algorithm>
#include <array>
#include <string>

#include "launch/launch.h"
#include "launch/megatron_options.h"
#include "launch/shapes.h"
#include "launch/writing.h"
#include "text/encode.h"
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
constexpr std::array kFields{
    Field{"--tensor-model-parallel-size", "model.tensor_model_parallel_size"},
    Field{"--pipeline-model-parallel-size", "model.pipeline_model_parallel_size"},
    Field{"--pipeline-model-parallel-layout", "model.pipeline_model_parallel_layout"},
    Field{"--decoder-first-pipeline-num-layers", "model.num_layers_in_first_pipeline_stage"},
    Field{"--decoder-last-pipeline-num-layers", "model.num_layers_in_last_pipeline_stage"},
    Field{"--account-for-embedding-in-pipeline-split", "model.account_for_embedding_in_pipeline_split"},
    Field{"--account-for-loss-in-pipeline-split", "model.account_for_loss_in_pipeline_split"},
    Field{"--context-parallel-size", "model.context_parallel_size"},
    Field{"--cp-comm-type", "model.cp_comm_type"},
    Field{"--expert-model-parallel-size", "model.expert_model_parallel_size"},
    Field{"--expert-tensor-parallel-size", "model.expert_tensor_parallel_size"},
    Field{"--sequence-parallel", "model.sequence_parallel"},
    Field{"--recompute-granularity", "model.recompute_granularity"},
    Field{"--recompute-method", "model.recompute_method"},
    Field{"--recompute-num-layers", "model.recompute_num_layers"},
    Field{"--moe-token-dispatcher-type", "model.moe_token_dispatcher_type"},
    Field{"--seq-length", "model.seq_length"},
    Field{"--micro-batch-size", "train.micro_batch_size"},
    Field{"--global-batch-size", "train.global_batch_size"},
    Field{"--train-iters", "train.train_iters"},
    Field{"--use-distributed-optimizer", "ddp.use_distributed_optimizer"},
    Field{"--overlap-grad-reduce", "ddp.overlap_grad_reduce"},
    Field{"--overlap-param-gather", "ddp.overlap_param_gather"},
    Field{"--use-megatron-fsdp", "ddp.use_megatron_fsdp"},
    Field{"--data-parallel-sharding-strategy", "ddp.data_parallel_sharding_strategy"},
    Field{"--use-precision-aware-optimizer", "optimizer.use_precision_aware_optimizer"},
    Field{"--optimizer-cpu-offload", "optimizer.optimizer_cpu_offload"},
};
// Flags that recipes may have on: they are written in any case.
constexpr std::array<std::string_view, 5> kAlwaysWritten{
    "model.sequence_parallel", "ddp.use_distributed_optimizer", "ddp.overlap_grad_reduce",
    "ddp.overlap_param_gather", "ddp.use_megatron_fsdp"};

std::string python_value(const std::string& value) {
    if (value.empty()) return "True";
    if (value.find_first_not_of("0123456789") == std::string::npos) return value;
    // The layout of a pipeline is quoted for the shell.
    std::string plain;
    for (const char c : value)
        if (c != '\'') plain += c;
    return "\"" + plain + "\"";
}

std::string precision_of(const LaunchPlan& plan) {
    switch (plan.s.choice<Precision>(P::precision)) {
        case Precision::bf16: return "\"bf16_mixed\"";
        case Precision::fp16: return "\"fp16_mixed\"";
        case Precision::mxfp8: return "\"bf16_with_mxfp8_mixed\"";
        case Precision::nvfp4: return "\"bf16_with_nvfp4_mixed\"";
        case Precision::fp32: return "None";
        case Precision::fp8: break;
    }
    switch (plan.s.choice<Fp8Recipe>(P::fp8_recipe)) {
        case Fp8Recipe::tensorwise: return "\"bf16_with_fp8_current_scaling_mixed\"";
        case Fp8Recipe::blockwise: return "\"bf16_with_fp8_subchannel_scaling_mixed\"";
        case Fp8Recipe::mxfp8: return "\"bf16_with_mxfp8_mixed\"";
        case Fp8Recipe::delayed: break;
    }
    return "\"bf16_with_fp8_delayed_scaling_mixed\"";
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

void write_fields(LaunchPlan& plan, Assignments& out) {
    const Settings& s = plan.s;
    for (const MegatronArgument& argument : megatron_arguments(plan)) {
        const auto known = std::ranges::find(kFields, argument.option, &Field::option);
        if (known != kFields.end()) out.set(known->field, python_value(argument.value));
    }
    for (const std::string_view field : kAlwaysWritten)
        if (!out.has(field)) out.set(field, "False");
    if (!out.has("model.recompute_granularity")) out.set("model.recompute_granularity", "None");
    out.set("model.virtual_pipeline_model_parallel_size",
            s[P::pipeline_parallel] > 1 && s[P::virtual_stages] > 1 ? plan.whole(P::virtual_stages) : "None");
    out.set("dataset.sequence_length", plan.whole(P::sequence_length));
    out.set("mixed_precision", precision_of(plan));
    if (s[P::recompute] == kRecomputeSelective) {
        std::string modules = "\"" + megatron_modules(s[P::recompute_modules]) + "\"";
        for (std::size_t at = modules.find(' '); at != std::string::npos; at = modules.find(' ', at + 4))
            modules.replace(at, 1, "\", \"");
        out.set("model.recompute_modules", "[" + modules + "]");
    }
    if (s[P::experts] > 0 && s.choice<MoeDispatcher>(P::moe_dispatcher) == MoeDispatcher::deepep)
        out.set("model.moe_flex_dispatcher_backend", "\"deepep\"");
}

LaunchText write(const Answer& answer, const std::string& file) {
    LaunchPlan plan(answer);
    const Settings& s = plan.s;
    if (s.listed())
        return {"", "", {translate("Megatron-LM trains transformers; this model is a list of operators.")}};
    plan.note_other_model(kMegatronBridge);
    const Catalogue& catalogue = *answer.scenario.catalogue;
    const auto known = std::ranges::find_if(kRecipes, [&](const Recipe& recipe) {
        const Preset* preset = catalogue.find(PresetKind::model, recipe.preset);
        return preset && is_model(s, *preset, catalogue);
    });
    const bool found = known != kRecipes.end();
    const std::string family = found ? std::string(known->family) : "your_family";
    const std::string function = found ? std::string(known->function) : "your_recipe";
    if (!found)
        plan.note(
            translate("Megatron-Bridge has no recipe for this shape in the table of this program; name one "
                      "in place of your_family and your_recipe, and set its sizes."));
    Assignments fields;
    write_fields(plan, fields);
    const bool overlap =
        s[P::tensor_parallel] > 1 && s.on(P::async_tensor_parallel) && s.on(P::sequence_parallel);
    const std::string command = torchrun(plan) + " " + shell_word(file);
    std::string text =
        header(kMegatronBridge, answer, comment_line("Start on every node:") + comment_line("  " + command));
    text += "from megatron.bridge.recipes." + family + " import " + function +
            "\nfrom megatron.bridge.training.comm_overlap import CommOverlapConfig\n"
            "from megatron.bridge.training.gpt_step import forward_step\n"
            "from megatron.bridge.training.pretrain import pretrain\n\n\n"
            "def shardscope_plan():\n    cfg = " +
            function + "()\n" + fields.lines() +
            "    cfg.comm_overlap = CommOverlapConfig(tp_comm_overlap=" + (overlap ? "True" : "False") +
            ")\n    return cfg\n\n\nif __name__ == \"__main__\":\n"
            "    pretrain(config=shardscope_plan(), forward_step_func=forward_step)\n";
    plan.note(translate("Data, tokenizer and learning rate are those of the recipe."));
    return {text, command, plan.notes};
}

}  // namespace
}  // namespace launch

const LaunchFormat kMegatronBridge{
    .name = "megatron-bridge",
    .label = "Megatron-Bridge",
    .file_name = "pretrain.py",
    .stack = "megatron-bridge",
    .checked = "Megatron-Bridge of 2026, recipes and training/config.py",
    .write_as = launch::write,
};

}  // namespace shardscope
