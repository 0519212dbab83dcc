#include "planner/degrees_parts.h"

namespace shardscope {
namespace {

// Lowers every field of `least` to that of `state`.
void lower(StateMemory& least, const StateMemory& state) {
    for (double StateMemory::*field :
         {&StateMemory::weights, &StateMemory::gradients, &StateMemory::optimizer,
          &StateMemory::gathered_forward, &StateMemory::gathered_backward, &StateMemory::new_gradient})
        least.*field = std::min(least.*field, state.*field);
}

}  // namespace

void make_placements(const Degrees& degrees, double bytes, Compiled& c, DegreesParts& parts) {
    const auto set = [&](P id, double value) { c.settings.set(id, value, Origin::given); };
    const std::size_t stages = parts.stages.size();
    std::vector<WorkBytes> limits;
    for (const StateSharding& sharing : degrees.shardings) {
        set(P::sharding, sharing.sharding);
        set(P::shard_group, sharing.group);
        compile_sharding(c);
        ShardingParts& made =
            parts.shardings.emplace_back(ShardingParts{c.layout, c.state, c.traffic, {}, {}, {}});
        const std::size_t placements = sharing.reshards.size() * sharing.offloads.size();
        made.traffic_floors.reserve(placements);
        made.stages.reserve(placements * stages);
        for (const double reshard : sharing.reshards) {
            set(P::reshard_after_forward, reshard);
            for (const double offload : sharing.offloads) {
                set(P::offload, offload);
                parts.placements.emplace_back(parts.shardings.size() - 1, made.traffic_floors.size());
                made.traffic_floors.push_back(traffic_floor(c));
                for (std::size_t i = 0; i < stages; ++i)
                    made.stages.push_back({unhidden_floor(c.stages[i], c), state_memory(c.stages[i], c)});
            }
        }
        for (std::size_t i = 0; i < made.stages.size(); ++i) {
            const StateMemory& state = made.stages[i].state;
            if (i < stages) made.least.push_back(state);
            else lower(made.least[i % stages], state);
            if (bytes > 0) limits.push_back(work_limit(state, bytes, c));
        }
        if (parts.least.empty()) parts.least = made.least;
        else
            for (std::size_t i = 0; i < stages; ++i) lower(parts.least[i], made.least[i]);
    }
    if (bytes > 0) parts.limits = PlacementLimits(limits, stages, bytes);
}

}  // namespace shardscope
