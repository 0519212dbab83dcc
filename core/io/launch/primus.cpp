// Writes an experiment of Primus, AMD's training framework, whose Megatron backend takes Megatron-LM's
// arguments as YAML.
//
// Source: AMD-AGI/Primus, primus/configs/models/megatron/language_model.yaml at commit 0158a86 and
// primus/configs/modules/megatron/trainer_base.yaml at commit 05b350b, whose defaults differ from
// Megatron-LM's; docs/02-user-guide/configuration-system.md for the form of an experiment; at commit fd1eeab
// runner/primus-cli and runner/primus-cli-slurm.sh for the launcher, and the experiments of gpt_oss_20B in
// examples/megatron/configs/MI355X for lists and for keys that only Megatron-LM has, and
// primus/configs/modules/megatron/primus_pipeline.yaml with primuspipe/pipeline_launcher.py for schedules.
#include <algorithm>
#include <array>
#include <map>

#include "launch/launch.h"
#include "launch/megatron_options.h"
#include "launch/writing.h"
#include "schedules/schedule.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace launch {
namespace {

// Flags that Primus's defaults switch on or that this program may leave out: they are always written.
constexpr std::array<std::string_view, 10> kPrimusKeys{"sequence_parallel",
                                                       "swiglu",
                                                       "untie_embeddings_and_output_weights",
                                                       "add_bias_linear",
                                                       "group_query_attention",
                                                       "qk_layernorm",
                                                       "bf16",
                                                       "use_distributed_optimizer",
                                                       "overlap_grad_reduce",
                                                       "overlap_param_gather"};

// Options whose values are lists. A list of layers is a text that Megatron-LM expands.
constexpr std::array<std::string_view, 3> kLists{"--window-size", "--recompute-modules",
                                                 "--hierarchical-context-parallel-sizes"};

// Returns "[core_attn, mlp]" for "core_attn mlp" and "[1024, 0]" for "1024,0".
std::string yaml_list(const std::string& words) {
    std::string out = "[";
    for (const char c : words) {
        if (c == ' ' || c == ',') out += ", ";
        else out += c;
    }
    return out + "]";
}

// Returns the key of an option and its value: a flag is true, "--disable-bias-linear" is
// "add_bias_linear: false".
std::pair<std::string, std::string> override_of(const MegatronArgument& argument) {
    if (argument.option == "--disable-bias-linear") return {"add_bias_linear", "false"};
    if (argument.option == "--no-bias-gelu-fusion") return {"bias_gelu_fusion", "false"};
    if (argument.option == "--fp8-format") return {"fp8", argument.value};
    if (argument.option == "--fp4-format") return {"fp4", argument.value};
    // The commit of Megatron-LM that Primus uses has an option for DeepEP alone.
    if (argument.option == "--moe-flex-dispatcher-backend") return {"moe_enable_deepep", "true"};
    std::string key = argument.option.substr(2);
    std::ranges::replace(key, '-', '_');
    if (argument.value.empty()) return {key, "true"};
    const bool list = std::ranges::find(kLists, argument.option) != kLists.end();
    return {key, list ? yaml_list(argument.value) : argument.value};
}

using Overrides = std::map<std::string, std::string>;

// Primus's own schedules, with patches that replace Megatron-LM's.
struct OwnSchedule {
    ScheduleKind kind;
    const char* name;
};
constexpr std::array kSchedules{
    OwnSchedule{ScheduleKind::zb_h1, "zero-bubble"}, OwnSchedule{ScheduleKind::zb_v, "zbv-formatted"},
    OwnSchedule{ScheduleKind::v_half, "v-half"}, OwnSchedule{ScheduleKind::v_min, "v-min"}};

void write_schedule(const Settings& s, Overrides& overrides) {
    const auto own = std::ranges::find(kSchedules, s.choice<ScheduleKind>(P::schedule), &OwnSchedule::kind);
    if (own == kSchedules.end() || s[P::pipeline_parallel] <= 1) return;
    overrides["patch_primus_pipeline"] = "true";
    overrides["pp_algorithm"] = own->name;
    // The stages of a folded schedule are two virtual ones.
    if (schedule_of(own->kind).folded) overrides["num_virtual_stages_per_pipeline_rank"] = "2";
}

// The commit of Megatron-LM that Primus uses calls Muon dist_muon and has no Lion.
void write_optimizer(LaunchSettings& plan, Overrides& overrides) {
    if (plan.is(P::optimizer, Optimizer::muon)) {
        overrides["optimizer"] = "dist_muon";
        for (const char* key : {"use_distributed_optimizer", "overlap_grad_reduce", "overlap_param_gather"})
            overrides[key] = "false";
        for (const P id : {P::overlap_grad_reduce, P::overlap_param_gather}) {
            if (!plan.is(P::sharding, Sharding::ddp) && plan.s.on(id))
                plan.note_missing_option(
                    kPrimus, id,
                    translatable("{1} has no option for “{2}” with Muon; no overlap is written."));
        }
    } else if (plan.is(P::optimizer, Optimizer::lion)) {
        overrides["optimizer"] = "adam";
        plan.note_missing_option(kPrimus, P::optimizer,
                                 translatable("{1} has no option for “{2}”; adam is written."));
    }
}

LaunchText write_primus(const Answer& answer, const std::string& file) {
    LaunchSettings plan(answer);
    if (plan.s.listed())
        return {"", "", {translate("Megatron-LM trains transformers; this model is a list of operators.")}};
    if (!writes_layer_pattern(plan.s, kPrimus)) return {"", "", {refused_layers(plan.s, kPrimus)}};
    plan.note_mismatches(kPrimus, true);
    note_options_without_preset(plan);
    Overrides overrides;
    for (const std::string_view key : kPrimusKeys)
        overrides[std::string(key)] = key == "add_bias_linear" ? "true" : "false";
    for (const OwnSchedule& own : kSchedules) plan.more_schedules.push_back(own.kind);
    for (const MegatronArgument& argument : megatron_arguments(plan, kPrimus)) {
        const auto [key, value] = override_of(argument);
        overrides[key] = value;
    }
    if (overrides["position_embedding_type"] == "learned_absolute")
        overrides["add_position_embedding"] = "true";
    write_schedule(plan.s, overrides);
    write_optimizer(plan, overrides);
    if (overrides.erase("cuda_graph_modules") > 0) {
        overrides.erase("cuda_graph_impl");
        plan.note_missing_option(kPrimus, P::cuda_graphs,
                                 translatable("{1} has no option for “{2}” with experts."));
    }
    const Hosts on = hosts(plan.s);
    note_hosts(plan);
    // The launcher runs srun by itself.
    const std::string program = "-- train pretrain --config " + shell_word(file);
    const std::string job = "./runner/primus-cli slurm srun -N " + whole(on.nodes) + " " + program;
    const std::string command = on.nodes > 1 ? job : "./runner/primus-cli direct " + program;
    std::string text =
        header(kPrimus, answer, comment_line("Start in Primus's folder:") + comment_line("  " + command));
    text +=
        "work_group: amd\nuser_name: user\nexp_name: shardscope\nworkspace: ./output\n\nmodules:\n  "
        "pre_trainer:\n"
        "    framework: megatron\n    config: pre_trainer.yaml\n    model: language_model.yaml\n    "
        "overrides:\n";
    for (const auto& [key, value] : overrides) text += "      " + key + ": " + value + "\n";
    plan.note(translate("Add data, tokenizer and learning rate to the overrides."));
    return {text, command, plan.notes, on, job, true};
}

}  // namespace
}  // namespace launch

const LaunchFormat kPrimus{
    .name = "primus",
    .label = "Primus",
    .file_name = "primus.yaml",
    .stack = "primus",
    .checked = "Primus at commits 0158a86 and 05b350b, language_model.yaml and trainer_base.yaml",
    .write_file = launch::write_primus,
    .gpus_only = true,
};

}  // namespace shardscope
