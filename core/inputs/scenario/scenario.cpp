#include "scenario/scenario.h"

#include <algorithm>
#include <cmath>

#include "scenario/constraint.h"
#include "scenario/domain.h"
#include "scenario/gpu_groups.h"
#include "scenario/listed_model.h"
#include "schedules/schedule.h"
#include "text/translate.h"

namespace shardscope {
namespace {

void apply(Settings& settings, const Values& values, Origin origin) {
    for (const auto& [id, value] : values) settings.set(id, value, origin);
}

// Applies the constants of a calibration after those of the calibrations that it extends.
void apply_with_parents(Settings& settings, const Preset* part) {
    if (!part) return;
    apply_with_parents(settings, part->calibration);
    apply(settings, part->values, Origin::calibration);
}

Settings fallbacks() {
    Settings settings;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        settings.set(id, parameter(id).fallback, Origin::fallback);
    }
    return settings;
}

std::optional<double> given_value(const Scenario& scenario, P id) {
    if (!scenario.is_given(id)) return {};
    return scenario.value[index(id)];
}

// Returns the values of the presets and calibrations of a scenario.
Settings preset_settings(const Scenario& scenario) {
    static const Settings start = fallbacks();
    Settings s = start;
    const Preset* gpu = scenario.gpu_preset();
    const Preset* fabric = scenario.cluster ? scenario.cluster->calibration : nullptr;

    // Values are applied from the most general to the most specific; later ones replace earlier ones.
    if (scenario.catalogue) apply(s, scenario.catalogue->everywhere(), Origin::calibration);
    const auto apply_own = [&](std::string_view name) {
        if (!scenario.calibration) return;
        for (const PartValues& part : scenario.calibration->parts) {
            if (part.part == name) apply(s, part.values, Origin::calibration);
        }
    };
    apply_own("");
    if (gpu) {
        apply_with_parents(s, gpu->calibration);
        apply(s, gpu->node, Origin::gpu);
        apply(s, gpu->values, Origin::gpu);
    }
    if (fabric) apply(s, fabric->values, Origin::calibration);
    double software = start[P::software];
    if (scenario.cluster) {
        apply(s, scenario.cluster->values, Origin::cluster);
        software = s[P::software];
    }
    const Preset* stack =
        scenario.catalogue ? scenario.catalogue->stack(
                                 given_value(scenario, P::software).value_or(software),
                                 given_value(scenario, P::software_version).value_or(s[P::software_version]))
                           : nullptr;
    apply_with_parents(s, stack);
    if (scenario.calibration) {
        const auto apply_parents_first = [&](const auto& self, const Preset* part) -> void {
            if (!part) return;
            self(self, part->calibration);
            apply_own(part->name);
        };
        for (const Preset* part : {gpu ? gpu->calibration : nullptr, fabric, stack})
            apply_parents_first(apply_parents_first, part);
        apply(s, scenario.calibration->values, Origin::calibration);
        apply_own(kAllParts);
    }
    if (scenario.model) apply(s, scenario.model->values, Origin::model);
    return s;
}

// Returns the multiple to which a preset's feed-forward size was rounded: its largest power of two up to 256.
double ffn_multiple(double ffn) {
    double multiple = 1;
    while (multiple < 256 && std::fmod(ffn, multiple * 2) == 0) multiple *= 2;
    return multiple;
}

// The sizes of the preset, before any override.
struct Shape {
    double hidden_size, heads, kv_heads, head_size, ffn_size;
};

// Derives the fields of the shape that are not set: heads at constant head size, the feed-forward size at
// constant ratio, and key/value heads if they equal the query heads in the preset.
void derive_shape(const Scenario& scenario, Settings& s, const Shape& base) {
    const bool hidden = scenario.is_given(P::hidden_size);
    const bool heads = scenario.is_given(P::heads);
    const bool head_size = scenario.is_given(P::head_size);
    // The ratio of the heads' total width to the model width is kept; it is one unless the heads do not fill
    // the width (Gemma).
    const double of_preset = base.heads * base.head_size / base.hidden_size;
    const double fill = std::isnan(of_preset) ? 1 : of_preset;  // without a preset
    if (heads && !head_size) {
        s.set(P::head_size, s[P::hidden_size] * fill / s[P::heads], Origin::derived);
    } else if ((hidden || head_size) && !heads) {
        s.set(P::heads, s[P::hidden_size] * fill / s[P::head_size], Origin::derived);
    }
    if (!scenario.is_given(P::kv_heads) && base.kv_heads == base.heads && s[P::kv_heads] != s[P::heads]) {
        s.set(P::kv_heads, s[P::heads], Origin::derived);
    }
    if (hidden && !scenario.is_given(P::ffn_size)) {
        const double ratio = base.ffn_size / base.hidden_size;
        const double multiple = ffn_multiple(base.ffn_size);
        const double ffn = std::max(multiple, std::round(s[P::hidden_size] * ratio / multiple) * multiple);
        s.set(P::ffn_size, ffn, Origin::derived);
    }
}

// Sets the shape of a model given as a list of operators: only its layers and its average width are known,
// and a sample is a sequence of one token.
void apply_operators(const ListedModel& model, Settings& s) {
    s.set_listed(&model);
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (parameter(id).group != Group::model || id == P::image_size) continue;
        const double none = parameter(id).fallback;
        s.set(id, std::isnan(none) ? parameter(id).minimum : none, Origin::model);
    }
    s.set(P::layers, model.layers(), Origin::model);
    const double width = std::round(model.width(s[P::image_size]));
    const Parameter& row = parameter(P::hidden_size);
    s.set(P::hidden_size, std::clamp(width, row.minimum, row.maximum), Origin::model);
    s.set(P::sequence_length, 1, Origin::model);
    // The constants are fitted to transformers and are a guess for any other model.
    constexpr double kUnvalidated = 0.4;
    if (s.origin(P::error_band) != Origin::given)
        s.set(P::error_band, std::max(s[P::error_band], kUnvalidated), Origin::derived);
}

