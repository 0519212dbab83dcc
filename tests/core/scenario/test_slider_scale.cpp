// Tests the marks along a slider's groove: round values, spacing and positions.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "scenario/domain.h"
#include "scenario/known_values.h"
#include "scenario/slider_scale.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

SliderScale scale_of(P id) {
    const Settings settings = resolve(first());
    return {domain(id, settings), parameter(id).logarithmic, parameter(id), settings[id]};
}

// Returns the ticks in multiples of `unit`.
std::vector<double> ticks(P id, double unit, double closest) {
    std::vector<double> out = scale_of(id).ticks(closest);
    for (double& tick : out) tick /= unit;
    return out;
}

constexpr double kGbit = 1e9 / 8;

}  // namespace

TEST_CASE("ticks are the customary values of a scale", "[slider]") {
    using V = std::vector<double>;
    CHECK_THAT(ticks(P::inter_node_bandwidth, kGbit, 0.07),
               Catch::Matchers::Approx(V{12.5, 25, 50, 100, 200, 400, 800, 1600, 3200}));
    CHECK_THAT(ticks(P::intra_node_bandwidth, 1e9, 0.07),
               Catch::Matchers::Approx(V{20, 50, 100, 200, 500, 1000, 2000}));
    CHECK_THAT(ticks(P::peak_flops, 1e12, 0.07),
               Catch::Matchers::Approx(V{50, 100, 200, 500, 1000, 2000, 5000, 10000}));
    CHECK(ticks(P::memory, 1024.0 * 1024 * 1024, 0.07) == V{8, 16, 32, 64, 128, 256, 512});
    CHECK(ticks(P::sequence_length, 1, 0.07) ==
          V{256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072});
    CHECK(ticks(P::training_tokens, 1e12, 0.1) == V{0.001, 0.01, 0.1, 1, 10, 100});
}

TEST_CASE("a shorter groove has fewer ticks, and they stay round", "[slider]") {
    using V = std::vector<double>;
    CHECK_THAT(ticks(P::inter_node_bandwidth, kGbit, 0.2), Catch::Matchers::Approx(V{25, 100, 400, 1600}));
    CHECK(ticks(P::sequence_length, 1, 0.2) == V{256, 1024, 4096, 16384, 65536});
    CHECK_THAT(ticks(P::intra_node_bandwidth, 1e9, 0.3), Catch::Matchers::Approx(V{100, 1000}));
}

TEST_CASE("the ticks of every slider increase, lie on the groove and keep their distance", "[slider]") {
    std::size_t with_ticks = 0;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (parameter(id).prominence == Prominence::file) continue;
        INFO(parameter(id).key);
        const SliderScale scale = scale_of(id);
        for (const double closest : {0.02, 0.08, 0.5, 1.0}) {
            const std::vector<double> found = scale.ticks(closest);
            if (!found.empty()) ++with_ticks;
            CHECK(found.size() <= 1 / closest + 2);
            for (std::size_t k = 0; k < found.size(); ++k) {
                CHECK((found[k] >= scale.low() && found[k] <= scale.high()));
                if (k > 0)
                    CHECK(scale.fraction(found[k]) - scale.fraction(found[k - 1]) >= closest * (1 - 1e-9));
            }
        }
    }
    CHECK(with_ticks > 40);
}

TEST_CASE("a linear groove and one of cells have no ticks", "[slider]") {
    CHECK_FALSE(parameter(P::gemm_efficiency).logarithmic);
    CHECK(scale_of(P::gemm_efficiency).ticks(0.05).empty());
    CHECK(scale_of(P::tensor_parallel).has_cells());
    CHECK(scale_of(P::tensor_parallel).ticks(0.05).empty());
    CHECK(scale_of(P::precision).ticks(0.05).empty());
    // A groove that is too short for any tick has none, either.
    CHECK(scale_of(P::inter_node_bandwidth).ticks(1.5).empty());
}

TEST_CASE("a drag reaches the roundest value of a pixel", "[slider]") {
    const auto at = [](const SliderScale& scale, double value) {
        constexpr double kPixels = 328;  // of a track in the window
        return scale.roundest(std::round(scale.fraction(value) * kPixels) / kPixels, 0.5 / kPixels);
    };
    CHECK(at(scale_of(P::inter_node_bandwidth), 175 * kGbit) == Approx(175 * kGbit));
    CHECK(at(scale_of(P::hidden_size), 6144) == 6144);
    CHECK(at(scale_of(P::sequence_length), 4096) == 4096);
}

TEST_CASE("steps of keys are round and lead back to where they began", "[slider]") {
    for (const P id :
         {P::inter_node_bandwidth, P::memory, P::peak_flops, P::hidden_size, P::sequence_length}) {
        INFO(parameter(id).key);
        const SliderScale scale = scale_of(id);
        const double start = resolve(first())[id];
        const std::vector<double> also{start};
        for (const bool fine : {false, true}) {
            for (const bool up : {false, true}) {
                double value = start;
                for (int i = 0; i < 12; ++i) {
                    const double next = scale.next(value, up, fine, also);
                    CHECK((up ? next > value : next < value));
                    value = next;
                }
                for (int i = 0; i < 12; ++i) value = scale.next(value, !up, fine, also);
                CHECK(value == Approx(start).epsilon(1e-12));
            }
        }
        CHECK(scale.next_page(start, true) == Approx(2 * start));
        CHECK(scale.next_page(start, false) == Approx(start / 2));
    }
}

TEST_CASE("keys move through a list in its order, also where its values do not increase", "[slider]") {
    const SliderScale scale = scale_of(P::recompute);
    const std::vector<double>& stops = scale.stops();
    REQUIRE_FALSE(std::ranges::is_sorted(stops));  // "selective" has a negative number
    double value = stops.front();
    for (std::size_t i = 1; i < stops.size(); ++i) {
        value = scale.next(value, true, false, {});
        CHECK(value == stops[i]);
    }
    CHECK(scale.next(value, true, false, {}) == value);
    for (std::size_t i = stops.size() - 1; i > 0; --i) value = scale.next(value, false, false, {});
    CHECK(value == stops.front());
}

TEST_CASE("zero is at the low end of a logarithmic scale, and a step up leads to the end", "[slider]") {
    const SliderScale scale(Domain{10, 1000, 0, {}}, true, parameter(P::memory), 0);
    CHECK(scale.next(0, true, false, {}) == 10);
    CHECK(scale.next(0, false, false, {}) == 0);
    CHECK(scale.next_page(0, true) == 10);
}

TEST_CASE("a slider stops at the values of presets", "[slider]") {
    const auto has = [](P id, double value) {
        return std::ranges::any_of(known_values(id, Catalogue::shipped()),
                                   [&](double known) { return known == Approx(value); });
    };
    CHECK(has(P::inter_node_bandwidth, 400 * kGbit));
    CHECK(has(P::peak_flops_bf16, 989.5e12));
    CHECK(has(P::hidden_size, 12288));
    CHECK(has(P::sequence_length, 8192));
    CHECK_FALSE(has(P::sequence_length, 8000));
}
