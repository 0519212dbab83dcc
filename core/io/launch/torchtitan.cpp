// torchtitan's job config, a TOML file.
//
// Source: pytorch/torchtitan, torchtitan/config/job_config.py of early 2026, the last version whose config is
// a TOML file: pull request 2386 replaced it by Python in February 2026. Models and their flavors:
// torchtitan/models/*/__init__.py. Division of the layers into pipeline stages:
// generate_llm_fqn_per_model_part in torchtitan/distributed/pipeline_parallel.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "launch/launch.h"
#include "launch/reading.h"
#include "launch/shapes.h"
#include "launch/stage_layers.h"
#include "launch/toml.h"
#include "launch/torchtitan.h"
#include "launch/torchtitan_stages.h"
#include "launch/unmodelled_options.h"
#include "launch/writing.h"
#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"
#include "schedules/schedule.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace launch {
namespace {

// Writes a TOML file, one section after the other.
class TorchtitanWriter {
  public:
    TorchtitanWriter(std::string head, TorchtitanForm form)
        : text_(std::move(head)), is_toml_(form == TorchtitanForm::toml) {}
    // Returns whether the plan is written as TOML, which lacks options that the Python form has.
    [[nodiscard]] bool is_toml() const { return is_toml_; }
    void section(std::string_view name) { text_ += "\n[" + std::string(name) + "]\n"; }
    void put(std::string_view key, const std::string& value) {
        text_ += std::string(key) + " = " + value + "\n";
    }
    void put(std::string_view key, bool value) { put(key, std::string(value ? "true" : "false")); }
    void put(std::string_view key, const char* value) { put(key, toml_string(value)); }
    void comment(const std::string& line) { text_ += comment_line(line); }
    std::string take() && { return std::move(text_); }

