// Tests the step under all kinds of parallelism, and E19: tensor, context and expert parallelism.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "memory/memory.h"
#include "support/parallel_plans.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

constexpr std::initializer_list<P> kLatencies{P::collective_latency, P::intra_node_latency,
                                              P::inter_node_latency, P::kernel_launch,
                                              P::launch_overhead,    P::step_overhead};

}  // namespace

TEST_CASE("step: the terms of parallel plans add up to the total, and so does the attribution", "[step]") {
    for (const Scenario& scenario : plans()) {
        INFO(scenario.title());
        const StepTime step = step_of(scenario);
        CHECK(std::accumulate(step.terms.begin(), step.terms.end(), 0.0) ==
              Approx(step.total).epsilon(1e-12));
        CHECK(step.attribution.total() == Approx(step.total).epsilon(1e-12));
        CHECK(std::ranges::all_of(step.terms, [](double t) { return t >= 0; }));
        const Estimate e = answer(scenario).estimate;
        CHECK(std::accumulate(e.elasticity.begin(), e.elasticity.end(), 0.0) == Approx(1).epsilon(1e-12));
        CHECK(e.compute_time() + e.communication_time() - e.step.hidden_communication + e.waiting_time() ==
              Approx(e.step.total).epsilon(1e-12));
    }
}

TEST_CASE("step: the elasticities of parallel plans agree with finite differences", "[step][walls]") {
    const double factor = 1 + 1e-6;
    for (const Scenario& base : plans()) {
        INFO(base.title());
        const Answer now = answer(base);
        REQUIRE(now.valid());
        const auto difference = [&](std::initializer_list<P> faster, std::initializer_list<P> shorter) {
            Scenario scaled = base;
            for (const P id : faster) scaled.give(id, now.settings[id] * factor);
            for (const P id : shorter) scaled.give(id, now.settings[id] / factor);
            return std::log(answer(scaled).estimate.tokens_per_s / now.estimate.tokens_per_s) /
                   std::log(factor);
        };
        const auto& e = now.estimate.elasticity;
        CHECK(e[0] == Approx(difference({P::peak_flops}, {})).margin(2e-5));
        CHECK(e[1] == Approx(difference({P::memory_bandwidth}, {})).margin(2e-5));
        CHECK(e[2] ==
              Approx(difference({P::intra_node_bandwidth, P::host_bandwidth, P::host_memory_bandwidth}, {}))
                  .margin(2e-5));
        CHECK(e[3] == Approx(difference({P::inter_node_bandwidth}, {})).margin(2e-5));
        CHECK(e[4] == Approx(difference({}, kLatencies)).margin(2e-5));
    }
}

TEST_CASE("step: it is continuous in continuous inputs under every kind of parallelism", "[step]") {
    for (const Scenario& base : {three_d(), with_context(), with_experts()}) {
        for (const P id : {P::inter_node_bandwidth, P::intra_node_bandwidth, P::memory_bandwidth,
                           P::peak_flops, P::inter_node_latency, P::launch_overhead}) {
            const double at = resolve(base)[id];
            double last = 0;
            for (double value = at / 30; value < at * 30; value *= 1.002) {
                const double time = step_of(changed(base, {{id, value}})).total;
                if (last > 0) REQUIRE(std::fabs(time / last - 1) < 0.0025);
                last = time;
            }
        }
    }
}

TEST_CASE("step: more network bandwidth, memory bandwidth or peak never slows it down", "[step]") {
    for (const Scenario& base : plans()) {
        INFO(base.title());
        for (const P id :
             {P::inter_node_bandwidth, P::intra_node_bandwidth, P::memory_bandwidth, P::peak_flops}) {
            const double at = resolve(base)[id];
            double last = INFINITY;
            for (double value = at / 100; value < at * 100; value *= 1.7) {
                const double time = step_of(changed(base, {{id, value}})).total;
                CHECK(time <= last * (1 + 1e-12));
                last = time;
            }
        }
    }
}

