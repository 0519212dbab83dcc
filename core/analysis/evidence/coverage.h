// How far a scenario is from the public runs that were measured.
//
// Two runs are compared in the machine, the stack, the model and the plan. Each difference adds a weighted
// part: the number of doublings between two sizes, or a fixed part for another choice. The distance is 1 −
// exp(−sum): 0 for the same settings, towards 1 for a scenario that has nothing in common with any run.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "parameters/settings.h"

namespace shardscope {

enum class CoordinateKind : unsigned char {
    size,     // the weight counts once for each doubling
    choice,   // the weight counts if the values differ
    presence  // the weight counts if only one of the values is 0
};
struct Coordinate {
    P id;
    CoordinateKind kind;
    double weight;
};

// The weights say by how much a difference makes the measured run less telling. They are chosen by hand; only
// the width of the band at distance 1, `distance_band`, is fitted, to the errors of runs that were left out.
inline constexpr std::array kCoordinates{
    Coordinate{P::software, CoordinateKind::choice, 0.7},
    Coordinate{P::memory_bandwidth, CoordinateKind::size, 0.5},
    Coordinate{P::peak_flops, CoordinateKind::size, 0.3},
    Coordinate{P::gpus_per_node, CoordinateKind::size, 0.1},
    Coordinate{P::intra_node_bandwidth, CoordinateKind::size, 0.15},
    Coordinate{P::inter_node_bandwidth, CoordinateKind::size, 0.1},
    Coordinate{P::gpus, CoordinateKind::size, 0.06}, Coordinate{P::layers, CoordinateKind::size, 0.06},
    Coordinate{P::hidden_size, CoordinateKind::size, 0.12},
    Coordinate{P::experts, CoordinateKind::presence, 0.7},
    Coordinate{P::kv_lora_rank, CoordinateKind::presence, 0.3},
    Coordinate{P::sequence_length, CoordinateKind::size, 0.12},
    Coordinate{P::precision, CoordinateKind::choice, 0.3},
    Coordinate{P::recompute, CoordinateKind::choice, 0.1},
    Coordinate{P::sharding, CoordinateKind::choice, 0.1}, Coordinate{P::offload, CoordinateKind::choice, 0.5},
    Coordinate{P::tensor_parallel, CoordinateKind::size, 0.12},
    Coordinate{P::context_parallel, CoordinateKind::size, 0.12},
    Coordinate{P::pipeline_parallel, CoordinateKind::size, 0.08},
    Coordinate{P::expert_parallel, CoordinateKind::size, 0.08},
    Coordinate{P::virtual_stages, CoordinateKind::size, 0.05},
    // These tell models of the same depth and width apart.
    Coordinate{P::ffn_size, CoordinateKind::size, 0}, Coordinate{P::heads, CoordinateKind::size, 0}};

// The coordinates of a run: logarithms to base 2 of sizes, indices of choices, 0 or 1 for presence.
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
                                    std::initializer_list<P> same);

// The settings that place the shipped runs, as JSON, one line for runs of a family with equal ones. They are
// computed from the runs; the functions above use the file presets/runs/coverage.json, which holds the same
// text, because reading all runs takes longer than an estimate.
std::string measured_coverage();

}  // namespace shardscope