  private:
    std::string text_;
    bool is_toml_;
};

// Writes the classes that convert the layers to a low precision. Only the TOML form names them here.
void write_converters(LaunchSettings& plan, TorchtitanWriter& out) {
    const Settings& s = plan.s;
    const Precision precision = matrix_format(s);
    // torchao scales whole tensors or their rows, by current values.
    if (precision == Precision::fp8 && !out.is_toml())
        plan.note_missing_option(kTorchtitan, P::fp8_recipe,
                                 translatable("{1} has no option for “{2}”; it scales by rows."));
    else if (precision == Precision::fp8 && !plan.is(P::fp8_recipe, Fp8Recipe::tensorwise))
        plan.note_missing_option(kTorchtitan, P::fp8_recipe,
                                 translatable("{1} has no option for “{2}”; it scales by tensor."));
    if (!out.is_toml() || !is_low(precision)) return;
    const bool mx = precision == Precision::mxfp8;
    if (precision == Precision::nvfp4 || (mx && s[P::tensor_parallel] > 1)) {
        plan.note_missing_option(kTorchtitan, P::precision,
                                 translatable("{1} has no option for “{2}”; bfloat16 is written."));
        return;
    }
    const std::string name = mx ? "mx" : "float8";
    const bool divided = s[P::pipeline_parallel] > 1 || s[P::context_parallel] > 1;
    const bool experts = s[P::experts] > 0 && (mx || !divided);
    if (s[P::experts] > 0 && !experts)
        plan.note(translate(
            "torchtitan converts experts to fp8 only without pipeline and context parallelism; they "
            "stay in bf16."));
    out.put("converters", "[\"quantize.linear." + name + "\"" +
                              (experts ? ", \"quantize.grouped_mm." + name + "\"" : "") + "]");
    out.section("quantize.linear." + name);
    if (!mx) {
        // Without the name of a recipe, the scales are those of tensors.
        out.put("enable_fsdp_float8_all_gather", s.on(P::fp8_param_gather));
        out.put("precompute_float8_dynamic_scale_for_fsdp", s.on(P::fp8_param_gather));
    }
    out.put("filter_fqns", std::string(s[P::experts] > 0 ? R"(["output", "router.gate"])" : R"(["output"])"));
    if (!experts) return;
    out.section("quantize.grouped_mm." + name);
    out.put("fqns", std::string(R"(["experts"])"));
}

void write_model(LaunchSettings& plan, TorchtitanWriter& out) {
    const Settings& s = plan.s;
    out.section("model");
    const TorchtitanFlavor* known = row_of_model(kTorchtitanFlavors, s, plan.answer.scenario);
    if (!known && out.is_toml() && s[P::mtp_layers] > 0) {
        Settings without = s;
        without.set(P::mtp_layers, 0, Origin::given);
        known = row_of_model(kTorchtitanFlavors, without, plan.answer.scenario);
        if (known)
            plan.note(
                translate("torchtitan's file has no prediction layers; the model is written without them."));
    }
    if (known) {
        out.put("name", toml_string(known->model));
        out.put("flavor", toml_string(known->flavor));
    } else {
        const bool llama = s.choice<Mlp>(P::mlp) == Mlp::gated && s.choice<Norm>(P::norm) == Norm::rmsnorm &&
                           s[P::experts] <= 0 && s[P::kv_lora_rank] <= 0 && !s.on(P::bias) &&
                           !s.on(P::qkv_bias) && s[P::embedding_size] == 0 &&
                           s.choice<QkNorm>(P::qk_norm) == QkNorm::none;
        out.comment("To be registered: " + plan.whole(P::layers) + " layers, " + plan.whole(P::hidden_size) +
                    " wide, feed-forward " + plan.whole(P::ffn_size) + ", " + plan.whole(P::heads) +
                    " heads (" + plan.whole(P::kv_heads) + " of keys and values), vocabulary " +
                    plan.whole(P::vocab_size));
        out.put("name", llama ? "llama3" : "your_model");
        out.put("flavor", "your_flavor");
        if (out.is_toml())
            plan.note(
                llama ? translate("torchtitan has no flavor of this shape; register one with llama3's "
                                  "TransformerModelArgs and name it in place of your_flavor.")
                      : translate("torchtitan defines its models in Python code and has none of this kind; "
                                  "register one and name it in place of your_model and your_flavor."));
    }
    if (s.on(P::dropout))
        plan.note(translate("torchtitan's models have no dropout; the scenario has it on."));
    if (s.choice<AttentionKernel>(P::attention) == AttentionKernel::naive)
        plan.note(translate(
            "torchtitan's attention is PyTorch's scaled dot product, which keeps no score matrix."));
    write_converters(plan, out);
}

void write_training(LaunchSettings& plan, TorchtitanWriter& out) {
    const Settings& s = plan.s;
    out.section("optimizer");
    out.put("name", "AdamW");
    if (!plan.is(P::optimizer, Optimizer::adamw))
        plan.note_missing_option(kTorchtitan, P::optimizer,
                                 translatable("{1} has no option for “{2}”; AdamW is written."));

    out.section("training");
    const bool pipeline = s[P::pipeline_parallel] > 1;
    // A pipeline splits the local batch of a GPU into micro-batches; without one, torchtitan accumulates
    // them.
    out.put("local_batch_size", whole(s[P::micro_batch] * (pipeline ? s[P::accumulation] : 1)));
    out.put("global_batch_size", plan.whole(P::global_batch));
    out.put("seq_len", plan.whole(P::sequence_length));
    if (const double count = steps(plan.answer); count > 0) out.put("steps", whole(count));
    out.put("dtype", plan.is(P::optimizer_precision, Precision::bf16) ? "bfloat16" : "float32");
    out.put("mixed_precision_param", plan.is(P::precision, Precision::fp32) ? "float32" : "bfloat16");
    out.put("mixed_precision_reduce", "float32");
    if (plan.is(P::precision, Precision::fp16))
        plan.note_missing_option(kTorchtitan, P::precision,
                                 translatable("{1} has no option for “{2}”; bfloat16 is written."));
    if (!plan.is(P::gradient_precision, Precision::fp32))
        plan.note(translate("torchtitan reduces gradients in float32; the scenario reduces them in {1}.",
                            {format(P::gradient_precision, s[P::gradient_precision])}));
    switch (s.choice<Offload>(P::offload)) {
        case Offload::none: break;
        case Offload::optimizer:
        case Offload::optimizer_nvme:
            plan.note(
                translate("torchtitan offloads weights, gradients and optimizer together "
                          "(enable_cpu_offload) or nothing; no offload is written."));
            break;
        case Offload::optimizer_and_parameters: out.put("enable_cpu_offload", true); break;
    }
}

// Returns whether the GPUs of one set of weights can form the groups of expert parallelism. They include the
// tensor-parallel GPUs unless those split the experts' matrices, which only the TOML form can express.
// Source: ParallelDims in torchtitan/distributed/parallel_dims.py, before pull request 2386 and at commit
// b5bcd76.
bool can_group_experts(const Settings& s, double shard, bool is_toml) {
    const bool splits_experts = is_toml && expert_tensor_parallel(s) > 1;
    const double gpus = shard * s[P::context_parallel] * (splits_experts ? 1 : s[P::tensor_parallel]);
    return std::fmod(gpus, s[P::expert_parallel]) == 0;
}

// Writes over which GPUs the weights are replicated and sharded.
void write_sharding(LaunchSettings& plan, TorchtitanWriter& out) {
    const Settings& s = plan.s;
    const double data = data_parallel(s);
    const double context = s[P::context_parallel];
    double shard = data;
    switch (s.choice<Sharding>(P::sharding)) {
        case Sharding::ddp:
            shard = 1;
            if (context > 1)
                plan.note(translate("torchtitan always shards weights over the context-parallel GPUs."));
            break;
        case Sharding::zero1:
        case Sharding::zero2:
            plan.note(
                translate("torchtitan has no {1}; the nearest equivalent is written, FSDP that keeps "
                          "gathered weights until the backward pass.",
                          {format(P::sharding, s[P::sharding])}));
            break;
        case Sharding::zero3:
        case Sharding::hsdp:
        case Sharding::zero_pp: shard = std::min(data, shard_group(s) / context); break;
    }
    if (shard < 1 || shard != std::floor(shard) || std::fmod(data, shard) != 0) {
        shard = data;
        plan.note(
            translate("The shard group of {1} GPUs does not match the {2} context-parallel GPUs; weights are "
                      "sharded over all GPUs.",
                      {whole(shard_group(s)), whole(context)}));
    }
    out.put("data_parallel_replicate_degree", whole(data / shard));
    out.put("data_parallel_shard_degree", whole(shard));
    out.put("fsdp_reshard_after_forward", is_fsdp(s) && s.on(P::reshard_after_forward) ? "always" : "never");
    if (s[P::expert_parallel] > 1 && !can_group_experts(s, shard, out.is_toml()))
        plan.note(translate("torchtitan requires expert parallelism within the GPUs that shard weights."));
}

// Returns the `EndLayers` with which torchtitan's stages are nearest to those of the plan.
EndLayers end_layers_of(const LaunchSettings& plan, double parts, const StageLayers& here) {
    const double layers = plan.s[P::layers];
    const auto stages = static_cast<double>(here.size());
    if (parts == stages)
        return end_layers_for(layers, stages, here.front(), here.back()).value_or(EndLayers{});
    for (const EndLayers less : {EndLayers{0, 0}, EndLayers{1, 1}, EndLayers{0, 1}, EndLayers{1, 0}}) {
        const std::optional<StageLayers> divided = split_layers(layers, parts, less);
        if (divided && layers_per_rank(*divided, stages) == here) return less;
    }
    return {};
}

void write_pipeline(LaunchSettings& plan, TorchtitanWriter& out) {
    const Settings& s = plan.s;
    const double stages = s[P::pipeline_parallel];
    out.put("pipeline_parallel_degree", plan.whole(P::pipeline_parallel));
    const auto kind = s.choice<ScheduleKind>(P::schedule);
    if (stages <= 1) {
        if (schedule_of(kind).layered && s[P::accumulation] > 1)
            plan.note(translate("torchtitan accumulates micro-batch by micro-batch, not layer by layer."));
        return;
    }
    const double virtual_stages = s[P::virtual_stages];
    const auto found = std::ranges::find(kTorchSchedules, kind, &TorchSchedule::kind);
    TorchSchedule name = found != kTorchSchedules.end() ? *found : kTorchSchedules.front();
    // With one stage per GPU the interleaved schedules are 1F1B and GPipe.
    if (kind == ScheduleKind::interleaved && virtual_stages == 1) name = kTorchSchedules.front();
    else if (kind == ScheduleKind::breadth_first && virtual_stages == 1) name = kTorchSchedules[1];
    else if (!name.exact || name.kind != kind)
        plan.note_missing_option(
            kTorchtitan, P::schedule,
            translatable("{1} has no option for “{2}”; the nearest one is written, {3}."), name.name);
    out.put("pipeline_parallel_schedule", toml_string(name.name));
    out.put("pipeline_parallel_microbatch_size", plan.whole(P::micro_batch));
    const double parts = stages * (name.several ? std::max(virtual_stages, 2.0) : 1);
    const StageLayers here = engine_stage_layers(s[P::layers], s[P::mtp_layers], stages, partition_of(s));
    const EndLayers less = end_layers_of(plan, parts, here);
    out.put("pipeline_parallel_first_stage_less_layers", whole(less.first));
    out.put("pipeline_parallel_last_stage_less_layers", whole(less.last));
    // The option only sets the number of model parts. Without it, torchtitan makes one or two per GPU.
    const double counted = s[P::layers] + less.first + less.last;
    const double each = std::ceil(counted / parts);
    const bool expressible = std::ceil(counted / each) == parts;
    if (expressible) out.put("pipeline_parallel_layers_per_stage", whole(each));
    const std::optional<StageLayers> divided = split_layers(s[P::layers], parts, less);
    // A schedule that replaces the scenario's may place its model parts on other GPUs.
    const Schedule& schedule = schedule_of(kind);
    const bool same = name.exact && name.kind == kind;
    const bool comparable = same || (!name.several && schedule.supports_uneven_stages());
    if (!divided || (!expressible && parts > stages * 2)) {
        plan.note(translate(
            "torchtitan cannot split {1} layers into {2} stages; list them in module_fqns_per_model_part.",
            {plan.whole(P::layers), whole(parts)}));
    } else if (const StageLayers held = layers_per_rank(*divided, stages, schedule.folded);
               comparable && held != here) {
        plan.note(
            translate("torchtitan partitions the {1} layers as {2}, the estimate as {3}; "
                      "module_fqns_per_model_part can set them.",
                      {plan.whole(P::layers), format_stage_layers(held), format_stage_layers(here)}));
    }
}

void write_parallelism(LaunchSettings& plan, TorchtitanWriter& out) {
    const Settings& s = plan.s;
    out.section("parallelism");
    write_sharding(plan, out);
    const bool tensor = s[P::tensor_parallel] > 1;
    out.put("tensor_parallel_degree", plan.whole(P::tensor_parallel));
    if (tensor) {
        out.put("enable_async_tensor_parallel", s.on(P::async_tensor_parallel));
        out.put("disable_loss_parallel", !s.on(P::parallel_loss));
        if (!s.on(P::sequence_parallel) && out.is_toml())
            plan.note(translate("torchtitan's tensor parallelism always includes sequence parallelism."));
    }
    out.put("context_parallel_degree", plan.whole(P::context_parallel));
    write_pipeline(plan, out);
    if (s[P::experts] > 0) {
        out.put("expert_parallel_degree", plan.whole(P::expert_parallel));
        // Experts have the same tensor parallel degree as the other matrices, or none.
        if (s[P::expert_parallel] > 1)
            out.put("expert_tensor_parallel_degree",
                    expert_tensor_parallel(s) == 1 ? "1" : plan.whole(P::tensor_parallel));
    }
}

void write_recomputation(LaunchSettings& plan, TorchtitanWriter& out) {
    const double share = plan.s[P::recompute];
    out.section("activation_checkpoint");
    if (share == 0) {
        out.put("mode", "none");
    } else if (share == 1) {
        out.put("mode", "full");
    } else if (share == kRecomputeSelective) {
        out.put("mode", "selective");
        out.put("selective_ac_option", toml_string(kSelectivePerOperator));
    } else {
        const double every = std::max(1.0, std::round(1 / share));
        out.put("mode", "selective");
        out.put("selective_ac_option", toml_string(whole(every)));
        if (every != 1 / share && out.is_toml())
            plan.note(
                translate("torchtitan recomputes every n-th layer, not a share of {1}; n = {2} is written.",
                          {exact(share), whole(every)}));
    }
}

LaunchText write_toml(const Answer& answer, const std::string& file) {
    return write_torchtitan(answer, file, TorchtitanForm::toml);
}

}  // namespace

