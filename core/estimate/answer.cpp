#include "estimate/answer.h"

#include <algorithm>
#include <cmath>

#include "physics/memory.h"

namespace shardscope {
namespace {

bool fits_with(const Scenario& scenario, double micro_batch, Answer& scratch) {
    Scenario trial = scenario;
    trial.value[index(P::micro_batch)] = micro_batch;
    trial.given.set(index(P::micro_batch));
    const Settings settings = resolve(trial);
    if (!is_valid(settings)) return false;
    compile(settings, scratch.compiled);
    const MemoryUse use = memory_use(scratch.compiled);
    return use.peak <= use.capacity - use.margin;
}

}  // namespace

Scenario planned(const Scenario& scenario) {
    if (!scenario.automatic[index(P::micro_batch)]) return scenario;
    Scenario out = scenario;
    Settings settings = resolve(scenario);
    Answer scratch;
    double best = 1;
    if (scenario.hold() == Hold::global_batch) {
        // Only sizes that divide what each GPU has.
        for (const double size : domain(P::micro_batch, settings).stops) {
            if (size > best && fits_with(scenario, size, scratch)) best = size;
        }
    } else {
        // Memory grows with the micro-batch, so the largest that fits is found by bisection.
        double low = 1;
        double high = 2;
        const double most = parameter(P::micro_batch).maximum;
        while (high <= most && fits_with(scenario, high, scratch)) {
            low = high;
            high *= 2;
        }
        while (high - low > 1) {
            const double middle = std::floor((low + high) / 2);
            (fits_with(scenario, middle, scratch) ? low : high) = middle;
        }
        best = low;
    }
    out.give(P::micro_batch, best);
    return out;
}

bool answer_into(const Scenario& scenario, Answer& out) {
    out.scenario = planned(scenario);
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
        out.problems.push_back({"", "the values cannot be used together", "", {}});
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
    if (answer_into(more_batch, scratch)) out.batch = std::log2(scratch.estimate.tokens_per_s / before);
    return out;
}

}  // namespace shardscope
