#include "scenario/scenario.h"

#include <algorithm>
#include <array>
#include <utility>

#include "parameters/matrix_format.h"
#include "text/translate.h"

namespace shardscope {

Scenario Scenario::first_launch(const Catalogue& catalogue) {
    Scenario scenario;
    scenario.catalogue = &catalogue;
    scenario.model = catalogue.find(PresetKind::model, "mpt-13b");
    scenario.cluster = catalogue.find(PresetKind::cluster, "dgx-h100");
    return scenario;
}

void Scenario::give(P id, Value new_value) {
    if (id == P::peak_flops) id = peak_of(resolve(*this));
    if (id == P::accumulation) withdraw(P::global_batch);
    if (id == P::global_batch) withdraw(P::accumulation);
    if (id == P::software) software_name.clear();
    given.set(index(id));
    value[index(id)] = new_value;
}

std::optional<Value> software_of(std::string_view program) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kPrograms{
        {{"llm-foundry", "fsdp1"},
         {"fsdp", "fsdp1"},
         {"megatron", "megatron-core"},
         {"megatron-lm", "megatron-core"},
         {"deepspeed-zero3", "deepspeed"}}};
    for (const auto& [name, stack] : kPrograms) {
        if (name == program) program = stack;
    }
    const Parsed parsed = parse(P::software, program);
    return parsed.ok ? std::optional<Value>(parsed.value) : std::nullopt;
}

void Scenario::give_software(const std::string& program) {
    const std::optional<Value> known = software_of(program);
    give(P::software, known.value_or(Software::other));
    if (!known) software_name = program;
}

void Scenario::withdraw(P id) {
    if (id == P::peak_flops) id = peak_of(resolve(*this));
    if (id == P::software) software_name.clear();
    given.reset(index(id));
    value[index(id)] = 0;
}

std::string Scenario::title() const {
    if (!name.empty()) return name;
    const Preset* of = gpu_preset();
    std::string shown_model = model_title().empty() ? translate("Model") : model_title();
    if (model && is_modified(*this, Group::model)) shown_model = translate("{1} (modified)", {shown_model});
    return translate("{1} on {2} {3}", {shown_model, format(resolve(*this)[P::gpus], Quantity::count),
                                        of ? of->title : translate("GPUs")});
}

std::string Scenario::model_title() const {
    if (!model_name.empty()) return model_name;
    return model ? model->title : std::string();
}

std::string name_of_shape(const Settings& settings) {
    return translate("{1} layers of {2}", {format(P::layers, settings[P::layers]),
                                           format(P::hidden_size, settings[P::hidden_size])});
}

bool Scenario::operator==(const Scenario& other) const {
    return name == other.name && model_name == other.model_name && software_name == other.software_name &&
           model == other.model && cluster == other.cluster && gpu == other.gpu &&
           calibration == other.calibration && given == other.given && value == other.value &&
           automatic == other.automatic;
}

std::string source_of(const Scenario& scenario, const Settings& settings, P id) {
    if (id == P::peak_flops) id = peak_of(settings);
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
        // The number of GPUs and the software belong to the cluster's group but not to its preset.
        if (id == P::gpus || id == P::software || id == P::software_version) continue;
        if (parameter(id).group == group && is_changed(scenario, id)) return true;
    }
    return group == Group::gpu && scenario.gpu && scenario.cluster;
}

}  // namespace shardscope
