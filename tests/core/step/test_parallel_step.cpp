// Tests E17–E21: the step under tensor, context, expert and pipeline parallelism.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "memory/memory.h"
#include "step/layers.h"
#include "step/step.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

StepTime step_of(const Scenario& scenario) {
    const Settings s = resolve(scenario);
    REQUIRE(is_valid(s));
    return step_time(compile(s));
}

Scenario changed(Scenario scenario, std::initializer_list<std::pair<P, Value>> values) {
    for (const auto& [id, value] : values) scenario.give(id, value);
    return scenario;
}

// GPT-3 175B on 512 GPUs: tensor × pipeline × data.
Scenario three_d() {
    return of_model("gpt-3-175b", {{P::gpus, 512},
                                   {P::tensor_parallel, 8},
                                   {P::sequence_parallel, true},
                                   {P::pipeline_parallel, 8},
                                   {P::virtual_stages, 3},
                                   {P::sharding, Sharding::zero1},
                                   {P::micro_batch, 1},
                                   {P::recompute, kRecomputeSelective},
                                   {P::accumulation, 32}});
}

Scenario with_context() {
    return of_model("llama-3-70b", {{P::gpus, 256},
                                    {P::sequence_length, 32768},
                                    {P::tensor_parallel, 4},
                                    {P::context_parallel, 4},
                                    {P::pipeline_parallel, 4},
                                    {P::sharding, Sharding::zero1},
                                    {P::micro_batch, 1},
                                    {P::accumulation, 8}});
}

Scenario with_experts() {
    return of_model("deepseek-v3", {{P::gpus, 1024},
                                    {P::sequence_length, 4096},
                                    {P::tensor_parallel, 2},
                                    {P::pipeline_parallel, 8},
                                    {P::expert_parallel, 32},
                                    {P::sharding, Sharding::zero1},
                                    {P::micro_batch, 1},
                                    {P::recompute, 1},
                                    {P::accumulation, 16}});
}

Scenario fsdp_experts() {
    return of_model("mixtral-8x7b", {{P::gpus, 128}, {P::expert_parallel, 8}, {P::tensor_parallel, 2}});
}

std::vector<Scenario> plans() {
    return {
        three_d(),
        with_context(),
        with_experts(),
        fsdp_experts(),
        changed(three_d(), {{P::virtual_stages, 1}, {P::schedule, ScheduleKind::zb_h1}}),  // zero bubble, H1
        changed(three_d(), {{P::virtual_stages, 1}, {P::schedule, ScheduleKind::zb_h2}}),  // H2
        changed(three_d(), {{P::virtual_stages, 1}, {P::schedule, ScheduleKind::gpipe}}),  // GPipe
        changed(three_d(), {{P::schedule, ScheduleKind::breadth_first}}),                  // breadth-first
        changed(three_d(), {{P::schedule, ScheduleKind::breadth_first}, {P::sharding, Sharding::zero3}}),
        changed(three_d(), {{P::virtual_stages, 1},
                            {P::schedule, ScheduleKind::modular},
                            {P::sharding, Sharding::zero2}}),                                 // modular
        changed(three_d(), {{P::virtual_stages, 1}, {P::schedule, ScheduleKind::dualpipe}}),  // DualPipe
        changed(three_d(), {{P::virtual_stages, 1},
                            {P::schedule, ScheduleKind::bitpipe},
                            {P::sharding, Sharding::zero3}}),                                      // BitPipe
        changed(with_context(), {{P::schedule, ScheduleKind::seq1f1b}, {P::sequence_pieces, 8}}),  // Seq1F1B
        changed(with_experts(), {{P::schedule, ScheduleKind::dualpipe}}),
        with({{P::schedule, ScheduleKind::breadth_first}, {P::accumulation, 8}}),  // layered accumulation
        changed(three_d(), {{P::async_tensor_parallel, true}, {P::recompute, 0.5}}),
        changed(with_context(), {{P::sharding, Sharding::zero3}, {P::context_imbalance, 1.5}}),
        changed(with_context(), {{P::sharding, Sharding::zero2}, {P::offload, Offload::optimizer}}),
        changed(with_experts(), {{P::sharding, Sharding::hsdp}, {P::expert_imbalance, 1.3}}),
        with({{P::tensor_parallel, 4},
              {P::offload, Offload::optimizer_and_parameters},
              {P::accumulation, 2}})};
}

