// torchtitan's configuration since February 2026: a Python function that returns a Trainer.Config.
//
// Source: pytorch/torchtitan at commit b5bcd76 (August 2026), torchtitan/config/configs.py (TrainingConfig,
// ParallelismConfig, CompileConfig), torchtitan/distributed/activation_checkpoint.py, torchtitan/trainer.py
// (what CUDA graphs require), torchtitan/components/quantization (converters) and torchtitan/models/*:
// config_registry.py and model_registry in __init__.py. The function changes what the registry's own function
// returns, so that data, optimizer and checkpoints are torchtitan's. The plan is that of the TOML writer.
#include <array>
#include <vector>

#include "launch/launch.h"
#include "launch/shapes.h"
#include "launch/toml.h"
#include "launch/torchtitan.h"
#include "launch/writing.h"
#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"
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
    PythonWriter(LaunchSettings& plan, Toml& toml) : plan_(plan), toml_(toml) {}

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
        // The groups of expert parallelism include the tensor-parallel GPUs.
        if (s[P::expert_parallel] > 1 && expert_tensor_parallel(s) > 1)
            plan_.note_missing_option(kTorchtitanPython, P::expert_tensor_parallel,
                                      translatable("{1} has no option for “{2}” with expert parallelism; the "
                                                   "experts' matrices are not split."));
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
        const Settings& s = plan_.s;
        const bool overlap = s[P::tensor_parallel] > 1 && s.on(P::async_tensor_parallel);
        // Converted layers are fast only if they are compiled.
        compiles_ = toml_.flag("compile.enable", none).value_or(false) || overlap ||
                    is_low(s.choice<Precision>(P::precision));
        set("compile.enable", compiles_);
        if (compiles_) set("compile.components", std::string(R"(["model", "loss"])"));
        set("compile.enable_async_tensor_parallel", overlap);
    }

    // Writes the model of the flavor with the converters of the plan; the registry's function may have
    // others. Returns the imports that the converters need.
    std::string model(const std::string& flavor, double mtp_layers) {
        const Settings& s = plan_.s;
        std::string arguments = "\"" + flavor + "\"";
        if (mtp_layers > 0) arguments += ", num_mtp_layers=" + whole(mtp_layers);
        if (writes_deepep(s)) arguments += ", moe_comm_backend=\"deepep\"";
        // torchtitan's MXFP8 converters require compute capability 10.0 (components/quantization/mx.py).
        const Preset* gpu = plan_.answer.scenario.gpu_preset();
        const bool no_mx = matrix_format(s) == Precision::mxfp8 && gpu && gpu->vendor == "amd";
        if (no_mx)
            plan_.note_missing_option(kTorchtitanPython, P::precision,
                                      translatable("{1} has no option for “{2}” on GPUs of AMD; bfloat16 is "
                                                   "written."));
        const std::vector<Converter> converters = no_mx ? std::vector<Converter>() : converters_of(s);
        if (converters.empty()) {
            set("model_spec", "model_registry(" + arguments + ")");
            return {};
        }
        if (plan_.is(P::precision, Precision::nvfp4) && s[P::experts] > 0)
            plan_.note(
                translate("torchtitan has no converter of grouped experts to NVFP4; they stay in bf16."));
        std::string list, imports;
        for (const Converter& converter : converters) {
            list += "            " + std::string(converter.name) +
                    ".Config(model_compile_enabled=" + (compiles_ ? "True" : "False") +
                    (converter.more.empty() ? "" : ", ") + converter.more + "),\n";
            imports += "    " + std::string(converter.name) + ",\n";
        }
        set("model_spec", "model_registry(\n        " + arguments + ",\n        converters=[\n" + list +
                              "        ],\n    )");
        return "from torchtitan.components.quantization import (\n" + imports + ")\n";
    }

    [[nodiscard]] const std::string& body() const { return body_; }

  private:
    // A class that converts the layers of a model, with arguments of its configuration.
    struct Converter {
        std::string_view name;
        std::string more;
    };

    // Output head and router stay in bf16, as in torchtitan's own configurations.
    static std::vector<Converter> converters_of(const Settings& s) {
        const bool experts = s[P::experts] > 0;
        const std::string layers =
            experts ? R"(fqns=["attention", "shared_experts", "feed_forward"])" : R"(fqns=["layers"])";
        std::vector<Converter> out;
        switch (matrix_format(s)) {
            case Precision::fp8:
                // torchtitan's only recipes scale by rows (components/quantization/float8.py); the engine
                // has no such recipe.
                out.push_back({"Float8LinearConverter",
                               std::string(R"(recipe_name="rowwise", filter_fqns=["lm_head")") +
                                   (experts ? R"(, "router.gate"])" : "]")});
                if (experts) out.push_back({"Float8GroupedExpertsConverter", ""});
                break;
            case Precision::mxfp8:
                out.push_back({"MXFP8LinearConverter", layers});
                // The fastest kernel of Blackwell needs groups of 128 tokens.
                if (experts) out.push_back({"MXFP8GroupedExpertsConverter", "pad_multiple=128"});
                break;
            case Precision::nvfp4: out.push_back({"NVFP4LinearConverter", layers}); break;
            default: break;
        }
        return out;
    }

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

    LaunchSettings& plan_;
    Toml& toml_;
    std::string body_;
    bool compiles_ = false;
};

