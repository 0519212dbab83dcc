#include "planner/plan.h"

namespace shardscope {

ParameterSet default_free_parameters() {
    ParameterSet out;
    for (const P id : kPlanParameters) out.set(index(id), !parameter(id).on_request);
    return out;
}

Plan plan_of(const Settings& settings) {
    Plan out;
    for (std::size_t i = 0; i < kPlanSize; ++i) out.value[i] = settings[kPlanParameters[i]];
    return out;
}

Scenario with_plan(const Scenario& scenario, const Plan& plan, const ParameterSet& parameters) {
    Scenario out = scenario;
    for (std::size_t i = 0; i < kPlanSize; ++i) {
        if (parameters[index(kPlanParameters[i])]) out.give(kPlanParameters[i], plan.value[i]);
    }
    return out;
}

}  // namespace shardscope
