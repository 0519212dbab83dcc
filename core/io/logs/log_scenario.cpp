// The scenario that a training log states.
#include <algorithm>
#include <array>
#include <cmath>

#include "launch/named_parameter.h"
#include "launch/reading.h"
#include "launch/shapes.h"
#include "logs/log_format.h"
#include "logs/training_log.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using logs::LogContents;

bool has_argument(const LogContents& contents, std::string_view option) {
    return std::ranges::find(contents.megatron, option, &launch::MegatronArgument::option) !=
           contents.megatron.end();
}

bool has_key(const LogContents& contents, std::string_view key) {
    return std::ranges::find(contents.torchtitan, key, &logs::StatedKey::key) != contents.torchtitan.end();
}

// Returns whether the arguments are enough for Megatron-LM's reader.
bool has_megatron_shape(const LogContents& contents) {
    for (const P id : {P::layers, P::hidden_size, P::heads, P::sequence_length, P::micro_batch})
        if (!has_argument(contents, launch::option_of(id))) return false;
    return true;
}

// Options of Megatron-LM whose value None or False switches off a parameter that the reader of arguments
// leaves to its default.
constexpr std::array kMegatronSwitches{
    NamedParameter{"--recompute-granularity", P::recompute},
    NamedParameter{"--optimizer-cpu-offload", P::offload},
    NamedParameter{"--sequence-parallel", P::sequence_parallel},
    NamedParameter{"--tp-comm-overlap", P::async_tensor_parallel},
    NamedParameter{"--overlap-grad-reduce", P::overlap_grad_reduce},
    NamedParameter{"--overlap-param-gather", P::overlap_param_gather},
    NamedParameter{"--overlap-moe-expert-parallel-comm", P::moe_overlap},
    NamedParameter{"--cross-entropy-loss-fusion", P::loss},
    NamedParameter{"--cuda-graph-impl", P::cuda_graphs},
};

// Undoes the assumption of a reader of launch files on the number of GPUs: a log that does not state it
// leaves it to the base or to the user.
void drop_assumed_gpus(const Scenario& start, LaunchRead& read) {
    if (read.gpus_note.empty()) return;
    std::erase(read.notes, read.gpus_note);
    if (start.is_given(P::gpus)) read.scenario.give(P::gpus, start.value[index(P::gpus)]);
    else read.scenario.withdraw(P::gpus);
}

void read_megatron(const LogContents& contents, const Scenario& start, LogScenario& out, Problems& problems) {
    LaunchRead read = launch::read_megatron_arguments(contents.megatron, start, problems);
    drop_assumed_gpus(start, read);
    out.notes = std::move(read.notes);
    out.scenario = start;
    if (!problems.empty()) return;
    out.scenario = read.scenario;
    for (const NamedParameter& known : kMegatronSwitches)
        if (contents.megatron_off.contains(known.name) && !out.scenario.is_given(known.id))
            out.scenario.give(known.id, 0);
}

// What DeepSpeed's configuration states. The log states batch and GPUs elsewhere.
constexpr std::array kOfDeepspeed{
    P::precision,
    P::optimizer_precision,
    P::gradient_precision,
    P::main_gradient_precision,
    P::optimizer,
    P::sharding,
    P::shard_group,
    P::overlap_grad_reduce,
    P::tensor_parallel,
    P::context_parallel,
    P::async_tensor_parallel,
    P::expert_parallel,
};

// Drops the notes on what the configuration leaves to the program and the log states: GPUs, model and
// sequence.
void drop_answered_notes(const Scenario& start, LaunchRead& read) {
    drop_assumed_gpus(start, read);
    std::erase(read.notes, read.model_note);
}

// Reads the configuration that DeepSpeed prints as its reader of configuration files does. Returns whether
// the log has one that can be read.
bool read_deepspeed(const LogContents& contents, const Scenario& start, LogScenario& out) {
    if (contents.deepspeed.empty() || !kDeepspeed.recognises(contents.deepspeed)) return false;
    Scenario base = out.scenario;
    if (!base.model) base.model = start.model;
    Problems own;
    LaunchRead read = kDeepspeed.read(contents.deepspeed, base, own);
    if (!read.complete) {
        out.notes.push_back(
            translate("The DeepSpeed configuration of the log is not read: {1}.", {own.front().text()}));
        return false;
    }
    drop_answered_notes(start, read);
    out.notes.insert(out.notes.end(), read.notes.begin(), read.notes.end());
    for (const P id : kOfDeepspeed) {
        if (read.scenario.is_given(id)) out.scenario.give(id, read.scenario.value[index(id)]);
        else out.scenario.withdraw(id);
    }
    const Settings settings = resolve(read.scenario);
    out.scenario.give(P::offload, settings[P::offload]);
    // The steps may be those of another tool, such as the Trainer, which is no software stack.
    if (!out.scenario.is_given(P::software)) out.scenario.give(P::software, settings[P::software]);
    return true;
}

