// Tests properties that hold for every search for the best plan.
#include <catch2/catch.hpp>

#include "explore/plan_report.h"
#include "files/plan_file.h"
#include "scenario/domain.h"
#include "support/properties.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

constexpr int kSearches = 40;
constexpr double kLargestSpace = 200000;  // plans; a larger space takes longer and tests nothing else

}  // namespace

TEST_CASE("any search: threads and shares change nothing, and no plan of the space is better",
          "[properties][plan-properties]") {
    Problems none;
    Catalogue all = Catalogue::with_folder({}, none);
    int found = 0;
    hold("plan", kSearches, [&] {
        PlanQuestion question;
        question.scenario = scenario_of(*random::scenario());
        const Answer now = answer(question.scenario);
        if (!now.valid()) return;
        // The scenario uses presets of this catalogue, because shares name their presets.
        Problems problems;
        question.scenario = read_scenario(write_scenario(question.scenario), all, "/nonexistent", problems);
        RC_ASSERT(problems.empty());
        for (const P id : {P::tensor_parallel, P::pipeline_parallel, P::micro_batch, P::recompute,
                           P::sharding, P::virtual_stages, P::context_parallel}) {
            if (*random::number(2) > 0) question.free.set(index(id));
        }
        if (question.free.none()) question.free.set(index(P::micro_batch));
        question.top = 3;
        SearchOptions count;
        count.top = 0;
        if (search_plans(resolve(question.scenario), question.free, count).space > kLargestSpace) return;

        const PlanReport whole = plan_report(question, 1);
        const std::string expected = plan_json(whole);
        RC_ASSERT(plan_json(plan_report(question, 3)) == expected);

        const auto parts = static_cast<std::size_t>(2 + *random::number(2));
        std::vector<std::string> shares;
        std::vector<std::string> names;
        for (std::size_t part = 1; part <= parts; ++part) {
            shares.push_back(shard_lines(question, {part, parts}, 1));
            names.push_back("share " + std::to_string(part));
        }
        const PlanReport merged = merge_shards(shares, names, all, problems);
        for (const Problem& problem : problems) RC_LOG() << problem.text() << "\n";
        RC_ASSERT(problems.empty());
        RC_ASSERT(plan_json(merged) == expected);

        if (!whole.found()) {
            RC_ASSERT(!whole.reason.empty());
            return;
        }
        ++found;
        // The search skips most plans by their bounds, so the current plan must not be better.
        if (now.estimate.verdict == Verdict::fits &&
            whole.plans.front().estimate.mfu < (1 - 1e-9) * now.estimate.mfu) {
            RC_LOG() << "best " << whole.plans.front().estimate.mfu << ", here " << now.estimate.mfu << "\n";
            bool in_space = true;  // unless a value lies between those of the space
            for (std::size_t i = 0; i < kParameters; ++i) {
                const auto id = static_cast<P>(i);
                if (!question.free[i]) continue;
                const std::vector<double> stops = domain(id, now.settings).stops;
                in_space = in_space && std::ranges::find(stops, now.settings[id]) != stops.end();
            }
            RC_ASSERT(!in_space);
        }
    });
    CHECK(found > kSearches / 8);
}