// Returns the largest divisor of `number` that is at most `most`.
double divisor_at_most(double number, double most) {
    for (double d = std::floor(std::min(number, most)); d > 1; --d) {
        if (std::fmod(number, d) == 0) return d;
    }
    return 1;
}

// Sets how many GPUs of a node the job uses, unless it is given. Jobs on racks do not fill them: they use the
// largest divisor of their GPUs.
void derive_used_gpus(Settings& s) {
    constexpr double kLargestNode = 16;  // a larger NVLink domain is a rack
    if (s[P::gpus_used_per_node] != 0) return;
    const double node = s[P::gpus_per_node];
    const bool partial_rack = node > kLargestNode && s[P::gpus] > node && std::fmod(s[P::gpus], node) != 0;
    s.set(P::gpus_used_per_node, partial_rack ? divisor_at_most(s[P::gpus], node) : node, Origin::derived);
}

void derive_batch(const Scenario& scenario, Settings& s) {
    const double replicas = data_parallel(s) * s[P::micro_batch];
    if (scenario.is_given(P::global_batch)) {
        s.set(P::accumulation, s[P::global_batch] / replicas, Origin::derived);
    } else {
        s.set(P::global_batch, replicas * s[P::accumulation], Origin::derived);
    }
}

// Applies the scenario's own values to those of its presets, and derives what follows from both.
void apply_scenario(const Scenario& scenario, Settings& s) {
    // A head size that no preset gives is derived from the width.
    if (std::isnan(s[P::head_size])) s.set(P::head_size, s[P::hidden_size] / s[P::heads], Origin::derived);
    const Shape base{s[P::hidden_size], s[P::heads], s[P::kv_heads], s[P::head_size], s[P::ffn_size]};
    for_each(scenario.given, [&](P id) { s.set(id, scenario.value[index(id)], Origin::given); });
    if (scenario.model && scenario.model->operators) apply_operators(*scenario.model->operators, s);
    else derive_shape(scenario, s, base);
    derive_batch(scenario, s);
    // Stacks that keep main gradients in fp32 do so for bf16 and fp8; fp16 runs use loss scaling and keep
    // them in fp16. Gradients of fp32 weights are in fp32.
    const auto precision = s.choice<Precision>(P::precision);
    const bool same = precision == Precision::fp16 || precision == Precision::fp32;
    if (same && s.origin(P::gradient_precision) != Origin::given)
        s.set(P::gradient_precision, precision, Origin::derived);
    derive_used_gpus(s);
    // Virtual stages select the interleaved schedule unless a schedule is set.
    if (s[P::virtual_stages] > 1 && !scenario.is_given(P::schedule))
        s.set(P::schedule, ScheduleKind::interleaved, Origin::derived);
    if (std::isnan(s[P::norm_weights])) {
        const bool biased = s.on(P::bias) && s.choice<Norm>(P::norm) == Norm::layernorm;
        s.set(P::norm_weights, static_cast<double>(biased ? NormWeights::scale_and_bias : NormWeights::scale),
              Origin::derived);
    }
    const P peak = peak_of(precision);
    s.set(P::peak_flops, s[peak], s.origin(peak));
}

