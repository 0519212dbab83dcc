#include "planner/degrees_parts.h"

#include "compile/effect_inputs.h"

namespace shardscope {
namespace {

void set(P id, Value value, Compiled& c) { c.settings.set(id, value, Origin::given); }

void set_sharding(const StateSharding& values, Compiled& c) {
    set(P::sharding, values.sharding, c);
    set(P::shard_group, values.group, c);
}

}  // namespace

void make_placements(const Degrees& degrees, Compiled& c, DegreesParts& parts) {
    parts.shardings.reserve(degrees.shardings.size());
    for (std::size_t k = 0; k < degrees.shardings.size(); ++k) {
        const StateSharding& values = degrees.shardings[k];
        set_sharding(values, c);
        c.layout = layout_of(c.settings);
        c.state = state_bytes(state_formats(c.settings));
        parts.shardings.push_back({c.layout, c.state, static_cast<double>(parts.placements.size())});
        for (std::size_t reshard = 0; reshard < values.reshards.size(); ++reshard) {
            for (std::size_t offload = 0; offload < values.offloads.size(); ++offload)
                parts.placements.push_back({k, reshard, offload});
        }
    }
}

void make_states(const Degrees& degrees, double bytes, Compiled& c, const DegreesParts& parts,
                 StateParts& out) {
    std::vector<ActivationBytes> limits;
    out.stages = c.stages.size();
    std::size_t last = degrees.shardings.size();
    // Without recomputation no weights are gathered for it, so that the bounds hold for every plan.
    c.settings.set(P::recompute, 0, Origin::given);
    for (const auto& [sharding, reshard, offload] : parts.placements) {
        const StateSharding& values = degrees.shardings[sharding];
        if (sharding != last) {
            set_sharding(values, c);
            c.layout = parts.shardings[sharding].layout;
            c.state = parts.shardings[sharding].state;
            last = sharding;
        }
        set(P::reshard_after_forward, values.reshards[reshard], c);
        set(P::offload, values.offloads[offload], c);
        for (std::size_t i = 0; i < out.stages; ++i) {
            out.states.push_back(state_memory(c.stages[i], c));
            limits.push_back(activation_limit(out.states.back(), bytes, c));
        }
    }
    out.limits = PlacementLimits(std::move(limits), out.stages, bytes, 1 + c.settings[P::fragmentation]);
}

void make_unit_bounds(const Degrees& degrees, Compiled& c, DegreesParts& parts) {
    parts.traffic.reserve(degrees.shardings.size());
    parts.traffic_bounds.reserve(parts.placements.size());
    parts.unhidden.reserve(parts.states.size());
    std::size_t last = degrees.shardings.size();
    for (const auto& [sharding, reshard, offload] : parts.placements) {
        const StateSharding& values = degrees.shardings[sharding];
        if (sharding != last) {
            set_sharding(values, c);
            compile_sharding(c);
            parts.traffic.push_back(c.traffic);
            last = sharding;
        }
        set(P::reshard_after_forward, values.reshards[reshard], c);
        set(P::offload, values.offloads[offload], c);
        parts.traffic_bounds.push_back(traffic_bound(c));
        for (std::size_t i = 0; i < c.stages.size(); ++i)
            parts.unhidden.push_back(unhidden_bound(c.stages[i], c));
    }
}

}  // namespace shardscope
