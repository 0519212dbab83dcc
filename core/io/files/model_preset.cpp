#include "files/model_preset.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "presets/json_values.h"
#include "scenario/domain.h"
#include "scenario/listed_model.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using nlohmann::ordered_json;

// Returns the preset of the scenario's model as JSON, or one without values.
ordered_json preset_of(const Preset* model) {
    ordered_json out{{"format", "shardscope-preset"}, {"version", 1}, {"kind", "model"}};
    if (!model) return out;
    if (!model->text.empty()) return ordered_json::parse(model->text);
    // The list of operators of a scenario is no file.
    out["source"] = model->source;
    if (model->operators) out["values"]["operators"] = ordered_json::parse(model->operators->text);
    return out;
}

// Removes what the source and the published count say about values that have changed.
void drop_evidence(ordered_json& preset, const std::string& field) {
    for (const char* count : {"parameters", "parameters_source", "parameters_at_sequence"})
        preset.erase(count);
    // The reader accepts other forms, and ignores them.
    if (const auto sources = preset.find("sources"); sources != preset.end() && sources->is_object())
        sources->erase(field);
    const auto names = preset.find("unverified");
    if (names == preset.end() || !names->is_array()) return;
    ordered_json kept = ordered_json::array();
    for (const ordered_json& name : *names) {
        if (name != field) kept.push_back(name);
    }
    *names = kept;
}

}  // namespace

std::string write_model_preset(const Scenario& scenario, const std::string& title) {
    // The preset of a named model only has the nearest shape, so nothing of it is taken over.
    const Preset* const model = scenario.model_name.empty() ? scenario.model : nullptr;
    ordered_json preset = preset_of(model);
    preset["name"] = preset_name_of(title);
    preset["title"] = clean_title(title);
    const Settings settings = resolve(scenario);
    Scenario unchanged = Scenario::first_launch(*scenario.catalogue);
    unchanged.model = model;
    // Values that are not given may follow from others: a wider model has more heads.
    const Settings before = resolve(unchanged);
    std::vector<std::string> changed;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (parameter(id).group != Group::model || !applies_to(id, settings)) continue;
        const bool same = same_value(settings[id], before[id]);
        // Without a preset, all values are written.
        if (model && same) continue;
        const std::string field(field_of(id));
        preset["values"][field] = write_value(id, settings[id]);
        if (same) continue;
        drop_evidence(preset, field);
        changed.push_back(field);
    }
    if (!changed.empty()) {
        const EnglishScope in_a_file;
        const std::string source = model ? model->source : std::string();
        preset["source"] = (source.empty() ? "" : source + ". ") +
                           translate("Changed by hand: {1}", {joined(changed, ", ")});
    }
    return json_text(preset, 2) + "\n";
}

}  // namespace shardscope