// Adapts other parameters to an edit of `id`: each is moved to its nearest valid value, from the model's
// shape through the degrees of parallelism to the batch. `micro_batch` is the largest size allowed if the
// global batch is held. Returns whether the scenario is valid afterwards.
bool repair_others(Scenario& out, P id, double micro_batch) {
    Settings s = resolve(out);
    const auto give = [&](P which, Value value) {
        if (value == s[which]) return;
        out.give(which, value);
        s = resolve(out);
    };
    const auto move = [&](P which) { give(which, nearest_valid(which, s[which], s)); };
    if (is_valid(s)) return true;

    // Fractional heads or head sizes are rounded to whole numbers.
    if (id == P::heads || id == P::head_size || id == P::hidden_size) {
        for (const P part : {P::heads, P::head_size}) {
            if (s[part] != std::floor(s[part]) || s[part] < 1) give(part, std::max(1.0, std::round(s[part])));
        }
        if (std::fmod(s[P::heads], s[P::kv_heads]) != 0) move(P::kv_heads);
    }
    for (const P part : {P::experts_per_token, P::dense_layers}) move(part);

    // After a change of the node the GPU count may no longer be a multiple of its GPUs, and the data-parallel
    // GPUs may no longer divide a held batch.
    move(P::gpus);
    move(P::tensor_parallel);
    move(P::context_parallel);
    if (id != P::context_parallel_kind) move(P::context_parallel_kind);
    const Schedule& schedule = schedule_of(s);
    if (s[P::pipeline_parallel] > 1 && !schedule.can_split(s[P::pipeline_parallel], s[P::layers])) {
        move(P::pipeline_parallel);
    } else if (s[P::pipeline_parallel] * s[P::virtual_stages] > s[P::layers]) {
        if (s[P::pipeline_parallel] > s[P::layers]) give(P::virtual_stages, 1);
        move(id == P::virtual_stages ? P::virtual_stages : P::pipeline_parallel);
    }
    move(P::virtual_stages);
    if (s[P::virtual_stages] > 1 && !schedule_of(s).interleaves) {
        if (id == P::schedule) {
            give(P::virtual_stages, 1);
        } else {
            give(P::schedule, ScheduleKind::interleaved);
        }
    }
    if (!supports_partition(s)) {
        for (const P end : {P::first_stage_layers, P::last_stage_layers}) out.withdraw(end);
        s = resolve(out);
    }
    move(P::gpus);
    if (out.is_given(P::expert_tensor_parallel)) move(P::expert_tensor_parallel);
    if (out.is_given(P::expert_parallel)) move(P::expert_parallel);
    if (out.is_given(P::shard_group)) move(P::shard_group);

    // Strong scaling reduces the batch of each GPU: first the number of micro-batches, then their size.
    const MicroBatchRule rule = micro_batch_rule(s);
    if (out.hold() == Hold::global_batch) {
        const double per_gpu = s[P::global_batch] / data_parallel(s);
        if (std::fmod(per_gpu, rule.multiple) == 0) {
            give(P::micro_batch, divisor_at_most(per_gpu / rule.multiple,
                                                 std::min(micro_batch, std::max(1.0, per_gpu / rule.least))));
        } else {
            // The micro-batches do not come in whole groups of as many as there are stages, so virtual stages
            // are not possible.
            give(P::virtual_stages, 1);
            give(P::micro_batch, divisor_at_most(per_gpu, micro_batch));
        }
    } else {
        move(P::accumulation);
    }
    return is_valid(s);
}

}  // namespace