bool writes_deepep(const Settings& s) {
    return s[P::expert_parallel] > 1 && s.choice<MoeDispatcher>(P::moe_dispatcher) == MoeDispatcher::deepep;
}

LaunchText write_torchtitan(const Answer& answer, const std::string& file, TorchtitanForm form) {
    LaunchSettings plan(answer);
    const Settings& s = plan.s;
    if (s.listed())
        return {"", "", {translate("torchtitan trains transformers; this model is a list of operators.")}};
    const std::string launcher = torchrun(plan);
    const std::string program = "-m torchtitan.train --job.config_file " + shell_word(file);
    plan.note_mismatches(kTorchtitan, row_of_model(kTorchtitanFlavors, s, answer.scenario));
    TorchtitanWriter out(header(kTorchtitan, answer, start_comment(launcher, program)), form);
    out.section("job");
    {
        const EnglishScope written;
        out.put("description", toml_string(answer.scenario.title()));
    }
    write_model(plan, out);
    write_training(plan, out);
    write_parallelism(plan, out);
    write_recomputation(plan, out);
    out.section("compile");
    // Asynchronous tensor parallelism and converted layers need torch.compile.
    out.put("enable",
            is_compiled(s) || s.on(P::async_tensor_parallel) || is_low(s.choice<Precision>(P::precision)));
    return {std::move(out).take(), launcher + " " + program, plan.notes, hosts(s)};
}

}  // namespace launch

const LaunchFormat kTorchtitan{
    .name = "torchtitan",
    .label = "torchtitan",
    .file_name = "train.toml",
    .stack = "fsdp2",
    .checked = "torchtitan of early 2026, torchtitan/config/job_config.py (before #2386)",
    .write_file = launch::write_toml,
    .recognises = launch::recognises_torchtitan,
    .read = launch::read_torchtitan,
    .gpus_only = true,
};

}  // namespace shardscope