constexpr std::initializer_list<P> kLatencies{P::collective_latency, P::intra_node_latency,
                                              P::inter_node_latency, P::kernel_launch,
                                              P::layer_overhead,     P::step_overhead};

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
        CHECK(e.compute_time() + e.communication_time() - e.step.hidden_communication + e.schedule_time() ==
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
        CHECK(e[2] == Approx(difference({P::intra_node_bandwidth}, {})).margin(2e-5));
        CHECK(e[3] == Approx(difference({P::inter_node_bandwidth}, {})).margin(2e-5));
        CHECK(e[4] ==
              Approx(difference({P::host_bandwidth, P::host_memory_bandwidth}, kLatencies)).margin(2e-5));
    }
}

TEST_CASE("step: it is continuous in continuous inputs under every kind of parallelism", "[step]") {
    for (const Scenario& base : {three_d(), with_context(), with_experts()}) {
        for (const P id : {P::inter_node_bandwidth, P::intra_node_bandwidth, P::memory_bandwidth,
                           P::peak_flops, P::inter_node_latency, P::layer_overhead}) {
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

TEST_CASE("step: an uneven causal triangle slows attention down by its imbalance", "[step]") {
    const auto attention = [](double imbalance) {
        return step_of(changed(with_context(), {{P::context_imbalance, imbalance}}))
            .term(StepTerm::attention);
    };
    CHECK(attention(1.75) == Approx(1.75 * attention(1)).epsilon(1e-12));
    // Without context parallelism there is no imbalance.
    CHECK(step_of(changed(three_d(), {{P::context_imbalance, 2}})).total == step_of(three_d()).total);
}

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
    const Scenario scenario =
        changed(without_latency(three_d()), {{P::overlap, 1}, {P::collective_efficiency, 1}});
    const Compiled c = compile(resolve(scenario));
    const double message = 2.0 * 2048 * 12288 / 8 / c.network.inter_bandwidth;
    CHECK(step_time(c).term(StepTerm::stage_network) == Approx(32 * 2 * 3 * message).epsilon(1e-9));
    // Stages in one node use its link.
    const Compiled inside = compile(resolve(without_latency(
        with({{P::gpus, 8}, {P::pipeline_parallel, 4}, {P::overlap, 1}, {P::collective_efficiency, 1}}))));
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

TEST_CASE("step: the optimizer works on this GPU's shard", "[step]") {
    const auto optimizer = [](const Scenario& scenario) {
        const Compiled c = compile(resolve(scenario));
        return step_time(c).term(StepTerm::optimizer) * c.gpu.memory_bandwidth /
               c.settings[P::optimizer_traffic];
    };
    // ZeRO-1 shards over a group of 2 instead of all 8 data-parallel GPUs, which makes four times the
    // parameters.
    const Scenario base = three_d();
    CHECK(optimizer(changed(base, {{P::shard_group, 2}})) == Approx(4 * optimizer(base)).epsilon(1e-12));
    // All parameters of Mixtral are sharded over all 64 GPUs, wherever its experts are.
    CHECK(optimizer(of_model("mixtral-8x7b", {})) == Approx(46702792704.0 / 64).epsilon(1e-12));
    CHECK(optimizer(of_model("mixtral-8x7b", {{P::expert_parallel, 8}})) ==
          Approx(46702792704.0 / 64).epsilon(1e-12));
}

TEST_CASE("step: ZeRO-1 within a node shards there and all-reduces between nodes", "[step]") {
    // Nothing is overlapped: weights are gathered and gradients reduced over 8 GPUs of a node, then each
    // eighth of the gradients is all-reduced over 8 nodes through one adapter.
    const Scenario scenario =
        changed(without_latency(of_model("llama-2-13b", {{P::gpus, 64},
                                                         {P::sharding, Sharding::zero1},
                                                         {P::shard_group, 8},
                                                         {P::collective_efficiency, 1}})),
                {{P::overlap, 1}});
    const Compiled c = compile(resolve(scenario));
    CHECK(c.layout.replica.nodes == 8);
    const double gradients = c.state.gradients * c.parameters;
    const double inside = 7.0 / 8 * (2 * c.parameters + gradients) / c.network.intra_bandwidth;
    const double between = 2 * 7.0 / 8 * gradients / 8 / c.network.inter_bandwidth;
    CHECK(step_time(c).term(StepTerm::network) == Approx(inside + between).epsilon(1e-9));
    // With accumulation ZeRO-1 still reduces once a step, but ZeRO-2 in every micro-batch.
    CHECK(step_of(changed(scenario, {{P::accumulation, 4}})).term(StepTerm::network) ==
          Approx(inside + between).epsilon(1e-9));
    CHECK(step_of(changed(scenario, {{P::accumulation, 4}, {P::sharding, Sharding::zero2}}))
              .term(StepTerm::network) ==
          Approx(7.0 / 8 * (2 * c.parameters + 4 * gradients) / c.network.intra_bandwidth + 4 * between)
              .epsilon(1e-9));
}

TEST_CASE("step: in interleaved pipelines traffic once per step overlaps with a group of micro-batches",
          "[step]") {
    // 96 layers on 8 stages of 3 virtual stages, 4 layers each. The links are so slow that a layer's traffic
    // takes longer than its pass, but not longer than those of the 8 micro-batches of a group.
    const Scenario scenario =
        changed(without_latency(of_model("gpt-3-175b", {{P::gpus, 512},
                                                        {P::tensor_parallel, 8},
                                                        {P::pipeline_parallel, 8},
                                                        {P::sharding, Sharding::zero1},
                                                        {P::virtual_stages, 3},
                                                        {P::accumulation, 16},
                                                        {P::inter_node_bandwidth, 20e9}})),
                {{P::overlap, 0}});
    const Compiled c = compile(resolve(scenario));
    const Layers layers(c);
    const Layer& layer = layers.of_kind[0];
    const double gather = layer.traffic.gather.total();
    const double reduce = layer.traffic.gradients().total();
    const double forward = layer.work.forward.time.total();
    const double backward = layer.backward().total();
    REQUIRE(gather > forward);
    REQUIRE(gather < 8 * forward);
    REQUIRE(reduce > backward);
    REQUIRE(reduce < 8 * backward);
    // One pass hides the traffic of the 3 layers beside the end; the embedding's traffic and the last
    // reduction are exposed.
    const UnitTraffic ends = end_traffic(c.stages.first, c);
    const double expected = 3 * (gather - forward) + 3 * (reduce - backward) + reduce + ends.gather.total() +
                            ends.gradients().total();
    CHECK(step_time(c, 0).term(StepTerm::network) == Approx(expected).epsilon(1e-9));
    // Without virtual stages, only one of 16 micro-batches hides it.
    const Compiled plain = compile(resolve(changed(scenario, {{P::virtual_stages, 1}})));
    CHECK(step_time(plain, 0).term(StepTerm::network) ==
          Approx(12 * (gather - forward) + 11 * (reduce - backward) + reduce + ends.gather.total() +
                 ends.gradients().total())
              .epsilon(1e-9));
}

TEST_CASE("step: in every micro-batch FSDP gathers layers twice and the ends once, and reduces all",
          "[step]") {
    // There are 64 GPUs on 8 nodes. The adapters are slow, so the way out of the nodes is the limit, with all
    // 8 together. Nothing is overlapped.
    const auto network = [](double reshard, double accumulation, double precision) {
        const Scenario scenario =
            changed(without_latency(of_model("llama-2-13b", {{P::gpus, 64},
                                                             {P::inter_node_bandwidth, 5e9},
                                                             {P::collective_efficiency, 1},
                                                             {P::gradient_precision, precision},
                                                             {P::accumulation, accumulation}})),
                    {{P::overlap, 1}, {P::reshard_after_forward, reshard}});
        const Compiled c = compile(resolve(scenario));
        return step_time(c).term(StepTerm::network) * 8 * c.network.inter_bandwidth / (63.0 / 64);
    };
    const double all = 13015864320;                // parameters
    const double ends = (2.0 * 32000 + 1) * 5120;  // embedding, head and its norm
    CHECK(network(1, 1, 0) == Approx(2 * (2 * all - ends) + 2 * all).epsilon(1e-9));
    CHECK(network(0, 1, 0) == Approx(2 * all + 2 * all).epsilon(1e-9));
    CHECK(network(1, 3, 0) == Approx(3 * (2 * (2 * all - ends) + 2 * all)).epsilon(1e-9));
    // The reduction of fp32 gradients moves twice as many bytes.
    CHECK(network(1, 1, 3) == Approx(2 * (2 * all - ends) + 4 * all).epsilon(1e-9));
}

TEST_CASE("step: offload moves gradients and weights over the host link", "[step]") {
    const auto link = [](double offload, double sharding) {
        return step_of(with({{P::offload, offload}, {P::sharding, sharding}})).term(StepTerm::host_link);
    };
    const Settings s = resolve(first());
    // 13 B parameters over 64 GPUs: 2 B each for gradients to the host and weights back, while the optimizer
    // works in host memory.
    const double local = 12853954560.0 / 64;
    const double state = resolve(first()).choice<Precision>(P::gradient_precision) == Precision::fp32 ? 6 : 4;
    const double expected = std::max(state * local / s[P::host_bandwidth],
                                     s[P::optimizer_traffic] * local / s[P::host_memory_bandwidth]);
    CHECK(link(0, 3) == 0);
    CHECK(link(1, 3) == Approx(expected).epsilon(1e-12));
    CHECK(link(1, 1) == Approx(expected).epsilon(1e-12));
    CHECK(step_of(with({{P::offload, Offload::optimizer}})).term(StepTerm::optimizer) == 0);
    // On drives, the fp32 master copy and both moments are read and written while the host updates them.
    const double drives = 2 * 12 * local / s[P::nvme_bandwidth];
    CHECK(link(3, 1) == Approx(std::max(expected, drives)).epsilon(1e-12));
    CHECK(drives > expected);
    // If the weights are on the host, too, every gather waits for them.
    CHECK(step_of(with({{P::offload, Offload::optimizer_and_parameters}})).total >
          step_of(with({{P::offload, Offload::optimizer}})).total);
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

TEST_CASE("scaling: 3D layouts scale weakly with little loss where pure FSDP does not", "[estimate]") {
    // Llama 3.1 70B with TP4 PP4 CP2 VP5 takes 14.66 s a step at 64 and at 2,048 H100
    // (NVIDIA/dgxc-benchmarking).
    const auto throughput = [](double gpus, std::initializer_list<std::pair<P, Value>> plan) {
        Scenario scenario = changed(of_model("llama-3-70b", {{P::gpus, gpus}}), plan);
        return answer(scenario).estimate.tokens_per_s_per_gpu;
    };
    const std::initializer_list<std::pair<P, Value>> layered{
        {P::sequence_length, 8192}, {P::micro_batch, 1},          {P::accumulation, 64},
        {P::tensor_parallel, 4},    {P::sequence_parallel, true}, {P::context_parallel, 2},
        {P::pipeline_parallel, 4},  {P::virtual_stages, 5},       {P::sharding, Sharding::zero1}};
    CHECK(throughput(2048, layered) / throughput(64, layered) > 0.95);
}

TEST_CASE("step: layered accumulation moves as many bytes as a single micro-batch", "[step]") {
    // E27: ZeRO-3 gathers, and ZeRO-2 reduces, once a step instead of once a micro-batch.
    for (const double sharding : {2.0, 3.0}) {
        const auto moved = [&](double schedule, double micro_batches) {
            return answer(with({{P::sharding, sharding},
                                {P::schedule, schedule},
                                {P::micro_batch, 1},
                                {P::accumulation, micro_batches}}))
                .estimate.communication_time();
        };
        const double one = moved(3, 1);
        CHECK(one == Approx(moved(0, 1)).epsilon(1e-12));
        for (const double micro_batches : {2.0, 8.0, 64.0})
            CHECK(moved(3, micro_batches) == Approx(one).epsilon(1e-12));
        CHECK(moved(4, 8) == Approx(moved(3, 8)).epsilon(1e-12));
        // ZeRO-2 gathers once a step in any order.
        CHECK(moved(0, 8) > 3 * one);
    }
}

TEST_CASE("step: communication overlaps with all micro-batches of a layer", "[step]") {
    // The links are slow: gathers and reductions of a layer take longer than one micro-batch of it, but less
    // than 32.
    const auto exposed = [](double schedule) {
        const Answer a = answer(with({{P::gpus, 64},
                                      {P::inter_node_bandwidth, 5e9},
                                      {P::schedule, schedule},
                                      {P::micro_batch, 2},
                                      {P::accumulation, 32}}));
        return a.estimate.exposed_communication() / a.estimate.step.total;
    };
    CHECK(exposed(0) > 0.5);
    CHECK(exposed(3) < 0.1);
}

TEST_CASE("step: in a breadth-first pipeline virtual stages are gathered once a step", "[step]") {
    const auto moved = [](double virtual_stages, double micro_batches) {
        const StepTime step = step_of(of_model("gpt-3-175b", {{P::gpus, 512},
                                                              {P::tensor_parallel, 8},
                                                              {P::pipeline_parallel, 8},
                                                              {P::virtual_stages, virtual_stages},
                                                              {P::schedule, ScheduleKind::breadth_first},
                                                              {P::sharding, Sharding::zero3},
                                                              {P::stage_buffers, 0},
                                                              {P::micro_batch, 1},
                                                              {P::inter_node_bandwidth, 12.5e9},
                                                              {P::accumulation, micro_batches}}));
        const double messages = step.term(StepTerm::stage_network);
        return std::pair{step.term(StepTerm::network), messages};
    };
    // The exposed time falls with the number of micro-batches to overlap with, and with smaller virtual
    // stages.
    CHECK(moved(3, 32).first < moved(3, 8).first);
    CHECK(moved(12, 32).first < moved(1, 32).first);
    CHECK(moved(12, 32).second > 2 * moved(3, 32).second);
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
        changed(with_context(), {{P::layer_overhead, 3e-3}, {P::schedule, ScheduleKind::seq1f1b}});
    CHECK(step_of(changed(launching, {{P::sequence_pieces, 32}})).term(StepTerm::host) >
          2 * step_of(changed(launching, {{P::sequence_pieces, 8}})).term(StepTerm::host));
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
    const std::size_t last = with.stages.size() - 1;
    // The head's stage repeats one layer more, with its projection.
    const double more =
        step_time(with, last).term(StepTerm::recompute) - step_time(without, last).term(StepTerm::recompute);
    CHECK(more == Approx(8 * with.settings[P::recompute_share] * with.work.prediction.forward.time.total()));
    CHECK(with.work.prediction.forward.time.total() > with.work.layers[1].forward.time.total());
    CHECK(step_time(kept, last).term(StepTerm::recompute) == 0);
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

TEST_CASE("step: FSDP in a pipeline reduces once, and gathers once without resharding", "[step]") {
    const TrafficPolicy kept =
        traffic_policy({.sharding = Sharding::zero3, .reshards_after_forward = false, .defers = true});
    const BucketPolicy bytes{.weight_bytes = 2, .gradient_bytes = 4};
    const RingGroup shard{8, 1}, replica{1, 1};
    // Weights of two bytes and gradients of four, of which each GPU sends seven eighths.
    CHECK(sent_bytes(kept, bytes, shard, replica, 16) == Approx((2 + 4) * 7.0 / 8));
    const TrafficPolicy resharded = traffic_policy({.sharding = Sharding::zero3, .defers = true});
    CHECK(sent_bytes(resharded, bytes, shard, replica, 16) == Approx((2 * 2 * 16 + 4) * 7.0 / 8));
    const TrafficPolicy alone = traffic_policy({.sharding = Sharding::zero3});
    CHECK(sent_bytes(alone, bytes, shard, replica, 16) == Approx((2 * 2 + 4) * 16 * 7.0 / 8));

    // Llama 3.1 405B as Meta trained it (arXiv 2407.21783, section 3.3.2): FSDP without resharding beside 16
    // stages is about as fast as ZeRO-1.
    const auto exposed = [](Sharding sharding) {
        const Scenario scenario = of_model("llama-3.1-405b", {{P::gpus, 16384},
                                                              {P::software, Software::torchtitan},
                                                              {P::tensor_parallel, 8},
                                                              {P::sequence_parallel, true},
                                                              {P::pipeline_parallel, 16},
                                                              {P::virtual_stages, 8},
                                                              {P::micro_batch, 1},
                                                              {P::accumulation, 16},
                                                              {P::gradient_precision, Precision::fp32},
                                                              {P::reshard_after_forward, false},
                                                              {P::sharding, sharding}});
        const StepTime step = step_of(scenario);
        return step.term(StepTerm::network) / step.total;
    };
    CHECK(exposed(Sharding::zero3) == Approx(exposed(Sharding::zero1)).epsilon(0.25));
}
