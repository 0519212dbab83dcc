// Tests the painted tracks: every point is an estimate, edges and notches lie where estimates change, and all
// tracks stay within their budget of time.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "explain/takeover.h"
#include "explore/track.h"
#include "explore/track_estimator.h"
#include "files/scenario_file.h"
#include "planner/plan.h"
#include "scenario/domain.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

SliderScale scale_of(const Scenario& scenario, P id) {
    const Settings settings = resolve(scenario);
    return {domain(id, settings), parameter(id).logarithmic, parameter(id), settings[id]};
}

Track track_of(const Scenario& scenario, P id, TrackGrain grain = {}) {
    return track(scenario, id, scale_of(scenario, id), grain);
}

bool has_slider(P id, const Settings& settings) {
    return parameter(id).prominence != Prominence::file && !std::isnan(settings[id]);
}

Scenario too_long() { return edited(first(), P::sequence_length, 8192); }

Scenario slow_network() {
    return edited(edited(edited(first(), P::sequence_length, 512), P::micro_batch, 1),
                  P::inter_node_bandwidth, 12.5e9);
}

// A plan with tensor, context and pipeline parallelism and virtual stages.
Scenario with_all_degrees() {
    Scenario scenario = of_model("llama-3-70b", {});
    for (const auto& [id, value] : std::initializer_list<std::pair<P, Value>>{{P::gpus, 512},
                                                                              {P::sequence_length, 8192},
                                                                              {P::micro_batch, 1},
                                                                              {P::accumulation, 64},
                                                                              {P::tensor_parallel, 4},
                                                                              {P::context_parallel, 2},
                                                                              {P::pipeline_parallel, 4},
                                                                              {P::virtual_stages, 5}})
        scenario = edited(scenario, id, value);
    return scenario;
}

Scenario global_batch_held() { return with_hold(first(), Hold::global_batch); }

std::vector<Scenario> several() {
    return {first(), too_long(), slow_network(), with_all_degrees(), global_batch_held()};
}

template <typename Visit>
void for_each_slider(const std::vector<Scenario>& scenarios, Visit&& visit) {
    for (const Scenario& scenario : scenarios) {
        const Settings settings = resolve(scenario);
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            if (!has_slider(id, settings)) continue;
            INFO(scenario.title() + ": " + std::string(parameter(id).key));
            visit(scenario, id);
        }
    }
}

