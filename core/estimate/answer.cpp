#include "estimate/answer.h"

#include <cmath>

#include "base/said.h"
#include "planner/planner.h"

namespace shardscope {
bool answer_into(const Scenario& scenario, Answer& out) {
    // Loops go from a point to its neighbour, whose plan is likely good here, too.
    const Plan before = plan_of(out.settings);
    const bool any = before[P::tensor_parallel] > 0;
    out.scenario = planned(scenario, any ? &before : nullptr);
    out.settings = resolve(out.scenario);
    out.problems.clear();
    if (!is_valid(out.settings)) return false;
    compile(out.settings, out.compiled);
    out.estimate = estimate(out.compiled);
    return true;
}

Answer answer(const Scenario& scenario) {
    Answer out;
    const bool valid = answer_into(scenario, out);
    out.problems = check(out.scenario, out.settings);
    // The two ways of asking must agree; `check` also knows what no value can say.
    if (!valid && out.problems.empty())
        out.problems.push_back({"", said("the values cannot be used together"), "", {}});
    return out;
}

Levers levers(const Answer& base) {
    Levers out;
    if (!base.valid()) return out;
    const double before = base.estimate.tokens_per_s;
    Answer scratch;
    Scenario more_memory = base.scenario;
    more_memory.give(P::memory, 2 * base.settings[P::memory]);
    if (answer_into(more_memory, scratch)) out.gpu_memory = std::log2(scratch.estimate.tokens_per_s / before);
    Scenario more_batch = base.scenario;
    more_batch.automatic.reset(index(P::micro_batch));
    if (more_batch.hold() == Hold::global_batch)
        more_batch.give(P::global_batch, 2 * base.settings[P::global_batch]);
    more_batch.give(P::micro_batch, 2 * base.settings[P::micro_batch]);
    // What cannot be had is no lever; where already this does not fit, all rates are hypothetical.
    const bool reached = answer_into(more_batch, scratch) && (scratch.fits() || !base.fits());
    out.batch = reached ? std::log2(scratch.estimate.tokens_per_s / before) : std::nan("");
    return out;
}

}  // namespace shardscope
