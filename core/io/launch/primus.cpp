// Writes an experiment of Primus, AMD's training framework, whose Megatron backend takes Megatron-LM's
// arguments as YAML.
//
// Source: AMD-AGI/Primus, primus/configs/models/megatron/language_model.yaml at commit 0158a86 and
// primus/configs/modules/megatron/trainer_base.yaml at commit 05b350b, whose defaults differ from
// Megatron-LM's; docs/02-user-guide/configuration-system.md for the form of an experiment.
#include <algorithm>
#include <array>
#include <map>

#include "launch/launch.h"
#include "launch/megatron_options.h"
#include "launch/writing.h"
#include "parameters/layer_pattern.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace launch {
namespace {

// Flags that Primus's defaults switch on or that this program may leave out: they are always written.
constexpr std::array<std::string_view, 10> kAlwaysWritten{"sequence_parallel",
                                                          "swiglu",
                                                          "untie_embeddings_and_output_weights",
                                                          "add_bias_linear",
                                                          "group_query_attention",
                                                          "qk_layernorm",
                                                          "bf16",
                                                          "use_distributed_optimizer",
                                                          "overlap_grad_reduce",
                                                          "overlap_param_gather"};

// Returns the key of an option and its value: a flag is true, "--disable-bias-linear" is
// "add_bias_linear: false".
std::pair<std::string, std::string> override_of(const MegatronArgument& argument) {
    if (argument.option == "--disable-bias-linear") return {"add_bias_linear", "false"};
    if (argument.option == "--fp8-format") return {"fp8", argument.value};
    if (argument.option == "--fp4-format") return {"fp4", argument.value};
    std::string key = argument.option.substr(2);
    std::ranges::replace(key, '-', '_');
    return {key, argument.value.empty() ? "true" : argument.value};
}

LaunchText write(const Answer& answer, const std::string& file) {
    LaunchPlan plan(answer);
    if (plan.s.listed())
        return {"", "", {translate("Megatron-LM trains transformers; this model is a list of operators.")}};
    plan.note_other_model(kPrimus);
    std::map<std::string, std::string> overrides;
    for (const std::string_view key : kAlwaysWritten)
        overrides[std::string(key)] = key == "add_bias_linear" ? "true" : "false";
    for (const MegatronArgument& argument : megatron_arguments(plan)) {
        // Primus has no key for layers without a window, so that a window would hold for all of them.
        if (layer_pattern(plan.s) && argument.option.starts_with("--window-")) continue;
        const auto [key, value] = override_of(argument);
        overrides[key] = value;
    }
    const Hosts on = hosts(plan.s);
    const std::string command = "./runner/primus-cli " +
                                (on.nodes > 1 ? "slurm srun -N " + whole(on.nodes) + " -- " : std::string()) +
                                "train pretrain --config " + shell_word(file);
    std::string text =
        header(kPrimus, answer, comment_line("Start in Primus's folder:") + comment_line("  " + command));
    text +=
        "work_group: amd\nuser_name: user\nexp_name: shardscope\nworkspace: ./output\n\nmodules:\n  "
        "pre_trainer:\n"
        "    framework: megatron\n    config: pre_trainer.yaml\n    model: language_model.yaml\n    "
        "overrides:\n";
    for (const auto& [key, value] : overrides) text += "      " + key + ": " + value + "\n";
    plan.note(translate("Add data, tokenizer and learning rate to the overrides."));
    return {text, command, plan.notes};
}

}  // namespace
}  // namespace launch

const LaunchFormat kPrimus{
    .name = "primus",
    .label = "Primus",
    .file_name = "primus.yaml",
    .stack = "primus",
    .checked = "Primus at commits 0158a86 and 05b350b, language_model.yaml and trainer_base.yaml",
    .write_as = launch::write,
};

}  // namespace shardscope