bool is_model(P id) { return parameter(id).group == Group::model; }

// The keys of torchtitan's configuration that state a parameter. torchtitan logs its device mesh in any case,
// and later that it recomputes activations, offloads or compiles the model; without those lines it does not.
constexpr std::string_view kMesh = "parallelism.data_parallel_shard_degree";
constexpr std::string_view kSchedule = "parallelism.pipeline_parallel_schedule";
constexpr std::array kKeys{
    NamedParameter{"training.seq_len", P::sequence_length},
    NamedParameter{"training.local_batch_size", P::micro_batch},
    NamedParameter{"training.batch_size", P::micro_batch},
    NamedParameter{"training.local_batch_size", P::global_batch},
    NamedParameter{"training.batch_size", P::global_batch},
    NamedParameter{"training.local_batch_size", P::accumulation},
    NamedParameter{"training.batch_size", P::accumulation},
    NamedParameter{"training.steps", P::training_tokens},
    NamedParameter{"training.dtype", P::optimizer_precision},
    NamedParameter{"training.mixed_precision_param", P::precision},
    NamedParameter{"model.converters", P::precision},
    NamedParameter{"model.converters", P::fp8_recipe},
    NamedParameter{"model.converters", P::fp8_param_gather},
    NamedParameter{"training.enable_cpu_offload", P::offload},
    NamedParameter{"training.disable_cuda_graphs", P::cuda_graphs},
    NamedParameter{kMesh, P::offload},
    NamedParameter{kMesh, P::gpus},
    NamedParameter{kMesh, P::sharding},
    NamedParameter{kMesh, P::shard_group},
    NamedParameter{"parallelism.fsdp_reshard_after_forward", P::reshard_after_forward},
    NamedParameter{"parallelism.tensor_parallel_degree", P::tensor_parallel},
    NamedParameter{"parallelism.tensor_parallel_degree", P::sequence_parallel},
    NamedParameter{"parallelism.enable_sequence_parallel", P::sequence_parallel},
    NamedParameter{"parallelism.enable_async_tensor_parallel", P::async_tensor_parallel},
    NamedParameter{"parallelism.disable_loss_parallel", P::parallel_loss},
    NamedParameter{"parallelism.context_parallel_degree", P::context_parallel},
    NamedParameter{"parallelism.expert_parallel_degree", P::expert_parallel},
    NamedParameter{"parallelism.expert_tensor_parallel_degree", P::expert_tensor_parallel},
    NamedParameter{"parallelism.expert_parallel_comm_backend", P::moe_dispatcher},
    NamedParameter{"parallelism.pipeline_parallel_degree", P::pipeline_parallel},
    NamedParameter{kSchedule, P::schedule},
    NamedParameter{kSchedule, P::virtual_stages},
    NamedParameter{kSchedule, P::first_stage_layers},
    NamedParameter{kSchedule, P::last_stage_layers},
    NamedParameter{"activation_checkpoint.mode", P::recompute},
    NamedParameter{kMesh, P::recompute},
    NamedParameter{"activation_checkpoint.mode", P::recompute_modules},
    NamedParameter{kMesh, P::recompute_modules},
    NamedParameter{"optimizer.name", P::optimizer},
    NamedParameter{"compile.enable", P::software},
    NamedParameter{kMesh, P::software},
};

bool is_stated(const LogContents& contents, P id) {
    return std::ranges::any_of(
        kKeys, [&](const NamedParameter& known) { return known.id == id && has_key(contents, known.name); });
}

