// Tests what software stacks do not offer, and that the planner leaves it out.
#include "scenario/software_support.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "explain/output.h"
#include "planner/answer.h"
#include "planner/planner.h"
#include "planner/search.h"
#include "scenario/scenario.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

Scenario with_software(Software software, std::initializer_list<std::pair<P, Value>> more = {}) {
    Scenario scenario = of_model("llama-3-70b", {{P::gpus, 128},
                                                 {P::software, software},
                                                 {P::global_batch, 512},
                                                 {P::tensor_parallel, 4},
                                                 {P::sequence_parallel, true},
                                                 {P::micro_batch, 1}});
    for (const auto& [id, value] : more) scenario.give(id, value);
    return scenario;
}

// Returns the settings of the best plans.
std::vector<Settings> planned(const Scenario& scenario, std::initializer_list<P> free) {
    ParameterSet set;
    for (const P id : free) set.set(index(id));
    std::vector<Settings> out;
    for (const auto& found : search_plans(resolve(scenario), set, {}).best)
        out.push_back(resolve(with_plan(locked(scenario), found.plan, set)));
    return out;
}

}  // namespace

TEST_CASE("software: with another one, context parallelism takes a kind that it supports", "[scenario]") {
    const Scenario jax = of_model("gpt-oss-120b", {{P::gpus, 16},
                                                   {P::software, Software::jax},
                                                   {P::context_parallel, 2},
                                                   {P::context_parallel_kind, ContextParallelKind::p2p}});
    REQUIRE(answer(jax).valid());
    const Answer primus = answer(edited(jax, P::software, Value(Software::primus)));
    CHECK(primus.valid());
    CHECK(primus.settings.choice<ContextParallelKind>(P::context_parallel_kind) == ContextParallelKind::a2a);
}

TEST_CASE("software: the planner chooses no sharding that the stack does not have", "[planner]") {
    for (const Software software : {Software::torchtitan, Software::fsdp2, Software::nanotron}) {
        const Scenario scenario = with_software(software);
        const auto found = planned(scenario, {P::sharding, P::pipeline_parallel, P::schedule});
        REQUIRE_FALSE(found.empty());
        for (const Settings& s : found) CHECK(missing_in_software(s).empty());
    }
}

TEST_CASE("software: DeepSpeed shards no gradients in a pipeline", "[planner]") {
    const Settings alone = resolve(with_software(Software::deepspeed, {{P::sharding, Sharding::zero3}}));
    CHECK(offers_sharding(Sharding::zero3, alone));
    const Settings staged = resolve(
        with_software(Software::deepspeed, {{P::sharding, Sharding::zero3}, {P::pipeline_parallel, 4}}));
    CHECK_FALSE(offers_sharding(Sharding::zero2, staged));
    CHECK(offers_sharding(Sharding::zero1, staged));
    REQUIRE(missing_in_software(staged).size() == 1);
    CHECK(missing_in_software(staged)[0].find("DeepSpeed") == 0);
}

TEST_CASE("software: the planner chooses no offload that the stack does not have", "[planner]") {
    struct Case {
        Software software;
        Offload offered, missing;
    };
    for (const Case& one :
         {Case{Software::torchtitan, Offload::optimizer_and_parameters, Offload::optimizer},
          Case{Software::megatron_core, Offload::optimizer, Offload::optimizer_and_parameters},
          Case{Software::primus, Offload::optimizer, Offload::optimizer_and_parameters}}) {
        const Scenario scenario = with_software(one.software, {{P::sharding, Sharding::zero3}});
        const Settings s = resolve(scenario);
        CHECK(offers_offload(Offload::none, s));
        CHECK(offers_offload(one.offered, s));
        CHECK_FALSE(offers_offload(one.missing, s));
        // DeepSeek-V3 needs an offload here.
        const Scenario large = of_model("deepseek-v3", {{P::gpus, 128},
                                                        {P::software, one.software},
                                                        {P::sharding, Sharding::zero3},
                                                        {P::expert_parallel, 8},
                                                        {P::micro_batch, 1}});
        const std::vector<Settings> found = planned(large, {P::offload, P::recompute});
        REQUIRE_FALSE(found.empty());
        CHECK(found.front()[P::offload] != Value(Offload::none));
        for (const Settings& plan : found) CHECK(missing_in_software(plan).empty());
        const Answer given =
            answer(with_software(one.software, {{P::sharding, Sharding::zero3}, {P::offload, one.missing}}));
        CHECK(std::ranges::count_if(warnings(given), [](const std::string& note) {
                  return note.find("does not offload") != std::string::npos;
              }) == 1);
    }
    CHECK_FALSE(offers_offload(Offload::optimizer, resolve(with_software(Software::nanotron))));
    // DeepSpeed shards no weights in a pipeline, so it cannot offload them.
    CHECK_FALSE(
        offers_offload(Offload::optimizer_and_parameters,
                       resolve(with_software(Software::deepspeed, {{P::sharding, Sharding::zero1}}))));
}