TEST_CASE("step: the tensor-parallel exchanges of a layer move the volumes of E19", "[step]") {
    for (const double t : {2.0, 4.0, 8.0}) {
        for (const double sequence_parallel : {0.0, 1.0}) {
            const Compiled c = compile(resolve(without_latency(
                of_model("llama-3-70b", {{P::tensor_parallel, t},
                                         {P::sequence_parallel, sequence_parallel},
                                         {P::in_network_reduction, InNetworkReduction::none}}))));
            const double bytes = 2048.0 * 2 * 8192 * 2;  // s·b·h·Q
            const auto network = static_cast<std::size_t>(StepTerm::tensor_network);
            // Two pairs of matrices: an all-reduce each, or an all-gather and a reduce-scatter. The backward
            // pass with sequence parallelism gathers the input again. Part of the backward pass is hidden.
            const double one = (t - 1) / t * bytes / c.network.intra_bandwidth;
            const PassTime& forward = c.work.layers[0].forward;
            const PassTime& backward = c.work.layers[0].backward;
            CHECK(forward.terms[network] == Approx(4 * one).epsilon(1e-12));
            CHECK(forward.hidden == 0);
            CHECK(backward.hidden > 0);
            CHECK(backward.terms[network] + backward.hidden ==
                  Approx((sequence_parallel != 0 ? 6 : 4) * one).epsilon(1e-12));
        }
    }
}

TEST_CASE("step: without a parallel loss the logits are gathered in the forward pass", "[step]") {
    const auto network = static_cast<std::size_t>(StepTerm::tensor_network);
    for (const double t : {1.0, 2.0, 8.0}) {
        for (const double mtp : {0.0, 1.0}) {
            INFO(t << " GPUs, " << mtp << " prediction layers");
            const auto compiled = [&](bool parallel_loss, Precision precision) {
                return compile(
                    resolve(without_latency(of_model("llama-3-8b", {{P::tensor_parallel, t},
                                                                    {P::sequence_length, 4096},
                                                                    {P::micro_batch, 2},
                                                                    {P::mtp_layers, mtp},
                                                                    {P::precision, precision},
                                                                    {P::parallel_loss, parallel_loss}}))));
            };
            const Compiled with = compiled(true, Precision::bf16);
            const Compiled without = compiled(false, Precision::bf16);
            // 8,192 tokens with 128,256 logits of 2 bytes, (t − 1)/t of which other GPUs send.
            const double bytes = 8192.0 * 128256 * 2;
            const double gather = (1 + mtp) * (t - 1) / t * bytes / without.network.intra_bandwidth;
            const auto exposed = [&](const PassTime& pass) { return pass.terms[network]; };
            CHECK(exposed(without.work.head.forward) - exposed(with.work.head.forward) ==
                  Approx(gather).epsilon(1e-9).margin(1e-12));
            CHECK(exposed(without.work.head.backward) == exposed(with.work.head.backward));
            CHECK(without.work.head.backward.hidden == with.work.head.backward.hidden);
            // Logits of fp32 have twice the bytes.
            const Compiled full = compiled(false, Precision::fp32);
            CHECK(exposed(full.work.head.forward) ==
                  Approx(2 * exposed(without.work.head.forward)).epsilon(1e-9).margin(1e-12));
        }
    }
    // A job across nodes gathers them over the network between nodes.
    const auto step = [](bool parallel_loss) {
        return step_of(of_model("llama-3-8b", {{P::tensor_parallel, 16},
                                               {P::gpus, 16},
                                               {P::sharding, Sharding::ddp},
                                               {P::parallel_loss, parallel_loss}}))
            .total;
    };
    CHECK(step(false) > step(true));
}

