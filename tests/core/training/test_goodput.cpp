// Tests failures and checkpoints: values worked out by hand, limits, and the optimum against other intervals.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "training/goodput.h"

using namespace shardscope;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double at_best(const Failures& failures) { return goodput(failures, optimal_interval(failures)); }

}  // namespace

TEST_CASE("goodput: it equals the values worked out by hand", "[goodput]") {
    // M = 3,600 s, δ = 100 s, R = 200 s, τ = 800 s: T = 3600·e^(1/18)·(e^(1/4) − 1)
    //   = 3600 · 1.0571277 · 0.2840254 = 1080.90, and 800 ÷ 1080.90 = 0.74012.
    CHECK(goodput({3600, 100, 200}, 800) == Approx(0.74012).margin(1e-5));
    // Without restarts and with free checkpoints, τ/M ÷ (e^(τ/M) − 1) at τ = M is 1 ÷ (e − 1).
    CHECK(goodput({1000, 0, 0}, 1000) == Approx(1 / (std::exp(1.0) - 1)).epsilon(1e-12));
}

TEST_CASE("goodput: to first order it is 1 − δ/τ − (τ + δ)/2M − R/M", "[goodput]") {
    const double mean = 1e8;
    const double write = 30;
    const double restart = 600;
    const double interval = 5000;
    const double lost = write / interval + (interval + write) / (2 * mean) + restart / mean;
    CHECK(1 - goodput({mean, write, restart}, interval) == Approx(lost).epsilon(0.01));
    // Young's formula gives the interval and, without restarts, a loss of √(2δ/M).
    const Failures rare{mean, write, 0};
    CHECK(optimal_interval(rare) == Approx(std::sqrt(2 * write * mean)).epsilon(1e-3));
    CHECK(1 - at_best(rare) == Approx(std::sqrt(2 * write / mean)).epsilon(1e-3));
}

TEST_CASE("goodput: without failures only checkpoints reduce it, and without checkpoints nothing does",
          "[goodput]") {
    CHECK(goodput({kNever, 20, 600}, 180) == Approx(0.9));
    CHECK(at_best({kNever, 20, 600}) == 1);
    CHECK(goodput({1e15, 20, 600}, 180) == Approx(0.9).epsilon(1e-9));
    CHECK(at_best({1e18, 20, 600}) == Approx(1).epsilon(1e-6));
}

TEST_CASE("goodput: no interval does better than the optimum", "[goodput]") {
    for (const double mean : {60.0, 3600.0, 1e5, 1e9}) {
        for (const double write : {0.01, 1.0, 60.0, 3600.0}) {
            INFO(mean << " s between failures, " << write << " s a checkpoint");
            const Failures failures{mean, write, 300};
            const double best = optimal_interval(failures);
            REQUIRE(best > 0);
            CHECK(best <= mean);  // equal to the last digit where a checkpoint takes far longer
            // This is the condition of the optimum: ln(1 − x) + x + δ/M = 0.
            const double x = best / mean;
            if (x < 0.99) CHECK(std::log1p(-x) + x == Approx(-write / mean).epsilon(1e-6));
            for (const double factor : {0.25, 0.8, 0.95, 1.05, 1.3, 4.0})
                CHECK(goodput(failures, best * factor) < goodput(failures, best));
        }
    }
}

TEST_CASE("goodput: it falls with more failures, slower checkpoints and longer restarts", "[goodput]") {
    const Failures base{7200, 20, 300};
    double before = 1;
    for (const double mean : {1e9, 1e6, 1e5, 1e4, 3600.0, 600.0, 60.0}) {
        const double now = at_best({mean, base.checkpoint, base.restart});
        CHECK(now < before);
        CHECK(now > 0);
        before = now;
    }
    CHECK(at_best({7200, 40, 300}) < at_best(base));
    CHECK(at_best({7200, 20, 600}) < at_best(base));
    // If failures interrupt every interval it approaches zero and is never negative.
    CHECK(at_best({0.01, 1000, 1000}) == 0);
    CHECK(at_best({7200, 0, 0}) == 1);
}

TEST_CASE("goodput: Llama 3 405B was training more than 90 % of the time with 419 failures in 54 days",
          "[goodput]") {
    // Source: The Llama 3 Herd of Models, arXiv 2407.21783: 16,384 H100, 419 unexpected interruptions in 54
    // days.
    const double mean = 54.0 * 86400 / 419;
    CHECK(mean / 3600 == Approx(3.09).margin(0.01));
    // Assumed, not reported: a checkpoint takes 10 s at 2 TB/s (405 B parameters of 14 bytes take 3 s), and
    // training continues 10 minutes after a failure.
    const Failures met{mean, 10, 600};
    CHECK(at_best(met) > 0.90);
    CHECK(at_best(met) < 0.95);
    // With restarts of half an hour the reported 90 % would be impossible.
    CHECK(at_best({mean, 10, 1800}) < 0.90);
}
