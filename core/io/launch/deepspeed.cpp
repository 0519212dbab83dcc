// DeepSpeed's JSON config. It contains the training settings; the training program contains the model.
//
// Source: deepspeedai/DeepSpeed, docs/_pages/config-json.md at commit 00376da; for MiCS (sharding within a
// group) and the old form of zero_optimization deepspeed/runtime/zero/config.py at commit 1b88ac3; for the
// optimizers that ZeRO is tested with deepspeed/runtime/zero/utils.py at commit 1a11c18. MiCS was removed in
// September 2026 (pull request 8490).
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "launch/launch.h"
#include "launch/reading.h"
#include "launch/unmodelled_options.h"
#include "launch/writing.h"
#include "layout/layout.h"
#include "presets/json_values.h"
#include "scenario/gpu_groups.h"
#include "schedules/schedule.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"
#include "text/units.h"

namespace shardscope {
namespace launch {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

long long number(double value) { return static_cast<long long>(std::round(std::fmin(value, 9e18))); }

void write_precision(LaunchSettings& plan, ordered_json& out) {
    const auto precision = plan.s.choice<Precision>(P::precision);
    if (precision == Precision::fp16) {
        out["fp16"]["enabled"] = true;
    } else if (precision != Precision::fp32) {
        out["bf16"]["enabled"] = true;
        if (plan.is(P::optimizer_precision, Precision::bf16)) {
            if (plan.is(P::sharding, Sharding::ddp)) {
                plan.note(translate("DeepSpeed keeps the optimizer in bf16 only with ZeRO."));
            } else {
                out["bf16"]["bf16_master_weights_and_grads"] = true;
                out["bf16"]["bf16_optimizer_states"] = true;
            }
        }
    }
    if (is_low(precision))
        plan.note(translate("DeepSpeed's config has no {1}; use Transformer Engine's layers in the model.",
                            {format(P::precision, plan.s[P::precision])}));
    const bool half =
        plan.is(P::gradient_precision, Precision::bf16) || plan.is(P::gradient_precision, Precision::fp16);
    // The 16-bit gradients of an fp16 run are in fp16, and those of an fp32 run have 32 bits.
    out["communication_data_type"] = !half || precision == Precision::fp32 ? "fp32"
                                     : precision == Precision::fp16        ? "fp16"
                                                                           : "bf16";
    // Micro-batches accumulate in the precision of the weights; the only other one that DeepSpeed starts with
    // is fp32 beside bf16.
    const double main = plan.s[P::main_gradient_precision] == kAsReduced ? plan.s[P::gradient_precision]
                                                                         : plan.s[P::main_gradient_precision];
    const bool bf16 = precision != Precision::fp16 && precision != Precision::fp32;
    if (!bf16 || main != static_cast<double>(Precision::fp32)) return;
    if (!plan.is(P::sharding, Sharding::ddp)) out["data_types"]["grad_accum_dtype"] = "fp32";
    else plan.note(translate("Without ZeRO, DeepSpeed accumulates gradients in bf16; use stage 1 for fp32."));
}

void write_optimizer(LaunchSettings& plan, ordered_json& out) {
    const char* type = "AdamW";
    switch (plan.s.choice<Optimizer>(P::optimizer)) {
        case Optimizer::adamw: break;
        case Optimizer::muon: type = "Muon"; break;
        case Optimizer::momentum:
        case Optimizer::sgd: type = "SGD"; break;
        default:
            plan.note_missing_option(kDeepspeed, P::optimizer,
                                     translatable("{1} has no option for “{2}”; AdamW is written."));
    }
    out["optimizer"]["type"] = type;
    if (plan.is(P::optimizer, Optimizer::momentum)) out["optimizer"]["params"]["momentum"] = 0.9;
    // Under ZeRO, DeepSpeed starts with an untested optimizer only if this option is set. Offload needs no
    // such option: zero_force_ds_cpu_optimizer applies only to optimizers that the training program creates.
    if (std::string_view(type) == "SGD" && !plan.is(P::sharding, Sharding::ddp)) {
        out["zero_allow_untested_optimizer"] = true;
        plan.note(
            translate("DeepSpeed does not test ZeRO with SGD; zero_allow_untested_optimizer lets it start."));
    }
}

void write_zero(LaunchSettings& plan, ordered_json& out) {
    const Settings& s = plan.s;
    ordered_json& zero = out["zero_optimization"];
    const auto sharding = s.choice<Sharding>(P::sharding);
    zero["stage"] = is_fsdp(s) ? 3 : static_cast<int>(sharding);
    const auto offload = s.choice<Offload>(P::offload);
    if (sharding == Sharding::ddp) {
        if (offload != Offload::none)
            plan.note_missing_option(
                kDeepspeed, P::offload,
                translatable(
                    "{1} has no option for “{2}”; it offloads only with ZeRO, and no offload is written."));
        return;
    }
    zero["overlap_comm"] = is_fsdp(s) || s.on(P::overlap_grad_reduce);
    if (shard_group(s) < max_shard_group(s)) {
        if (is_fsdp(s)) {
            zero["mics_shard_size"] = number(shard_group(s));
            plan.note(translate(
                "Sharding within a group is MiCS: create the model under deepspeed.zero.MiCS_Init, with a "
                "DeepSpeed from before September 2026, when pull request 8490 removed MiCS."));
        } else {
            plan.note_missing_option(
                kDeepspeed, P::shard_group,
                translatable("{1} has no option for “{2}”; the state is sharded over all GPUs."));
        }
    }
    if (sharding == Sharding::zero_pp) {
        zero["zero_quantized_weights"] = true;
        zero["zero_quantized_gradients"] = true;
        zero["zero_hpz_partition_size"] = number(layout_of(s).shard.local);
    }
    if (is_fsdp(s) && !s.on(P::reshard_after_forward))
        plan.note(
            translate("DeepSpeed frees gathered weights after the forward pass, except those within "
                      "stage3_max_live_parameters."));
    if (offload != Offload::none && is_fsdp(s) && shard_group(s) < max_shard_group(s))
        plan.note(
            translate("With MiCS, DeepSpeed does not offload: remove offload_optimizer and offload_param."));
    if (offload == Offload::optimizer_nvme && is_fsdp(s)) {
        zero["offload_optimizer"] = {{"device", "nvme"},
                                     {"nvme_path", "/local_nvme"},
                                     {"pipeline_read", true},
                                     {"pipeline_write", true}};
        plan.note(
            translate("Replace /local_nvme by the folder in which the node's NVMe drives are mounted."));
    } else if (offload != Offload::none) {
        zero["offload_optimizer"]["device"] = "cpu";
        if (offload == Offload::optimizer_nvme)
            plan.note(
                translate("DeepSpeed offloads to NVMe only at stage 3; the state is in the host's memory."));
    }
    if (offload == Offload::optimizer_and_parameters && is_fsdp(s)) zero["offload_param"]["device"] = "cpu";
    else if (offload == Offload::optimizer_and_parameters)
        plan.note(translate("DeepSpeed offloads weights only at stage 3; only the optimizer is offloaded."));
}

void write_parallelism(LaunchSettings& plan, ordered_json& out) {
    const Settings& s = plan.s;
    if (s[P::tensor_parallel] > 1) {
        out["tensor_parallel"]["autotp_size"] = number(s[P::tensor_parallel]);
        if (s.on(P::async_tensor_parallel)) out["tensor_parallel"]["tp_overlap_comm"] = true;
        if (s.on(P::sequence_parallel))
            plan.note(
                translate("DeepSpeed's tensor parallelism replicates norms and residuals on every GPU."));
    }
    if (s[P::expert_parallel] > 1 && s[P::tensor_parallel] > 1) {
        plan.note(translate(
            "DeepSpeed does not combine expert_parallel with tensor_parallel; “{1}” is not written.",
            {plan.named(P::expert_parallel)}));
    } else if (s[P::expert_parallel] > 1) {
        out["expert_parallel"]["enabled"] = true;
        out["expert_parallel"]["autoep_size"] = number(s[P::expert_parallel]);
        const bool in_groups = shard_group(s) < max_shard_group(s);
        if (is_fsdp(s) &&
            (in_groups || s[P::context_parallel] > 1 || plan.is(P::sharding, Sharding::zero_pp)))
            plan.note(
                translate("At stage 3 DeepSpeed does not start with expert_parallel together with sequence "
                          "parallelism, MiCS or ZeRO++."));
    }
    if (s[P::context_parallel] > 1) {
        // Without it DeepSpeed counts all GPUs as data parallel and refuses the batch.
        out["sequence_parallel_size"] = number(s[P::context_parallel]);
        plan.note(translate(
            "“{1}” is Ulysses in DeepSpeed: put deepspeed.sequence around the attention of the model.",
            {plan.named(P::context_parallel)}));
    }
    if (s[P::pipeline_parallel] > 1) {
        plan.note(
            translate("DeepSpeed's config has no option for “{1}”; the program passes it to "
                      "deepspeed.pipe.PipelineModule as num_stages.",
                      {plan.named(P::pipeline_parallel)}));
        if (!plan.is(P::schedule, ScheduleKind::one_f_one_b) || s[P::virtual_stages] > 1)
            plan.note(translate("DeepSpeed's pipeline is 1F1B; the scenario's is {1}.",
                                {format(P::schedule, s[P::schedule])}));
        if (s.choice<Sharding>(P::sharding) >= Sharding::zero2)
            plan.note(translate("DeepSpeed's pipeline supports ZeRO-1 at most."));
    } else if (schedule_of(s).layered && s[P::accumulation] > 1) {
        plan.note(translate("DeepSpeed accumulates micro-batch by micro-batch, not layer by layer."));
    }
}

void note_model(LaunchSettings& plan) {
    const Settings& s = plan.s;
    plan.note(s.listed()
                  ? translate("The program defines the model.")
                  : translate("The program defines the model, with its sequence of {1} and its attention.",
                              {format(P::sequence_length, s[P::sequence_length])}));
    if (s[P::recompute] != 0)
        plan.note(
            translate("“{1}” is a setting of the model, too: gradient_checkpointing_enable(), or "
                      "deepspeed.checkpointing.",
                      {plan.named(P::recompute)}));
}

LaunchText write_deepspeed(const Answer& answer, const std::string& file) {
    LaunchSettings plan(answer);
    plan.note_mismatches(kDeepspeed);
    const Settings& s = plan.s;
    ordered_json out = ordered_json::object();
    // Where the program passes no mpu, DeepSpeed counts every GPU of a tensor-parallel group as data
    // parallel, and it refuses a batch that is not micro-batch × accumulation × its count. Without the batch
    // it computes that product itself.
    if (s[P::tensor_parallel] <= 1) {
        out["train_batch_size"] = number(s[P::global_batch]);
    } else {
        plan.note(translate(
            "DeepSpeed computes train_batch_size. Without an mpu it counts each of the {1} GPUs of a "
            "tensor parallel group, so that its samples/s are {1} times the true ones.",
            {plan.whole(P::tensor_parallel)}));
    }
    out["train_micro_batch_size_per_gpu"] = number(s[P::micro_batch]);
    out["gradient_accumulation_steps"] = number(s[P::accumulation]);
    write_optimizer(plan, out);
    write_precision(plan, out);
    write_zero(plan, out);
    write_parallelism(plan, out);
    note_model(plan);
    const Hosts on = hosts(s);
    std::string launcher = "deepspeed --num_nodes " + whole(on.nodes) + " --num_gpus " + whole(on.gpus);
    if (on.nodes > 1) launcher += " --hostfile hostfile";
    const std::string program = " train.py --deepspeed --deepspeed_config " + shell_word(file);
    // DeepSpeed's launcher starts the other nodes by itself, from a file of hosts. Under torchrun the program
    // finds them in the same environment variables.
    const std::string job = torchrun(plan) + program;
    return {json_text(out, 2) + "\n", launcher + program, plan.notes, on, job};
}

// ---- reading --------------------------------------------------------------------------------------------

bool recognises(std::string_view text) {
    Problems none;
    const json config = parse_json(text, none, true);
    if (!config.is_object() || config.contains("format")) return false;
    return config.contains("train_batch_size") || config.contains("train_micro_batch_size_per_gpu") ||
           config.contains("zero_optimization");
}

class DeepSpeedReader {
  public:
    DeepSpeedReader(const json& config, Problems& problems) : config_(config), problems_(problems) {}

