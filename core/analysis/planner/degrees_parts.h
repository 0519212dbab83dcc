// What plans of equal degrees of parallelism have in common: stages, groups, and the memory and traffic of
// the model states under every sharding and offload.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "memory/memory.h"
#include "planner/placement_limits.h"
#include "planner/space.h"
#include "step/bounds.h"

namespace shardscope {

// One sharding of the model states under given degrees.
struct ShardingParts {
    Layout layout;
    StateBytes state;
    double first_placement;  // how many placements the shardings before it have
};

// A placement of the model states: a sharding, and the indices of its choices of resharding and offload.
struct Placement {
    std::size_t sharding = 0, reshard = 0, offload = 0;
};

// What plans of equal degrees have in common. A thread that needs a part first computes it for all threads.
struct DegreesParts {
    std::once_flag states_made, bounds_made;
    Stages stages;
    Layout layout;  // without the sharding
    std::vector<ShardingParts> shardings;
    std::vector<Placement> placements;         // sharding by sharding
    std::vector<StateMemory> states;           // by placement and stage
    PlacementLimits limits;                    // of the memory of a plan that fits
    std::vector<Traffic> traffic;              // by sharding
    std::vector<UnhiddenBound> unhidden;       // by placement and stage
    std::vector<TrafficBound> traffic_bounds;  // by placement

    [[nodiscard]] std::span<const StateMemory> states_of(std::size_t placement) const {
        return std::span(states).subspan(placement * stages.size(), stages.size());
    }
    [[nodiscard]] std::span<const UnhiddenBound> unhidden_of(std::size_t placement) const {
        return std::span(unhidden).subspan(placement * stages.size(), stages.size());
    }
};

// Computes the sharding groups and the memory of the states, and their traffic with its bounds. None of them
// depends on the micro-batch. `c` has the values and the stages of a cell with these degrees, and a plan that
// fits needs at most `bytes`.
void make_states(const Degrees& degrees, double bytes, Compiled& c, DegreesParts& parts);
void make_unit_bounds(const Degrees& degrees, Compiled& c, DegreesParts& parts);

}  // namespace shardscope
