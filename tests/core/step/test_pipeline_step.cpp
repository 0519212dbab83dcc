// Tests E20 in a whole step: bubble, messages, stages of unequal length, and schedules in two directions.
#include <catch2/catch.hpp>

#include "support/parallel_plans.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("step: the bubble is (p − 1)/v passes of the average stage for any number of micro-batches",
          "[step]") {
    const auto bubble = [](std::initializer_list<std::pair<P, Value>> plan) {
        return step_of(changed(three_d(), plan)).term(StepTerm::bubble);
    };
    const double of_32 = bubble({});
    CHECK(bubble({{P::accumulation, 512}}) == Approx(of_32).epsilon(1e-12));
    double last = 1;
    for (double micro_batches = 8; micro_batches <= 1024; micro_batches *= 2) {
        const StepTime step = step_of(changed(three_d(), {{P::accumulation, micro_batches}}));
        const double share = step.term(StepTerm::bubble) / step.total;
        CHECK(share < last);
        last = share;
    }
    // With one virtual stage per GPU the bubble is three times as long, except for the messages, of which
    // there is a third.
    const double plain = bubble({{P::virtual_stages, 1}});
    CHECK(plain / of_32 == Approx(3).epsilon(0.05));
    CHECK(plain / of_32 <= 3);
    CHECK(bubble({{P::virtual_stages, 1}, {P::schedule, ScheduleKind::gpipe}}) == plain);
    CHECK(bubble({{P::virtual_stages, 1}, {P::schedule, ScheduleKind::zb_h1}}) < plain);
    CHECK(bubble({{P::virtual_stages, 1}, {P::schedule, ScheduleKind::zb_h2}}) <
          bubble({{P::virtual_stages, 1}, {P::schedule, ScheduleKind::zb_h1}}));
    CHECK(step_of(first()).term(StepTerm::bubble) == 0);
}

TEST_CASE("step: the bubble over ideal time is the published one without ends, messages and latencies",
          "[step]") {
    // With 96 layers on 8 stages the bubble is (p − 1)/(v·m) of the layers' time. The tolerance covers the
    // ends, 2 of 98 layers, one of which is on the slowest stage.
    const Scenario scenario =
        changed(without_latency(three_d()), {{P::inter_node_bandwidth, 1e15}, {P::sharding, Sharding::ddp}});
    const StepTime step = step_of(scenario);
    double work = 0;
    for (const StepTerm part : {StepTerm::matmul, StepTerm::attention, StepTerm::elementwise,
                                StepTerm::recompute, StepTerm::tensor_network})
        work += step.term(part);
    CHECK(step.term(StepTerm::bubble) / work == Approx(7.0 / (3 * 32)).epsilon(0.04));
}

TEST_CASE("step: the messages between stages equal the numbers worked out by hand", "[step]") {
    // A message has b·s·h·Q bytes over the tensor-parallel GPUs, forward and back, for each of v virtual
    // stages and m micro-batches.
    const Scenario scenario = changed(without_latency(three_d()), {{P::overlap, 1}});
    const Compiled c = compile(resolve(scenario));
    const double message = 2.0 * 2048 * 12288 / 8 / c.network.inter_bandwidth;
    CHECK(step_time(c).term(StepTerm::stage_network) == Approx(32 * 2 * 3 * message).epsilon(1e-9));
    // Stages in one node use its link.
    const Compiled inside =
        compile(resolve(without_latency(with({{P::gpus, 8}, {P::pipeline_parallel, 4}, {P::overlap, 1}}))));
    const double short_message = 2.0 * 2 * 2048 * 5120 / inside.network.intra_bandwidth;
    CHECK(step_time(inside).term(StepTerm::stage_network) == Approx(2 * short_message).epsilon(1e-9));
}

TEST_CASE("step: passes that the messages hide fill no gap of the bubble", "[step]") {
    // Found by random scenarios: the messages of this pipeline take much longer than its passes, so a pass
    // lengthens the step by less than its duration, and no rate has a share below 0.
    Scenario scenario = of_model("glm-4.5", {{P::gpus, 64},
                                             {P::inter_node_bandwidth, 1e6},
                                             {P::sequence_length, 7},
                                             {P::accumulation, 15},
                                             {P::pipeline_parallel, 8},
                                             {P::schedule, ScheduleKind::zb_v}});
    const Answer now = answer(scenario);
    REQUIRE(now.valid());
    for (const double share : now.estimate.elasticity) CHECK(share >= 0);
    // A faster GPU does not make the step longer.
    scenario.give(P::peak_flops, 4 * now.settings[P::peak_flops]);
    scenario.give(P::memory_bandwidth, 4 * now.settings[P::memory_bandwidth]);
    CHECK(answer(scenario).estimate.step.total <= now.estimate.step.total);
}