TEST_CASE("step: asynchronous tensor parallelism hides all but a part of its collectives", "[step]") {
    const Compiled plain = compile(resolve(three_d()));
    const Compiled async = compile(resolve(changed(three_d(), {{P::async_tensor_parallel, true}})));
    const auto network = static_cast<std::size_t>(StepTerm::tensor_network);
    const double t = plain.layout.tensor;
    const auto passes = [](const Compiled& c) {
        return std::array{&c.work.layers[0].forward, &c.work.layers[0].backward};
    };
    for (std::size_t i = 0; i < 2; ++i) {
        const PassTime& waits = *passes(plain)[i];
        const PassTime& overlaps = *passes(async)[i];
        CHECK(overlaps.terms[network] < waits.terms[network]);
        // Hiding moves time from the exposed to the hidden part, and the first of t chunks is always exposed.
        const double communication = waits.terms[network] + waits.hidden;
        CHECK(overlaps.terms[network] + overlaps.hidden == Approx(communication).epsilon(1e-9));
        CHECK(overlaps.terms[network] > communication / t * (1 - 1e-9));
    }
    CHECK(step_time(async).total < step_time(plain).total);
    double last = 0;
    for (double omega = 0; omega <= 1; omega += 0.125) {
        const double time = step_of(changed(three_d(), {{P::overlap, omega}})).total;
        CHECK(time >= last);
        last = time;
    }
}

TEST_CASE("step: expert exchanges equal the numbers worked out by hand", "[step]") {
    // Mixtral on one node has 8 GPUs with an expert each: each pass has two all-to-alls of s·b·top·h·Q bytes,
    // 7/8 of which leave the GPU.
    const Compiled c = compile(resolve(without_latency(of_model(
        "mixtral-8x7b",
        {{P::gpus, 8}, {P::expert_parallel, 8}, {P::micro_batch, 1}, {P::expert_imbalance, 1.25}}))));
    const double bytes = 2048.0 * 2 * 4096 * 2;
    const auto network = static_cast<std::size_t>(StepTerm::expert_network);
    const double expected = 2 * 1.25 * 7.0 / 8 * bytes / c.network.intra_bandwidth;
    CHECK(c.work.layers[1].forward.terms[network] == Approx(expected).epsilon(1e-12));
    CHECK(c.work.layers[1].backward.terms[network] == Approx(expected).epsilon(1e-12));
    CHECK(step_of(of_model("mixtral-8x7b", {{P::expert_parallel, 1}})).term(StepTerm::expert_network) == 0);
}

TEST_CASE("step: keys and values go round the context-parallel ring while attention is computed", "[step]") {
    // Llama 3 70B, t = 2, c = 4 in one node: 8/2 key heads of 128 + 128, 16 bit, 8,192 tokens, of which 3/4
    // are sent.
    const Scenario scenario = without_latency(of_model("llama-3-70b", {{P::gpus, 8},
                                                                       {P::sequence_length, 8192},
                                                                       {P::micro_batch, 1},
                                                                       {P::tensor_parallel, 2},
                                                                       {P::context_parallel, 4},
                                                                       {P::overlap, 1}}));
    const Compiled c = compile(resolve(scenario));
    const double ring = 3.0 / 4 * 2 * 8192 * 4 * 256 / c.network.intra_bandwidth;
    const auto network = static_cast<std::size_t>(StepTerm::context_network);
    // ω = 1 overlaps nothing; in the backward pass the gradients are sent, too.
    CHECK(c.work.layers[0].forward.terms[network] == Approx(ring).epsilon(1e-9));
    CHECK(c.work.layers[0].backward.terms[network] == Approx(2 * ring).epsilon(1e-9));
    // ω = 0 overlaps all of it with attention.
    const Compiled hidden = compile(resolve(changed(scenario, {{P::overlap, 0}})));
    const PassTime pass = hidden.work.layers[0].forward;
    CHECK(pass.terms[network] == Approx(0).margin(1e-15));
    CHECK(pass.hidden == Approx(ring).epsilon(1e-9));
}