const TrackPoint* point_at(const Track& track, double value) {
    const auto found = std::ranges::find(track.points, value, &TrackPoint::value);
    return found == track.points.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("a track's point at the current value is the scenario's own estimate", "[track]") {
    for_each_slider(several(), [](const Scenario& scenario, P id) {
        const Answer now = answer(scenario);
        const Track made = track_of(scenario, id);
        const TrackPoint* own = point_at(made, now.settings[id]);
        REQUIRE(own);
        CHECK(own->fits == now.fits());
        if (!now.fits()) return;
        CHECK(own->mfu == now.estimate.mfu);
        CHECK(own->wall == now.estimate.wall);
    });
}

TEST_CASE("a track between the allowed values shows the nearest one, also where it is the present value",
          "[track]") {
    const Scenario scenario = edited(first(), P::gpus, 72);
    const Answer now = answer(scenario);
    REQUIRE(now.fits());
    TrackEstimator estimator(scenario, P::gpus, {});
    for (const double value : {70.0, 72.0, 74.0}) {
        const TrackPoint point = estimator.at(value, 0.5);
        CHECK(point.fits);
        CHECK(point.mfu == now.estimate.mfu);
    }
}

TEST_CASE("a track is hatched where the held plan is not possible", "[track]") {
    // A replica has 4 × 4 GPUs, and a batch of 128 has at most 128 replicas. The planner has other plans.
    Scenario scenario = of_model("llama-3-70b", {{P::sequence_length, 2048}});
    for (const auto& [id, value] : std::initializer_list<std::pair<P, Value>>{
             {P::gpus, 16}, {P::micro_batch, 1}, {P::tensor_parallel, 4}, {P::pipeline_parallel, 4}})
        scenario = edited(scenario, id, value);
    scenario = edited(with_hold(scenario, Hold::global_batch), P::global_batch, 128);
    const Settings settings = resolve(scenario);
    REQUIRE(settings[P::gpus] == 16);
    REQUIRE(settings[P::global_batch] == 128);
    Scenario planned = scenario;
    planned.automatic = default_free_parameters();
    TrackEstimator held(locked(answer(scenario).scenario), P::gpus);
    for (const double few : {1.0, 8.0, 15.0}) CHECK_FALSE(held.at(few, 0).fits);
    for (const double many : {4096.0, 16384.0}) CHECK_FALSE(held.at(many, 1).fits);
    // Both tracks have the scale of the planned one, where fewer GPUs are possible.
    const SliderScale scale = scale_of(planned, P::gpus);
    const Track upper = track(locked(scenario), P::gpus, scale, {});
    const TrackPoint* eight = point_at(upper, 8);
    if (eight) CHECK_FALSE(eight->fits);
}

TEST_CASE("every point of a track is the estimate after an edit to its value", "[track]") {
#ifdef __SANITIZE_ADDRESS__  // all scenarios would take many minutes
    const std::vector<Scenario> scenarios{first()};
#else
    const std::vector<Scenario> scenarios = several();
#endif
    for_each_slider(scenarios, [](const Scenario& scenario, P id) {
        const double own = resolve(scenario)[id];
        for (const TrackPoint& point : track_of(scenario, id).points) {
            if (point.value == own) continue;
            const Scenario after = edited(scenario, id, point.value);
            const Answer there = answer(after);
            INFO(point.value);
            if (after == scenario) {  // no edit leads to this value
                CHECK_FALSE(point.fits);
                continue;
            }
            REQUIRE(point.fits == there.fits());
            if (!point.fits) continue;
            REQUIRE(point.mfu == there.estimate.mfu);
            REQUIRE(point.wall == there.estimate.wall);
        }
    });
}

TEST_CASE("a track's edges are exact to the pixel column, and its colours to what an eye can distinguish",
          "[track]") {
    for_each_slider(several(), [](const Scenario& scenario, P id) {
        const Track quick = track_of(scenario, id);
        const Track whole = track_of(scenario, id, {.columns = 104, .stride = 1, .halvings = 4});
        REQUIRE(quick.columns.size() == whole.columns.size());
        CHECK(quick.points.size() <= whole.points.size());
        for (std::size_t i = 0; i < whole.columns.size(); ++i) {
            INFO("column " << i);
            REQUIRE(quick.columns[i].fits == whole.columns[i].fits);
            if (whole.columns[i].fits)
                REQUIRE(quick.columns[i].mfu == Approx(whole.columns[i].mfu).margin(0.02));
        }
    });
}

TEST_CASE("the notch lies where the next wall takes over", "[track]") {
    for (const Scenario& scenario : {first(), slow_network()}) {
        const Answer now = answer(scenario);
        const Takeovers found = takeovers(now);
        REQUIRE((found.below || found.above));
        const bool below = found.below.has_value();
        const Takeover& takeover = below ? *found.below : *found.above;
        const SliderScale scale = scale_of(scenario, found.input);
        const Track made = track(scenario, found.input, scale, {});
        const double own = scale.fraction(now.settings[found.input]);
        const double place = scale.fraction(takeover.value);
        const auto nearest = std::ranges::min_element(
            made.changes, {}, [&](const WallChange& change) { return std::fabs(change.place - place); });
        REQUIRE(nearest != made.changes.end());
        CHECK(std::fabs(nearest->place - place) * 104 < 0.2);
        CHECK((nearest->place < own) == below);
        CHECK((below ? nearest->before : nearest->after) == takeover.next);
    }
}

TEST_CASE("notches lie only between two fitting values with different walls", "[track]") {
    std::size_t seen = 0;
    for_each_slider(several(), [&](const Scenario& scenario, P id) {
        const Track made = track_of(scenario, id);
        for (const WallChange& change : made.changes) {
            ++seen;
            CHECK(change.before != change.after);
            CHECK(change.before != Wall::balanced);
            CHECK(change.after != Wall::balanced);
            const auto after = std::ranges::find_if(
                made.points, [&](const TrackPoint& point) { return point.place > change.place; });
            REQUIRE((after != made.points.end() && after != made.points.begin()));
            CHECK(after->fits);
            CHECK((after - 1)->fits);
        }
    });
    CHECK(seen > 20);
}

TEST_CASE("choices and degrees have one cell for each valid value", "[track]") {
    const Scenario scenario = first();
    const Settings settings = resolve(scenario);
    for (const P id : {P::sharding, P::recompute, P::precision, P::tensor_parallel, P::pipeline_parallel,
                       P::context_parallel, P::software}) {
        const Track made = track_of(scenario, id);
        INFO(parameter(id).key);
        CHECK(made.cells);
        CHECK(made.columns.size() == domain(id, settings).stops.size());
    }
    for (const P id : {P::gpus, P::micro_batch, P::memory}) CHECK_FALSE(track_of(scenario, id).cells);
    // There is no value between two named choices, so no wall changes there.
    CHECK(track_of(slow_network(), P::sharding).changes.empty());
}

TEST_CASE("memory's track is hatched below the scenario's requirement", "[track]") {
    const Scenario scenario = first();
    const Answer now = answer(scenario);
    const SliderScale scale = scale_of(scenario, P::memory);
    const Track made = track(scenario, P::memory, scale, {});
    // The scenario fits while the peak does not exceed the capacity plus its margin.
    const double least = now.estimate.memory.peak / (1 + now.settings[P::risk_margin]);
    const auto first_fit = std::ranges::find(made.columns, true, &TrackColumn::fits);
    const auto column = static_cast<double>(first_fit - made.columns.begin());
    CHECK(column == Approx(scale.fraction(least) * 104).margin(0.51));
    CHECK(std::all_of(first_fit, made.columns.end(), [](const TrackColumn& c) { return c.fits; }));
    CHECK(std::none_of(made.columns.begin(), first_fit, [](const TrackColumn& c) { return c.fits; }));
}

TEST_CASE("when nothing fits the tracks show which values would fit", "[track]") {
    const Scenario scenario = too_long();
    REQUIRE_FALSE(answer(scenario).fits());
    const auto fits_somewhere = [&](P id) {
        return std::ranges::any_of(track_of(scenario, id).columns, &TrackColumn::fits);
    };
    for (const P id : {P::micro_batch, P::sequence_length, P::memory, P::recompute, P::tensor_parallel})
        CHECK(fits_somewhere(id));
    for (const P id : {P::inter_node_bandwidth, P::peak_flops, P::overlap}) {
        CHECK_FALSE(fits_somewhere(id));
        CHECK(track_of(scenario, id).changes.empty());
    }
}

TEST_CASE("a re-planned track shows the planner's own answers", "[track]") {
    const Scenario scenario = with_auto(first(), P::micro_batch, true);
    const Answer now = answer(scenario);
    const Track held = track_of(locked(now.scenario), P::memory);
    const Track planned = track_of(scenario, P::memory);
    CHECK(point_at(held, now.settings[P::memory])->mfu == now.estimate.mfu);
    CHECK(point_at(planned, now.settings[P::memory])->mfu == now.estimate.mfu);
    // More memory raises the MFU only where the plan may change, and then less memory is enough.
    CHECK(planned.columns.back().mfu > held.columns.back().mfu + 0.01);
    const auto hatched = [](const Track& track) {
        return std::ranges::count(track.columns, false, &TrackColumn::fits);
    };
    CHECK(hatched(planned) < hatched(held));
}

TEST_CASE("a re-planned track of a model's width does not alternate between plans of different divisors",
          "[track]") {
    // 129 heads have no tensor parallelism, so that their plan is much slower than that of 128 heads.
    Scenario scenario = with_hold(first(), Hold::global_batch);
    for (const P id : {P::tensor_parallel, P::pipeline_parallel, P::sharding, P::recompute, P::micro_batch})
        scenario = with_auto(scenario, id, true);
    REQUIRE(answer(edited(scenario, P::hidden_size, 16384)).estimate.mfu > 0.4);
    REQUIRE(answer(edited(scenario, P::hidden_size, 16512)).estimate.mfu < 0.35);
    const SliderScale scale = scale_of(scenario, P::hidden_size);
    const TrackGrain grain{.columns = 330, .stride = 6};
    const Track made = track(scenario, P::hidden_size, scale, grain);
    const auto column = [&](double width) {
        return static_cast<std::size_t>(scale.fraction(width) * grain.columns);
    };
    for (std::size_t i = column(12288); i <= column(16384); ++i) {
        INFO("column " << i);
        CHECK(made.columns[i].fits);
        CHECK(made.columns[i].mfu > 0.4);
    }
}

TEST_CASE("the best of a few plans is no better than the planner's best, and includes the current plan",
          "[track]") {
    Scenario scenario = first();
    for (const P id : {P::micro_batch, P::recompute, P::tensor_parallel})
        scenario = with_auto(scenario, id, true);
    const Answer now = answer(scenario);
    for (const P id : {P::memory, P::sequence_length, P::gpus, P::inter_node_bandwidth, P::sharding}) {
        INFO(parameter(id).key);
        const SliderScale scale = scale_of(now.scenario, id);
        const Track exact = track(now.scenario, id, scale, {.stride = 13});
        const Track quick = track(now.scenario, id, scale, {.stride = 13, .few_plans = true});
        CHECK(point_at(quick, now.settings[id])->mfu == now.estimate.mfu);
        std::size_t same = 0;
        for (const TrackPoint& point : quick.points) {
            const TrackPoint* best = point_at(exact, point.value);
            if (!point.fits || !best) continue;
            CHECK(point.mfu <= best->mfu);
            same += point.mfu == best->mfu ? 1 : 0;
        }
        CHECK(same >= 1);
        CHECK(std::ranges::count(quick.columns, true, &TrackColumn::fits) <=
              std::ranges::count(exact.columns, true, &TrackColumn::fits));
    }
}

TEST_CASE("the tracks of all rows together stay within their budget of time", "[track]") {
    std::vector<Scenario> scenarios = several();
    Problems none;
    Catalogue catalogue = Catalogue::with_folder("", none);
    for (const Preset* preset : catalogue.all(PresetKind::scenario)) {
        Problems problems;
        scenarios.push_back(read_scenario(preset->text, catalogue, "", problems));
        REQUIRE(problems.empty());
    }
    for (const Scenario& scenario : scenarios) {
        const Settings settings = resolve(scenario);
        std::size_t points = 0;
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            if (parameter(id).prominence == Prominence::row && has_slider(id, settings))
                points += track_of(scenario, id).points.size();
        }
        INFO(scenario.title());
        CHECK(points < 1200);
    }
}

