// Tests the count of placements that fit against a comparison of each.
#include "planner/placement_limits.h"

#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <stdexcept>

using namespace shardscope;

TEST_CASE("placement limits: the count and the smallest peak equal those of a comparison of every placement",
          "[planner]") {
    std::mt19937 random(11);
    const auto number = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    int some = 0;
    for (int i = 0; i < 2000; ++i) {
        const std::size_t stages = 1 + static_cast<std::size_t>(i % 4);
        const std::size_t placements = 1 + static_cast<std::size_t>(number(0, 40));
        std::vector<ActivationBytes> limits;
        for (std::size_t p = 0; p < placements; ++p) {
            // The states of one placement take about as much on every stage.
            const double left = number(-20, 80);
            for (std::size_t s = 0; s < stages; ++s)
                limits.push_back({left + number(0, 5), left - number(0, 5)});
        }
        std::vector<ActivationBytes> work;
        const double size = number(0, 80);
        for (std::size_t s = 0; s < stages; ++s) work.push_back({size + number(0, 5), size + number(0, 5)});
        double expected = 0;
        for (std::size_t p = 0; p < placements; ++p) {
            bool fits = true;
            for (std::size_t s = 0; s < stages; ++s) {
                const ActivationBytes& limit = limits[p * stages + s];
                fits = fits && work[s].forward <= limit.forward && work[s].backward <= limit.backward;
            }
            expected += fits ? 1 : 0;
        }
        double least = std::numeric_limits<double>::infinity();
        const PlacementLimits all(limits, stages, 100, 1.5);
        for (std::size_t p = 0; p < placements; ++p) {
            // Each byte above a limit adds 1.5 bytes to the peak of 100.
            double peak = -std::numeric_limits<double>::infinity();
            for (std::size_t s = 0; s < stages; ++s) {
                const ActivationBytes& limit = limits[p * stages + s];
                peak = std::max({peak, 100 + 1.5 * (work[s].forward - limit.forward),
                                 100 + 1.5 * (work[s].backward - limit.backward)});
            }
            CHECK(all.least_peak(work, p) == Approx(peak).epsilon(1e-8).margin(1e-6));
            least = std::min(least, peak);
        }
        CHECK(all.least_peak(work) == Approx(least).epsilon(1e-8).margin(1e-6));
        CHECK(all.count(work, [](std::size_t) -> bool { throw std::logic_error("not close"); }) == expected);
        some += expected > 0 && expected < static_cast<double>(placements) ? 1 : 0;
    }
    CHECK(some > 500);
}

TEST_CASE("placement limits: work within rounding errors of a limit is decided exactly", "[planner]") {
    const std::vector<ActivationBytes> limits{{10, 50}, {20, 50}, {30, 50}};
    const PlacementLimits all(limits, 1, 100, 1);
    const std::vector<ActivationBytes> work{{20 * (1 + 1e-15), 5}};
    std::vector<std::size_t> asked;
    for (const bool fits : {false, true}) {
        const double count = all.count(work, [&](std::size_t placement) {
            asked.push_back(placement);
            return fits;
        });
        CHECK(count == (fits ? 2 : 1));
    }
    CHECK(asked == std::vector<std::size_t>{1, 1});
}
