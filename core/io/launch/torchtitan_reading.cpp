// Reads torchtitan's job config; torchtitan.cpp names its source. The options of 2024 are those of
// pytorch/torchtitan, torchtitan/config_manager.py at commits c48ae39 (May 2024) and 3247841 (November 2024),
// and their stages those of generate_split_points in torchtitan/parallelisms/pipelining_utils.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "launch/reading.h"
#include "launch/shapes.h"
#include "launch/toml.h"
#include "launch/torchtitan.h"
#include "launch/torchtitan_stages.h"
#include "launch/unmodelled_options.h"
#include "launch/writing.h"
#include "scenario/gpu_groups.h"
#include "schedules/schedule.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope::launch {
namespace {

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

// An option with the name that it had in 2024. Pull request 980 of March 2025 moved the degrees to their own
// section, 767 of April 2025 renamed the batch of a GPU and moved the compiler, and commit db6b39a of
// September 2024 divided data parallelism into replicas and shards.
struct FormerKey {
    std::string_view key, former;
};
constexpr auto kFormerKeys = std::to_array<FormerKey>({
    {"compile.enable", "training.compile"},
    {"parallelism.context_parallel_degree", "experimental.context_parallel_degree"},
    {"parallelism.data_parallel_replicate_degree", "training.data_parallel_replicate_degree"},
    {"parallelism.data_parallel_shard_degree", "training.data_parallel_degree"},
    {"parallelism.data_parallel_shard_degree", "training.data_parallel_shard_degree"},
    {"parallelism.disable_loss_parallel", "training.disable_loss_parallel"},
    {"parallelism.enable_async_tensor_parallel", "experimental.enable_async_tensor_parallel"},
    {"parallelism.fsdp_reshard_after_forward", "training.fsdp_reshard_after_forward"},
    {"parallelism.pipeline_parallel_degree", "experimental.pipeline_parallel_degree"},
    {"parallelism.pipeline_parallel_microbatches", "experimental.pipeline_parallel_microbatches"},
    {"parallelism.pipeline_parallel_schedule", "experimental.pipeline_parallel_schedule"},
    {"parallelism.pipeline_parallel_split_points", "experimental.pipeline_parallel_split_points"},
    {"parallelism.tensor_parallel_degree", "training.tensor_parallel_degree"},
    {"training.local_batch_size", "training.batch_size"},
});

class TorchtitanReader {
  public:
    TorchtitanReader(Toml& file, ScenarioBuilder& out, Problems& problems)
        : file_(file), out_(out), problems_(problems) {}

    double number(const char* key, double otherwise) {
        return file_.number(key_of(key), problems_).value_or(otherwise);
    }
    bool flag(const char* key, bool otherwise) {
        return file_.flag(key_of(key), problems_).value_or(otherwise);
    }
    std::string text(const char* key, const char* otherwise) {
        return file_.text(key_of(key), problems_).value_or(otherwise);
    }
    // Returns a text of which `known` are those that the scenario can have. The first of them is the default.
    // Any other one is noted, and the default is returned.
    std::string choice(const char* key, std::initializer_list<const char*> known) {
        const char* const usual = *known.begin();
        const std::string value = text(key, usual);
        if (std::ranges::find(known, value) != known.end()) return value;
        out_.note(translate("“{1}” is not modelled; {2} is assumed.", {key_of(key) + " = " + value, usual}));
        return usual;
    }
    void problem(const std::string& key, const std::string& what, const std::string& instead) {
        problems_.push_back({key_of(key), what, "", instead, file_.line(key_of(key))});
    }

    void model(const Catalogue& catalogue) {
        const std::string name = text("model.name", "llama3");
        const std::string flavor = text("model.flavor", "debugmodel");
        // "8B_flex" has another attention kernel.
        const std::string size = flavor.substr(0, flavor.find('_'));
        std::vector<std::string> flavors;
        const auto add = [&](std::string_view of, std::string_view known) {
            flavors.push_back(std::string(of) + " " + std::string(known));
        };
        for (const TorchtitanFlavor& known : kTorchtitanFlavors) {
            const Preset* preset = catalogue.find(PresetKind::model, known.preset);
            if (preset && name == known.model && size == known.flavor) return take_model(*preset);
            add(known.model, known.flavor);
        }
        for (const Qwen3Flavor& known : kQwen3Flavors) {
            if (name == "qwen3" && size == known.flavor) return take_qwen3(known, catalogue);
            add("qwen3", known.flavor);
        }
        problem("model.flavor", translate("“{1}” of {2} is not a known model", {flavor, name}),
                translate("use one of {1}", {joined(flavors, ", ")}));
    }

