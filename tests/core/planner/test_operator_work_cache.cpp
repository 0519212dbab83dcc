#include "planner/operator_work_cache.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <type_traits>

#include "model/operator_inputs.h"
#include "scenario/catalogue.h"
#include "scenario/scenario.h"

using namespace shardscope;

namespace {

static_assert(std::is_trivially_copyable_v<BlockWork>);
bool equal(const BlockWork& a, const BlockWork& b) { return std::memcmp(&a, &b, sizeof(BlockWork)) == 0; }
bool equal(const OperatorWork& a, const OperatorWork& b) {
    const auto& layers = b.work.layers;
    return equal(a.work.embedding, b.work.embedding) && equal(a.work.head, b.work.head) &&
           std::equal(a.work.layers.begin(), a.work.layers.end(), layers.begin(), layers.end(),
                      [](const BlockWork& x, const BlockWork& y) { return equal(x, y); }) &&
           a.layers == b.layers;
}

Compiled machine(const Settings& settings) {
    Compiled c;
    c.settings = settings;
    compile_machine(c);
    return c;
}

// A plan in which the context-parallel ring stays in the node or leaves it.
Settings split_settings(double tensor, double context) {
    Scenario scenario = Scenario::first_launch(Catalogue::shipped());
    scenario.model = Catalogue::shipped().find(PresetKind::model, "mixtral-8x7b");
    scenario.give(P::gpus, 128);
    scenario.give(P::tensor_parallel, tensor);
    scenario.give(P::context_parallel, context);
    scenario.give(P::expert_parallel, 2);
    return resolve(scenario);
}

double another(P id, double value) {
    const Parameter& row = parameter(id);
    if (!row.names.empty())
        return row.names.front().value == value ? row.names.back().value : row.names.front().value;
    if (row.minimum == 0 && row.maximum == 1 && row.whole) return 1 - value;
    return value > 0 ? 2 * value : 1;
}

}  // namespace

TEST_CASE("plan parameters: the list of plans has those that the table gives to the plan", "[planner]") {
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        INFO(field_of(id));
        const std::size_t place = Plan::place(id);
        CHECK((place < kPlanSize) == parameter(id).of_plan());
        // A cell of the search fixes what the times of operators depend on.
        if (parameter(id).plan == PlanRole::operators) CHECK(place < kCellSize);
        CHECK(operator_split_parameters()[i] == (parameter(id).plan == PlanRole::operators));
    }
}

TEST_CASE("operator work cache: cached results equal newly computed ones after a change of any parameter",
          "[planner]") {
    for (const Settings& before : {split_settings(4, 2), split_settings(8, 4)}) {
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            INFO(parameter(id).key);
            Settings after = before;
            after.set(id, another(id, before[id]), Origin::given);
            OperatorWorkCache remembered;
            for (const Settings* settings : {&before, static_cast<const Settings*>(&after), &before}) {
                remembered.prepare(*settings);
                Compiled c = machine(*settings);
                OperatorWorkCache recomputed;
                recomputed.prepare(*settings);
                Compiled fresh = machine(*settings);
                OperatorWork first, second;
                CHECK(equal(remembered.of(c, first), recomputed.of(fresh, second)));
            }
        }
    }
}

TEST_CASE("operator work cache: the time without rare blocks is a close lower bound", "[planner]") {
    for (const char* model :
         {"deepseek-v3", "llama-3-70b", "qwen3-next-80b-a3b", "gemma-3-4b", "resnet-50"}) {
        INFO(model);
        Scenario scenario = Scenario::first_launch(Catalogue::shipped());
        scenario.model = Catalogue::shipped().find(PresetKind::model, model);
        REQUIRE(scenario.model);
        for (const double micro_batch : {1.0, 8.0}) {
            scenario.give(P::micro_batch, micro_batch);
            const Settings settings = resolve(scenario);
            OperatorWorkCache operators;
            operators.prepare(settings);
            Compiled c = machine(settings);
            OperatorWork uncached;
            const double layers = operators.of(c, uncached).layers;
            const double least = operators.least_layers(c);
            CHECK(least <= (1 + 1e-12) * layers);
            CHECK(least > 0.8 * layers);
            CHECK((least < (1 - 1e-6) * layers) == has_rare_blocks(c.operators));
            // It is remembered.
            CHECK(operators.least_layers(c) == least);
        }
    }
}

TEST_CASE(
    "operator work cache: another list of operators is computed again even if its parameters are the same",
    "[planner]") {
    Settings settings = split_settings(1, 1);
    settings.set(P::expert_parallel, 1, Origin::given);
    OperatorWorkCache operators;
    double before = 0;
    for (const char* name : {"resnet-50", "mpt-7b"}) {
        const Preset* model = Catalogue::shipped().find(PresetKind::model, name);
        REQUIRE(model);
        settings.set_listed(model->operators.get());
        operators.prepare(settings);
        Compiled c = machine(settings);
        OperatorWork uncached;
        const double layers = operators.of(c, uncached).layers;
        CHECK(layers != before);
        before = layers;
    }
}

TEST_CASE(
    "folded operators: a change of memory recomputes nothing, one of the network only groups that cross it",
    "[planner]") {
    const auto kept = [](const Settings& before, P id) {
        OperatorWorkCache operators;
        operators.prepare(before);
        Compiled c = machine(before);
        OperatorWork uncached;
        operators.of(c, uncached);
        // These are the settings of a new search: the plan's values and the machine's.
        Settings after = before;
        after.set(id, 2 * before[id], Origin::given);
        operators.prepare(after);
        // It is not compiled, so only a cached result has times.
        Compiled empty;
        empty.settings = after;
        const OperatorWork& again = operators.of(empty, uncached);
        return again.layers > 0 && std::isfinite(again.layers);
    };
    const Settings inside = split_settings(4, 2);
    const Settings across = split_settings(8, 4);
    CHECK(kept(inside, P::memory));
    CHECK(kept(across, P::gpus));
    CHECK(kept(inside, P::inter_node_bandwidth));
    CHECK_FALSE(kept(across, P::inter_node_bandwidth));
    CHECK_FALSE(kept(inside, P::memory_bandwidth));
}