Scenario Scenario::first_launch(const Catalogue& catalogue) {
    Scenario scenario;
    scenario.catalogue = &catalogue;
    scenario.model = catalogue.find(PresetKind::model, "mpt-13b");
    scenario.cluster = catalogue.find(PresetKind::cluster, "dgx-h100");
    return scenario;
}

void Scenario::give(P id, Value new_value) {
    if (id == P::peak_flops) id = peak_of(resolve(*this).choice<Precision>(P::precision));
    if (id == P::accumulation) withdraw(P::global_batch);
    if (id == P::global_batch) withdraw(P::accumulation);
    given.set(index(id));
    value[index(id)] = new_value;
}

void Scenario::withdraw(P id) {
    if (id == P::peak_flops) id = peak_of(resolve(*this).choice<Precision>(P::precision));
    given.reset(index(id));
    value[index(id)] = 0;
}

std::string Scenario::title() const {
    if (!name.empty()) return name;
    const Preset* of = gpu_preset();
    return translate("{1} on {2} {3}",
                     {model_title().empty() ? translate("Model") : model_title(),
                      format(resolve(*this)[P::gpus], Quantity::count), of ? of->title : translate("GPUs")});
}

std::string Scenario::model_title() const {
    if (!model_name.empty()) return model_name;
    return model ? model->title : std::string();
}

std::string name_of_shape(const Settings& settings) {
    return translate("{1} layers of {2}", {format(P::layers, settings[P::layers]),
                                           format(P::hidden_size, settings[P::hidden_size])});
}

PresetSettings::Inputs::Inputs(const Scenario& scenario)
    : catalogue(scenario.catalogue),
      model(scenario.model),
      cluster(scenario.cluster),
      gpu(scenario.gpu),
      calibration(scenario.calibration),
      software(given_value(scenario, P::software)),
      version(given_value(scenario, P::software_version)) {}

const Settings& PresetSettings::of(const Scenario& scenario) {
    const Inputs inputs(scenario);
    if (inputs_ != inputs) {
        settings_ = preset_settings(scenario);
        inputs_ = inputs;
    }
    return settings_;
}

bool Scenario::operator==(const Scenario& other) const {
    return name == other.name && model_name == other.model_name && model == other.model &&
           cluster == other.cluster && gpu == other.gpu && calibration == other.calibration &&
           given == other.given && value == other.value && automatic == other.automatic;
}

Settings resolve(const Scenario& scenario) {
    Settings s = preset_settings(scenario);
    apply_scenario(scenario, s);
    return s;
}

Settings resolve(const Scenario& scenario, PresetSettings& presets) {
    Settings s = presets.of(scenario);
    apply_scenario(scenario, s);
    return s;
}

bool may_change_others(P id) {
    switch (parameter(id).group) {
        case Group::gpu:
        case Group::assumptions: return false;
        case Group::cluster: return id == P::gpus || id == P::gpus_per_node || id == P::gpus_used_per_node;
        case Group::model:
        case Group::training:
        case Group::plan: return true;
    }
    return true;
}