TEST_CASE("software: an answer says that the stack does not have the dispatcher of its experts",
          "[planner]") {
    const auto says_so = [](Software software, MoeDispatcher dispatcher, double experts) {
        const Scenario scenario = of_model("mixtral-8x7b", {{P::gpus, 64},
                                                            {P::software, software},
                                                            {P::expert_parallel, experts},
                                                            {P::moe_dispatcher, dispatcher}});
        return std::ranges::count_if(warnings(answer(scenario)), [](const std::string& note) {
            return note.find("does not have the expert dispatcher") != std::string::npos;
        });
    };
    CHECK(says_so(Software::torchtitan, MoeDispatcher::all_gather, 8) == 1);
    CHECK(says_so(Software::torchtitan, MoeDispatcher::all_gather, 1) == 0);
    CHECK(says_so(Software::torchtitan, MoeDispatcher::deepep, 8) == 0);
    CHECK(says_so(Software::maxtext, MoeDispatcher::deepep, 8) == 1);
    CHECK(says_so(Software::megatron_core, MoeDispatcher::deepep, 8) == 0);
}

TEST_CASE("software: an answer says that the stack does not run on the machine", "[planner]") {
    const auto says_so = [](const char* cluster, Software software) {
        Scenario scenario =
            with_cluster(with_software(software), *Catalogue::shipped().find(PresetKind::cluster, cluster));
        scenario.give(P::software, software);
        return std::ranges::count_if(warnings(answer(scenario)), [](const std::string& note) {
            return note.find("does not run on") != std::string::npos;
        });
    };
    CHECK(says_so("tpu-v5p-slice", Software::megatron_core) == 1);
    CHECK(says_so("tpu-v5p-slice", Software::maxtext) == 0);
    CHECK(says_so("aws-trn2", Software::fsdp2) == 1);
    CHECK(says_so("gaudi3-node", Software::deepspeed) == 0);
    CHECK(says_so("dgx-h100", Software::megatron_core) == 0);
    CHECK(runs_on(Software::megatron_core, ""));
}

TEST_CASE("software: an answer says that the stack does not have its schedule", "[planner]") {
    const Answer now = answer(with_software(Software::megatron_core,
                                            {{P::pipeline_parallel, 4}, {P::schedule, ScheduleKind::zb_h1}}));
    const std::vector<std::string> notes = warnings(now);
    CHECK(std::ranges::count(notes, "Megatron-Core does not have the schedule zero bubble, H1.") == 1);
}

TEST_CASE("software: Megatron-Core overlaps experts in a pipeline with virtual stages alone", "[planner]") {
    const auto offers = [](double stages, double virtual_stages, Value recompute) {
        const Scenario scenario = of_model("mixtral-8x7b", {{P::gpus, 64},
                                                            {P::software, Software::megatron_core},
                                                            {P::expert_parallel, 8},
                                                            {P::moe_overlap, true},
                                                            {P::pipeline_parallel, stages},
                                                            {P::virtual_stages, virtual_stages},
                                                            {P::accumulation, 8},
                                                            {P::recompute, recompute}});
        return offers_expert_overlap(resolve(scenario));
    };
    CHECK(offers(1, 1, 0));
    CHECK_FALSE(offers(4, 1, 0));
    CHECK(offers(4, 2, 0));
    CHECK_FALSE(offers(1, 1, 1));
}

TEST_CASE("software: a given recomputation leaves plans for overlapped experts", "[planner]") {
    // Megatron-Core refuses this recomputation, but it was given, so the planner chooses among what remains.
    const Scenario scenario = of_model("mixtral-8x7b", {{P::gpus, 64},
                                                        {P::software, Software::megatron_core},
                                                        {P::expert_parallel, 8},
                                                        {P::moe_overlap, true},
                                                        {P::pipeline_parallel, 4},
                                                        {P::accumulation, 8},
                                                        {P::recompute, 1}});
    const auto found = planned(scenario, {P::virtual_stages, P::schedule});
    REQUIRE_FALSE(found.empty());
    for (const Settings& s : found) CHECK(s[P::virtual_stages] > 1);
}

TEST_CASE("experts: the busiest GPU has at most all tokens", "[model]") {
    const auto step = [](double imbalance) {
        return answer(of_model("mixtral-8x7b", {{P::gpus, 16},
                                                {P::expert_parallel, 2},
                                                {P::memory, 1e13},
                                                {P::expert_imbalance, imbalance}}))
            .estimate.step.total;
    };
    CHECK(step(1) < step(1.5));
    CHECK(step(2) == step(8));
}