    void training() {
        const double local = number("training.local_batch_size", 8);
        const double global = number("training.global_batch_size", -1);
        const double stages = number("parallelism.pipeline_parallel_degree", 1);
        const bool pipeline = stages > 1;
        // Until April 2025 (pull request 1073), the file had the number of micro-batches instead of their
        // size, by default that of the stages.
        const double batches =
            number("parallelism.pipeline_parallel_microbatches", has_former_stages() ? stages : 0);
        const double micro =
            batches > 0 ? local / batches : number("parallelism.pipeline_parallel_microbatch_size", 1);
        out_.give(P::sequence_length, number("training.seq_len", 2048));
        out_.give(P::micro_batch, pipeline ? micro : local);
        if (global > 0) out_.give(P::global_batch, global);
        else if (pipeline && micro > 0) out_.give(P::accumulation, local / micro);
        const bool half = choice("training.dtype", {"float32", "bfloat16"}) == "bfloat16";
        out_.give(P::optimizer_precision, half ? "bf16" : "fp32");
        choice("training.mixed_precision_reduce", {"float32"});
        out_.give(P::gradient_precision, "fp32");
        if (flag("training.enable_cpu_offload", false)) out_.give(P::offload, "optimizer+parameters");
        const std::string optimizer = text("optimizer.name", "AdamW");
        if (optimizer != "AdamW" && optimizer != "Adam")
            out_.note(translate("The optimizer {1} is treated as AdamW.", {optimizer}));
        out_.give(P::software, flag("compile.enable", false) ? "torchtitan" : "fsdp2");
    }