    // Returns the number at a path. "auto" counts as absent, because Hugging Face fills it in.
    double number(const std::string& path, double otherwise) {
        const json* value = at(path);
        if (!value || *value == "auto") return otherwise;
        if (value->is_number()) return value->get<double>();
        problem(path, translate("is not a number"), translate("write one"));
        return otherwise;
    }
    // Returns the whole number at a path, which has to be at least `least`.
    double count(const std::string& path, double least, double otherwise) {
        const double value = number(path, std::nan(""));
        if (value >= least && value == std::floor(value)) return value;
        if (!std::isnan(value))
            problem(path, translate("is {1}", {exact(value)}),
                    translate("write a whole number of at least {1}", {whole(least)}));
        return otherwise;
    }
    bool flag(const std::string& path) {
        const json* value = at(path);
        if (value && !value->is_boolean() && *value != "auto")
            problem(path, translate("is neither true nor false"), translate("write one of them"));
        return value && *value == true;
    }
    bool is_auto(const std::string& path) {
        const json* value = at(path);
        return value && *value == "auto";
    }
    std::string text(const std::string& path) {
        const json* value = at(path);
        return value && value->is_string() ? value->get<std::string>() : std::string();
    }
    // Adds a problem where the value at the path is not an object.
    void section(const std::string& path) {
        const json::json_pointer pointer(path);
        if (config_.contains(pointer) && !config_[pointer].is_object())
            problem(path, translate("is not an object"), translate("write { … }"));
    }
    void problem(const std::string& path, const std::string& what, const std::string& suggestion,
                 const std::string& why = "") {
        problems_.push_back({path, what, why, suggestion});
    }
    // Marks a setting as read that has no effect on the prediction.
    void ignore(const std::string& path) { at(path); }
    // Returns the settings that were not read: "optimizer.params" where only that was not read, and
    // "optimizer" where nothing in it was read.
    [[nodiscard]] std::vector<std::string> unused() const {
        std::vector<std::string> out;
        add_unused(config_, "", out);
        return out;
    }

