// Tests what would explain the difference between a measured run and its prediction.
#include <catch2/catch.hpp>
#include <cmath>

#include "evidence/ranked_causes.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

const RankedCause* find(const std::vector<RankedCause>& all, P id) {
    for (const RankedCause& one : all)
        if (one.id == id) return &one;
    return nullptr;
}

Measurement step(double seconds, double gpus = 64) { return {MeasuredKind::step_time, seconds, gpus}; }

}  // namespace

TEST_CASE("ranked causes: a measurement that is predicted needs none", "[ranked-causes]") {
    const Answer subject = answer(first());
    CHECK(ranked_causes(subject, step(subject.estimate.step.total)).empty());
    CHECK(ranked_causes(subject, step(1.005 * subject.estimate.step.total)).empty());
}

TEST_CASE("ranked causes: a setting that the run does not state is found first", "[ranked-causes]") {
    const Answer subject = answer(first());
    const Answer recomputed = answer(with({{P::recompute, 1}}));
    REQUIRE_FALSE(subject.scenario.is_given(P::recompute));
    const std::vector<RankedCause> found = ranked_causes(subject, step(recomputed.estimate.step.total));
    REQUIRE_FALSE(found.empty());
    const RankedCause* full = find(found, P::recompute);
    REQUIRE(full);
    CHECK(full->setting);
    CHECK(full->value == 1);
    CHECK(full->deviations == Approx(1));
    CHECK(full->step_time == Approx(recomputed.estimate.step.total));
    CHECK(full->term == StepTerm::recompute);
    // A setting that is stated is not doubted.
    const Answer stated = answer(with({{P::recompute, 0}}));
    CHECK_FALSE(find(ranked_causes(stated, step(recomputed.estimate.step.total)), P::recompute));
}

TEST_CASE("ranked causes: offloading to NVMe is proposed only for tools that have it", "[ranked-causes]") {
    const auto proposes = [](Software software) {
        const Scenario base = with({{P::software, static_cast<double>(software)}});
        const Answer subject = answer(base);
        Scenario changed = base;
        changed.give(P::offload, static_cast<double>(Offload::optimizer_nvme));
        const Answer offloaded = answer(changed);
        REQUIRE(offloaded.valid());
        const std::vector<RankedCause> found = ranked_causes(subject, step(offloaded.estimate.step.total));
        const RankedCause* offload = find(found, P::offload);
        return offload && offload->value == static_cast<double>(Offload::optimizer_nvme);
    };
    CHECK(proposes(Software::deepspeed));
    for (const Software software : {Software::megatron_core, Software::megatron_bridge, Software::torchtitan,
                                    Software::fsdp2, Software::nanotron, Software::nemo})
        CHECK_FALSE(proposes(software));
}

TEST_CASE("ranked causes: a constant is ranked by its distance in widths of its prior", "[ranked-causes]") {
    const Answer subject = answer(first());
    const double now = subject.settings[P::gemm_efficiency];
    const Answer slower = answer(with({{P::gemm_efficiency, 0.9 * now}}));
    const std::vector<RankedCause> found = ranked_causes(subject, step(slower.estimate.step.total));
    const RankedCause* gemm = find(found, P::gemm_efficiency);
    REQUIRE(gemm);
    CHECK_FALSE(gemm->setting);
    CHECK(gemm->value == Approx(0.9 * now).epsilon(1e-4));
    // The width of its prior is 0.1 in the logarithm.
    CHECK(gemm->deviations == Approx(std::log(1 / 0.9) / 0.1).epsilon(1e-3));
    CHECK(gemm->term == StepTerm::matmul);
    for (std::size_t i = 1; i < found.size(); ++i) CHECK(found[i - 1].deviations <= found[i].deviations);
    for (const RankedCause& one : found) {
        if (!one.setting) CHECK(one.step_time == Approx(slower.estimate.step.total).epsilon(1e-6));
    }
}

TEST_CASE("ranked causes: each term says what it would have to be alone", "[ranked-causes]") {
    const Answer subject = answer(first());
    const double measured = 1.2 * subject.estimate.step.total;
    double sum = 0;
    for (const TermGap& gap : term_gaps(subject, step(measured))) {
        CHECK(gap.needed - gap.predicted == Approx(measured - subject.estimate.step.total));
        sum += gap.predicted;
    }
    CHECK(sum == Approx(subject.estimate.step.total));
}

TEST_CASE("ranked causes: an invalid scenario has none", "[ranked-causes]") {
    const Answer invalid = answer(with({{P::tensor_parallel, 7}}));
    REQUIRE_FALSE(invalid.valid());
    CHECK(ranked_causes(invalid, step(1)).empty());
    CHECK(term_gaps(invalid, step(1)).empty());
}

TEST_CASE("ranked causes: MXFP8 is proposed only for GPUs that have it", "[ranked-causes]") {
    Scenario scenario = first();
    const auto proposes = [&] {
        const Answer subject = answer(scenario);
        for (double share = 0.2; share < 2; share += 0.05) {
            const auto found = ranked_causes(subject, step(share * subject.estimate.step.total));
            const RankedCause* precision = find(found, P::precision);
            if (precision && precision->value == static_cast<double>(Precision::mxfp8)) return true;
        }
        return false;
    };
    CHECK_FALSE(proposes());
}
