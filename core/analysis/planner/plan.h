// A training plan: one value for every plan parameter, in canonical order.
//
// The order is that of a search's loops, from what decides most to what decides least, and the tie-break
// between plans that are equally good: the one that comes first, parameter by parameter, smaller values
// before larger ones, wins.
#pragma once

#include <array>
#include <cstddef>

#include "scenario/scenario.h"

namespace shardscope {

inline constexpr std::array kPlanParameters{P::tensor_parallel,
                                            P::sequence_parallel,
                                            P::async_tensor_parallel,
                                            P::context_parallel,
                                            P::pipeline_parallel,
                                            P::expert_parallel,
                                            P::micro_batch,
                                            P::virtual_stages,
                                            P::schedule,
                                            P::sharding,
                                            P::shard_group,
                                            P::reshard_after_forward,
                                            P::recompute,
                                            P::offload};
inline constexpr std::size_t kPlanSize = kPlanParameters.size();
// What a search varies unless told otherwise: all but what is a property of the software rather than a
// choice (asynchronous tensor parallelism).
ParameterSet usually_free();

struct Plan {  // a value for every parameter of the plan
    std::array<double, kPlanSize> value{};

    double& operator[](P id) { return value[place(id)]; }
    double operator[](P id) const { return value[place(id)]; }
    bool operator==(const Plan&) const = default;
    // In canonical order.
    bool operator<(const Plan& other) const { return value < other.value; }

    // Where a plan parameter stands in the canonical order; kPlanSize for any other.
    static constexpr std::size_t place(P id) {
        std::size_t i = 0;
        while (i < kPlanSize && kPlanParameters[i] != id) ++i;
        return i;
    }
};
Plan plan_of(const Settings& settings);
// The scenario with the plan's value for each of these parameters; what is automatic stays so.
Scenario with_plan(const Scenario& scenario, const Plan& plan, const ParameterSet& parameters);

}  // namespace shardscope
