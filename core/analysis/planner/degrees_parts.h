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

// The memory of the model states under each placement.
struct StateParts {
    std::once_flag made;
    std::size_t stages = 0;
    std::vector<StateMemory> states;  // by placement and stage
    PlacementLimits limits;           // of the memory of a plan that fits

    [[nodiscard]] std::span<const StateMemory> of(std::size_t placement) const {
        return std::span(states).subspan(placement * stages, stages);
    }
};

// What plans of equal degrees have in common. The first thread that needs a part computes it for all threads.
struct DegreesParts {
    explicit DegreesParts(std::size_t schedules) : states(1 + schedules) {}

    std::once_flag placements_made, bounds_made;
    Stages stages;
    Layout layout;  // without the sharding
    std::vector<ShardingParts> shardings;
    std::vector<Placement> placements;  // sharding by sharding
    // A schedule has states of its own where its virtual stages decide what FSDP holds unsharded: a layered
    // one, and one that reduces gradients by virtual stage with the micro-batches of the plan. The first
    // element is for all other schedules.
    std::vector<StateParts> states;
    std::vector<Traffic> traffic;              // by sharding
    std::vector<UnhiddenBound> unhidden;       // by placement and stage
    std::vector<TrafficBound> traffic_bounds;  // by placement

    [[nodiscard]] std::span<const UnhiddenBound> unhidden_of(std::size_t placement) const {
        return std::span(unhidden).subspan(placement * stages.size(), stages.size());
    }
};

// Compute the sharding groups, the memory of the states under the schedule of `c`, and their traffic with its
// bounds. None of them depends on the micro-batch. `c` has the values and the stages of a cell with these
// degrees, and a plan that fits needs at most `bytes`.
void make_placements(const Degrees& degrees, Compiled& c, DegreesParts& parts);
void make_states(const Degrees& degrees, double bytes, Compiled& c, const DegreesParts& parts,
                 StateParts& out);
void make_unit_bounds(const Degrees& degrees, Compiled& c, DegreesParts& parts);

}  // namespace shardscope