TEST_CASE("step: hierarchical context parallelism exchanges heads inside a node", "[step]") {
    // t = 4, c = 8 on nodes of eight GPUs: pairs in a node exchange heads, and rings of four cross nodes.
    const auto times = [](double outside) {
        Scenario scenario =
            without_latency(of_model("llama-3-70b", {{P::gpus, 64},
                                                     {P::sequence_length, 65536},
                                                     {P::micro_batch, 1},
                                                     {P::tensor_parallel, 4},
                                                     {P::context_parallel, 8},
                                                     {P::context_parallel_kind, ContextParallelKind::a2a_p2p},
                                                     {P::overlap, 1}}));
        scenario.give(P::inter_node_bandwidth, outside * resolve(scenario)[P::inter_node_bandwidth]);
        const Compiled c = compile(resolve(scenario));
        const BlockRates rates = block_rates(c.settings, c.layout, c.gpu, c.network);
        OperatorList list;
        build_transformer(c.settings, list);
        std::map<std::string_view, double> out;
        for (const Operator& op : list.of_kind[0].operators) {
            if (op.kind == OperatorKind::collective)
                out[op.name] = collective_operator_time(op, rates).total();
        }
        return out;
    };
    auto slow = times(0.5), fast = times(1);
    CHECK(slow["attention.exchange"] == fast["attention.exchange"]);
    CHECK(slow["attention.ring"] == Approx(2 * fast["attention.ring"]).epsilon(1e-9));
    const Compiled c = compile(resolve(first()));
    // Half of the queries, keys, values and outputs of 8,192 tokens: 16 + 16 heads and 2 + 2 of keys and
    // values.
    CHECK(fast["attention.exchange"] ==
          Approx(0.5 * 2 * 8192 * 128 * (16 + 16 + 2 + 2) / c.network.intra_bandwidth).epsilon(0.05));
}

TEST_CASE("step: oversubscribed links between pods slow down messages of stages and context rings",
          "[step]") {
    const auto message = [](double pod, double oversubscription) {
        const Scenario scenario = changed(without_latency(three_d()),
                                          {{P::pod_gpus, pod}, {P::oversubscription, oversubscription}});
        return compile(resolve(scenario)).message.total();
    };
    // Eight stages of 64 GPUs in pods of 64: every message leaves its pod.
    CHECK(message(0, 1) > 0);
    CHECK(message(64, 4) == Approx(4 * message(0, 1)).epsilon(1e-9));
    CHECK(message(512, 4) == Approx(message(0, 1)).epsilon(1e-12));
    // Two stages in a pod: half of the GPUs send to another one.
    CHECK(message(128, 4) == Approx(2 * message(0, 1)).epsilon(1e-9));

    // Rings of four GPUs that are four apart, so that two of them are in a pod of eight.
    const auto ring = [](double pod, double oversubscription) {
        const Compiled c = compile(resolve(
            changed(without_latency(with_context()), {{P::context_parallel_kind, ContextParallelKind::p2p},
                                                      {P::pod_gpus, pod},
                                                      {P::oversubscription, oversubscription}})));
        const BlockRates rates = block_rates(c.settings, c.layout, c.gpu, c.network);
        return collective_operator_time(operator_of(c.operators.usual_layer(), "attention.ring"), rates)
            .total();
    };
    CHECK(ring(8, 8) == Approx(4 * ring(0, 1)).epsilon(1e-9));
    CHECK(ring(8, 2) == Approx(ring(0, 1)).epsilon(1e-12));
    CHECK(ring(16, 8) == Approx(ring(0, 1)).epsilon(1e-12));
}

TEST_CASE("step: an uneven causal triangle slows attention down by its imbalance", "[step]") {
    const auto attention = [](double imbalance) {
        return step_of(changed(with_context(), {{P::context_imbalance, imbalance}}))
            .term(StepTerm::attention);
    };
    CHECK(attention(1.75) == Approx(1.75 * attention(1)).epsilon(1e-12));
    // One of four GPUs cannot have more than four times the average work.
    CHECK(attention(9) == Approx(4 * attention(1)).epsilon(1e-12));
    // Without context parallelism there is no imbalance.
    CHECK(step_of(changed(three_d(), {{P::context_imbalance, 2}})).total == step_of(three_d()).total);
}