    void precision() {
        const bool full = choice("training.mixed_precision_param", {"bfloat16", "float32"}) == "float32";
        out_.give(P::precision, full ? "fp32" : "bf16");
        // Until February 2025, linear layers were converted by a flag, and in early 2024 by the name of a
        // scaling.
        bool layers = flag("float8.enable_float8_linear", false) || !text("training.fp8_linear", "").empty();
        bool experts = false;
        if (layers) out_.give(P::precision, "fp8");
        for (const std::string& converter : file_.list("model.converters", problems_)) {
            const bool fp8 = converter.ends_with("float8");
            if (fp8 || converter.ends_with("mx")) {
                out_.give(P::precision, fp8 ? "fp8" : "mxfp8");
                const bool grouped = converter.find("grouped_mm") != std::string::npos;
                (grouped ? experts : layers) = true;
            } else if (!converter.empty()) {
                out_.note_unmodelled("“" + converter + "”");
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
        const std::vector<std::string> points = file_.list(key_of(kSplitPoints), problems_);
        // Values beyond the valid range are reported by the final check.
        if (stages <= 1 || stages > parameter(P::pipeline_parallel).maximum || stages != std::floor(stages))
            return;
        // In 2024 it was interleaved_1f1b.
        const auto plain = [](std::string_view words) {
            std::string out = lower(words);
            std::erase(out, '_');
            return out;
        };
        const auto found = std::ranges::find(kTorchSchedules, plain(name),
                                             [&](const TorchSchedule& known) { return plain(known.name); });
        if (found == kTorchSchedules.end()) {
            problem("parallelism.pipeline_parallel_schedule", translate("“{1}” is not known", {name}),
                    translate("use 1F1B, GPipe, Interleaved1F1B or LoopedBFS"));
            return;
        }
        out_.give(P::schedule, static_cast<double>(found->kind));
        if (!found->exact)
            out_.note(translate("The schedule {1} is treated as {2}.",
                                {name, format(P::schedule, static_cast<double>(found->kind))}));
        if (!model_is_known_) return;
        const std::optional<StageLayers> divided =
            !points.empty()       ? layers_between(points)
            : has_former_stages() ? former_stages(*found, stages)
                                  : layers_of_stages(*found, stages, {first, last}, each);
        if (divided) give_stages(*found, stages, *divided);
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
        const bool deepep =
            choice("parallelism.expert_parallel_comm_backend", {"standard", "deepep"}) == "deepep";
        if (out_.settings()[P::experts] > 0) {
            out_.give(P::expert_parallel, experts);
            if (experts > 1 && expert_tensor != tensor) out_.give(P::expert_tensor_parallel, expert_tensor);
            if (deepep) out_.give(P::moe_dispatcher, "deepep");
        }
        // The configuration in Python of 2026 has these two. CUDA graphs allow neither a pipeline nor expert
        // parallelism.
        const bool sequence = flag("parallelism.enable_sequence_parallel", true);
        const bool graphs = !flag("training.disable_cuda_graphs", true) && stages <= 1 && experts <= 1;
        if (file_.has("training.disable_cuda_graphs")) out_.give(P::cuda_graphs, graphs ? 1 : 0);
        const bool overlapped = flag("parallelism.enable_async_tensor_parallel", false);
        const bool whole_loss = flag("parallelism.disable_loss_parallel", false);
        // Until December 2024 the option was the opposite one.
        const bool parallel_loss = flag("training.enable_loss_parallel", !whole_loss);
        if (tensor > 1) {
            out_.give(P::sequence_parallel, sequence ? 1 : 0);
            out_.give(P::async_tensor_parallel, overlapped);
            out_.give(P::parallel_loss, parallel_loss);
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
        const std::string reshard =
            choice("parallelism.fsdp_reshard_after_forward", {"default", "always", "never"});
        // By default a pipeline keeps the gathered weights for all its micro-batches.
        if (shard != 1 || context > 1)
            out_.give(P::reshard_after_forward,
                      reshard == "always" || (reshard == "default" && stages <= 1) ? 1 : 0);
    }

  private:
    // Returns the key that the file has: the option's, or its former one.
    [[nodiscard]] std::string key_of(const std::string& key) const {
        if (file_.has(key)) return key;
        const auto found = std::ranges::find_if(kFormerKeys, [&](const FormerKey& known) {
            return known.key == key && file_.has(std::string(known.former));
        });
        return found == kFormerKeys.end() ? key : std::string(found->former);
    }
    // Returns whether the file has the pipeline of 2024, whose stages follow from split points.
    [[nodiscard]] bool has_former_stages() const {
        return file_.has("experimental.pipeline_parallel_degree");
    }

    void take_model(const Preset& preset) {
        out_.take_model(preset);
        model_is_known_ = true;
    }

    void take_qwen3(const Qwen3Flavor& flavor, const Catalogue& catalogue) {
        const Preset* sibling = catalogue.find(PresetKind::model, "qwen3-8b");
        if (!sibling) return;
        take_model(*sibling);
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
        // In 2024 each of the three matrices had a scaling of its own.
        bool delayed = false;
        for (const char* matrix : {"input", "weight", "grad_output"})
            delayed |= text(("float8.scaling_type_" + std::string(matrix)).c_str(), "dynamic") == "delayed";
        out_.give(P::fp8_recipe, delayed ? "delayed" : kTensorwise);
        out_.give(P::fp8_param_gather, gather);
        const std::string recipe = text(of_float8("recipe_name").c_str(), kTensorwise);
        if (recipe != kTensorwise)
            out_.note(translate("The fp8 recipe {1} is treated as {2}.", {recipe, kTensorwise}));
    }

    static constexpr const char* kLayersPerStage = "parallelism.pipeline_parallel_layers_per_stage";
    static constexpr const char* kSplitPoints = "parallelism.pipeline_parallel_split_points";

    // Returns the layers of the model parts that begin with the layers of the list, such as "layers.8".
    std::optional<StageLayers> layers_between(const std::vector<std::string>& points) {
        constexpr std::string_view kName = "layers.";
        StageLayers out;
        double last = 0;
        for (const std::string& point : points) {
            const Parsed layer =
                parse(point.starts_with(kName) ? point.substr(kName.size()) : "", Quantity::count);
            const bool is_layer = layer.ok && layer.value > last && layer.value < out_.settings()[P::layers];
            if (!is_layer || layer.value != std::floor(layer.value)) {
                problem(kSplitPoints, translate("“{1}” is not understood", {point}),
                        translate("write layers in ascending order, such as layers.8,layers.16"));
                return std::nullopt;
            }
            out.push_back(layer.value - last);
            last = layer.value;
        }
        out.push_back(out_.settings()[P::layers] - last);
        return out;
    }

    // Returns the stages of 2024: without split points, the middle ones get the layers that remain.
    [[nodiscard]] std::optional<StageLayers> former_stages(const TorchSchedule& schedule,
                                                           double stages) const {
        return uneven_virtual_stages(out_.settings()[P::layers], schedule.several ? 2 * stages : stages);
    }

    // Returns how many layers each model part has; nothing, with a problem, where torchtitan does not start.
    std::optional<StageLayers> layers_of_stages(const TorchSchedule& schedule, double stages, EndLayers less,
                                                double each) {
        const double layers = out_.settings()[P::layers];
        const auto no_count = [](double value) { return value < 0 || value != std::floor(value); };
        if (no_count(less.first) || no_count(less.last) || no_count(each)) {
            problem(kLayersPerStage, translate("or …_stage_less_layers is not a whole number"),
                    translate("write whole numbers"));
            return std::nullopt;
        }
        const double counted = layers + less.first + less.last;
        const double parts = each > 0 ? std::ceil(counted / each) : schedule.several ? 2 * stages : stages;
        if (std::fmod(parts, stages) != 0 || schedule.several == (parts == stages)) {
            problem(
                kLayersPerStage,
                translate("makes {1} stages for the {2} GPUs of the pipeline", {whole(parts), whole(stages)}),
                schedule.several ? translate("write a number that gives each GPU two or more")
                                 : translate("write {1}", {whole(std::ceil(counted / stages))}));
            return std::nullopt;
        }
        std::optional<StageLayers> divided = split_layers(layers, parts, less);
        if (!divided)
            problem("parallelism.pipeline_parallel_degree",
                    translate("does not give each of {1} stages a layer, with {2} and {3} fewer at the ends",
                              {whole(parts), whole(less.first), whole(less.last)}),
                    translate("write fewer stages or a smaller …_stage_less_layers"));
        return divided;
    }

    // Gives the scenario these model parts, and says where it has other ones.
    void give_stages(const TorchSchedule& schedule, double stages, const StageLayers& divided) {
        const auto parts = static_cast<double>(divided.size());
        if (std::fmod(parts, stages) != 0 || schedule.several == (parts == stages)) {
            problem(
                kSplitPoints,
                translate("makes {1} stages for the {2} GPUs of the pipeline", {whole(parts), whole(stages)}),
                translate("write {1} split points", {whole((schedule.several ? 2 : 1) * stages - 1)}));
            return;
        }
        if (!schedule.several) {
            out_.set_stages(divided);
            return;
        }
        if (!schedule.exact) return;
        const bool folded = schedule_of(schedule.kind).folded;
        if (!folded) out_.give(P::virtual_stages, parts / stages);
        out_.note_stages(layers_per_rank(divided, stages, folded));
    }

    Toml& file_;
    ScenarioBuilder& out_;
    Problems& problems_;
    bool model_is_known_ = false;
};

}  // namespace

bool recognises_torchtitan(std::string_view text) {
    const auto line = [&](std::string_view start) {
        return text.starts_with(start) || text.find("\n" + std::string(start)) != std::string_view::npos;
    };
    return line("[model]") && (line("[training]") || line("[parallelism]")) &&
           text.find("flavor") != std::string_view::npos;
}

LaunchRead read_torchtitan(std::string_view text, const Scenario& base, Problems& problems) {
    ScenarioBuilder out(base, false);
    Toml file(text, problems);
    if (!problems.empty()) return {};
    TorchtitanReader reader(file, out, problems);
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
    out.note_unused_options(file.unused(is_unmodelled_torchtitan), is_unmodelled_torchtitan);
    return std::move(out).done(problems);
}

}  // namespace shardscope::launch
