#include "scenario/constraint.h"

#include <algorithm>
#include <vector>

namespace shardscope {
namespace {

using Narrowing = std::array<std::vector<const Constraint*>, kParameters>;

// Returns, for each parameter, the constraints that narrow its values.
Narrowing make_narrowing() {
    Narrowing out;
    for (const std::span<const Constraint> list : constraint_lists()) {
        for (const Constraint& constraint : list) {
            for (const P id : constraint.parameters) out[index(id)].push_back(&constraint);
        }
    }
    return out;
}

}  // namespace

std::array<std::span<const Constraint>, 5> constraint_lists() {
    return {machine_constraints(), shape_constraints(), parallelism_constraints(), schedule_constraints(),
            batch_constraints()};
}

bool all_hold(std::span<const Constraint> constraints, const Settings& s) {
    return std::ranges::all_of(constraints, [&](const Constraint& one) { return one.holds(s); });
}

bool is_constrained(P id) {
    switch (parameter(id).group) {
        case Group::gpu:
        case Group::assumptions: return false;
        case Group::cluster: {
            const Quantity quantity = parameter(id).quantity;
            return quantity != Quantity::link_bandwidth && quantity != Quantity::network_bandwidth &&
                   quantity != Quantity::seconds;
        }
        case Group::model:
        case Group::training:
        case Group::plan: return true;
    }
    return true;
}

ValidValues valid_values(P id, const Settings& s, double most) {
    static const Narrowing narrowing = make_narrowing();
    ValidValues values(id, most);
    for (const Constraint* constraint : narrowing[index(id)]) constraint->narrow(id, s, values);
    return values;
}

}  // namespace shardscope