TEST_CASE("step: the slowest stage determines the time", "[step]") {
    // Of 80 layers on 4 stages, the last stage has 20 layers and the LM head.
    const Scenario scenario = changed(without_latency(of_model("llama-3-70b", {{P::gpus, 32},
                                                                               {P::tensor_parallel, 8},
                                                                               {P::pipeline_parallel, 4},
                                                                               {P::sharding, Sharding::ddp},
                                                                               {P::accumulation, 16}})),
                                      {{P::attention, AttentionKernel::flash}});
    const Compiled c = compile(resolve(scenario));
    const double layer = c.work.layers[0].forward.terms[0] + c.work.layers[0].backward.terms[0];
    const double head = c.work.head.forward.terms[0] + c.work.head.backward.terms[0];
    CHECK(step_time(c).term(StepTerm::matmul) == Approx(16 * (20 * layer + head)).epsilon(1e-12));
}

TEST_CASE("step: a tied head on its own stage is trained like a copy of the embedding", "[step]") {
    const auto step = [](double tied) {
        return step_of(of_model("gpt-3-175b", {{P::gpus, 64},
                                               {P::tensor_parallel, 8},
                                               {P::pipeline_parallel, 8},
                                               {P::sharding, Sharding::ddp},
                                               {P::tied_embeddings, tied}}));
    };
    CHECK(step(1).term(StepTerm::optimizer) == Approx(step(0).term(StepTerm::optimizer)).epsilon(1e-12));
    CHECK(step(1).term(StepTerm::memory_copies) ==
          Approx(step(0).term(StepTerm::memory_copies)).epsilon(1e-12));
}

TEST_CASE("step: a bidirectional pipeline has the same compute and balances its ends", "[step]") {
    const Scenario one = changed(three_d(), {{P::virtual_stages, 1}});
    for (const double schedule : {7.0, 8.0}) {
        const Compiled both = compile(resolve(changed(one, {{P::schedule, schedule}})));
        const Compiled plain = compile(resolve(one));
        CHECK(both.stages.weight_copies == 2);
        CHECK(both.stages.first.layers() == 2 * plain.stages.first.layers());
        CHECK(both.stages.first.embedding);
        CHECK(both.stages.first.head);
        CHECK(both.stages.last.head);
        CHECK_FALSE(both.stages[1].head);
        // A stage has 12 layers in all micro-batches; half of the head counts on each end.
        const StepTime step = step_time(both);
        const StepTime step_plain = step_time(plain);
        const double head = 32 * plain.work.head.both_passes().total();
        const double embedding = 32 * plain.work.embedding.both_passes().total();
        const auto computing = [](const StepTime& t) {
            return t.term(StepTerm::matmul) + t.term(StepTerm::attention) + t.term(StepTerm::elementwise) +
                   t.term(StepTerm::tensor_network);
        };
        CHECK(computing(step_plain) - computing(step) == Approx((head - embedding) / 2).epsilon(1e-9));
        CHECK(step.term(StepTerm::bubble) < step_plain.term(StepTerm::bubble));
    }
}

TEST_CASE("step: sequence chunks send as many bytes in more messages, and launch more kernels", "[step]") {
    const auto of = [](double chunks) {
        return compile(resolve(
            changed(with_context(), {{P::schedule, ScheduleKind::seq1f1b}, {P::sequence_pieces, chunks}})));
    };
    const Compiled one = of(1);
    const Compiled eight = of(8);
    CHECK(eight.passes.count == 8 * one.passes.count);
    // Shorter messages reach less of the bandwidth, and each of them has the latency.
    const double whole = one.message.total();
    CHECK(8 * eight.message.total() > 1.01 * whole);
    CHECK(8 * eight.message.total() < 1.5 * whole);
    // With one chunk it is 1F1B.
    CHECK(step_time(one).total == step_of(with_context()).total);
    CHECK(step_time(eight).term(StepTerm::bubble) < step_time(one).term(StepTerm::bubble) / 7);
    const Scenario launching =
        changed(with_context(), {{P::launch_overhead, 0.2e-3}, {P::schedule, ScheduleKind::seq1f1b}});
    CHECK(step_of(changed(launching, {{P::sequence_pieces, 32}})).term(StepTerm::host) >
          2 * step_of(changed(launching, {{P::sequence_pieces, 8}})).term(StepTerm::host));
}