// Gives what the log does not state the values of `base`, in place of torchtitan's defaults.
void keep_unstated(const LogContents& contents, const Scenario& base, bool keeps_model, Scenario& scenario) {
    if (keeps_model) {
        scenario.model = base.model;
        scenario.model_name = base.model_name;
    }
    const Scenario& with_stages = is_stated(contents, P::pipeline_parallel) ? scenario : base;
    const bool pipeline = resolve(with_stages)[P::pipeline_parallel] > 1;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        // torchtitan always reduces gradients in fp32. An MFU that was set by hand belongs to the run of
        // `base`.
        if (id == P::gradient_precision) continue;
        if (id == P::mfu_override || (is_model(id) ? !keeps_model : is_stated(contents, id))) continue;
        const bool of_pipeline = id == P::virtual_stages || id == P::first_stage_layers ||
                                 id == P::last_stage_layers || id == P::schedule;
        if (base.is_given(id) && (pipeline || !of_pipeline)) scenario.give(id, base.value[i]);
        else scenario.withdraw(id);
    }
}

// Returns what the log states of torchtitan's configuration as a file, one line each.
std::string torchtitan_file(const LogContents& contents) {
    std::string out;
    for (const logs::StatedKey& key : contents.torchtitan) out += key.key + " = " + key.value + "\n";
    // These are not torchtitan's defaults.
    if (!has_key(contents, "activation_checkpoint.mode")) out += "activation_checkpoint.mode = \"none\"\n";
    if (!has_key(contents, "activation_checkpoint.selective_ac_option"))
        out += "activation_checkpoint.selective_ac_option = \"op\"\n";
    return out;
}

void read_torchtitan(const LogContents& contents, const Scenario* base, const Scenario& start,
                     LogScenario& out, Problems& problems) {
    Problems own;
    LaunchRead read = kTorchtitan.read(torchtitan_file(contents), start, own);
    drop_assumed_gpus(start, read);
    const auto of_flavor = [](const Problem& problem) { return problem.where == "model.flavor"; };
    const auto unknown_flavor = std::ranges::find_if(own, of_flavor);
    const bool unknown = unknown_flavor != own.end() || !has_key(contents, "model.flavor");
    if (unknown_flavor != own.end() && has_key(contents, "model.flavor"))
        read.notes.push_back(translate("The model of the log: {1}.", {unknown_flavor->what}));
    std::erase_if(own, of_flavor);
    for (Problem& problem : own) {
        const auto line = static_cast<std::size_t>(problem.line);
        problem.line =
            line > 0 && line <= contents.torchtitan.size() ? contents.torchtitan[line - 1].line : 0;
        problems.push_back(problem);
    }
    out.scenario = own.empty() ? read.scenario : start;
    out.notes = std::move(read.notes);
    if (!own.empty()) return;
    const bool has_batch = is_stated(contents, P::micro_batch);
    const bool accumulates = out.scenario.is_given(P::global_batch) || out.scenario.is_given(P::accumulation);
    // Without a global batch torchtitan accumulates no gradients.
    if (has_batch && !accumulates) out.scenario.give(P::accumulation, 1);
    const Settings settings = resolve(out.scenario);
    const double stages = contents.pipeline_stages.value;
    const double gpus = settings[P::pipeline_parallel];
    if (stages > 0 && std::fmod(stages, gpus) == 0 && out.scenario.is_given(P::virtual_stages))
        out.scenario.give(P::virtual_stages, stages / gpus);
    // A table of runs has another default for the sharding beside tensor or pipeline parallelism.
    for (const P id : {P::sharding, P::recompute, P::offload})
        if (has_key(contents, kMesh)) out.scenario.give(id, settings[id]);
    if (base) {
        keep_unstated(contents, *base, unknown, out.scenario);
        return;
    }
    if (unknown) out.scenario.model = nullptr;
    // The reader has torchtitan's defaults for what the log does not state.
    if (!has_key(contents, "training.seq_len")) out.scenario.withdraw(P::sequence_length);
    if (!has_batch) out.scenario.withdraw(P::micro_batch);
}

