#include <algorithm>
#include <cmath>

#include "parameters/matrix_format.h"
#include "scenario/gpu_groups.h"
#include "scenario/listed_model.h"
#include "scenario/scenario.h"
#include "scenario/valid_values.h"

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
struct PresetShape {
    double hidden_size, heads, kv_heads, head_size, ffn_size;
};

// Derives the fields of the shape that are not set: heads at constant head size, the feed-forward size at
// constant ratio, and key/value heads if they equal the query heads in the preset.
void derive_shape(const Scenario& scenario, Settings& s, const PresetShape& base) {
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

// Sets how many GPUs of a node the job uses, unless it is given. Jobs on racks do not fill them: they use the
// largest divisor of their GPUs.
void derive_used_gpus(Settings& s) {
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
    const PresetShape base{s[P::hidden_size], s[P::heads], s[P::kv_heads], s[P::head_size], s[P::ffn_size]};
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
    if (const ContextParallelKind kind = usual_context_kind(s);
        kind != ContextParallelKind::p2p && s.origin(P::context_parallel_kind) == Origin::fallback)
        s.set(P::context_parallel_kind, kind, Origin::derived);
    if (std::isnan(s[P::norm_weights])) {
        const bool biased = s.on(P::bias) && s.choice<Norm>(P::norm) == Norm::layernorm;
        s.set(P::norm_weights, static_cast<double>(biased ? NormWeights::scale_and_bias : NormWeights::scale),
              Origin::derived);
    }
    const P peak = peak_of(s);
    s.set(P::peak_flops, s[peak], s.origin(peak));
}

}  // namespace

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

}  // namespace shardscope
