// Identifies models by their shape instead of their name.
#pragma once

#include <algorithm>

#include "scenario/scenario.h"

namespace shardscope::launch {

// Returns the number of rows of the learned position embedding; 0 where there is none.
double positions(const Settings& settings);
// Returns whether the model in the settings equals that of the preset.
bool is_model(const Settings& settings, const Preset& model, const Catalogue& catalogue);
// Returns the row of a table whose `preset` names the model in the scenario's settings; nullptr where there
// is none. Of several models of the same shape, the scenario's own preset comes first.
template <typename Rows>
auto row_of_model(const Rows& rows, const Settings& settings, const Scenario& scenario) {
    const auto describes = [&](const auto& row) {
        const Preset* preset = scenario.catalogue->find(PresetKind::model, row.preset);
        return preset && is_model(settings, *preset, *scenario.catalogue);
    };
    auto found = std::ranges::find_if(rows, [&](const auto& row) {
        return scenario.model && row.preset == scenario.model->name && describes(row);
    });
    if (found == std::end(rows)) found = std::ranges::find_if(rows, describes);
    return found == std::end(rows) ? nullptr : &*found;
}
// Sets the model of the catalogue that is nearest in shape to `wanted`, and overrides the parameters that
// differ; the model is then named after its shape. Only the model parameters and the sequence length of
// `wanted` are used.
void set_model_of_shape(Scenario& scenario, const Settings& wanted);

}  // namespace shardscope::launch
