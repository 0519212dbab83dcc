// What plans of equal degrees of parallelism have in common: stages, groups, and the memory and traffic of
// the model states under every way to shard and store them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "memory/memory.h"
#include "planner/placement_limits.h"
#include "planner/space.h"
#include "step/bounds.h"

namespace shardscope {

// Of every stage of a pipeline that differs from the others (see Stages).
using WorkOfStages = BoundedList<WorkMemory, kDistinctStages>;

// What one stage holds and communicates under one way to store the model states.
struct StagePlacement {
    UnhiddenFloor unhidden;
    StateMemory state;
};

// Layout and traffic of one sharding of the model states under given degrees, and the ways to store them: by
// resharding and offload.
struct ShardingParts {
    Layout layout;
    StateBytes state;
    Traffic traffic;
    std::vector<TrafficFloor> traffic_floors;  // by placement
    std::vector<StagePlacement> stages;        // by placement, the stages one after the other
    std::vector<StateMemory> least;            // by stage: a lower bound for all placements
    [[nodiscard]] std::span<const StagePlacement> of_placement(std::size_t i) const {
        const std::size_t count = least.size();
        return std::span(stages).subspan(i * count, count);
    }
};

// What plans of equal degrees have in common. The thread that first needs it computes it for all.
struct DegreesParts {
    std::once_flag stages_made, placements_made;
    Stages stages;
    Layout layout;  // without the sharding
    std::vector<ShardingParts> shardings;
    std::vector<StateMemory> least;  // by stage: a lower bound for all shardings
    // Of all placements of all shardings, in this order; only if plans are counted.
    PlacementLimits limits;
    std::vector<std::pair<std::size_t, std::size_t>> placements;  // index of the sharding, index within it
};

// Computes the sharding groups, the bounds of their traffic and the memory of the states, none of which
// depend on the micro-batch. `c` has the values and the stages of a cell with these degrees. With `bytes`
// above zero, it computes the limits for plans that may need as many bytes.
void make_placements(const Degrees& degrees, double bytes, Compiled& c, DegreesParts& parts);

inline const StateMemory& state_of(const StagePlacement& stage) { return stage.state; }
inline const StateMemory& state_of(const StateMemory& state) { return state; }

// The peak of the fullest stage. `stages` have states.
template <typename State>
double peak_of(std::span<const State> stages, const WorkOfStages& work, const Compiled& c) {
    double peak = 0;
    for (std::size_t i = 0; i < stages.size(); ++i)
        peak = std::max(peak, peak_memory(state_of(stages[i]), work[i], c));
    return peak;
}

}  // namespace shardscope