// Sets the model from fields that the log states one by one. Without other information it has the
// architecture of Llama: gated MLP, RMSNorm, no biases.
void set_shape(const LogContents& contents, LogScenario& out) {
    if (contents.line_of(P::layers) == 0 || contents.line_of(P::hidden_size) == 0) return;
    const Preset* llama = out.scenario.catalogue->find(PresetKind::model, "llama-3-8b");
    if (!llama) return;
    Scenario shape = out.scenario;
    shape.model = llama;
    Settings wanted = resolve(shape);
    bool heads = false;
    bool groups = false;
    for (const logs::StatedSetting& setting : contents.settings) {
        if (!is_model(setting.id)) continue;
        wanted.set(setting.id, setting.value, Origin::given);
        heads = heads || setting.id == P::heads;
        groups = groups || setting.id == P::kv_heads;
    }
    if (heads && !groups) wanted.set(P::kv_heads, wanted[P::heads], Origin::given);
    if (wanted[P::heads] >= 1)
        wanted.set(P::head_size, std::floor(wanted[P::hidden_size] / wanted[P::heads]), Origin::given);
    launch::set_model_of_shape(out.scenario, wanted);
    out.notes.push_back(
        translate("The log states a model's sizes; the architecture is assumed to be that of Llama."));
}

const Preset* gpu_of(const LogContents& contents, const Catalogue& catalogue) {
    const std::string_view name = logs::gpu_preset_of(contents.device);
    return name.empty() ? nullptr : catalogue.find(PresetKind::gpu, name);
}

// Returns the scenario that the log changes: `base`, or the first launch's, on the GPU that the log names. A
// cluster of the base that has it is kept.
Scenario start_of(const LogContents& contents, const Scenario* base, const Catalogue& catalogue) {
    Scenario out = base ? *base : Scenario::first_launch(catalogue);
    const Preset* gpu = gpu_of(contents, catalogue);
    if (base && (!gpu || out.gpu_preset() == gpu)) return out;
    // The readers of settings check the precision. A GPU that is not known yet has a peak for each.
    constexpr std::string_view kAllPrecisions = "b200-sxm";
    out.cluster = nullptr;
    out.gpu = gpu ? gpu : catalogue.find(PresetKind::gpu, kAllPrecisions);
    return out;
}

// Takes the model that the log names.
void set_named_model(const LogContents& contents, Scenario& scenario) {
    const Preset* model = scenario.catalogue->find(PresetKind::model, contents.model);
    if (!model || scenario.model == model) return;
    for (std::size_t i = 0; i < kParameters; ++i)
        if (is_model(static_cast<P>(i))) scenario.withdraw(static_cast<P>(i));
    scenario.model = model;
    scenario.model_name.clear();
}

// Withdraws the GPU of the start where neither the log nor a base states it.
void finish_gpu(const LogContents& contents, LogScenario& out) {
    const Preset* gpu = gpu_of(contents, *out.scenario.catalogue);
    if (!gpu) {
        out.scenario.gpu = nullptr;
        return;
    }
    out.notes.push_back(
        translate("The log does not state the network; that of the usual node of {1} is assumed.",
                  {translate(gpu->title)}));
}

void note_parameters(const LogContents& contents, LogScenario& out) {
    constexpr double kSame = 0.02;
    if (contents.parameters.value <= 0 || !out.scenario.model) return;
    const Settings settings = resolve(out.scenario);
    if (!check(out.scenario, settings).empty()) return;
    const double here = compile(settings).parameters;
    if (std::fabs(here / contents.parameters.value - 1) <= kSame) return;
    out.notes.push_back(
        translate("The log states {1} parameters (line {2}); the scenario's model has {3}.",
                  {format(contents.parameters.value, Quantity::big_count),
                   std::to_string(contents.parameters.line), format(here, Quantity::big_count)}));
}

// Reads arguments that are too few for the reader of Megatron-LM; they still state single values.
void read_single_arguments(const LogContents& contents, Scenario& scenario) {
    for (const launch::MegatronArgument& argument : contents.megatron) {
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            const Parsed parsed = parse(id, argument.value);
            if (!is_model(id) && launch::option_of(id) == argument.option && parsed.ok)
                scenario.give(id, parsed.value);
        }
    }
}

}  // namespace

