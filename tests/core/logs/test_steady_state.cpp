// Tests which steps of a log are in its steady state, with statistics worked out by hand.
#include <catch2/catch.hpp>

#include "logs/steady_state.h"

using namespace shardscope::logs;

namespace {

std::vector<StepSample> samples(std::initializer_list<double> values) {
    std::vector<StepSample> out;
    for (const double value : values) out.push_back({value, 0, Interruption::none});
    return out;
}

}  // namespace

TEST_CASE("steady state: the median and the quantiles of the steps after the warm-up", "[logs]") {
    // 9 and 6 are warm-up. Of 1 2 3 4 5 (in hundredths above 4): median 4.03, quantiles 0.1 and 0.9 at 0.4 of
    // the first and the last interval.
    const SteadyState found = steady_state(samples({9, 6, 4.03, 4.01, 4.05, 4.02, 4.04}));
    CHECK(found.logged == 7);
    CHECK(found.left_out.warm_up == 2);
    CHECK(found.left_out.total() == 2);
    CHECK(found.used() == 5);
    CHECK(found.median == Approx(4.03));
    CHECK(found.low == Approx(4.014));
    CHECK(found.high == Approx(4.046));
}

TEST_CASE("steady state: the first step is always warm-up, and never more than half", "[logs]") {
    CHECK(steady_state(samples({4, 4, 4, 4})).left_out.warm_up == 1);
    // The run becomes faster throughout.
    CHECK(steady_state(samples({9, 8, 7, 6, 5, 4})).left_out.warm_up == 3);
    // Two steps show no warm-up.
    const SteadyState two = steady_state(samples({9, 4}));
    CHECK(two.used() == 2);
    CHECK(two.median == Approx(6.5));
}

TEST_CASE("steady state: an outlier lies beyond 3.5 scaled deviations and beyond 5 %", "[logs]") {
    // Median 10, absolute deviations 0 0.1 0.1 0.2 0.2 (and the outlier's): their median is 0.15 or 0.2, so
    // that 3.5/0.6745 of it is about 1.
    const SteadyState found = steady_state(samples({10, 10, 10.1, 9.9, 10.2, 9.8, 14}));
    CHECK(found.left_out.warm_up == 1);
    CHECK(found.left_out.outliers == 1);
    CHECK(found.used() == 5);
    // Without spread a deviation of 4 % is no outlier, and one of 6 % is.
    CHECK(steady_state(samples({10, 10, 10, 10, 10, 10.4})).left_out.outliers == 0);
    CHECK(steady_state(samples({10, 10, 10, 10, 10, 10.6})).left_out.outliers == 1);
}

TEST_CASE("steady state: each step is left out for one reason", "[logs]") {
    std::vector<StepSample> steps;
    for (int i = 0; i < 3; ++i) steps.push_back({2, 128, Interruption::none});
    steps.push_back({8, 256, Interruption::none});
    for (int i = 0; i < 4; ++i) steps.push_back({4, 256, Interruption::none});
    steps.push_back({5, 256, Interruption::evaluation});
    steps.push_back({5, 256, Interruption::checkpoint});
    steps.push_back({7, 256, Interruption::restart});
    for (int i = 0; i < 4; ++i) steps.push_back({4, 256, Interruption::none});
    const SteadyState found = steady_state(steps);
    CHECK(found.left_out.other_batch == 3);
    CHECK(found.left_out.evaluation == 1);
    CHECK(found.left_out.checkpoint == 1);
    CHECK(found.left_out.restart == 1);
    CHECK(found.left_out.warm_up == 1);
    CHECK(found.left_out.outliers == 0);
    CHECK(found.used() == 8);
    CHECK(found.median == 4);
}

TEST_CASE("steady state: a log may show only steps after evaluations", "[logs]") {
    const std::vector<StepSample> steps(4, {3, 0, Interruption::evaluation});
    const SteadyState found = steady_state(steps);
    CHECK(found.left_out.evaluation == 0);
    CHECK(found.median == 3);
    CHECK(steady_state({}).median == 0);
}

TEST_CASE("steady state: without a step that nothing interrupts, the last batch still counts", "[logs]") {
    const auto after_checkpoint = [](double value, double batch) {
        return StepSample{value, batch, Interruption::checkpoint};
    };
    const std::vector<StepSample> ramp{after_checkpoint(2, 128), after_checkpoint(2, 128),
                                       after_checkpoint(4, 256), after_checkpoint(4.1, 256)};
    const SteadyState found = steady_state(ramp);
    CHECK(found.left_out.other_batch == 2);
    CHECK(found.left_out.checkpoint == 0);
    CHECK(found.used() == 2);
    CHECK(found.median == Approx(4.05));
}