  private:
    // Adds the settings of an object that were not read. Their names begin with `section`, "optimizer.".
    void add_unused(const json& object, const std::string& section, std::vector<std::string>& out) const {
        for (const auto& [key, value] : object.items()) {
            const std::string name = section + key;
            std::string path = "/" + name;
            std::ranges::replace(path, '.', '/');
            if (!was_read(path)) out.push_back(name);
            else if (value.is_object() && !read_.contains(path)) add_unused(value, name + ".", out);
        }
    }
    const json* at(const std::string& path) {
        read_.insert(path);
        const json::json_pointer pointer(path);
        return config_.contains(pointer) ? &config_[pointer] : nullptr;
    }
    // Returns whether the path itself or something in it was read.
    [[nodiscard]] bool was_read(const std::string& path) const {
        const auto next = read_.lower_bound(path + "/");
        return read_.contains(path) || (next != read_.end() && next->starts_with(path + "/"));
    }

    const json& config_;
    Problems& problems_;
    std::set<std::string> read_;
};

// Returns the device to which a state is offloaded: "cpu", "nvme", or an empty text for none.
std::string read_offload(DeepSpeedReader& reader, const std::string& path) {
    std::string device = reader.text(path + "/device");
    for (const char* option : {"/nvme_path", "/pin_memory", "/pipeline_read", "/pipeline_write"})
        reader.ignore(path + option);
    if (device == "cpu" || device == "nvme") return device;
    if (device != "none" && !device.empty())
        reader.problem(path + "/device", translate("is “{1}”", {device}),
                       translate("write cpu, nvme or none"));
    return {};
}

void read_zero(DeepSpeedReader& reader, ScenarioBuilder& out, const json& config) {
    if (const auto zero = config.find("zero_optimization"); zero != config.end() && zero->is_boolean()) {
        const bool on = reader.flag("/zero_optimization");
        out.give(P::sharding, on ? "zero1" : "ddp");
        if (on) out.note(translate("“zero_optimization: true” is DeepSpeed's old name of stage 1."));
        return;
    }
    reader.section("/zero_optimization");
    const double stage = reader.number("/zero_optimization/stage", 0);
    constexpr double kMost = 3;
    if (stage < 0 || stage > kMost || stage != std::floor(stage)) {
        reader.problem("/zero_optimization/stage", translate("is {1}", {exact(stage)}),
                       translate("write 0, 1, 2 or 3"), translate("ZeRO has no such stage"));
        return;
    }
    constexpr double kAll = -1;
    const double group = reader.count("/zero_optimization/mics_shard_size", kAll, kAll);
    const std::string optimizer = read_offload(reader, "/zero_optimization/offload_optimizer");
    const std::string weights = read_offload(reader, "/zero_optimization/offload_param");
    if (reader.number("/zero_optimization/offload_optimizer/ratio", 1) != 1)
        out.note_unmodelled("zero_optimization.offload_optimizer.ratio");
    // Stage 3 overlaps unless the file says otherwise; the others only if it does.
    const bool overlaps = reader.flag("/zero_optimization/overlap_comm");
    if (stage == 1 || stage == 2) out.give(P::overlap_grad_reduce, overlaps ? 1 : 0);
    else if (stage == kMost && !overlaps && config.contains("/zero_optimization/overlap_comm"_json_pointer))
        out.note_unmodelled("zero_optimization.overlap_comm");
    const bool quantized_weights = reader.flag("/zero_optimization/zero_quantized_weights");
    const bool quantized_gradients = reader.flag("/zero_optimization/zero_quantized_gradients");
    const double copy_gpus = reader.number("/zero_optimization/zero_hpz_partition_size", 1);
    const bool secondary_shards = copy_gpus > 1;
    const bool all = quantized_weights && quantized_gradients && secondary_shards;
    if (!all && (quantized_weights || quantized_gradients || secondary_shards))
        out.note(translate(
            "The scenario's ZeRO++ has all three parts: quantized weights, quantized gradients and "
            "secondary shards of the weights in a node. The file has only some of them; ZeRO-3 is assumed."));
    const double node = out.settings()[P::gpus_used_per_node];
    if (all && copy_gpus != node)
        out.note(translate(
            "In the file {1} GPUs have the secondary shards of the weights; the {2} GPUs of a node are "
            "assumed to hold them.",
            {format(copy_gpus, Quantity::count), format(node, Quantity::count)}));
    if (stage < kMost) out.give(P::sharding, stage);
    else out.give(P::sharding, all ? "zero++" : group > 0 ? "hsdp" : "zero3");
    if (stage == kMost && group > 0) out.give(P::shard_group, group);
    if (weights == "nvme")
        out.note(
            translate("“{1}” offloads to NVMe; the scenario offloads to host memory.", {"offload_param"}));
    if (!weights.empty()) out.give(P::offload, "optimizer+parameters");
    else if (!optimizer.empty()) out.give(P::offload, optimizer == "nvme" ? "optimizer-nvme" : "optimizer");
}

void read_optimizer(DeepSpeedReader& reader, ScenarioBuilder& out) {
    reader.section("/optimizer");
    const std::string name = reader.text("/optimizer/type");
    std::string type;
    for (const char c : name) type += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const double momentum = reader.number("/optimizer/params/momentum", 0);
    reader.ignore("/zero_allow_untested_optimizer");
    if (type == "muon") {
        out.give(P::optimizer, "muon");
    } else if (type == "sgd") {
        out.give(P::optimizer, momentum > 0 ? "momentum" : "sgd");
    } else {
        out.give(P::optimizer, "adamw");
        if (!type.empty() && type != "adam" && type != "adamw")
            out.note(translate("The optimizer {1} is treated as AdamW.", {name}));
    }
}

// Reads the precision, where `keeps` is whether the file may leave it to the program.
void read_precision(DeepSpeedReader& reader, ScenarioBuilder& out, bool keeps) {
    const bool fp16 = reader.flag("/fp16/enabled");
    const bool bf16 = reader.flag("/bf16/enabled");
    // Hugging Face then sets the precision from options that are not in the file.
    const bool unspecified =
        !fp16 && !bf16 && (reader.is_auto("/fp16/enabled") || reader.is_auto("/bf16/enabled"));
    if (!unspecified && (fp16 || bf16 || !keeps))
        out.give(P::precision, fp16 ? "fp16" : bf16 ? "bf16" : "fp32");
    const Settings resolved = out.settings();
    const std::string name = written(P::precision, resolved[P::precision]);
    if (unspecified)
        out.note(
            translate("The file leaves the precision to Hugging Face (“auto”); {1} is assumed.", {name}));
    const std::string communicated = lower(reader.text("/communication_data_type"));
    const bool known = communicated == "fp32" || communicated == "fp16" || communicated == "bf16";
    if (!known && !communicated.empty() && communicated != "auto")
        reader.problem("/communication_data_type", translate("is “{1}”", {communicated}),
                       translate("write fp32, fp16 or bf16"));
    if (known || !keeps) out.give(P::gradient_precision, known ? communicated : name);
    reader.section("/data_types");
    const std::string accumulated = reader.text("/data_types/grad_accum_dtype");
    if (!accumulated.empty() && accumulated != (known ? communicated : name)) {
        const Parsed main = parse(P::main_gradient_precision, accumulated);
        if (main.ok) out.give(P::main_gradient_precision, main.value);
        else
            reader.problem("/data_types/grad_accum_dtype", translate("is “{1}”", {accumulated}),
                           translate("write fp32, fp16 or bf16"));
    }
    out.give(P::optimizer_precision, reader.flag("/bf16/bf16_optimizer_states") ? "bf16" : "fp32");
    reader.ignore("/bf16/bf16_master_weights_and_grads");
}

// Returns whether an option is false, or a section is not enabled: DeepSpeed's default outside of ZeRO.
bool is_off(const json& config, const std::string& name) {
    const auto found = config.find(name);
    if (found == config.end() || name.starts_with("zero_")) return false;
    return *found == false ||
           (found->is_object() && found->contains("enabled") && (*found)["enabled"] == false);
}

// Keeps what the training program sets, which the base describes. Megatron-DeepSpeed's program sets all that
// the file does not.
void keep_program(ScenarioBuilder& out, const Scenario& base, bool megatron) {
    static constexpr std::array kOfModel{P::recompute, P::recompute_modules,  P::attention,        P::loss,
                                         P::packing,   P::activation_offload, P::pipeline_parallel};
    const Settings s = resolve(base);
    out.give(P::sequence_length, s[P::sequence_length]);
    out.give(P::software, megatron ? "megatron-deepspeed" : "deepspeed");
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const Group group = parameter(id).group;
        const bool all = megatron && (group == Group::training || group == Group::plan);
        if (base.is_given(id) && (all || std::ranges::find(kOfModel, id) != kOfModel.end()))
            out.give(id, base.value[i]);
    }
}

LaunchRead read(std::string_view text, const Scenario& base, Problems& problems) {
    // DeepSpeed reads its file as Hjson, which has comments.
    const json config = parse_json(text, problems, true);
    if (!problems.empty()) return {};
    if (!config.is_object()) {
        problems.push_back(
            {"", translate("is not a DeepSpeed config"), translate("a JSON object is expected"), ""});
        return {};
    }
    DeepSpeedReader reader(config, problems);
    ScenarioBuilder out(base, true);
    const Settings started = resolve(base);
    const bool megatron = written(P::software, started[P::software]) == "megatron-deepspeed";
    keep_program(out, base, megatron);
    constexpr double kUnspecified = 0;
    const double batch = reader.count("/train_batch_size", 1, kUnspecified);
    double micro = reader.count("/train_micro_batch_size_per_gpu", 1, kUnspecified);
    double steps = reader.count("/gradient_accumulation_steps", 1, kUnspecified);
    // Hugging Face takes what is "auto" from options that are not in the file. The whole batch follows.
    const auto assume = [&](const char* path, P id) {
        if (!reader.is_auto(path)) return kUnspecified;
        out.note(translate("The file leaves {1} to Hugging Face (“auto”); {2} is assumed.",
                           {path + 1, format(id, started[id])}));
        return started[id];
    };
    if (micro == kUnspecified) micro = assume("/train_micro_batch_size_per_gpu", P::micro_batch);
    if (batch == kUnspecified || micro == kUnspecified)
        if (steps == kUnspecified) steps = assume("/gradient_accumulation_steps", P::accumulation);
    for (const char* section : {"/tensor_parallel", "/expert_parallel", "/fp16", "/bf16"})
        reader.section(section);
    if (!megatron || config.contains("tensor_parallel")) {
        // 0 means that tensor parallelism is off.
        out.give(P::tensor_parallel, std::fmax(1.0, reader.count("/tensor_parallel/autotp_size", 0, 1)));
        if (reader.flag("/tensor_parallel/tp_overlap_comm")) out.give(P::async_tensor_parallel, 1);
    }
    if (!megatron || config.contains("expert_parallel")) {
        const double experts = reader.count("/expert_parallel/autoep_size", 1, 1);
        out.give(P::expert_parallel, reader.flag("/expert_parallel/enabled") ? experts : 1);
    }
    if (!megatron || config.contains("sequence_parallel_size"))
        out.give(P::context_parallel, reader.count("/sequence_parallel_size", 1, 1));
    read_zero(reader, out, config);
    if (!megatron || config.contains("optimizer")) read_optimizer(reader, out);
    // DeepSpeed's pipeline supports ZeRO-1 at most.
    if (!megatron && out.settings().choice<Sharding>(P::sharding) >= Sharding::zero2)
        out.give(P::pipeline_parallel, 1);
    const double each = micro * steps;  // sequences of one data-parallel GPU
    if (batch > 0 && each > 0 && std::fmod(batch, each) != 0)
        problems.push_back(
            {"/train_batch_size", translate("{1} is not valid", {format(P::global_batch, batch)}),
             translate("it is the product of train_micro_batch_size_per_gpu, gradient_accumulation_steps and "
                       "the data-parallel GPUs, so {1} must divide it",
                       {format(P::global_batch, each)}),
             translate("correct one of them, or leave one out")});
    if (!problems.empty()) return {};
    const Settings parallel = out.settings();
    // Batch, micro-batch and accumulation: the third follows from two of them.
    const double count = steps > 0 ? steps : batch > 0 && micro > 0 ? 0 : 1;
    const double ranks =
        parallel[P::tensor_parallel] * parallel[P::context_parallel] * parallel[P::pipeline_parallel];
    out.set_gpus(megatron                              ? started[P::gpus]
                 : micro > 0 && count > 0 && batch > 0 ? batch / micro / count * ranks
                                                       : 0);
    if (micro > 0) out.give(P::micro_batch, micro);
    else if (!megatron)
        out.give(P::micro_batch,
                 batch > 0 ? batch / data_parallel(out.settings()) / std::fmax(1.0, count) : 1);
    if (batch > 0) out.give(P::global_batch, batch);
    else if (steps > 0 || !megatron) out.give(P::accumulation, std::fmax(1.0, count));
    read_precision(reader, out, megatron);
    out.note_missing_model(
        translate("A DeepSpeed config contains no model: the scenario keeps its model, sequence, attention, "
                  "recompute and, with ZeRO-1 at most, pipeline."));
    out.note_unused_options(reader.unused(), [&](const std::string& name) {
        return is_unmodelled_deepspeed(name) && !is_off(config, name);
    });
    return std::move(out).done(problems);
}

}  // namespace
}  // namespace launch

const LaunchFormat kDeepspeed{
    .name = "deepspeed",
    .label = "DeepSpeed",
    .file_name = "ds_config.json",
    .stack = "deepspeed",
    .checked = "DeepSpeed at commit 00376da, docs/_pages/config-json.md",
    .write_file = launch::write_deepspeed,
    .recognises = launch::recognises,
    .read = launch::read,
};

}  // namespace shardscope
