// A training plan: one value for every plan parameter, in canonical order.
//
// The canonical order is that of a search's loops: the parameters with the largest influence come first. It
// also breaks ties between equally good plans. The plan that comes first wins, where plans are compared
// parameter by parameter and smaller values come before larger ones.
#pragma once

#include <array>
#include <cstddef>

#include "scenario/scenario.h"

namespace shardscope {

inline constexpr std::array kPlanParameters{
#define SHARDSCOPE_PLAN_PARAMETER(id) P::id,
#include "parameters/rows.inc"
};
inline constexpr std::size_t kPlanSize = kPlanParameters.size();
// The first parameters, up to the micro-batch, determine the times of the operators: a search computes these
// once for all plans that have the same values.
inline constexpr std::size_t kCellSize = 10;
static_assert(kPlanParameters[kCellSize - 1] == P::micro_batch);
// Returns the parameters that a search varies by default: all but those that it varies on request. The
// software decides most of these, such as the kind of context parallelism: most stacks have one or two of the
// four.
ParameterSet default_free_parameters();

struct Plan {  // a value for every plan parameter
    std::array<double, kPlanSize> value{};

    double& operator[](P id) { return value[place(id)]; }
    double operator[](P id) const { return value[place(id)]; }
    bool operator==(const Plan&) const = default;
    // Compares in canonical order.
    bool operator<(const Plan& other) const { return value < other.value; }

    // The index of a plan parameter in the canonical order; kPlanSize for any other parameter.
    static constexpr std::size_t place(P id) {
        std::size_t i = 0;
        while (i < kPlanSize && kPlanParameters[i] != id) ++i;
        return i;
    }
};
Plan plan_of(const Settings& settings);
// The scenario with the plan's value for each of these parameters; automatic parameters stay automatic.
Scenario with_plan(const Scenario& scenario, const Plan& plan, const ParameterSet& parameters);

}  // namespace shardscope