namespace {

// The scenario on which an edit of `id` is based. The other automatic degrees of parallelism, and an
// automatic micro-batch if the global batch is held, are set to one if that is valid.
Scenario basis_of_edit(const Scenario& scenario, P id) {
    if (scenario.automatic.none()) return scenario;
    Scenario out = scenario;
    for (const P degree : {P::tensor_parallel, P::context_parallel, P::pipeline_parallel, P::expert_parallel,
                           P::expert_tensor_parallel, P::virtual_stages}) {
        if (scenario.automatic[index(degree)] && degree != id) out.give(degree, 1);
    }
    if (scenario.automatic[index(P::context_parallel_kind)] && id != P::context_parallel_kind)
        out.give(P::context_parallel_kind, ContextParallelKind::p2p);
    if (scenario.automatic[index(P::micro_batch)] && id != P::micro_batch &&
        scenario.hold() == Hold::global_batch)
        out.give(P::micro_batch, 1);
    return is_valid(resolve(out)) ? out : scenario;
}

// The degrees of model parallelism that the planner may choose: more GPUs than sequences in a held batch need
// them.
constexpr std::array kModelParallel{P::tensor_parallel, P::pipeline_parallel};

// The powers of two that one of these degrees may have, ascending; only one if the degree is not automatic.
// Tensor parallelism stays in a node.
std::vector<double> degrees(const Scenario& scenario, P id, const Settings& s) {
    std::vector<double> out{s[id]};
    if (!scenario.automatic[index(id)]) return out;
    for (const double stop : domain(id, s).stops) {
        const bool in_node = id != P::tensor_parallel || stop <= s[P::gpus_per_node];
        if (stop == 2 * out.back() && in_node) out.push_back(stop);
    }
    return out;
}

// Whether the planner can spread a held batch over more GPUs by model parallelism.
bool may_spread_batch(const Scenario& scenario, P id) {
    return (id == P::gpus || id == P::global_batch) && scenario.hold() == Hold::global_batch &&
           std::ranges::any_of(kModelParallel, [&](P degree) { return scenario.automatic[index(degree)]; });
}

// Gives the smallest automatic degrees of model parallelism with which the scenario is valid, if there are
// any.
void spread_batch(Scenario& out, const Settings& s) {
    std::vector<std::pair<double, double>> choices;
    for (const double pipeline : degrees(out, P::pipeline_parallel, s)) {
        for (const double tensor : degrees(out, P::tensor_parallel, s))
            choices.emplace_back(tensor, pipeline);
    }
    std::ranges::stable_sort(choices, {}, [](const auto& one) { return one.first * one.second; });
    for (const auto& [tensor, pipeline] : choices) {
        Scenario trial = out;
        trial.give(P::tensor_parallel, tensor);
        trial.give(P::pipeline_parallel, pipeline);
        if (!is_valid(resolve(trial))) continue;
        out = trial;
        return;
    }
}

}  // namespace

Settings settings_for_edit(const Scenario& scenario, P id) {
    Settings s = resolve(basis_of_edit(scenario, id));
    if (!may_spread_batch(scenario, id)) return s;
    // A batch that M GPUs share allows M times as many GPUs, where M is any power of two up to the most model
    // parallelism, and that is the same as a batch of M times the size.
    double most = 1;
    for (const P degree : kModelParallel) {
        const double degree_most = degrees(scenario, degree, s).back();
        most *= degree_most / s[degree];
        if (id == P::global_batch) s.set(degree, degree_most, Origin::derived);
    }
    if (id == P::gpus) s.set(P::global_batch, s[P::global_batch] * most, Origin::derived);
    return s;
}

