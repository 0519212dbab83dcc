#include "launch/shapes.h"

#include <limits>

#include "parameters/layer_pattern.h"

namespace shardscope::launch {
namespace {

// Returns whether both models have the same layers, however their patterns are written.
bool same_layers(const Settings& a, const Settings& b) {
    const LayerPattern* one = layer_pattern(a);
    const LayerPattern* other = layer_pattern(b);
    if (!one || !other || a[P::layers] != b[P::layers]) return false;
    const auto layer = [](const LayerPattern& pattern, std::size_t i) {
        return pattern.elements[pattern.layers[i % pattern.layers.size()]];
    };
    for (std::size_t i = 0; static_cast<double>(i) < a[P::layers]; ++i)
        if (layer(*one, i) != layer(*other, i)) return false;
    return true;
}

bool same(P id, const Settings& a, const Settings& b) {
    if (id == P::layer_pattern && a[id] != b[id]) return same_layers(a, b);
    if (id == P::learned_positions) return positions(a) == positions(b);
    return same_value(a[id], b[id]);
}

// Calls `visit` with each parameter in which the shapes of the two models differ.
template <typename Visit>
void visit_differences(const Settings& a, const Settings& b, Visit&& visit) {
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (parameter(id).group == Group::model && !same(id, a, b)) visit(id);
    }
}

Settings settings_of(const Preset& model, const Catalogue& catalogue, double sequence) {
    Scenario scenario = Scenario::first_launch(catalogue);
    scenario.model = &model;
    scenario.give(P::sequence_length, sequence);
    return resolve(scenario);
}

}  // namespace

double positions(const Settings& s) {
    const double rows = s[P::learned_positions];
    return rows == kPositionsAsSequence ? s[P::sequence_length] : rows;
}

bool is_model(const Settings& s, const Preset& model, const Catalogue& catalogue) {
    if (s.listed() || model.operators) return false;
    bool equal = true;
    visit_differences(s, settings_of(model, catalogue, s[P::sequence_length]), [&](P) { equal = false; });
    return equal;
}

void set_model_of_shape(Scenario& scenario, const Settings& wanted) {
    int fewest = std::numeric_limits<int>::max();
    for (const Preset* model : scenario.catalogue->all(PresetKind::model)) {
        if (model->operators) continue;
        const Settings s = settings_of(*model, *scenario.catalogue, wanted[P::sequence_length]);
        int count = 0;
        visit_differences(wanted, s, [&](P) { ++count; });
        if (count >= fewest) continue;
        fewest = count;
        scenario.model = model;
    }
    // Other values can follow from a value that is set, so this repeats until all are equal.
    for (bool changed = true; changed;) {
        changed = false;
        visit_differences(wanted, resolve(scenario), [&](P id) {
            if (scenario.is_given(id)) return;
            scenario.give(id, wanted[id]);
            changed = true;
        });
    }
    scenario.model_name.clear();
    if (is_modified(scenario, Group::model)) scenario.model_name = name_of_shape(wanted);
}

}  // namespace shardscope::launch
