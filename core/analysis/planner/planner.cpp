#include "planner/planner.h"

#include <algorithm>
#include <cmath>

#include "memory/memory.h"
#include "scenario/domain.h"
#include "step/step.h"

namespace shardscope {
namespace {

// The throughput of a scenario whose plan is chosen; nothing when it does not fit or is not valid.
std::optional<double> throughput(const Scenario& scenario) {
    static thread_local Compiled scratch;
    const Settings settings = resolve(scenario);
    if (!is_valid(settings)) return std::nullopt;
    compile(settings, scratch);
    if (verdict_of(memory_use(scratch).peak, settings) != Verdict::fits) return std::nullopt;
    return scratch.tokens_per_gpu / step_time(scratch).total;
}

// Sets the largest micro-batch that fits, if it is faster. Memory grows with the micro-batch, so that
// doubling and then bisection find it.
void raise_micro_batch(Scenario& scenario) {
    const double now = resolve(scenario)[P::micro_batch];
    const std::optional<double> before = throughput(scenario);
    if (!before) return;
    Scenario trial = scenario;
    const auto fits = [&](double size) {
        trial.give(P::micro_batch, size);
        return throughput(trial).has_value();
    };
    const double most = parameter(P::micro_batch).maximum;
    double low = now;
    double high = now + 1;
    while (high <= most && fits(high)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const double middle = std::floor((low + high) / 2);
        (fits(middle) ? low : high) = middle;
    }
    if (low == now) return;
    trial.give(P::micro_batch, low);
    if (throughput(trial).value_or(0) > *before) scenario = trial;
}

Scenario with_plan_and_raised_batch(const Scenario& scenario, const Plan& plan) {
    Scenario out = with_plan(scenario, plan, scenario.automatic);
    if (scenario.automatic[index(P::micro_batch)] && scenario.hold() == Hold::per_gpu_batch)
        raise_micro_batch(out);
    return out;
}

// Lowers a micro-batch that was raised as above to the slider's value that the search tries.
Plan of_sliders(Plan plan, const Settings& settings) {
    const std::vector<double> stops = domain(P::micro_batch, settings).stops;
    const auto above = std::ranges::upper_bound(stops, plan[P::micro_batch]);
    if (above != stops.begin()) plan[P::micro_batch] = *(above - 1);
    return plan;
}

}  // namespace

Settings without_plan(const Settings& settings) {
    Settings plain = settings;
    for (const P id : kPlanParameters) plain.set(id, parameter(id).fallback, Origin::fallback);
    plain.set(P::accumulation, 1, Origin::fallback);
    return plain;
}

bool plans_within_a_frame(const Scenario& scenario) {
    // Searching that many plans takes a few milliseconds on one core.
    constexpr double kMostPlans = 20000;
    if (scenario.automatic.none()) return true;
    const Settings settings = resolve(scenario);
    if (!is_valid(without_plan(settings))) return true;
    return PlanSpace(settings, scenario.automatic).size() <= kMostPlans;
}

std::optional<Scenario> planned(const Scenario& scenario, unsigned threads, const std::stop_token& stop,
                                const Plan* likely) {
    if (scenario.automatic.none()) return scenario;
    const Settings settings = resolve(scenario);
    if (!is_valid(without_plan(settings))) return scenario;
    SearchOptions options;
    options.threads = threads;
    options.stop = stop;
    if (likely) {
        const auto rate = throughput(with_plan(scenario, of_sliders(*likely, settings), scenario.automatic));
        if (rate) options.reached = *rate;
    }
    SearchResult found = search_plans(settings, scenario.automatic, options);
    if (!found.stopped && found.best.empty() && std::isfinite(options.reached)) {
        // The likely plan has values that no slider has, and no plan of slider values is as good.
        options.reached = -std::numeric_limits<double>::infinity();
        found = search_plans(settings, scenario.automatic, options);
    }
    if (found.stopped) return std::nullopt;
    if (!found.best.empty()) return with_plan_and_raised_batch(scenario, found.best.front().plan);
    if (!std::isfinite(found.smallest.peak)) return scenario;
    return with_plan(scenario, found.smallest.plan, scenario.automatic);
}

Scenario taking(const Scenario& scenario, const Plan& plan) {
    return with_plan_and_raised_batch(scenario, of_sliders(plan, resolve(scenario)));
}

Scenario planned(const Scenario& scenario, const Plan* likely) { return *planned(scenario, 1, {}, likely); }

}  // namespace shardscope
