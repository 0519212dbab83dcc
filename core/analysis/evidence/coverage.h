// How far a scenario is from the public runs that were measured.
//
// Two runs are compared in the coordinates of evidence/coordinates.h: the machine, the stack, the kind and
// sizes of the model, and the plan. Each difference adds a weighted part: the number of doublings between two
// sizes, or a fixed part for another choice. The distance is 1 − exp(−sum): 0 for the same settings, towards
// 1 for a scenario that has nothing in common with any run. How much the band widens with it,
// `distance_band`, follows from the errors of runs that were left out, but is at least `kLeastDistanceBand`,
// which is assumed.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "evidence/coordinates.h"
#include "parameters/settings.h"

namespace shardscope {

// The coordinates of a run: logarithms to base 2 of sizes, shares, indices of choices, 0 or 1 for presence,
// or kDoesNotApply.
using RunCoordinates = std::array<double, kCoordinates.size()>;
RunCoordinates coordinates_of(const Settings& settings);
double distance_between(const RunCoordinates& a, const RunCoordinates& b);  // 0 … 1

struct NearestRun {
    std::string id, model, gpu, software;
    double gpus = 0;
    double distance = 0;  // 0 … 1
};
inline constexpr std::size_t kNearestRuns = 3;  // that are named
inline constexpr double kUnlikeAnyRun = 0.6;    // from this distance on, nothing similar was measured
// The `most` nearest runs with different settings, the nearest first. A list of operators has none, because
// no such run was compared.
std::vector<NearestRun> nearest_runs(const Settings& settings, std::size_t most);
double distance_to_runs(const Settings& settings);  // 0 … 1

// The coordinate in which a scenario differs most from the nearest run.
struct LargestDifference {
    const Coordinate* coordinate = nullptr;
    // Values of the scenario and of the nearest run, as Coordinate::of returns them; of presences 0 or 1.
    double here = 0, there = 0;
    bool measured = false;  // whether any run has the scenario's choice or presence
};
// Returns no value for a list of operators, and for a scenario at distance 0.
std::optional<LargestDifference> largest_difference(const Settings& settings);

// The range of settings that the runs with a good step time cover.
struct Coverage {
    RunCoordinates largest{};  // of every coordinate; meaningless for choices
    double parameters = 0;
    std::set<std::string> software, gpus;

    [[nodiscard]] bool has(P presence) const;  // whether any run has it
    [[nodiscard]] double largest_of(P size) const;
};
const Coverage& coverage();

// Returns the families of the runs that were measured with these values of coordinates, on this GPU unless
// `gpu` is empty. A family's runs are in one file, which has its name.
std::set<std::string> families_with(const std::string& gpu, const Settings& settings,
                                    std::span<const P> same);

// The settings that place the shipped runs, as JSON, one line for runs of a family with equal ones. They are
// computed from the runs; the functions above use the file presets/runs/coverage.json, which holds the same
// text, because reading all runs takes longer than an estimate.
std::string measured_coverage();

}  // namespace shardscope