namespace {

Scenario edited_values(const Scenario& scenario, P id, Value value) {
    if (!may_change_others(id) && !is_constrained(id) && !std::isnan(value))
        return assigned(scenario, id, nearest_in_range(id, value));
    Scenario out = basis_of_edit(scenario, id);
    const Settings before = resolve(out);
    if (!applies_to(id, before)) return scenario;
    const bool spreads = may_spread_batch(scenario, id);
    value = nearest_valid(id, value, spreads ? settings_for_edit(scenario, id) : before);
    const bool global = scenario.hold() == Hold::global_batch;
    out.automatic.reset(index(id));
    if (id == P::global_batch && !global) {
        // The per-GPU batch is held, so that a new global batch changes the accumulation.
        const double step = data_parallel(before) * before[P::micro_batch];
        out.give(P::accumulation, std::max(1.0, std::round(value / step)));
    } else if (id == P::accumulation && global) {
        out.give(P::micro_batch, before[P::global_batch] / data_parallel(before) / value);
    } else {
        out.give(id, value);
    }
    if (id == P::hidden_size && out.is_given(P::heads)) {
        // The number of heads is set and stays; the head size is derived.
        out.withdraw(P::head_size);
    }
    if (spreads && !is_valid(resolve(out))) spread_batch(out, before);
    if (!may_change_others(id) || repair_others(out, id, before[P::micro_batch])) return out;
    // An edit that cannot be made valid is discarded, unless the scenario was not valid before.
    return is_valid(before) ? scenario : out;
}

}  // namespace

Scenario edited(const Scenario& scenario, P id, Value value) {
    Scenario out = edited_values(scenario, id, value);
    // A model that is named after its shape is named after the new one.
    if (!out.model_name.empty() && parameter(id).group == Group::model &&
        out.model_name == name_of_shape(resolve(scenario)))
        out.model_name = name_of_shape(resolve(out));
    return out;
}

Scenario assigned(const Scenario& scenario, P id, Value value) {
    Scenario out = scenario;
    out.give(id, value);
    out.automatic.reset(index(id));
    return out;
}

Scenario with_hold(const Scenario& scenario, Hold hold) {
    if (scenario.hold() == hold) return scenario;
    Scenario out = scenario;
    const Settings s = resolve(scenario);
    if (hold == Hold::global_batch) {
        out.give(P::global_batch, s[P::global_batch]);
    } else {
        out.give(P::accumulation, s[P::accumulation]);
    }
    return out;
}

namespace {

Scenario with_hardware(const Scenario& scenario, const Preset* cluster, const Preset* gpu) {
    Scenario out = scenario;
    const double gpus = resolve(scenario)[P::gpus];
    out.cluster = cluster;
    out.gpu = gpu;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const Group group = parameter(id).group;
        if (group == Group::gpu || (group == Group::cluster && id != P::gpus && id != P::software))
            out.withdraw(id);
    }
    // A precision that the new GPU does not support is replaced by the first one that it supports.
    const Settings s = resolve(out);
    if (const std::vector<double> precisions = domain(P::precision, s).stops;
        !precisions.empty() && std::ranges::find(precisions, s[P::precision]) == precisions.end())
        out.give(P::precision, precisions.front());
    const double wanted = nearest_valid(P::gpus, gpus, s);
    // Another cluster does the same job: if it needs another number of GPUs, the global batch is kept.
    if (wanted != s[P::gpus])
        out = with_hold(edited(with_hold(out, Hold::global_batch), P::gpus, wanted), scenario.hold());
    repair_others(out, P::gpus_per_node, s[P::micro_batch]);
    return out;
}

}  // namespace

Scenario with_cluster(const Scenario& scenario, const Preset& cluster) {
    return with_hardware(scenario, &cluster, nullptr);
}

Scenario with_gpu(const Scenario& scenario, const Preset& gpu) {
    return with_hardware(scenario, nullptr, &gpu);
}