TEST_CASE("step: attention whose GPUs exchange heads has no imbalance", "[step]") {
    // Two key heads on each GPU.
    const auto attention = [](ContextParallelKind kind, double inner, double imbalance, double recompute) {
        return step_of(changed(with_context(), {{P::context_parallel, 2 * inner},
                                                {P::gpus, 256},
                                                {P::context_parallel_kind, kind},
                                                {P::context_parallel_inner, inner},
                                                {P::recompute, recompute},
                                                {P::context_imbalance, imbalance}}))
            .term(StepTerm::attention);
    };
    for (const double recompute : {0.0, 1.0}) {
        const auto ratio = [&](ContextParallelKind kind, double inner, double imbalance) {
            return attention(kind, inner, imbalance, recompute) / attention(kind, inner, 1, recompute);
        };
        // Each of two GPUs has the whole sequence for half of the heads.
        CHECK(ratio(ContextParallelKind::a2a, 1, 1.5) == 1);
        CHECK(ratio(ContextParallelKind::p2p, 1, 1.5) == Approx(1.5).epsilon(1e-12));
        CHECK(ratio(ContextParallelKind::all_gather, 1, 1.5) == Approx(1.5).epsilon(1e-12));
        // Rings of two GPUs between pairs that exchange heads: the halves of the sequence are unequal, and a
        // GPU of one half has at most twice the average work.
        CHECK(ratio(ContextParallelKind::a2a_p2p, 2, 1.5) == Approx(1.5).epsilon(1e-12));
        CHECK(ratio(ContextParallelKind::a2a_p2p, 2, 3) == Approx(2).epsilon(1e-12));
    }
    // Groups of all GPUs exchange heads alone.
    const Scenario whole = changed(with_context(), {{P::context_parallel, 2},
                                                    {P::context_parallel_kind, ContextParallelKind::a2a_p2p},
                                                    {P::context_parallel_inner, 2}});
    CHECK(step_of(changed(whole, {{P::context_imbalance, 1.5}})).total == step_of(whole).total);
}

TEST_CASE("step: a group of one GPU has no communication", "[step]") {
    const StepTime step = step_of(first());
    for (const StepTerm none : {StepTerm::tensor_network, StepTerm::context_network, StepTerm::expert_network,
                                StepTerm::stage_network, StepTerm::bubble, StepTerm::host_link})
        CHECK(step.term(none) == 0);
}

TEST_CASE("step: without latencies, doubling every rate halves the time", "[step]") {
    for (const Scenario& plan : plans()) {
        const Scenario base = without_latency(plan);
        const Settings s = resolve(base);
        Scenario doubled = base;
        for (const P id :
             {P::peak_flops, P::memory_bandwidth, P::intra_node_bandwidth, P::inter_node_bandwidth,
              P::host_bandwidth, P::host_memory_bandwidth, P::nvme_bandwidth})
            doubled.give(id, 2 * s[id]);
        CHECK(step_of(doubled).total == Approx(step_of(base).total / 2).epsilon(1e-12));
    }
}

