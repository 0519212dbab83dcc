// Tests the wait for the slowest GPU.
#include "effects/stragglers.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "explore/timeline.h"
#include "planner/answer.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("stragglers: the largest of n normal values has its tabulated mean", "[effects]") {
    // The exact means: 0, 1 ÷ √π, and Harter 1961, doi 10.1093/biomet/48.1-2.151, for 10 and 100.
    CHECK(mean_of_largest(1) == 0);
    CHECK(mean_of_largest(2) == Approx(1 / std::sqrt(M_PI)).margin(0.03));
    CHECK(mean_of_largest(10) == Approx(1.53875).margin(0.02));
    CHECK(mean_of_largest(100) == Approx(2.50759).margin(0.02));
    double before = 0;
    for (double gpus = 2; gpus <= 1048576; gpus *= 2) {
        CHECK(mean_of_largest(gpus) > before);
        before = mean_of_largest(gpus);
    }
}

TEST_CASE("stragglers: jitter lengthens the step by the wait, more on more GPUs, and belongs to latency",
          "[effects]") {
    for (const double gpus : {8.0, 64.0, 1024.0}) {
        const Answer calm = answer(with({{P::gpus, gpus}}));
        const Answer noisy = answer(with({{P::gpus, gpus}, {P::step_jitter, 0.05}}));
        const double wait = noisy.estimate.step.total - calm.estimate.step.total;
        CHECK(wait == Approx(0.05 * mean_of_largest(gpus)).epsilon(1e-9));
        CHECK(noisy.estimate.step.attribution[Rate::latency] -
                  calm.estimate.step.attribution[Rate::latency] ==
              Approx(wait).epsilon(1e-9));
        const StepTimeline drawn = step_timeline(noisy.compiled, noisy.estimate);
        CHECK(drawn.stages.front().compute.back().end == Approx(noisy.estimate.step.total).epsilon(1e-9));
    }
}