Scenario with_model(const Scenario& scenario, const Preset& model) {
    Scenario out = scenario;
    out.model = &model;
    out.model_name.clear();
    for (std::size_t i = 0; i < kParameters; ++i) {
        if (parameter(static_cast<P>(i)).group == Group::model) out.withdraw(static_cast<P>(i));
    }
    if (model.operators) {
        const Settings s = resolve(out);
        for (std::size_t i = 0; i < kParameters; ++i) {
            if (out.given[i] && !applies_to(static_cast<P>(i), s)) out.withdraw(static_cast<P>(i));
        }
    }
    repair_others(out, P::layers, resolve(out)[P::micro_batch]);
    return out;
}

Scenario with_auto(const Scenario& scenario, P id, bool automatic) {
    Scenario out = scenario;
    out.automatic.set(index(id), automatic);
    return out;
}

Scenario locked(const Scenario& scenario) {
    Scenario out = scenario;
    out.automatic.reset();
    return out;
}

Scenario without_mfu_override(const Scenario& scenario) {
    Scenario out = scenario;
    out.withdraw(P::mfu_override);
    return out;
}

std::string source_of(const Scenario& scenario, const Settings& settings, P id) {
    if (id == P::peak_flops) id = peak_of(settings.choice<Precision>(P::precision));
    const auto from = [&](const Preset* preset) -> std::string {
        if (!preset) return {};
        for (const Values* values : {&preset->values, &preset->node}) {
            for (const auto& entry : *values) {
                if (entry.first == id) {
                    const std::string source = translate(preset->source_of(id));
                    return preset->is_unverified(id) ? translate("{1} (unverified)", {source}) : source;
                }
            }
        }
        return {};
    };
    const Preset* gpu = scenario.gpu_preset();
    switch (settings.origin(id)) {
        case Origin::given: return translate("set in this scenario");
        case Origin::derived: return translate("follows from other inputs");
        case Origin::model:
            // The preset of a named model only has the nearest shape.
            return scenario.model_name.empty() ? from(scenario.model) : scenario.model_name;
        case Origin::cluster: return from(scenario.cluster);
        case Origin::gpu: return from(gpu);
        case Origin::calibration: {
            std::string found;
            if (const Preset* own = scenario.calibration) {
                const auto holds = [&](const Values& values) {
                    return std::ranges::find(values, id, &Values::value_type::first) != values.end();
                };
                const bool part =
                    std::ranges::any_of(own->parts, [&](const PartValues& p) { return holds(p.values); });
                if (part || holds(own->values))
                    return own->source.empty() ? translate("this scenario's calibration")
                                               : translate(own->source);
            }
            if (scenario.catalogue) {
                const Preset* stack =
                    scenario.catalogue->stack(settings[P::software], settings[P::software_version]);
                for (const Preset* part = stack; part && found.empty(); part = part->calibration)
                    found = from(part);
            }
            if (found.empty() && scenario.cluster) found = from(scenario.cluster->calibration);
            for (const Preset* part = gpu ? gpu->calibration : nullptr; part && found.empty();
                 part = part->calibration)
                found = from(part);
            return found.empty() ? translate("fitted to the public runs in presets/runs") : found;
        }
        case Origin::fallback: {
            const auto source = parameter(id).source;
            return source.empty() ? translate("default") : translate("default: {1}", {translate(source)});
        }
    }
    return {};
}

bool is_changed(const Scenario& scenario, P id) {
    if (!scenario.is_given(id)) return false;
    Scenario without = scenario;
    without.withdraw(id);
    return resolve(without)[id] != resolve(scenario)[id];
}

bool is_modified(const Scenario& scenario, Group group) {
    if (group == Group::model && !scenario.model_name.empty()) return false;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        // The number of GPUs belongs to the cluster's group but not to its preset.
        if (id == P::gpus || id == P::software) continue;
        if (parameter(id).group == group && is_changed(scenario, id)) return true;
    }
    return group == Group::gpu && scenario.gpu != nullptr;
}

}  // namespace shardscope
