// The distance of a scenario to the measured runs, and the likely range that widens with it.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "evidence/coverage.h"
#include "evidence/likely_range.h"
#include "evidence/runs.h"
#include "evidence/validated.h"
#include "files/result.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// The width of the likely range in the logarithm of the rate.
double width_of(const Answer& now) {
    const LikelyRange range = likely_range(now);
    return std::log(range.high / range.low);
}

Settings measured_settings(const char* id) {
    for (const PublicRun& measured : public_runs()) {
        if (measured.run->id == id) return measured.settings;
    }
    FAIL("no such run");
    return {};
}

}  // namespace

TEST_CASE("coverage: the distance adds up the differences in stack, machine, model and plan", "[evidence]") {
    const Settings here = resolve(first());
    const RunCoordinates at = coordinates_of(here);
    CHECK(distance_between(at, at) == 0);
    Settings there = here;
    there.set(P::sequence_length, 4 * here[P::sequence_length], Origin::given);
    // Two doublings with a weight of 0.12 each.
    CHECK(distance_between(at, coordinates_of(there)) == Approx(1 - std::exp(-0.24)));
    there.set(P::experts, 8, Origin::given);
    CHECK(distance_between(at, coordinates_of(there)) == Approx(1 - std::exp(-0.24 - kOtherKind)));
    CHECK(distance_between(coordinates_of(there), at) == distance_between(at, coordinates_of(there)));
    // To a dense model the number of experts does not matter, only whether there are any.
    const double before = distance_between(at, coordinates_of(there));
    Settings more = there;
    more.set(P::experts, 64, Origin::given);
    CHECK(distance_between(at, coordinates_of(more)) == before);
    CHECK(distance_between(coordinates_of(there), coordinates_of(more)) ==
          Approx(1 - std::exp(-3 * 0.19)));  // three doublings
}

TEST_CASE("coverage: settings without effect and fitted constants add no distance", "[evidence]") {
    const Settings here = resolve(first());  // one stage, dense, no pods
    const RunCoordinates at = coordinates_of(here);
    const auto distance = [&](std::initializer_list<std::pair<P, Value>> values, Origin origin) {
        Settings there = here;
        for (const auto& [id, value] : values) there.set(id, value, origin);
        return distance_between(at, coordinates_of(there));
    };
    CHECK(distance({{P::schedule, ScheduleKind::zb_h2}}, Origin::given) == 0);
    CHECK(distance({{P::moe_dispatcher, MoeDispatcher::all_gather}}, Origin::given) == 0);
    CHECK(distance({{P::context_parallel_kind, ContextParallelKind::a2a}}, Origin::given) == 0);
    CHECK(distance({{P::oversubscription, 50}}, Origin::given) == 0);
    CHECK(distance({{P::pod_gpus, 16}}, Origin::given) == 0);
    CHECK(distance({{P::attention_window, here[P::sequence_length]}}, Origin::given) == 0);
    CHECK(distance({{P::inter_node_latency, 1e-2}}, Origin::calibration) == 0);
    CHECK(distance({{P::inter_node_latency, 1e-2}}, Origin::given) > 0);
    CHECK(distance({{P::gemm_efficiency, 0.5}, {P::overlap, 1}}, Origin::calibration) == 0);
}

TEST_CASE("coverage: each coordinate has a column and a label of its own", "[evidence]") {
    std::set<std::string> columns;
    for (const Coordinate& axis : kCoordinates) {
        const std::string column(axis.name.empty() ? field_of(axis.id) : axis.name);
        INFO(column);
        CHECK(columns.insert(column).second);
        CHECK((axis.id != P::count || (axis.of && !axis.name.empty() && !axis.label.empty())));
        // A sentence names a presence by a noun.
        CHECK((axis.kind != CoordinateKind::presence || !axis.label.empty()));
        CHECK(axis.weight >= 0);
    }
    CHECK(1 - std::exp(-kOtherKind) >= kUnlikeAnyRun);
}

