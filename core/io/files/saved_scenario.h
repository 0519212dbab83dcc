// A scenario as files hold it.
#pragma once

#include <utility>

#include "files/view.h"
#include "scenario/scenario.h"

namespace shardscope {

// Adds what the window shows of the scenario, which no estimate depends on.
struct SavedScenario : Scenario {
    SavedScenario() = default;
    explicit SavedScenario(Scenario scenario, SavedView shown = {})
        : Scenario(std::move(scenario)), view(std::move(shown)) {}

    SavedView view;

    bool operator==(const SavedScenario&) const = default;
};

}  // namespace shardscope
