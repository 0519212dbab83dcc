// Tests the map of two inputs: cells equal single estimates, impossible pairs, axes and cancellation.
#include <catch2/catch.hpp>
#include <cmath>

#include "explore/map.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

void check_cells(const Scenario& scenario, const WallMap& map) {
    REQUIRE(map.cells.size() == map.x.values.size() * map.y.values.size());
    Answer single;
    for (std::size_t iy = 0; iy < map.y.values.size(); ++iy) {
        for (std::size_t ix = 0; ix < map.x.values.size(); ++ix) {
            const double x = map.x.values[ix];
            const double y = map.y.values[iy];
            INFO(parameter(map.x.id).key << " " << x << ", " << parameter(map.y.id).key << " " << y);
            const MapCell& cell = map.at(ix, iy);
            const bool valid = answer_into(edited(edited(scenario, map.x.id, x), map.y.id, y), single);
            if (!cell.valid) {
                // The pair is not valid, or one of its two values was changed.
                CHECK((!valid || single.settings[map.x.id] != x || single.settings[map.y.id] != y));
                continue;
            }
            REQUIRE(valid);
            CHECK(cell.mfu == single.estimate.mfu);
            CHECK(cell.verdict == single.estimate.verdict);
            CHECK(cell.wall == single.estimate.wall);
            CHECK(cell.peak_memory == single.estimate.memory.peak);
            CHECK(cell.elasticity == single.estimate.elasticity);
            CHECK((cell.memory_share <= 1) == single.estimate.fits());
        }
    }
}

}  // namespace

TEST_CASE("map: every cell is the single estimate for its two values", "[map]") {
    const Scenario held = locked(first());
    check_cells(held, wall_map(held, map_axis(held, P::gpus, 12), map_axis(held, P::sequence_length, 12), 2));
    check_cells(held,
                wall_map(held, map_axis(held, P::inter_node_bandwidth, 9), map_axis(held, P::memory, 9), 1));
    check_cells(
        held, wall_map(held, map_axis(held, P::micro_batch, 20), map_axis(held, P::tensor_parallel, 20), 2));
    const Scenario strong = with_hold(held, Hold::global_batch);
    check_cells(strong,
                wall_map(strong, map_axis(strong, P::gpus, 12), map_axis(strong, P::hidden_size, 8), 2));
}

TEST_CASE("map: with automatic parameters every cell gets its own plan, with locked ones all share a plan",
          "[map]") {
    const Scenario automatic = with_auto(first(), P::micro_batch, true);
    const Axis x{P::inter_node_bandwidth, {5e9, 50e9}};
    const Axis y{P::memory, {60e9, 200e9}};
    const WallMap planned = wall_map(automatic, x, y, 2);
    check_cells(automatic, planned);
    const Scenario plan = locked(answer(automatic).scenario);
    const WallMap held = wall_map(plan, x, y, 2);
    check_cells(plan, held);
    // More memory allows a larger micro-batch and so a higher MFU only where each cell gets its own plan.
    CHECK(held.at(0, 1).mfu == Approx(held.at(0, 0).mfu));
    CHECK(planned.at(0, 1).mfu > planned.at(0, 0).mfu);
}

TEST_CASE(
    "map: the last round of planning gives the map of a full search, and earlier rounds use neighbouring "
    "plans",
    "[map]") {
    Scenario automatic = with_auto(first(), P::micro_batch, true);
    for (const P id : {P::recompute, P::tensor_parallel, P::sharding})
        automatic = with_auto(automatic, id, true);
    const Axis x = map_axis(automatic, P::gpus, 11);
    const Axis y = map_axis(automatic, P::sequence_length, 10);
    const WallMap whole = wall_map(automatic, x, y, 2);
    check_cells(automatic, whole);
    PlannedMap rounds(automatic, x, y, 4);
    for (const std::size_t stride : {4U, 2U, 1U}) {
        REQUIRE_FALSE(rounds.finished());
        std::stop_source stopped;
        stopped.request_stop();
        CHECK(rounds.next(1, stopped.get_token()).cells.empty());
        const WallMap map = rounds.next(2);
        CHECK(map.stride == stride);
        REQUIRE(map.cells.size() == whole.cells.size());
        std::size_t uses_neighbour_plan = 0;
        for (std::size_t iy = 0; iy < y.values.size(); ++iy) {
            for (std::size_t ix = 0; ix < x.values.size(); ++ix) {
                const bool planned = (ix % stride == 0 || ix + 1 == x.values.size()) &&
                                     (iy % stride == 0 || iy + 1 == y.values.size());
                const MapCell& cell = map.at(ix, iy);
                const MapCell& best = whole.at(ix, iy);
                CHECK(cell.uses_neighbour_plan == !planned);
                uses_neighbour_plan += cell.uses_neighbour_plan;
                // A uses_neighbour_plan plan is never better than the best plan.
                if (planned) CHECK(cell.mfu == best.mfu);
                if (cell.verdict != Verdict::fits) continue;
                CHECK(best.verdict == Verdict::fits);
                CHECK(cell.mfu <= best.mfu);
            }
        }
        CHECK((uses_neighbour_plan == 0) == (stride == 1));
    }
    CHECK(rounds.finished());
}

