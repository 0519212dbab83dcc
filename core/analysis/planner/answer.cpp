#include "planner/answer.h"

#include <cmath>

#include "planner/planner.h"
#include "text/translate.h"

namespace shardscope {
bool answer_into(const Scenario& scenario, Answer& out) {
    if (scenario.automatic.none()) {
        out.scenario = scenario;
    } else {
        // Callers loop over neighbouring points, so the plan of the previous one is probably good here, too.
        const Plan before = plan_of(out.settings);
        const bool has_plan = before[P::tensor_parallel] > 0;
        out.scenario = planned(scenario, has_plan ? &before : nullptr);
    }
    out.settings = resolve(out.scenario, out.presets);
    out.problems.clear();
    out.impossible = false;
    if (!is_valid(out.scenario, out.settings)) return false;
    compile(out.settings, out.compiled);
    out.estimate = estimate(out.compiled);
    out.impossible = !is_possible(out.estimate);
    return !out.impossible;
}

Problem impossible_problem(const Answer& answer) {
    const Settings& s = answer.settings;
    const Estimate& e = answer.estimate;
    const auto percent = [](double share) { return format(share, Quantity::percent); };
    if (s[P::mfu_override] > 0 && e.hfu > 1) {
        return {"/assumptions/mfu_override",
                translate("{1} is {2}", {label_of(P::mfu_override), percent(s[P::mfu_override])}),
                translate("the HFU would be {1}", {percent(e.hfu)}),
                translate("use at most {1}", {exact(std::floor(1e4 * s[P::mfu_override] / e.hfu) / 1e4)})};
    }
    const std::string what = e.hfu > 1
                                 ? translate("the predicted HFU is {1}", {percent(e.hfu)})
                                 : translate("the prediction contains an impossible time, memory or share");
    return {"", what,
            translate("no hardware can do that: this is an error of Shardscope {1}", {SHARDSCOPE_VERSION}),
            translate("please report it with this scenario")};
}

Answer answer(const Scenario& scenario) {
    Answer out;
    const bool valid = answer_into(scenario, out);
    out.problems = check(out.scenario, out.settings);
    if (out.problems.empty() && out.impossible) out.problems.push_back(impossible_problem(out));
    // `check` must find a problem whenever `is_valid` is false.
    if (!valid && out.problems.empty())
        out.problems.push_back({"", translate("the values cannot be used together"), "", {}});
    return out;
}

Levers levers(const Answer& base) {
    Levers out;
    if (!base.valid()) return out;
    const double before = base.estimate.tokens_per_s;
    Answer scratch;
    scratch.settings = base.settings;  // with more memory the present plan is still a good one
    Scenario more_memory = base.scenario;
    more_memory.give(P::memory, 2 * base.settings[P::memory]);
    if (answer_into(more_memory, scratch)) out.gpu_memory = std::log2(scratch.estimate.tokens_per_s / before);
    Scenario more_batch = base.scenario;
    more_batch.automatic.reset(index(P::micro_batch));
    if (more_batch.hold() == Hold::global_batch)
        more_batch.give(P::global_batch, 2 * base.settings[P::global_batch]);
    more_batch.give(P::micro_batch, 2 * base.settings[P::micro_batch]);
    // A batch that is not valid or does not fit has no value here. If the base itself does not fit, all rates
    // are hypothetical anyway.
    const bool reached = answer_into(more_batch, scratch) && (scratch.fits() || !base.fits());
    out.batch = reached ? std::log2(scratch.estimate.tokens_per_s / before) : std::nan("");
    return out;
}

}  // namespace shardscope