TEST_CASE("coverage: nothing is like a scenario of a kind that was never measured", "[evidence]") {
    const auto check = [](std::initializer_list<std::pair<P, Value>> values, const char* furthest) {
        const Settings s = resolve(with(values));
        INFO(furthest);
        CHECK(distance_to_runs(s) >= kUnlikeAnyRun);
        CHECK(largest_difference_sentence(s).find(furthest) != std::string::npos);
    };
    check({{P::optimizer, Optimizer::muon}}, "Muon");
    check({{P::attention, AttentionKernel::naive}}, "naive");
    check({{P::offload, Offload::optimizer}}, label_of(P::offload).c_str());
    check({{P::activation_offload, 1}}, label_of(P::activation_offload).c_str());
    check({{P::pod_gpus, 16}, {P::oversubscription, 50}}, "No measured run has oversubscribed pods.");
    check({{P::topology, Topology::mesh}}, "mesh");
    check({{P::rail_only, true}}, label_of(P::rail_only).c_str());
    check({{P::inter_node_latency, 1e-2}}, "latency");
    check({{P::packing, 128}}, "sequence relative to");
    check({{P::attention_window, 128}}, "layers with an attention window");
    check({{P::vocab_size, 4e6}}, "LM head");
    check({{P::ffn_size, 200000}}, "feed-forward width");
    check({{P::sharding, Sharding::zero_pp}}, "No measured run has quantized collectives (ZeRO++).");
    check({{P::tensor_parallel, 4}, {P::pipeline_parallel, 4}, {P::schedule, ScheduleKind::zb_h2}}, "ZB-H2");

    const Settings mamba = resolve(of_model(
        "mamba2-2.7b", {{P::gpus, 128}, {P::software, Software::fsdp1}, {P::sharding, Sharding::zero3}}));
    CHECK(distance_to_runs(mamba) >= kUnlikeAnyRun);
    CHECK(largest_difference_sentence(mamba).find("the nearest run has no layers of the kind Mamba-2.") !=
          std::string::npos);
    // A list of operators and a run itself have no such sentence.
    CHECK(largest_difference_sentence(resolve(of_model("resnet-50", {}))).empty());
    CHECK(largest_difference_sentence(resolve(first())).empty());
}

TEST_CASE("coverage: neighbours of measured runs stay near", "[evidence]") {
    CHECK(distance_to_runs(resolve(with({{P::micro_batch, 4}}))) < 0.2);
    CHECK(distance_to_runs(resolve(with({{P::gpus, 128}, {P::micro_batch, 8}}))) < 0.25);
    CHECK(distance_to_runs(resolve(with({{P::sharding, Sharding::hsdp}}))) < 0.15);
    CHECK(distance_to_runs(resolve(with({{P::loss, Loss::chunked}}))) < 0.15);
    CHECK(distance_to_runs(resolve(with({{P::optimizer, Optimizer::lion}}))) < 0.15);
}

TEST_CASE("coverage: a measured run is its own nearest run", "[evidence]") {
    for (const PublicRun& measured : public_runs()) {
        INFO(measured.run->id);
        if (measured.run->has_good_time()) CHECK(distance_to_runs(measured.settings) == 0);
    }
    for (const char* id : {"mosaic-0003", "dgxc-0025", "simumax-004"}) {
        const Settings run = measured_settings(id);
        INFO(id);
        const std::vector<NearestRun> nearest = nearest_runs(run, 5);
        REQUIRE(nearest.size() == 5);
        CHECK(nearest.front().distance == 0);
        for (std::size_t i = 1; i < nearest.size(); ++i)
            CHECK(nearest[i].distance >= nearest[i - 1].distance);
    }
}

TEST_CASE("coverage: the nearest runs are those of a comparison with all of them, in any order of questions",
          "[evidence]") {
    std::vector<RunCoordinates> all;
    std::vector<Settings> scenarios;
    for (const PublicRun& measured : public_runs()) {
        if (!measured.run->has_good_time()) continue;
        all.push_back(coordinates_of(measured.settings));
        if (all.size() % 20 != 1) continue;
        for (const double factor : {0.25, 1.0, 3.0}) {
            Settings there = measured.settings;
            there.set(P::gpus, factor * 4 * there[P::gpus], Origin::given);
            there.set(P::hidden_size, factor * there[P::hidden_size], Origin::given);
            there.set(P::inter_node_bandwidth, there[P::inter_node_bandwidth] / factor, Origin::given);
            scenarios.push_back(there);
        }
    }
    std::ranges::sort(all);
    const auto same = std::ranges::unique(all);
    all.erase(same.begin(), same.end());
    std::vector<std::string> differences;
    for (const Settings& there : scenarios) {
        const RunCoordinates at = coordinates_of(there);
        std::vector<double> distances;
        for (const RunCoordinates& place : all) distances.push_back(distance_between(at, place));
        std::ranges::sort(distances);
        CHECK(distance_to_runs(there) == Approx(distances.front()));
        const std::vector<NearestRun> nearest = nearest_runs(there, 5);
        REQUIRE(nearest.size() == 5);
        for (std::size_t i = 0; i < nearest.size(); ++i)
            CHECK(nearest[i].distance == Approx(distances[i]).margin(1e-12));
        differences.push_back(largest_difference_sentence(there));
    }
    for (std::size_t i = scenarios.size(); i-- > 0;)
        CHECK(largest_difference_sentence(scenarios[i]) == differences[i]);
}

