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
#include "launch/unmodelled_options.h"
#include "launch/writing.h"
#include "scenario/gpu_groups.h"
#include "schedules/schedule.h"
#include "text/encode.h"
#include "text/translate.h"

namespace shardscope {
namespace launch {
namespace {

// A schedule in torch.distributed.pipelining.schedules.
struct PipelineName {
    std::string_view name;
    ScheduleKind kind;
    bool several;  // whether each GPU runs several stages
    bool exact;    // whether it is the schedule `kind`, not only similar to it
};
constexpr std::array kSchedules{
    PipelineName{"1F1B", ScheduleKind::one_f_one_b, false, true},
    PipelineName{"GPipe", ScheduleKind::gpipe, false, true},
    PipelineName{"Interleaved1F1B", ScheduleKind::interleaved, true, true},
    PipelineName{"LoopedBFS", ScheduleKind::breadth_first, true, true},
    PipelineName{"ZBVZeroBubble", ScheduleKind::zb_v, true, true},
    PipelineName{"DualPipeV", ScheduleKind::dualpipe_v, true, true},
    // These differ from the engine's schedules: one has several stages on each GPU, the other one weight
    // copy.
    PipelineName{"InterleavedZeroBubble", ScheduleKind::zb_h1, true, false},
    PipelineName{"DualPipeV", ScheduleKind::dualpipe, true, false},
};

// Flavors of Qwen3 that no preset has. Source: torchtitan/models/qwen3/__init__.py at commit 0310b49.
struct Qwen3Flavor {
    std::string_view flavor;
    double layers, hidden_size, ffn_size, heads;
    bool tied;
};
constexpr std::array kQwen3Flavors{
    Qwen3Flavor{"0.6B", 28, 1024, 3072, 16, true},
    Qwen3Flavor{"1.7B", 28, 2048, 6144, 16, true},
    Qwen3Flavor{"4B", 36, 2560, 9728, 32, true},
    Qwen3Flavor{"14B", 40, 5120, 17408, 40, false},
};

constexpr std::string_view kSelectivePerOperator = "op";

// By how many layers the first and the last stage are shorter than the others, because they also contain the
// embedding and the output head.
struct Less {
    double first = 0;
    double last = 0;
};

// Returns the layers of each model part as torchtitan divides them. Embedding and head count as `less`
// layers, and each of the first parts gets one of the layers that remain. Returns nothing where torchtitan
// does not start.
std::optional<StageLayers> split_layers(double layers, double parts, Less less) {
    if (parts <= 1) return StageLayers{layers};
    const double counted = layers + less.first + less.last;
    const double least = std::floor(counted / parts);
    if (least < 1 || less.first > least || less.last > least) return std::nullopt;
    StageLayers out;
    for (double i = 0; i < parts; ++i) out.push_back(least + (i < std::fmod(counted, parts) ? 1 : 0));
    out.front() -= less.first;
    out.back() -= less.last;
    return out;
}

// Returns the `Less` with which the first stage has `first` layers and the last one `last`; nothing where
// there is none. Zeros are preferred, then values with which no layers remain after an even division.
std::optional<Less> less_for(double layers, double stages, double first, double last) {
    const auto gives_ends = [&](Less less) {
        if (less.first < 0 || less.last < 0) return false;
        const std::optional<StageLayers> found = split_layers(layers, stages, less);
        return found && found->front() == first && found->back() == last;
    };
    if (gives_ends({})) return Less{};
    for (const double left_over : {0.0, 1.0}) {  // a remaining layer, which the first stage gets
        for (double least = 1; least <= layers; ++least) {
            const Less less{least + left_over - first, least - last};
            if (gives_ends(less)) return less;
        }
    }
    return std::nullopt;
}

// Writes a TOML file, one section after the other.
class Writer {
  public:
    Writer(std::string head, TorchtitanForm form)
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
void write_converters(LaunchPlan& plan, Writer& out) {
    const Settings& s = plan.s;
    const Precision precision = converted_precision(s);
    // torchao scales whole tensors or their rows, by current values.
    if (precision == Precision::fp8 && !plan.is(P::fp8_recipe, Fp8Recipe::tensorwise))
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

void write_model(LaunchPlan& plan, Writer& out) {
    const Settings& s = plan.s;
    out.section("model");
    const TorchtitanFlavor* known = row_of_model(kTorchtitanFlavors, s, *plan.answer.scenario.catalogue);
    if (known) {
        out.put("name", toml_string(known->model));
        out.put("flavor", toml_string(known->flavor));
    } else {
        const bool llama = s.choice<Mlp>(P::mlp) == Mlp::gated && s.choice<Norm>(P::norm) == Norm::rmsnorm &&
                           s[P::experts] <= 0 && s[P::kv_lora_rank] <= 0 && !s.on(P::bias) &&
                           !s.on(P::qkv_bias) && s.choice<QkNorm>(P::qk_norm) == QkNorm::none;
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

void write_training(LaunchPlan& plan, Writer& out) {
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

// Writes over which GPUs the weights are replicated and sharded.
void write_sharding(LaunchPlan& plan, Writer& out) {
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
    if (s[P::expert_parallel] > 1 && std::fmod(shard * context, s[P::expert_parallel]) != 0)
        plan.note(translate("torchtitan requires expert parallelism within the GPUs that shard weights."));
}

// Returns the `Less` with which torchtitan's stages are nearest to those of the plan.
Less less_of(const LaunchPlan& plan, double parts, const StageLayers& here) {
    const double layers = plan.s[P::layers];
    const auto stages = static_cast<double>(here.size());
    if (parts == stages) return less_for(layers, stages, here.front(), here.back()).value_or(Less{});
    for (const Less less : {Less{0, 0}, Less{1, 1}, Less{0, 1}, Less{1, 0}}) {
        const std::optional<StageLayers> divided = split_layers(layers, parts, less);
        if (divided && layers_per_rank(*divided, stages) == here) return less;
    }
    return {};
}

void write_pipeline(LaunchPlan& plan, Writer& out) {
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
    const auto found = std::ranges::find(kSchedules, kind, &PipelineName::kind);
    PipelineName name = found != kSchedules.end() ? *found : kSchedules.front();
    // With one stage per GPU the interleaved schedules are 1F1B and GPipe.
    if (kind == ScheduleKind::interleaved && virtual_stages == 1) name = kSchedules.front();
    else if (kind == ScheduleKind::breadth_first && virtual_stages == 1) name = kSchedules[1];
    else if (!name.exact || name.kind != kind)
        plan.note_missing_option(
            kTorchtitan, P::schedule,
            translatable("{1} has no option for “{2}”; the nearest one is written, {3}."), name.name);
    out.put("pipeline_parallel_schedule", toml_string(name.name));
    out.put("pipeline_parallel_microbatch_size", plan.whole(P::micro_batch));
    const double parts = stages * (name.several ? std::max(virtual_stages, 2.0) : 1);
    const StageLayers here = engine_stage_layers(s[P::layers], s[P::mtp_layers], stages, partition_of(s));
    const Less less = less_of(plan, parts, here);
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
    const bool comparable =
        same || (!name.several && !schedule.fixed_virtual_stages && schedule.weight_copies <= 1);
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

void write_parallelism(LaunchPlan& plan, Writer& out) {
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
        // Experts have the same tensor parallel degree as the other matrices.
        if (s[P::expert_parallel] > 1)
            out.put("expert_tensor_parallel_degree", plan.whole(P::tensor_parallel));
    }
}

void write_recomputation(LaunchPlan& plan, Writer& out) {
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

// ---- reading --------------------------------------------------------------------------------------------

bool recognises(std::string_view text) {
    const auto line = [&](std::string_view start) {
        return text.starts_with(start) || text.find("\n" + std::string(start)) != std::string_view::npos;
    };
    return line("[model]") && (line("[training]") || line("[parallelism]")) &&
           text.find("flavor") != std::string_view::npos;
}

class Reader {
  public:
    Reader(Toml& file, ScenarioBuilder& out, Problems& problems)
        : file_(file), out_(out), problems_(problems) {}

    double number(const char* key, double otherwise) {
        return file_.number(key, problems_).value_or(otherwise);
    }
    bool flag(const char* key, bool otherwise) { return file_.flag(key, problems_).value_or(otherwise); }
    std::string text(const char* key, const char* otherwise) {
        return file_.text(key, problems_).value_or(otherwise);
    }
    void problem(const std::string& key, const std::string& what, const std::string& instead) {
        problems_.push_back({key, what, "", instead, file_.line(key)});
    }

    void model(const Catalogue& catalogue) {
        const std::string name = text("model.name", "llama3");
        const std::string flavor = text("model.flavor", "debugmodel");
        // "8B_flex" has another attention kernel.
        const std::string size = flavor.substr(0, flavor.find('_'));
        std::string flavors;
        const auto add = [&](std::string_view of, std::string_view known) {
            flavors += (flavors.empty() ? "" : ", ") + std::string(of) + " " + std::string(known);
        };
        for (const TorchtitanFlavor& known : kTorchtitanFlavors) {
            const Preset* preset = catalogue.find(PresetKind::model, known.preset);
            if (preset && name == known.model && size == known.flavor) return out_.take_model(*preset);
            add(known.model, known.flavor);
        }
        for (const Qwen3Flavor& known : kQwen3Flavors) {
            if (name == "qwen3" && size == known.flavor) return take_qwen3(known, catalogue);
            add("qwen3", known.flavor);
        }
        problem("model.flavor", translate("“{1}” of {2} is not a known model", {flavor, name}),
                translate("use one of {1}", {flavors}));
    }

    void training() {
        double local = number("training.local_batch_size", 8);
        // Until 2025 the option had this name.
        if (file_.has("training.batch_size")) local = number("training.batch_size", 8);
        const double global = number("training.global_batch_size", -1);
        const double micro = number("parallelism.pipeline_parallel_microbatch_size", 1);
        const bool pipeline = number("parallelism.pipeline_parallel_degree", 1) > 1;
        out_.give(P::sequence_length, number("training.seq_len", 2048));
        out_.give(P::micro_batch, pipeline ? micro : local);
        if (global > 0) out_.give(P::global_batch, global);
        else if (pipeline && micro > 0) out_.give(P::accumulation, local / micro);
        const bool half = text("training.dtype", "float32") == "bfloat16";
        out_.give(P::optimizer_precision, half ? "bf16" : "fp32");
        text("training.mixed_precision_reduce", "float32");  // the only possible value
        out_.give(P::gradient_precision, "fp32");
        if (flag("training.enable_cpu_offload", false)) out_.give(P::offload, "optimizer+parameters");
        const std::string optimizer = text("optimizer.name", "AdamW");
        if (optimizer != "AdamW" && optimizer != "Adam")
            out_.note(translate("The optimizer {1} is treated as AdamW.", {optimizer}));
        const bool compiled = flag("compile.enable", false) || flag("training.compile", false);
        out_.give(P::software, compiled ? "torchtitan" : "fsdp2");
    }

    void precision() {
        const bool full = text("training.mixed_precision_param", "bfloat16") == "float32";
        out_.give(P::precision, full ? "fp32" : "bf16");
        bool layers = false;
        bool experts = false;
        for (const std::string& converter : file_.list("model.converters", problems_)) {
            const bool fp8 = converter.ends_with("float8");
            if (fp8 || converter.ends_with("mx")) {
                out_.give(P::precision, fp8 ? "fp8" : "mxfp8");
                const bool grouped = converter.find("grouped_mm") != std::string::npos;
                (grouped ? experts : layers) = true;
            } else if (!converter.empty()) {
                out_.note(
                    translate("Changes time or memory, but is not modelled: {1}.", {"“" + converter + "”"}));
            }
        }
        const Settings s = out_.settings();
        const auto precision = s.choice<Precision>(P::precision);
        if (layers != experts && s[P::experts] > 0)
            out_.note(translate(
                "The converters leave a part of the layers in bf16; the scenario has all of them in {1}.",
                {format(P::precision, s[P::precision])}));
        scaling(precision);
        // These have no effect on the prediction.
        file_.list(of_float8("filter_fqns"), problems_);
        flag(of_float8("precompute_float8_dynamic_scale_for_fsdp").c_str(), false);
        if (precision == Precision::mxfp8)
            for (const char* key : {"quantize.linear.mx.filter_fqns", "quantize.grouped_mm.mx.fqns"})
                file_.list(key, problems_);
        if (precision == Precision::fp8) file_.list("quantize.grouped_mm.float8.fqns", problems_);
    }

    void recomputation() {
        const std::string mode = text("activation_checkpoint.mode", "selective");
        const std::string option = text("activation_checkpoint.selective_ac_option", "2");
        if (mode == "full") {
            out_.give(P::recompute, 1);
        } else if (mode == "selective" && option == kSelectivePerOperator) {
            out_.give(P::recompute, kRecomputeSelective);
        } else if (mode == "selective") {
            const Parsed every = parse(option, Quantity::count);
            if (every.ok && every.value >= 1) out_.give(P::recompute, 1 / every.value);
            else
                problem("activation_checkpoint.selective_ac_option",
                        translate("“{1}” is not known", {option}),
                        translate("use op, or a number of layers"));
        } else if (mode != "none") {
            out_.note(translate("The activation checkpointing “{1}” is treated as none.", {mode}));
        }
    }

    void pipeline(double stages) {
        const std::string name = text("parallelism.pipeline_parallel_schedule", "1F1B");
        const double first = number("parallelism.pipeline_parallel_first_stage_less_layers", 1);
        const double last = number("parallelism.pipeline_parallel_last_stage_less_layers", 1);
        const double each = number(kLayersPerStage, 0);
        // Values beyond the valid range are reported by the final check.
        if (stages <= 1 || stages > parameter(P::pipeline_parallel).maximum || stages != std::floor(stages))
            return;
        const auto same = [](std::string_view a, std::string_view b) {
            return std::ranges::equal(
                a, b, {}, [](unsigned char c) { return std::tolower(c); },
                [](unsigned char c) { return std::tolower(c); });
        };
        const auto found = std::ranges::find_if(
            kSchedules, [&](const PipelineName& known) { return same(known.name, name); });
        if (found == kSchedules.end()) {
            problem("parallelism.pipeline_parallel_schedule", translate("“{1}” is not known", {name}),
                    translate("use 1F1B, GPipe, Interleaved1F1B or LoopedBFS"));
            return;
        }
        out_.give(P::schedule, static_cast<double>(found->kind));
        if (!found->exact)
            out_.note(translate("The schedule {1} is treated as {2}.",
                                {name, format(P::schedule, static_cast<double>(found->kind))}));
        read_stages(*found, stages, {first, last}, each);
    }

    void parallelism() {
        const double tensor = number("parallelism.tensor_parallel_degree", 1);
        const double context = number("parallelism.context_parallel_degree", 1);
        const double stages = number("parallelism.pipeline_parallel_degree", 1);
        const double replicas = number("parallelism.data_parallel_replicate_degree", 1);
        const double shard = number("parallelism.data_parallel_shard_degree", -1);
        out_.give(P::tensor_parallel, tensor);
        out_.give(P::context_parallel, context);
        out_.give(P::pipeline_parallel, stages);
        const double experts = number("parallelism.expert_parallel_degree", 1);
        // Without expert parallelism the experts have the tensor parallel degree of the other matrices.
        const double expert_tensor = number("parallelism.expert_tensor_parallel_degree", 1);
        const bool deepep = text("parallelism.expert_parallel_comm_backend", "standard") == "deepep";
        if (out_.settings()[P::experts] > 0) {
            out_.give(P::expert_parallel, experts);
            if (experts > 1 && expert_tensor != tensor) out_.give(P::expert_tensor_parallel, expert_tensor);
            if (deepep) out_.give(P::moe_dispatcher, "deepep");
        }
        if (tensor > 1) {
            out_.give(P::sequence_parallel, 1);
            out_.give(P::async_tensor_parallel, flag("parallelism.enable_async_tensor_parallel", false));
            out_.give(P::parallel_loss, !flag("parallelism.disable_loss_parallel", false));
        }
        pipeline(stages);
        out_.set_gpus(shard > 0 ? replicas * shard * tensor * context * stages : 0);
        if (shard == 1 && context <= 1) {
            out_.give(P::sharding, "ddp");
        } else if (replicas > 1) {
            out_.give(P::sharding, "hsdp");
            const double data = data_parallel(out_.settings());
            out_.give(P::shard_group, (shard > 0 ? shard : data / replicas) * context);
        }
        const std::string reshard = text("parallelism.fsdp_reshard_after_forward", "default");
        // By default a pipeline keeps the gathered weights for all its micro-batches.
        if (shard != 1 || context > 1)
            out_.give(P::reshard_after_forward,
                      reshard == "always" || (reshard == "default" && stages <= 1) ? 1 : 0);
    }

  private:
    void take_qwen3(const Qwen3Flavor& flavor, const Catalogue& catalogue) {
        const Preset* sibling = catalogue.find(PresetKind::model, "qwen3-8b");
        if (!sibling) return;
        out_.take_model(*sibling);
        Settings wanted = out_.settings();
        wanted.set(P::layers, flavor.layers, Origin::given);
        wanted.set(P::hidden_size, flavor.hidden_size, Origin::given);
        wanted.set(P::ffn_size, flavor.ffn_size, Origin::given);
        wanted.set(P::heads, flavor.heads, Origin::given);
        wanted.set(P::tied_embeddings, flavor.tied, Origin::given);
        out_.set_model_of_shape(wanted);
    }

    // Returns the key of an option of fp8. In 2024 and early 2025 its section had another name.
    [[nodiscard]] std::string of_float8(const std::string& option) const {
        const std::string old = "float8." + option;
        return file_.has(old) ? old : "quantize.linear." + old;
    }

    // Reads how fp8 is scaled. torchao scales by current values, those of the whole tensor unless a recipe
    // is named.
    void scaling(Precision precision) {
        const bool gather = flag(of_float8("enable_fsdp_float8_all_gather").c_str(), false);
        if (precision != Precision::fp8) return;
        constexpr const char* kTensorwise = "tensorwise";
        out_.give(P::fp8_recipe, kTensorwise);
        out_.give(P::fp8_param_gather, gather);
        const std::string recipe = text(of_float8("recipe_name").c_str(), kTensorwise);
        if (recipe != kTensorwise)
            out_.note(translate("The fp8 recipe {1} is treated as {2}.", {recipe, kTensorwise}));
    }

    static constexpr const char* kLayersPerStage = "parallelism.pipeline_parallel_layers_per_stage";

    // Reads how many layers the stages have, and how many stages a GPU has.
    void read_stages(const PipelineName& schedule, double stages, Less less, double each) {
        const double layers = out_.settings()[P::layers];
        const auto no_count = [](double value) { return value < 0 || value != std::floor(value); };
        if (no_count(less.first) || no_count(less.last) || no_count(each)) {
            problem(kLayersPerStage, translate("or …_stage_less_layers is not a whole number"),
                    translate("write whole numbers"));
            return;
        }
        const double counted = layers + less.first + less.last;
        const double parts = each > 0 ? std::ceil(counted / each) : schedule.several ? 2 * stages : stages;
        if (std::fmod(parts, stages) != 0 || schedule.several == (parts == stages)) {
            problem(
                kLayersPerStage,
                translate("makes {1} stages for the {2} GPUs of the pipeline", {whole(parts), whole(stages)}),
                schedule.several ? translate("write a number that gives each GPU two or more")
                                 : translate("write {1}", {whole(std::ceil(counted / stages))}));
            return;
        }
        const std::optional<StageLayers> divided = split_layers(layers, parts, less);
        if (!divided) {
            problem("parallelism.pipeline_parallel_degree",
                    translate("does not give each of {1} stages a layer, with {2} and {3} fewer at the ends",
                              {whole(parts), whole(less.first), whole(less.last)}),
                    translate("write fewer stages or a smaller …_stage_less_layers"));
            return;
        }
        if (!schedule.several) {
            out_.set_stages(*divided);
            return;
        }
        if (!schedule.exact) return;
        const bool folded = schedule_of(schedule.kind).folded;
        if (!folded) out_.give(P::virtual_stages, parts / stages);
        out_.note_stages(layers_per_rank(*divided, stages, folded));
    }

    Toml& file_;
    ScenarioBuilder& out_;
    Problems& problems_;
};

LaunchRead read(std::string_view text, const Scenario& base, Problems& problems) {
    ScenarioBuilder out(base, false);
    Toml file(text, problems);
    if (!problems.empty()) return {};
    Reader reader(file, out, problems);
    reader.model(*base.catalogue);
    reader.training();
    reader.precision();
    reader.recomputation();
    reader.parallelism();
    if (const double count = reader.number("training.steps", 0); count > 0) {
        const Settings s = out.settings();
        out.give(P::training_tokens, count * s[P::global_batch] * s[P::sequence_length]);
    }
    reader.text("job.description", "");
    out.note_unused_options(file.unused(), is_unmodelled_torchtitan);
    return std::move(out).done(problems);
}

void note_unset(LaunchPlan& plan, bool is_toml) {
    std::vector<P> written;
    if (is_toml && converted_precision(plan.s) == Precision::fp8) written.push_back(P::fp8_param_gather);
    std::vector<P> ids{P::main_gradient_precision, P::context_parallel_kind, P::context_parallel_inner,
                       P::expert_tensor_parallel,  P::overlap_grad_reduce,   P::overlap_param_gather,
                       P::recompute_modules};
    if (is_toml || !writes_deepep(plan.s)) ids.push_back(P::moe_dispatcher);
    // Weights are sharded over all data-parallel GPUs instead of only the optimizer over a group.
    if (!is_fsdp(plan.s)) ids.push_back(P::shard_group);
    if (is_toml) ids.push_back(P::cuda_graphs);
    plan.note_unset(kTorchtitan, ids, written);
}

LaunchText write(const Answer& answer, const std::string& file) {
    return write_torchtitan(answer, file, TorchtitanForm::toml);
}

}  // namespace

Precision converted_precision(const Settings& s) {
    const auto precision = s.choice<Precision>(P::precision);
    const bool blocks = s.choice<Fp8Recipe>(P::fp8_recipe) == Fp8Recipe::mxfp8;
    return precision == Precision::fp8 && blocks ? Precision::mxfp8 : precision;
}

bool writes_deepep(const Settings& s) {
    return s[P::expert_parallel] > 1 && s.choice<MoeDispatcher>(P::moe_dispatcher) == MoeDispatcher::deepep;
}

LaunchText write_torchtitan(const Answer& answer, const std::string& file, TorchtitanForm form) {
    LaunchPlan plan(answer);
    const Settings& s = plan.s;
    if (s.listed())
        return {"", "", {translate("torchtitan trains transformers; this model is a list of operators.")}};
    const std::string launcher = torchrun(plan);
    const std::string program = "-m torchtitan.train --job.config_file " + shell_word(file);
    plan.note_mismatches(kTorchtitan, row_of_model(kTorchtitanFlavors, s, *answer.scenario.catalogue));
    Writer out(header(kTorchtitan, answer, start_comment(launcher, program)), form);
    out.section("job");
    {
        const EnglishScope written;
        out.put("description", toml_string(answer.scenario.title()));
    }
    write_model(plan, out);
    write_training(plan, out);
    write_parallelism(plan, out);
    write_recomputation(plan, out);
    note_unset(plan, out.is_toml());
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
    .write_as = launch::write,
    .recognises = launch::recognises,
    .read = launch::read,
};

}  // namespace shardscope