LogScenario log_scenario(const TrainingLog& log, const Scenario* base, const Catalogue& catalogue,
                         Problems& problems) {
    const LogContents& contents = log.contents;
    const Scenario start = start_of(contents, base, catalogue);
    LogScenario out{start, {}};
    const bool megatron = has_megatron_shape(contents);
    const bool torchtitan = !megatron && !contents.torchtitan.empty();
    if (megatron) read_megatron(contents, start, out, problems);
    else if (torchtitan) read_torchtitan(contents, base, start, out, problems);
    else if (!base) out.scenario.model = nullptr;
    if (!problems.empty()) return out;
    out.notes.insert(out.notes.end(), contents.notes.begin(), contents.notes.end());
    if (!megatron && !torchtitan) set_named_model(contents, out.scenario);
    if (!megatron && !torchtitan) set_shape(contents, out);
    const bool has_deepspeed = read_deepspeed(contents, start, out);
    const bool has_software = torchtitan || (megatron && !contents.is_bridge) ||
                              (base && base->is_given(P::software)) || log.software.empty();
    if (!has_software) out.scenario.give(P::software, parse(P::software, log.software).value);
    for (const logs::StatedSetting& setting : contents.settings) {
        // The line of ZeRO's stage does not tell ZeRO++ and MiCS from stage 3.
        const bool already_read = is_model(setting.id) || (megatron && setting.id != P::global_batch) ||
                                  (has_deepspeed && setting.id == P::sharding);
        if (!already_read) out.scenario.give(setting.id, setting.value);
    }
    if (!megatron) read_single_arguments(contents, out.scenario);
    if (!base) finish_gpu(contents, out);
    note_parameters(contents, out);
    return out;
}

std::vector<MissingInput> missing_inputs(const Scenario& scenario) {
    std::vector<MissingInput> out;
    const auto lacks = [&](std::string_view key, P id, const std::string& what, const char* example) {
        out.push_back({key, std::nullopt, id, translate(parameter(id).label), what, example});
    };
    if (!scenario.model && !scenario.is_given(P::layers))
        out.push_back({"model.preset", PresetKind::model, P::layers, translate("Model"),
                       translate("the model"), "llama-3-8b"});
    if (!scenario.cluster && !scenario.gpu)
        out.push_back({"cluster.preset", PresetKind::cluster, P::gpus, translate("Cluster"),
                       translate("the GPU"), "dgx-h100"});
    if (!scenario.is_given(P::gpus)) lacks("gpus", P::gpus, translate("the number of GPUs"), "64");
    if (!scenario.is_given(P::sequence_length))
        lacks("sequence_length", P::sequence_length, translate("the length of a sequence"), "8192");
    if (!scenario.is_given(P::micro_batch))
        lacks("micro_batch", P::micro_batch, translate("the micro-batch"), "1");
    if (!scenario.is_given(P::global_batch) && !scenario.is_given(P::accumulation))
        lacks("global_batch", P::global_batch, translate("the batch"), "256");
    return out;
}

Problem problem_of(const MissingInput& input) {
    return {"", translate("the log does not state {1}", {input.what}), "",
            translate("add --set {1}, or the run's scenario with --on",
                      {std::string(input.key) + "=" + input.example})};
}

int line_of_value(const TrainingLog& log, const Scenario& stated, const Scenario& scenario, P id) {
    const double value = resolve(scenario)[id];
    if (!stated.is_given(id) || resolve(stated)[id] != value) return 0;
    const bool of_deepspeed = id == P::offload || std::ranges::find(kOfDeepspeed, id) != kOfDeepspeed.end();
    const int line_of_deepspeed = of_deepspeed ? log.contents.deepspeed_line : 0;
    for (const logs::StatedSetting& setting : log.contents.settings)
        if (setting.id == id && setting.value != value) return id == P::sharding ? line_of_deepspeed : 0;
    const int line = log.contents.line_of(id);
    return line == 0 ? line_of_deepspeed : line;
}

Problems check_completed(const TrainingLog& log, const Scenario& stated, const Scenario& scenario) {
    const Settings settings = resolve(scenario);
    Problems out = check(scenario, settings);
    if (out.empty()) return out;
    // The values that split a run among GPUs and micro-batches.
    static constexpr std::array kSplits{
        P::gpus,           P::tensor_parallel, P::context_parallel, P::pipeline_parallel,
        P::virtual_stages, P::expert_parallel, P::global_batch,     P::micro_batch,
        P::accumulation,   P::sequence_length,
    };
    std::vector<std::string> lines;
    for (const P id : kSplits) {
        if (const int line = line_of_value(log, stated, scenario, id); line > 0)
            lines.push_back(
                translate("{1} {2} (line {3})",
                          {std::string(field_of(id)), written(id, settings[id]), std::to_string(line)}));
    }
    if (lines.empty()) return out;
    std::string& why = out.front().why;
    why += (why.empty() ? "" : "; ") + translate("the log states {1}", {joined(lines, ", ")});
    return out;
}

}  // namespace shardscope
