// A scenario as files hold it.
#pragma once

#include <string>
#include <utility>

#include "scenario/scenario.h"

namespace shardscope {

// Adds what the window shows of the scenario, which no estimate depends on.
struct SavedScenario : Scenario {
    SavedScenario() = default;
    explicit SavedScenario(Scenario scenario, std::string json = {})
        : Scenario(std::move(scenario)), view(std::move(json)) {}

    std::string view;  // the `view` object of the file, as JSON text (files/view.h); "" when absent

    bool operator==(const SavedScenario&) const = default;
};

}  // namespace shardscope