TEST_CASE("coverage: the likely range widens away from the measured runs", "[evidence]") {
    const Scenario home = first();  // a public run
    CHECK(distance_to_runs(answer(home).settings) < 0.05);
    Scenario longer = home;
    longer.give(P::sequence_length, 131072);
    longer.give(P::micro_batch, 1);
    longer.give(P::recompute, 1);
    Scenario further = longer;
    further.give(P::experts, 64);
    further.give(P::experts_per_token, 4);
    const Answer a = answer(home);
    const Answer b = answer(longer);
    const Answer c = answer(further);
    REQUIRE((a.valid() && b.valid() && c.valid()));
    CHECK(distance_to_runs(a.settings) < distance_to_runs(b.settings));
    CHECK(distance_to_runs(b.settings) < distance_to_runs(c.settings));
    CHECK(half_width(0.1, 0.3, 0) == Approx(std::log(1.1)));
    // One difference in kind, and two or more.
    CHECK(half_width(0.1, 0.3, 1 - std::exp(-1)) == Approx(std::hypot(std::log(1.1), std::log(1.3))));
    CHECK(half_width(0.1, 0.3, 1 - std::exp(-2)) == Approx(std::hypot(std::log(1.1), 4 * std::log(1.3))));
    CHECK(half_width(0.1, 0.3, 1) == half_width(0.1, 0.3, 1 - std::exp(-2)));
    CHECK(width_of(a) < width_of(b));
}

TEST_CASE("coverage: the result names the nearest runs, and says where nothing like it was measured",
          "[evidence]") {
    const Answer home = answer(first());
    const auto json = nlohmann::json::parse(result_json(home, false, false));
    CHECK(json.at("band").at("coverage") == 0.8);
    REQUIRE(json.at("evidence").at("nearest_runs").size() == kNearestRuns);
    CHECK(json.at("evidence").at("distance").get<double>() == Approx(distance_to_runs(home.settings)));
    const std::string nearest = json.at("evidence").at("nearest_runs").at(0);
    CHECK(nearest_runs_sentence(home).find(nearest) != std::string::npos);
    CHECK(result_text(home, false, false).find(nearest) != std::string::npos);
    // GPU and stack have their titles.
    CHECK(nearest_runs_sentence(home).find(" × H100 SXM 80 GB with FSDP1, run " + nearest) !=
          std::string::npos);
    CHECK(nearest_runs_sentence(home).find("h100-sxm") == std::string::npos);

    Scenario far = first();
    far.give(P::memory_bandwidth, 64e12);
    far.give(P::peak_flops, 1e17);
    const Answer unlike = answer(far);
    REQUIRE(unlike.valid());
    CHECK(distance_to_runs(unlike.settings) >= kUnlikeAnyRun);
    CHECK(nearest_runs_sentence(unlike).find("Nothing like this scenario was measured.") == 0);
    CHECK(nearest_runs_sentence(unlike).find(largest_difference_sentence(unlike.settings)) !=
          std::string::npos);
    const std::vector<std::string> notes = extrapolation_warnings(unlike);
    CHECK(std::find(notes.begin(), notes.end(), nearest_runs_sentence(unlike)) != notes.end());
}

TEST_CASE("coverage: presets without a reliable time are apart from those without a run", "[evidence]") {
    const Preset* gpu = Catalogue::shipped().find(PresetKind::gpu, "tpu-v4");
    REQUIRE(gpu != nullptr);
    int shown = 0;
    for (const MeasuredRun& run : shipped_runs()) {
        if (run.gpu != gpu->name) continue;
        CHECK_FALSE(run.has_good_time());
        ++shown;
    }
    CHECK(shown == 6);
    CHECK(compared(*gpu) == Compared::never);
    const auto words = [](PresetKind kind, const char* name) {
        const Preset* preset = Catalogue::shipped().find(kind, name);
        REQUIRE(preset != nullptr);
        return comparison_of(*preset);
    };
    CHECK(comparison_of(*gpu) == "no reliable time");
    CHECK(words(PresetKind::cluster, "mi300x-node") == "no reliable time");
    CHECK(words(PresetKind::model, "gpt-oss-20b") == "no reliable time");
    CHECK(words(PresetKind::gpu, "gaudi3") == "never compared");
    CHECK(words(PresetKind::cluster, "alps") == "never compared");
    CHECK(words(PresetKind::model, "resnet-50") == "never compared");
    // It has the depth and width of DeepSeek-V3, of which runs exist, but half of its heads.
    CHECK(words(PresetKind::model, "kimi-k2") == "never compared");
    CHECK(words(PresetKind::model, "deepseek-v3") == "compared");
}