TEST_CASE("map: along memory most plans follow from neighbouring cells, and they are the best", "[map]") {
    Scenario automatic = first();
    automatic.give(P::global_batch, 256);
    for (const P id : {P::micro_batch, P::recompute, P::tensor_parallel, P::sharding, P::offload})
        automatic = with_auto(automatic, id, true);
    const Axis memory = make_axis(automatic, P::memory, 4e9, 200e9, 33, true);
    const Axis bandwidth = make_axis(automatic, P::inter_node_bandwidth, 1e9, 100e9, 5, true);
    const WallMap along_y = wall_map(automatic, bandwidth, memory, 2);
    check_cells(automatic, along_y);
    check_cells(automatic, wall_map(automatic, memory, bandwidth, 1));
    CHECK_FALSE(along_y.at(0, 0).fits());
    CHECK(along_y.at(0, 32).fits());

    // The same holds in rounds, at any position of the last value.
    for (const int count : {30, 32, 33}) {
        const Axis values = make_axis(automatic, P::memory, 4e9, 200e9, count, true);
        PlannedMap rounds(automatic, bandwidth, values, 8);
        while (!rounds.finished()) {
            const WallMap map = rounds.next(2);
            for (std::size_t iy = 0; iy < values.values.size(); ++iy) {
                const bool planned = iy % map.stride == 0 || iy + 1 == values.values.size();
                CHECK(map.at(0, iy).uses_neighbour_plan == !planned);
                CHECK(map.at(0, iy).valid);
            }
            if (map.stride == 1) check_cells(automatic, map);
        }
    }
}

TEST_CASE("map: impossible pairs of values are not valid", "[map]") {
    const Scenario held = locked(first());
    // Two GPUs cannot have a tensor-parallel degree of eight, but eight can.
    const WallMap map = wall_map(held, {P::gpus, {2, 8, 16}}, {P::tensor_parallel, {1, 8}});
    CHECK(map.at(0, 0).valid);
    CHECK_FALSE(map.at(0, 1).valid);
    CHECK(map.at(1, 1).valid);
    CHECK(map.at(2, 1).valid);
    CHECK_FALSE(map.at(0, 1).fits());
}

TEST_CASE("map: the ideal threshold is reached where there are enough tokens per GPU", "[map]") {
    const Scenario held = locked(first());
    const WallMap map = wall_map(held, {P::gpus, {1, 16, 65536}}, {P::sequence_length, {1024, 2048}});
    // One GPU has no network. Many GPUs need peak ÷ bandwidth out of the node = 2,474 tokens, two nodes half
    // of that.
    CHECK(map.at(0, 0).ideal_cover == 0);
    CHECK(map.at(1, 0).ideal_cover == Approx(2 * 1024 / 1237.0).epsilon(0.001));
    CHECK(map.at(2, 0).ideal_cover == Approx(2 * 1024 / 2474.0).epsilon(0.001));
    CHECK(map.at(2, 1).ideal_cover == Approx(2 * 2048 / 2474.0).epsilon(0.001));
    const Scenario whole = edited(held, P::sharding, Sharding::zero1);
    CHECK(wall_map(whole, {P::gpus, {64}}, {P::sequence_length, {2048}}).at(0, 0).ideal_cover == 0);
}

TEST_CASE("map: the number of threads does not change it, and a cancelled map is empty", "[map]") {
    const Scenario held = locked(first());
    const Axis x = map_axis(held, P::gpus, 16);
    const Axis y = map_axis(held, P::memory_bandwidth, 16);
    const WallMap one = wall_map(held, x, y, 1);
    const WallMap four = wall_map(held, x, y, 4);
    for (std::size_t i = 0; i < one.cells.size(); ++i) CHECK(one.cells[i].mfu == four.cells[i].mfu);
    std::stop_source stopped;
    stopped.request_stop();
    CHECK(wall_map(held, x, y, 2, stopped.get_token()).cells.empty());
}

TEST_CASE("map: axes include the scenario's own value and increase", "[map]") {
    for (const double sequence : {64.0, 2048.0, 200000.0}) {
        const Scenario scenario = with({{P::sequence_length, sequence}});
        const Axis axis = map_axis(scenario, P::sequence_length, 96);
        CHECK(axis.values.front() <= sequence);
        CHECK(axis.values.back() >= sequence);
        CHECK(std::is_sorted(axis.values.begin(), axis.values.end()));
    }
    CHECK(map_axis(first(), P::gpus, 96).values.back() == 16384);
    CHECK(map_axis(first(), P::sharding, 96).values.size() == 6);
    CHECK(map_axis_is_discrete(P::tensor_parallel, resolve(first())));
    CHECK_FALSE(map_axis_is_discrete(P::micro_batch, resolve(first())));
}
