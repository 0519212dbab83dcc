// Tests the sigmoid of bandwidth against message size: the fit recovers known constants and meets public
// tables.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "effects/collectives.h"
#include "evidence/bandwidth_curve.h"

using namespace shardscope;

namespace {

std::vector<CollectivePoint> made(const BandwidthCurve& curve, double from = 131072, double to = 8e10) {
    std::vector<CollectivePoint> out;
    for (double bytes = from; bytes < to; bytes *= 2) out.push_back({bytes, 1, curve.at(bytes)});
    return out;
}

BandwidthFit of_table(const char* name) {
    const auto& tables = shipped_tables();
    const auto found = std::ranges::find(tables, name, &MeasuredTable::name);
    REQUIRE(found != tables.end());
    return fit_bandwidth(found->table.points);
}

}  // namespace

TEST_CASE(
    "bandwidth curve: a message of 2^x0 bytes reaches half of the bandwidth, a far larger one all of it",
    "[curve]") {
    const BandwidthCurve curve{400e9, 0.65, 25};
    CHECK(curve.at(std::exp2(25)) == Approx(200e9));
    CHECK(curve.at(std::exp2(60)) == Approx(400e9));
    CHECK(curve.at(std::exp2(26)) / curve.at(std::exp2(24)) ==
          Approx((1 + std::exp(0.65)) / (1 + std::exp(-0.65))));
}

TEST_CASE("bandwidth curve: a fit recovers the constants from which the points were computed", "[curve]") {
    for (const BandwidthCurve& truth : {BandwidthCurve{768e9, 0.61, 25.3}, BandwidthCurve{97e9, 0.64, 22.4},
                                        BandwidthCurve{12e9, 0.9, 20}}) {
        const BandwidthFit fit = fit_bandwidth(made(truth));
        CHECK(fit.points == 20);
        CHECK(fit.curve.most == Approx(truth.most).epsilon(0.01));
        CHECK(fit.curve.sharpness == Approx(truth.sharpness).epsilon(0.01));
        CHECK(fit.curve.half == Approx(truth.half).margin(0.05));
        CHECK(fit.rms_log_error < 0.005);
        CHECK(fit.r_squared > 0.9999);
        CHECK(fit.median_error < 0.005);
    }
}

TEST_CASE("bandwidth curve: an outlier hardly changes the fit but appears in the errors", "[curve]") {
    const BandwidthCurve truth{300e9, 0.65, 24};
    std::vector<CollectivePoint> points = made(truth);
    points[10].bus_bandwidth *= 0.3;
    const BandwidthFit fit = fit_bandwidth(points);
    CHECK(fit.curve.most == Approx(truth.most).epsilon(0.05));
    CHECK(fit.median_error < 0.05);
    CHECK(fit.rms_log_error > 0.2);
}

TEST_CASE("bandwidth curve: with k = ln 2 it equals the engine's latency and bandwidth", "[curve]") {
    // Here t = α + V/B, and the half-bandwidth size is α·B_max.
    NetworkRates network;
    network.intra_bandwidth = 400e9;
    network.start_latency = 30e-6;
    network.intra_latency = 1e-6;
    network.sharpness = std::log(2.0);
    const RingGroup group{8, 1};
    std::vector<CollectivePoint> points;
    for (double bytes = 65536; bytes < 2e10; bytes *= 2) {
        const double seconds = all_gather_time(bytes, group, network).total();
        points.push_back({bytes, seconds, bytes * bus_factor(CollectiveTest::all_gather, 8) / seconds});
    }
    const BandwidthFit fit = fit_bandwidth(points);
    CHECK(fit.curve.most == Approx(400e9).epsilon(0.01));
    CHECK(fit.curve.sharpness == Approx(std::log(2.0)).epsilon(0.01));
    CHECK(fit.curve.half == Approx(std::log2(ring_latency(group, network) * 400e9)).margin(0.05));
}

TEST_CASE("bandwidth curve: too few points give no fit", "[curve]") {
    const BandwidthCurve truth{300e9, 0.65, 24};
    CHECK(fit_bandwidth(made(truth, 131072, 131072 * 8)).points == 0);
    CHECK(fit_bandwidth({}).points == 0);
    CHECK(fit_bandwidth(made(truth, 1024, 131072 * 8 * 2)).points == kFewestBandwidths);
}

TEST_CASE("bandwidth curve: fits of public tables give the constants reported for them", "[curve]") {
    CHECK(shipped_tables().size() == 6);
    // The fits reported for these tables are B_max 768, 369 and 97 GB/s, k 0.61, 0.68 and 0.64, x0 25.3, 26.4
    // and 22.4.
    const BandwidthFit node = of_table("b200-node");
    CHECK(node.curve.most == Approx(768e9).epsilon(0.1));
    CHECK(node.curve.sharpness == Approx(0.61).margin(0.07));
    CHECK(node.curve.half == Approx(25.3).margin(0.5));
    const BandwidthFit nodes = of_table("b200-4-nodes");
    CHECK(nodes.curve.most == Approx(369e9).epsilon(0.1));
    CHECK(nodes.curve.sharpness == Approx(0.68).margin(0.07));
    CHECK(nodes.curve.half == Approx(26.4).margin(0.5));
    const BandwidthFit unnamed = of_table("unnamed-4-nodes");
    CHECK(unnamed.curve.most == Approx(97e9).epsilon(0.1));
    CHECK(unnamed.curve.half == Approx(22.4).margin(0.5));
    for (const MeasuredTable& table : shipped_tables()) {
        INFO(table.name);
        const BandwidthFit fit = fit_bandwidth(table.table.points);
        CHECK(fit.rms_log_error < 0.2);
        CHECK(fit.r_squared > 0.97);
        CHECK(fit.median_error < 0.15);
        CHECK_FALSE(table.source.empty());
    }
}