TEST_CASE("a cancelled track stops", "[track]") {
    std::stop_source source;
    source.request_stop();
    const SliderScale continuous = scale_of(first(), P::memory);
    CHECK(track(first(), P::memory, continuous, {}, source.get_token()).points.size() <= 1);
    const SliderScale list = scale_of(first(), P::gpus);
    CHECK(track(first(), P::gpus, list, {}, source.get_token()).points.empty());
}

TEST_CASE("a track of an invalid scenario shows which values would make it valid", "[track]") {
    const Scenario scenario = with({{P::micro_batch, 1.5}});
    REQUIRE_FALSE(answer(scenario).valid());
    CHECK(std::ranges::any_of(track_of(scenario, P::micro_batch).columns, &TrackColumn::fits));
    CHECK(std::ranges::none_of(track_of(scenario, P::memory).columns, &TrackColumn::fits));
}

TEST_CASE("the description of a track states what it shows", "[track]") {
    const auto words = [](const Scenario& scenario, P id) {
        return track_words(scenario, id, scale_of(scenario, id));
    };
    using Catch::Matchers::Contains;
    const Scenario scenario = first();
    const std::string link = words(scenario, P::inter_node_bandwidth);
    CHECK_THAT(link, Contains("MFU") && Contains("inter-node-bound below") && Contains("Gbit/s"));
    CHECK_THAT(link, !Contains("does not fit"));
    // The number is the longest sequence that fits, to the slider's step.
    const std::string sequence = words(scenario, P::sequence_length);
    double longest = 256;
    while (answer(edited(scenario, P::sequence_length, longest + 64)).fits()) longest += 64;
    CHECK_THAT(sequence, Contains("does not fit above " + format(P::sequence_length, longest)));
    CHECK_THAT(words(scenario, P::memory), Contains("does not fit below") && Contains("GiB"));
    CHECK_THAT(words(scenario, P::sharding), Contains("does not fit with DDP"));
    CHECK_THAT(words(too_long(), P::inter_node_bandwidth), Contains("does not fit anywhere"));
    CHECK_THAT(words(too_long(), P::inter_node_bandwidth), !Contains("MFU"));
}
