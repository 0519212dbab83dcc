// Tests properties that hold for every sweep and every solution.
#include <catch2/catch.hpp>
#include <cmath>

#include "explore/solve.h"
#include "explore/sweep.h"
#include "files/result.h"
#include "scenario/domain.h"
#include "support/properties.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

constexpr int kSweeps = 300;
constexpr int kSolutions = 100;

// Returns a random axis of a few points, some of them rounded to the same value.
Axis random_axis(const Scenario& scenario) {
    const auto id = static_cast<P>(*random::number(static_cast<int>(kParameters) - 1));
    const Settings settings = resolve(scenario);
    Axis out{id, {}};
    for (int i = 0; i < 4; ++i) {
        const RandomEdit edit{static_cast<int>(id), *random::number(1000000), i == 3, false};
        const double value = shardscope::testing::value_of(edit, settings);
        const double valid = nearest_valid(id, value, settings);
        if (std::isfinite(valid)) out.values.push_back(valid);
    }
    return out;
}

bool meets(const Target& target, const Answer& answer) {
    if (target.is_fit()) return answer.estimate.verdict == Verdict::fits;
    // A scenario that does not fit has no times, but its memory is known.
    if (!answer.fits() && target.output != Output::peak_memory) return false;
    const double value = value_of(*target.output, answer);
    return target.comparison == Comparison::at_least ? value >= target.value : value <= target.value;
}

}  // namespace

TEST_CASE("any sweep: every point equals an estimate with its values", "[properties][explore-properties]") {
    hold("sweep", kSweeps, [] {
        const Scenario scenario = scenario_of(*random::scenario());
        const std::vector<Axis> axes{random_axis(scenario), random_axis(scenario)};
        if (axes[0].id == axes[1].id) return;
        Answer point;  // reused, as sweeps do
        for (std::size_t i = 0; i < combinations(axes); ++i) {
            const std::vector<std::size_t> at = indices_of(axes, i);
            const bool valid = answer_point(scenario, axes, at, point);
            Scenario alone = scenario;
            for (std::size_t a = 0; a < axes.size(); ++a)
                alone = assigned(alone, axes[a].id, axes[a].values[at[a]]);
            const Answer estimated = answer(alone);
            RC_ASSERT(valid == estimated.valid());
            if (valid) {
                RC_ASSERT(result_json(point, true) == result_json(estimated, true));
            } else {
                RC_ASSERT(!reason_of(point).empty());
            }
        }
    });
}

TEST_CASE("any solution meets its target, and a failed search has a reason",
          "[properties][explore-properties]") {
    int found = 0;
    hold("solve", kSolutions, [&] {
        const Scenario scenario = scenario_of(*random::scenario());
        const Answer now = answer(scenario);
        if (!now.valid()) return;
        const P id = *rc::gen::element(P::gpus, P::memory, P::inter_node_bandwidth, P::peak_flops,
                                       P::memory_bandwidth, P::sequence_length, P::micro_batch, P::layers,
                                       P::hidden_size, P::tensor_parallel, P::global_batch);
        if (!can_solve_for(id)) return;
        const double factor = *rc::gen::element(0.5, 0.9, 1.1, 1.5);
        const Target target = *rc::gen::element(
            Target{}, Target{Output::mfu, Comparison::at_least, factor * now.estimate.mfu},
            Target{Output::step_time, Comparison::at_most, factor * now.estimate.step.total},
            Target{Output::peak_memory, Comparison::at_most, factor * now.estimate.memory.peak});
        const Solution solution = solve({scenario, id, target});
        if (!solution.found()) {
            RC_ASSERT(!solution.reason.empty());
            return;
        }
        ++found;
        const Answer there = answer(solution.scenario);
        RC_LOG() << parameter(id).key << " = " << solution.value << " for " << text_of(solution.target)
                 << "\n";
        RC_ASSERT(there.valid());
        RC_ASSERT(there.settings[id] == solution.value);
        RC_ASSERT(meets(solution.target, there));
    });
    CHECK(found > 10);
}
