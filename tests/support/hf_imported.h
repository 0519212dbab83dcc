// What tests need of a model that is read from a config.json.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "model/operators.h"
#include "presets/hf_config.h"
#include "scenario/catalogue.h"
#include "scenario/scenario.h"

namespace shardscope::testing {

// Returns the defaults that a model's notes list; "" if there are none.
inline std::string defaults_in(const ImportedModel& model) {
    const std::string before = "Fields that the file omits have the defaults of transformers: ";
    for (const std::string& note : model.notes) {
        if (note.starts_with(before)) return note.substr(before.size(), note.size() - before.size() - 1);
    }
    return {};
}

inline Settings imported(const char* config, ImportedModel& model) {
    Problems problems;
    model = import_hf_config(config, "", problems);
    CAPTURE(problems.empty() ? "" : problems.front().text());
    REQUIRE(problems.empty());
    Catalogue catalogue = Catalogue::with_folder({}, problems);
    const Preset* preset = catalogue.add(model.preset, "config.json", problems);
    CAPTURE(problems.empty() ? "" : problems.front().text());
    REQUIRE(preset);
    return resolve(with_model(Scenario::first_launch(catalogue), *preset));
}

inline double parameters_of(const Settings& settings) {
    OperatorList operators;
    build_transformer(settings, operators);
    return operators.parameters();
}

}  // namespace shardscope::testing