TEST_CASE("step: a prediction layer is recomputed like the other layers, in time and in memory",
          "[estimate][recompute]") {
    const auto compiled = [](double recompute, double predictions) {
        return compile(resolve(of_model("deepseek-v3", {{P::layers, 60},
                                                        {P::gpus, 256},
                                                        {P::expert_parallel, 64},
                                                        {P::pipeline_parallel, 4},
                                                        {P::sequence_length, 4096},
                                                        {P::micro_batch, 1},
                                                        {P::accumulation, 8},
                                                        {P::recompute, recompute},
                                                        {P::mtp_layers, predictions}})));
    };
    const Compiled without = compiled(1, 0);
    const Compiled with = compiled(1, 1);
    const Compiled kept = compiled(0, 1);
    const auto repeated = [](const Compiled& c) {
        return step_time(c, c.stages.last).term(StepTerm::recompute);
    };
    // The head's stage repeats one layer more, with its projection.
    const double more = repeated(with) - repeated(without);
    CHECK(more == Approx(8 * with.settings[P::recompute_share] * with.work.prediction.forward.time.total()));
    CHECK(with.work.prediction.forward.time.total() > with.work.layers[1].forward.time.total());
    CHECK(repeated(kept) == 0);
    CHECK(with.executed_flops_per_token - kept.executed_flops_per_token >
          without.executed_flops_per_token - compiled(0, 0).executed_flops_per_token);
    // A recomputed layer keeps only its input, which is as large as what one stage passes to the next.
    const auto held = [&](const Compiled& c) { return micro_batch_memory(c.stages.last, c).held; };
    const double head = with.work.head.saved - without.work.head.saved;
    CHECK(held(with) - held(without) == Approx(2.0 * 4096 * 7168 + head));
    CHECK(held(kept) - held(compiled(0, 0)) == Approx(with.work.prediction.saved + head));
    // Its loss has logits of its own.
    CHECK(schedule_memory(with.stages.last, with).logits ==
          2 * schedule_memory(without.stages.last, without).logits);
}

TEST_CASE("step: groups of one GPU leave the plain kind of parallelism", "[step][memory]") {
    const auto same = [](const Scenario& a, const Scenario& b) {
        const Compiled one = compile(resolve(a));
        const Compiled other = compile(resolve(b));
        CHECK(step_time(one).terms == step_time(other).terms);
        CHECK(step_time(one).hidden_communication == step_time(other).hidden_communication);
        CHECK(memory_use(one).by_moment == memory_use(other).by_moment);
    };
    // Heads exchanged in a group of one are a ring; exchanged in one group of all there is no ring.
    const auto context = [](ContextParallelKind kind, double inner) {
        return of_model("llama-3-8b", {{P::sequence_length, 32768},
                                       {P::micro_batch, 1},
                                       {P::tensor_parallel, 2},
                                       {P::context_parallel, 4},
                                       {P::context_parallel_kind, kind},
                                       {P::context_parallel_inner, inner}});
    };
    same(context(ContextParallelKind::a2a_p2p, 1), context(ContextParallelKind::p2p, 1));
    same(context(ContextParallelKind::a2a_p2p, 4), context(ContextParallelKind::a2a, 1));
    // States sharded over one GPU are not sharded, with and without experts and accumulation.
    const auto states = [](const char* model, Sharding sharding) {
        return of_model(model, {{P::sharding, sharding}, {P::shard_group, 1}, {P::accumulation, 2}});
    };
    for (const char* model : {"mixtral-8x7b", "llama-3-8b"}) {
        for (const Sharding sharding : {Sharding::zero1, Sharding::zero2, Sharding::zero3, Sharding::hsdp})
            same(states(model, sharding), states(model, Sharding::ddp));
    }
    // The eight tensor-parallel GPUs of a group of one data-parallel GPU hold the same experts and shard
    // them.
    const auto optimizer_bytes = [](Sharding sharding) {
        return answer(of_model("mixtral-8x7b", {{P::gpus, 64},
                                                {P::tensor_parallel, 8},
                                                {P::expert_tensor_parallel, 1},
                                                {P::sharding, sharding},
                                                {P::shard_group, 1}}))
            .estimate.memory.term(MemoryTerm::optimizer);
    };
    for (const Sharding sharding : {Sharding::zero1, Sharding::zero3, Sharding::hsdp})
        CHECK(optimizer_bytes(sharding) < 0.2 * optimizer_bytes(Sharding::ddp));
}
