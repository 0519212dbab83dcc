// Tests the law of collectives against tables: the fit recovers known constants and meets public
// measurements.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "effects/collectives.h"
#include "evidence/fabric_fit.h"
#include "text/csv.h"

using namespace shardscope;

namespace {

constexpr FabricLinks kLinks{450e9, 50e9};

CollectiveTable made_by_law(CollectiveTest operation, int ranks, int nodes, const NetworkRates& network) {
    CollectiveTable table{operation, ranks, nodes, {}, 0};
    const RingGroup group{static_cast<double>(ranks) / nodes, static_cast<double>(nodes)};
    for (double bytes = 128 * 1024; bytes < 1e10; bytes *= 4) {
        const Time time = operation == CollectiveTest::all_reduce ? all_reduce_time(bytes, group, network)
                                                                  : all_gather_time(bytes, group, network);
        table.points.push_back({bytes, time.total(), 0});
    }
    return table;
}

double value_of(const FabricFit& fit, P id) {
    return std::ranges::find(fit.constants, id, &FabricConstant::id)->value;
}
bool identified(const FabricFit& fit, P id) {
    return std::ranges::find(fit.constants, id, &FabricConstant::id)->identified;
}

struct PublicTable {
    CollectiveTable table;
    FabricLinks links;
};

std::map<std::string, PublicTable> public_tables() {
    std::ifstream file(SHARDSCOPE_SOURCE_DIR "/presets/collectives/public_tables.csv");
    std::ostringstream text;
    text << file.rdbuf();
    std::map<std::string, PublicTable> out;
    const auto rows = read_csv(text.str());
    REQUIRE(rows.size() == 133);
    const auto& header = rows[0].fields;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const auto cell = [&](const char* column) {
            return rows[i]
                .fields[static_cast<std::size_t>(std::ranges::find(header, column) - header.begin())];
        };
        const auto number = [&](const char* column) { return std::atof(cell(column).c_str()); };
        CHECK_FALSE(cell("source").empty());
        PublicTable& entry = out[cell("table")];
        entry.table.ranks = static_cast<int>(number("ranks"));
        entry.table.nodes = static_cast<int>(number("nodes"));
        // The table without names reaches 92 GB/s, which requires 8 × 100 Gbit/s; its link has no influence.
        entry.links.intra_node = cell("link_gb_s").empty() ? 450e9 : number("link_gb_s") * 1e9;
        entry.links.inter_node = cell("network_gbit_s").empty() ? 12.5e9 : number("network_gbit_s") * 1e9 / 8;
        const double bandwidth = number("busbw_gb_s") * 1e9;
        if (!(bandwidth > 0)) continue;
        const double bytes = number("size_bytes");
        const double factor = bus_factor(CollectiveTest::all_reduce, entry.table.ranks);
        const double seconds =
            cell("time_us").empty() ? factor * bytes / bandwidth : number("time_us") * 1e-6;
        CHECK(bandwidth == Approx(factor * bytes / seconds).epsilon(0.02).margin(0.011e9));
        entry.table.points.push_back({bytes, seconds, bandwidth});
    }
    return out;
}

}  // namespace

TEST_CASE("fabric fit: constants are recovered from tables within a node and across nodes", "[nccl]") {
    const NetworkRates truth{0.9 * kLinks.intra_node, 0.7 * kLinks.inter_node, 30e-6, 2.3e-6, 40e-6, 0.62};
    const std::vector<CollectiveTable> tables{made_by_law(CollectiveTest::all_gather, 8, 1, truth),
                                              made_by_law(CollectiveTest::reduce_scatter, 64, 8, truth),
                                              made_by_law(CollectiveTest::all_reduce, 32, 4, truth)};
    Problems problems;
    const FabricFit fit = fit_fabric(tables, kLinks, problems);
    CHECK(problems.empty());
    CHECK(fit.points == 27);
    CHECK(fit.rms_log_error < 0.02);
    CHECK(value_of(fit, P::intra_node_efficiency) == Approx(0.9).epsilon(0.03));
    CHECK(value_of(fit, P::network_efficiency) == Approx(0.7).epsilon(0.03));
    CHECK(value_of(fit, P::collective_latency) == Approx(30e-6).epsilon(0.1));
    CHECK(value_of(fit, P::inter_node_latency) == Approx(40e-6).epsilon(0.1));
    CHECK(value_of(fit, P::bandwidth_sharpness) == Approx(0.62).margin(0.01));
    for (const FabricConstant& constant : fit.constants) CHECK(constant.identified);
}

TEST_CASE("fabric fit: a table of a single node does not determine the network's constants", "[nccl]") {
    const NetworkRates truth{0.9 * kLinks.intra_node, kLinks.inter_node, 30e-6, 2.3e-6, 40e-6, 0.65};
    Problems problems;
    const FabricFit fit =
        fit_fabric(std::vector{made_by_law(CollectiveTest::all_gather, 8, 1, truth)}, kLinks, problems);
    CHECK(identified(fit, P::intra_node_efficiency));
    CHECK(identified(fit, P::collective_latency));
    CHECK_FALSE(identified(fit, P::network_efficiency));
    CHECK_FALSE(identified(fit, P::inter_node_latency));
    CHECK(value_of(fit, P::network_efficiency) == Approx(parameter(P::network_efficiency).fallback));
}

TEST_CASE("fabric fit: too few measurements are refused", "[nccl]") {
    CollectiveTable table =
        made_by_law(CollectiveTest::all_gather, 8, 1, {450e9, 50e9, 2e-5, 2.3e-6, 2e-5, 0.65});
    table.points.resize(3);
    table.points.push_back({1024, 1e-5, 0});  // too small to determine a constant
    CollectiveTable exchange =
        made_by_law(CollectiveTest::all_gather, 8, 1, {450e9, 50e9, 2e-5, 2.3e-6, 2e-5, 0.65});
    exchange.operation = CollectiveTest::all_to_all;
    Problems problems;
    fit_fabric(std::vector{table, exchange}, kLinks, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].why.starts_with("3 of"));
}

TEST_CASE("fabric fit: the law agrees with every public table", "[nccl]") {
    const auto tables = public_tables();
    const std::map<std::string, double> error{{"a100-node", 0.11},    {"h200-node", 0.07},
                                              {"h100-node", 0.09},    {"b200-node", 0.11},
                                              {"b200-4-nodes", 0.13}, {"unnamed-4-nodes", 0.12}};
    REQUIRE(tables.size() == error.size());
    for (const auto& [name, entry] : tables) {
        INFO(name);
        Problems problems;
        const FabricFit fit = fit_fabric(std::vector{entry.table}, entry.links, problems);
        CHECK(problems.empty());
        CHECK(fit.rms_log_error < error.at(name));
        CHECK(value_of(fit, P::bandwidth_sharpness) > 0.54);
    }
    const PublicTable& inside = tables.at("b200-node");
    const PublicTable& over = tables.at("b200-4-nodes");
    Problems problems;
    const FabricFit both = fit_fabric(std::vector{inside.table, over.table}, over.links, problems);
    CHECK(both.rms_log_error < 0.15);
    for (const FabricConstant& constant : both.constants) CHECK(constant.identified);
}