// A model of torchtitan's registry, with its layers that predict further tokens.
struct RegisteredModel {
    const TorchtitanFlavor* flavor = nullptr;  // nullptr where the registry has none
    double mtp_layers = 0;
};

// Only deepseek_v3's registry has prediction layers; pull request 3392 of August 2026 added them.
RegisteredModel registered_model(const Answer& answer) {
    const Settings& s = answer.settings;
    RegisteredModel out{row_of_model(kTorchtitanFlavors, s, answer.scenario)};
    if (!out.flavor && s[P::mtp_layers] > 0) {
        Settings without = s;
        without.set(P::mtp_layers, 0, Origin::given);
        const TorchtitanFlavor* main = row_of_model(kTorchtitanFlavors, without, answer.scenario);
        if (main && main->model == "deepseek_v3") out = {main, s[P::mtp_layers]};
    }
    if (out.flavor && !out.flavor->has_python_form) out.flavor = nullptr;
    return out;
}

// Writes the loss that prediction layers need, as deepseek_v3_debugmodel_mtp in the registry does. Returns
// the imports.
std::string write_mtp_loss(LaunchSettings& plan, PythonWriter& python) {
    python.set("loss",
               std::string("MTPLoss.Config(global_vocab_size=decoder_vocab_size(config.model_spec))"));
    if (plan.s[P::context_parallel] > 1 || plan.s[P::pipeline_parallel] > 1)
        plan.note(translate(
            "torchtitan combines prediction layers (MTP) with neither context nor pipeline parallelism."));
    return "from torchtitan.models.common.config_utils import decoder_vocab_size\n"
           "from torchtitan.models.deepseek_v3.mtp import MTPLoss\n";
}

LaunchText write_torchtitan_python(const Answer& answer,
                                   const std::string& /*file: torchtitan imports the function*/) {
    LaunchText toml = write_torchtitan(answer, {}, TorchtitanForm::python);
    if (toml.text.empty()) return toml;
    LaunchSettings plan(answer);
    plan.notes = toml.notes;
    Problems problems;
    Toml keys(toml.text, problems);
    const RegisteredModel registered = registered_model(answer);
    const TorchtitanFlavor* known = registered.flavor;
    const bool has_base = known && !known->function.empty();
    const std::string module = known ? std::string(known->model) : "your_model";
    const std::string function = has_base ? std::string(known->function) : "your_function";
    if (!has_base)
        plan.note(
            known ? translate("Name the function of torchtitan's registry for this model in place of "
                              "your_function.")
                  : translate("Name the function of torchtitan's registry for this model, and its flavor, in "
                              "place of your_model, your_function and your_flavor."));
    PythonWriter python(plan, keys);
    python.training();
    const std::string recomputation = python.recomputation();
    python.compilation();
    const std::string converters =
        python.model(known ? std::string(known->flavor) : "your_flavor", registered.mtp_layers);
    const std::string loss = registered.mtp_layers > 0 ? write_mtp_loss(plan, python) : "";
    LaunchSettings start(answer);  // whose notes are also those of the TOML
    const std::string command =
        torchrun(start) + " -m torchtitan.train --module " + module + " --config shardscope_plan";
    std::string text = header(kTorchtitanPython, answer,
                              comment_line("Append to torchtitan/models/" + module +
                                           "/config_registry.py, then "
                                           "start on every node:") +
                                  comment_line("  " + command));
    text += converters + recomputation + loss + "from torchtitan.models." + module +
            " import model_registry\n" + "from torchtitan.models." + module + ".config_registry import " +
            function + "\n\n\ndef shardscope_plan():\n    config = " + function + "()\n" + python.body() +
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
    .write_file = launch::write_torchtitan_python,
    .gpus_only = true,
    .same_plan = &kTorchtitan,
};

}  // namespace shardscope
