// Tests ZeRO++ by hand: bytes on the links, the secondary shards of the weights, and what the planner may
// choose.
#include "effects/quantized_traffic.h"

#include <catch2/catch.hpp>
#include <set>

#include "planner/answer.h"
#include "planner/space.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("quantized traffic: a quarter of FSDP's bytes leave the node", "[effects]") {
    // 300 GB/s inside the node and 10 GB/s for each adapter, without latency; 8 nodes of 8 GPUs.
    const NetworkRates network{300e9, 10e9, 0, 0, 0, 0.65};
    const RingGroup shard{8, 8, 1};
    const double parameters = 1e9;
    const Time gather = quantized_gather_time(parameters, shard, network);
    CHECK(gather[Rate::inter_node] == Approx(63.0 / 64 * 1e9 / 80e9));
    // The second gather stays in the node: 2 bytes a weight.
    const Time again = node_gather_time(2 * parameters, shard, network);
    CHECK(again[Rate::inter_node] == 0);
    CHECK(again[Rate::intra_node] == Approx(7.0 / 8 * 2e9 / 300e9));
    // Half a byte a gradient inside the node, then an eighth of them between the nodes.
    const Time reduce = quantized_reduce_time(parameters, shard, network);
    CHECK(reduce[Rate::intra_node] == Approx(7.0 / 8 * 0.5e9 / 300e9));
    CHECK(reduce[Rate::inter_node] == Approx(7.0 / 8 * 0.5e9 / 8 / 10e9));
    // FSDP with 16-bit weights and gradients sends 3 · 2 bytes; ZeRO++ sends 1 + 1/2.
    const double plain = 3 * all_gather_time(2 * parameters, shard, network)[Rate::inter_node];
    const double quantized = gather[Rate::inter_node] + reduce[Rate::inter_node];
    CHECK(plain / quantized == Approx(4).epsilon(0.05));
}

TEST_CASE("quantized traffic: a group inside one node needs no secondary shards", "[effects]") {
    const auto weights = [](double gpus, Sharding sharding, bool reshards = true) {
        const Answer now = answer(with({{P::gpus, gpus},
                                        {P::sharding, sharding},
                                        {P::half_precision_shard, true},
                                        {P::reshard_after_forward, reshards}}));
        REQUIRE(now.valid());
        return now.estimate.memory.term(MemoryTerm::weights);
    };
    const double all = compile(resolve(with({}))).parameters;
    CHECK(weights(64, Sharding::zero_pp) - weights(64, Sharding::zero3) == Approx(2 * all / 8));
    CHECK(weights(8, Sharding::zero_pp) == weights(8, Sharding::zero3));
    // Weights that stay gathered need no secondary shards either.
    CHECK(weights(64, Sharding::zero_pp, false) == weights(64, Sharding::zero3, false));
}

TEST_CASE("quantized traffic: slow networks gain, and the step contains the quantization", "[effects]") {
    const auto step = [](double adapters, Sharding sharding) {
        return answer(with({{P::inter_node_bandwidth, adapters}, {P::sharding, sharding}})).estimate.step;
    };
    const auto copies = [](const StepTime& of) {
        return of.terms[static_cast<std::size_t>(StepTerm::memory_copies)];
    };
    CHECK(step(2e9, Sharding::zero_pp).total < 0.5 * step(2e9, Sharding::zero3).total);
    CHECK(copies(step(50e9, Sharding::zero_pp)) > copies(step(50e9, Sharding::zero3)));
}

TEST_CASE("quantized traffic: the planner keeps ZeRO++ and drives, and does not choose them", "[planner]") {
    const auto choices = [](P id, double value) {
        const Settings s = resolve(with({{id, value}}));
        ParameterSet free;
        for (const P plan : {P::sharding, P::offload, P::shard_group}) {
            if (plan != id) free.set(index(plan));
        }
        std::set<double> found;
        for (const ParameterSet& of : {free, ParameterSet(free).set(index(id))}) {
            const PlanSpace space(s, of);
            for (const Degrees& degrees : space.degrees()) {
                for (const StateSharding& one : degrees.shardings) {
                    if (id == P::sharding) found.insert(Value(one.sharding));
                    else found.insert(one.offloads.begin(), one.offloads.end());
                }
            }
            CHECK(found.contains(value) != of[index(id)]);
            found.clear();
        }
    };
    choices(P::sharding, Value(Sharding::zero_pp));
    choices(P::offload, Value(Offload::optimizer_nvme));
}
