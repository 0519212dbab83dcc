// torchtitan's configuration since February 2026: a Python function that returns a Trainer.Config.
//
// Source: pytorch/torchtitan at commit b5bcd76 (August 2026), torchtitan/config/configs.py (TrainingConfig,
// ParallelismConfig, CompileConfig), torchtitan/distributed/activation_checkpoint.py, torchtitan/trainer.py
// (what CUDA graphs require) and torchtitan/models/*/config_registry.py. The function changes what the
// registry's own function returns, so that data, optimizer and checkpoints are torchtitan's. The plan is that
// of the TOML writer.
#include <array>

#include "launch/launch.h"
#include "launch/shapes.h"
#include "launch/toml.h"
#include "launch/torchtitan.h"
#include "launch/writing.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace launch {
namespace {

// Keys of the TOML that are fields of ParallelismConfig or TrainingConfig with the same name.
constexpr std::array<std::string_view, 15> kSameFields{
    "training.steps",
    "training.dtype",
    "training.mixed_precision_param",
    "training.mixed_precision_reduce",
    "training.enable_cpu_offload",
    "parallelism.data_parallel_replicate_degree",
    "parallelism.data_parallel_shard_degree",
    "parallelism.fsdp_reshard_after_forward",
    "parallelism.tensor_parallel_degree",
    "parallelism.context_parallel_degree",
    "parallelism.pipeline_parallel_degree",
    "parallelism.pipeline_parallel_schedule",
    "parallelism.pipeline_parallel_first_stage_less_layers",
    "parallelism.pipeline_parallel_last_stage_less_layers",
    "parallelism.pipeline_parallel_layers_per_stage",
};

class PythonWriter {
  public:
    PythonWriter(LaunchPlan& plan, Toml& toml) : plan_(plan), toml_(toml) {}

    void set(std::string_view field, const std::string& value) {
        body_ += "    config." + std::string(field) + " = " + value + "\n";
    }
    void set(std::string_view field, bool value) { set(field, std::string(value ? "True" : "False")); }

    void training() {
        const Settings& s = plan_.s;
        set("training.num_tokens_per_microbatch_per_dp_rank",
            whole(s[P::micro_batch] * s[P::sequence_length]));
        set("training.num_tokens_per_train_step", whole(s[P::global_batch] * s[P::sequence_length]));
        set("training.max_context_length", plan_.whole(P::sequence_length));
        copy_fields();
        set("parallelism.expert_parallel_degree", plan_.whole(P::expert_parallel));
        if (s[P::tensor_parallel] > 1)
            set("parallelism.enable_sequence_parallel", s.on(P::sequence_parallel));
        if (s[P::pipeline_parallel] > 1) set("parallelism.num_pp_microbatches", plan_.whole(P::accumulation));
        if (s[P::tensor_parallel] > 1 && !s.on(P::parallel_loss))
            plan_.note_missing_option(kTorchtitanPython, P::parallel_loss);
        // CUDA graphs are on unless they are disabled. They allow neither a pipeline nor expert parallelism
        // whose host waits for counts.
        const bool impossible = s[P::expert_parallel] > 1 || s[P::pipeline_parallel] > 1;
        set("training.disable_cuda_graphs", impossible || !s.on(P::cuda_graphs));
        if (impossible && s.on(P::cuda_graphs))
            plan_.note(
                translate("torchtitan has no CUDA graphs with this pipeline or with expert parallelism."));
    }

    // Returns the import that the configuration of activation checkpointing needs; "" for none.
    std::string recomputation() {
        Problems none;
        const std::string mode = toml_.text("activation_checkpoint.mode", none).value_or("none");
        const std::string option =
            toml_.text("activation_checkpoint.selective_ac_option", none).value_or("op");
        if (mode == "none") {
            set("activation_checkpoint", std::string("None"));
            return {};
        }
        const bool full = mode == "full" || option != "op";
        if (mode == "selective" && option != "op")
            plan_.note(
                translate("torchtitan recomputes every layer or the operators that it chooses; “{1}” is "
                          "written as every layer.",
                          {plan_.named(P::recompute)}));
        const std::string kind = full ? "FullAC" : "SelectiveAC";
        set("activation_checkpoint", kind + ".Config()");
        return "from torchtitan.distributed.activation_checkpoint import " + kind + "\n";
    }

    void compilation() {
        Problems none;
        const bool overlap = plan_.s[P::tensor_parallel] > 1 && plan_.s.on(P::async_tensor_parallel);
        set("compile.enable", toml_.flag("compile.enable", none).value_or(false) || overlap);
        set("compile.enable_async_tensor_parallel", overlap);
    }

    [[nodiscard]] const std::string& body() const { return body_; }

  private:
    void copy_fields() {
        Problems none;
        for (const std::string_view field : kSameFields) {
            const std::string key(field);
            if (!toml_.has(key)) continue;
            Problems wrong;
            if (const auto number = toml_.number(key, wrong); number && wrong.empty()) {
                set(field, whole(*number));
                continue;
            }
            wrong.clear();
            if (const auto flag = toml_.flag(key, wrong); flag && wrong.empty()) set(field, *flag);
            else if (const auto text = toml_.text(key, none)) set(field, "\"" + *text + "\"");
        }
    }

    LaunchPlan& plan_;
    Toml& toml_;
    std::string body_;
};

LaunchText write(const Answer& answer, const std::string& /*file: torchtitan imports the function*/) {
    LaunchText toml = write_torchtitan(answer, {}, TorchtitanForm::python);
    if (toml.text.empty()) return toml;
    LaunchPlan plan(answer);
    plan.notes = toml.notes;
    Problems problems;
    Toml keys(toml.text, problems);
    const TorchtitanFlavor* known = row_of_model(kTorchtitanFlavors, plan.s, *answer.scenario.catalogue);
    const bool has_base = known && !known->function.empty();
    const std::string module = known ? std::string(known->model) : "your_model";
    const std::string function = has_base ? std::string(known->function) : "your_function";
    if (!has_base)
        plan.note(
            translate("Name the function of torchtitan's registry for this model in place of "
                      "your_model and your_function."));
    PythonWriter python(plan, keys);
    python.training();
    const std::string imports = python.recomputation();
    python.compilation();
    if (is_low(plan.s.choice<Precision>(P::precision)))
        plan.note(
            translate("Add torchtitan's Float8 or MXFP8 converters to the model; grouped experts have one "
                      "of their own."));
    const std::string command =
        torchrun(plan) + " -m torchtitan.train --module " + module + " --config shardscope_plan";
    std::string text = header(kTorchtitanPython, answer,
                              comment_line("Append to torchtitan/models/" + module +
                                           "/config_registry.py, then "
                                           "start on every node:") +
                                  comment_line("  " + command));
    text += imports + "from torchtitan.models." + module + ".config_registry import " + function +
            "\n\n\ndef shardscope_plan():\n    config = " + function + "()\n" + python.body() +
            "    return config\n";
    return {text, command, plan.notes, hosts(plan.s)};
}

}  // namespace
}  // namespace launch

const LaunchFormat kTorchtitanPython{
    .name = "torchtitan-python",
    .label = "torchtitan (Python)",
    .file_name = "config_registry.py",
    .stack = "fsdp2",
    .checked = "torchtitan at commit b5bcd76 (August 2026), torchtitan/config/configs.py",
    .write_as = launch::write,
};

}  // namespace shardscope
