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
    return PlanSpace(settings, scenario.automatic, kMostPlans).size() <= kMostPlans;
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
        const auto rate = throughput(with_plan(scenario, *likely, scenario.automatic));
        if (rate) options.reached = *rate;
    }
    SearchResult found = search_plans(settings, scenario.automatic, options);
    if (!found.stopped && found.best.empty() && std::isfinite(options.reached)) {
        // The likely plan has values that a search does not try, and no plan that it tries is as good.
        options.reached = -std::numeric_limits<double>::infinity();
        found = search_plans(settings, scenario.automatic, options);
    }
    if (found.stopped) return std::nullopt;
    if (!found.best.empty()) return with_plan(scenario, found.best.front().plan, scenario.automatic);
    if (!std::isfinite(found.smallest.peak)) return scenario;
    return with_plan(scenario, found.smallest.plan, scenario.automatic);
}

Scenario planned(const Scenario& scenario, const Plan* likely) { return *planned(scenario, 1, {}, likely); }

}  // namespace shardscope
