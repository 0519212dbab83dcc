#include "scenario/constraint.h"

#include <algorithm>
#include <array>
#include <vector>

namespace shardscope {
namespace {

std::vector<Constraint> make_list() {
    std::vector<Constraint> out;
    for (const std::span<const Constraint> part :
         {machine_constraints(), shape_constraints(), parallelism_constraints(), schedule_constraints(),
          batch_constraints()})
        out.insert(out.end(), part.begin(), part.end());
    return out;
}

using Narrowing = std::array<std::vector<const Constraint*>, kParameters>;

// Returns, for each parameter, the constraints that narrow its values.
Narrowing make_narrowing() {
    Narrowing out;
    for (const Constraint& constraint : constraints()) {
        for (const P id : constraint.parameters) out[index(id)].push_back(&constraint);
    }
    return out;
}

}  // namespace

std::span<const Constraint> constraints() {
    static const std::vector<Constraint> list = make_list();
    return list;
}

bool all_hold(std::span<const Constraint> constraints, const Settings& s) {
    return std::ranges::all_of(constraints, [&](const Constraint& one) { return one.holds(s); });
}

ValidValues valid_values(P id, const Settings& s, double most) {
    static const Narrowing narrowing = make_narrowing();
    ValidValues values(id, most);
    for (const Constraint* constraint : narrowing[index(id)]) constraint->narrow(id, s, values);
    return values;
}

}  // namespace shardscope
