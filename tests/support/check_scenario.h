// Reads scenarios for tests, with the shipped presets.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "files/scenario_file.h"

namespace shardscope::testing {

// Returns a catalogue of its own with the shipped presets, which a test may change.
inline Catalogue own_catalogue() {
    Problems none;
    return Catalogue::with_folder("", none);
}

// Returns the presets without a user's own.
inline Catalogue& shipped_only() {
    static Catalogue all = own_catalogue();
    return all;
}

// Returns the scenario of a text. The test fails for each problem.
inline Scenario check_scenario(const std::string& text) {
    Problems problems;
    const SavedScenario scenario = read_scenario(text, shipped_only(), {}, problems);
    for (const Problem& problem : problems) FAIL_CHECK(problem.text());
    return scenario;
}

}  // namespace shardscope::testing
