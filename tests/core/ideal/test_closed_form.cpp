// Tests E23, E24 and E30 against numbers worked out by hand.
#include <catch2/catch.hpp>

#include <cmath>

#include "ideal/closed_form.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("ideal threshold: the numbers of the JAX scaling book are met", "[ideal]") {
    const double h100 = 990e12;
    CHECK(threshold_tokens(h100, 400e9, 2, 1e12) == Approx(2475));
    CHECK(threshold_tokens(h100, 400e9, 2, 2) == Approx(1237.5));
    CHECK(threshold_tokens(h100, 450e9, 2, 1) == Approx(2200));
    CHECK(threshold_tokens(h100, 300e9, 2, 1e12) == Approx(3300));
    CHECK(threshold_tokens(2250e12, 400e9, 2, 1e12) == Approx(5625));
    CHECK(threshold_tokens(2250e12, 900e9, 2, 1) == Approx(2500));
}

TEST_CASE("ideal threshold: it uses the bandwidth out of the whole node", "[ideal]") {
    const Answer two_nodes = answer(with({{P::gpus, 16}}));
    CHECK(two_nodes.estimate.ideal.threshold_tokens == Approx(989.5e12 / 400e9 / 2));
    const Answer one_node = answer(with({{P::gpus, 8}}));
    CHECK(one_node.estimate.ideal.threshold_tokens == Approx(989.5e12 / 450e9));
    CHECK(answer(with({{P::gpus, 1}})).estimate.ideal.threshold_tokens == 0);
}

namespace {

// A model of 40 layers of width 5,120 on 512 GPUs of 40 GB with 25 GB/s: round numbers for hand calculation.
IdealInputs slow_cluster() {
    IdealInputs in;
    in.layers = 40;
    in.hidden = 5120;
    in.sequence = 2048;
    in.layer_parameters = 12.0 * 40 * 5120 * 5120;  // 12,582,912,000
    in.gpus = 512;
    in.nodes = 128;
    in.memory = 40e9;
    in.peak = 312e12;
    in.intra_bandwidth = 300e9;
    in.node_bandwidth = 25e9;
    in.kept = 0;
    in.tokens = 0;
    return in;
}

}  // namespace

TEST_CASE("closed form: the bounds of the bandwidth wall equal those worked out by hand", "[ideal]") {
    const IdealInputs in = slow_cluster();
    // M_free = 40e9 − 16·12,582,912,000/512 = 39,606,784,000 B; E = M_free/(2·40·5,120) = 96,696.25 tokens.
    const IdealEstimate out = ideal_estimate(in);
    CHECK(out.free_memory == Approx(39606784000.0));
    CHECK(out.max_tokens == Approx(96696.25));
    // T_transfer = 12,582,912,000·2/25e9 = 1.00663296 s; K ≤ E/(2·T) = 48,029.5 tokens/s.
    CHECK(out.transfer_time == Approx(1.00663296));
    CHECK(bandwidth_bound_tokens_per_s(in) == Approx(96696.25 / (2 * 1.00663296)));
    // α ≤ 3·F·K/S with F = 24·L·h² + 4·L·h·s = 26,843,545,600 FLOP a token is far above 1, so compute is the
    // wall.
    CHECK(bandwidth_bound_mfu(in) == Approx(3 * 26843545600.0 * bandwidth_bound_tokens_per_s(in) / 312e12));
}

TEST_CASE("closed form: memory × bandwidth ÷ FLOPS equals the number worked out by hand", "[ideal]") {
    IdealInputs in = slow_cluster();
    // 39,606,784,000 B · 25e9 B/s ÷ 312e12 FLOP/s = 3,173,620.5 B²/FLOP = 3.17 GB²/TFLOP.
    CHECK(memory_bandwidth_per_flops(in) == Approx(3173620.5).epsilon(1e-7));
    CHECK(format(memory_bandwidth_per_flops(in), Quantity::bytes_squared_per_flop) == "3.17 GB²/TFLOP");
    // The MFU is (3 + s/(2h)) ÷ (L·h·Q²) = 3.2 ÷ 819,200 = 1 ÷ 256,000 of it.
    CHECK(bandwidth_bound_mfu(in) == Approx(memory_bandwidth_per_flops(in) / 256000));
    // Each of two GPUs that share a model gathers half of it. A step of four micro-batches without ZeRO-3
    // gathers once.
    in.model_gpus = 2;
    CHECK(bandwidth_bound_mfu(in) == Approx(memory_bandwidth_per_flops(in) / 128000));
    in.micro_batches = 4;
    CHECK(bandwidth_bound_mfu(in) == Approx(memory_bandwidth_per_flops(in) / 32000));
    // Without free memory nothing can be hidden; without a network there is no bound.
    in.memory = 0.1e9;
    CHECK(bandwidth_bound_mfu(in) == 0);
    CHECK(memory_bandwidth_per_flops(in) == 0);
    in.gpus = 1;
    CHECK(std::isnan(bandwidth_bound_mfu(in)));
    CHECK(std::isnan(memory_bandwidth_per_flops(in)));
}

TEST_CASE("closed form: where bandwidth is the wall, models of any size have the same MFU", "[ideal]") {
    IdealInputs large = slow_cluster();
    IdealInputs small = slow_cluster();
    small.layers = 24;
    small.hidden = 2048;
    small.layer_parameters = 12.0 * 24 * 2048 * 2048;
    for (IdealInputs* in : {&large, &small}) {
        in->node_bandwidth = 1;
        in->node_bandwidth = 0.3 / bandwidth_bound_mfu(*in);
        CHECK(bandwidth_bound_mfu(*in) == Approx(0.3));
        CHECK(ideal_estimate(*in).mfu == Approx(0.3));
    }
}

TEST_CASE("closed form: the engine reaches the bound when bandwidth is the wall", "[ideal]") {
    IdealInputs in = slow_cluster();
    in.node_bandwidth = 0.05e9;
    const IdealEstimate out = ideal_estimate(in);
    CHECK(out.tokens_per_s == Approx(bandwidth_bound_tokens_per_s(in)));
    CHECK(out.mfu == Approx(bandwidth_bound_mfu(in)));
    // The wall is the product memory × bandwidth ÷ FLOPS: twice the bandwidth compensates half of the free
    // memory.
    IdealInputs traded = in;
    traded.node_bandwidth *= 2;
    traded.memory = out.free_memory / 2 + in.memory - out.free_memory;
    CHECK(ideal_estimate(traded).mfu == Approx(out.mfu));
}

TEST_CASE(
    "closed form: the MFU reaches the full peak without recompute and three quarters of it with recompute",
    "[ideal]") {
    IdealInputs in = slow_cluster();
    in.gpus = 1;
    in.nodes = 1;
    in.state_bytes = 0;
    in.kept = 1;
    CHECK(ideal_estimate(in).mfu == Approx(1));
    in.kept = 0;
    CHECK(ideal_estimate(in).mfu == Approx(0.75));
    CHECK(ideal_estimate(in).hfu == Approx(1));
}

TEST_CASE("closed form: only layers that attend to the sequence have work that grows with it", "[ideal]") {
    // Mamba-2 2.7B: 64 layers, two FLOPs per parameter of them, and 7 per state of 80 heads of 64 × 128.
    const auto forward = [](const char* model, double sequence) {
        const Answer of = answer(of_model(model, {{P::sequence_length, sequence}}));
        return forward_flops(of.compiled.ideal) - 2 * of.compiled.ideal.layer_parameters;
    };
    CHECK(forward("mamba2-2.7b", 131072) == Approx(64 * 7 * 80 * 64 * 128.0));
    CHECK(forward("mamba2-2.7b", 2048) == Approx(64 * 7 * 80 * 64 * 128.0));
    // Gemma 3 27B: 10 of 62 layers attend to all tokens, the others to at most 1,024 of 32 heads of 128.
    const double window = 1024 * (2 - 1024 / 32768.0);
    CHECK(forward("gemma-3-27b", 32768) == Approx(4 * 32 * 128 * (52 * window + 10 * 32768)));
    // No prediction is faster than its ideal.
    const Estimate mamba =
        answer(of_model("mamba2-2.7b", {{P::sequence_length, 131072}, {P::gpus, 64}, {P::recompute, 1}}))
            .estimate;
    CHECK(mamba.tokens_per_s_per_gpu < mamba.ideal.tokens_per_s);
    // A window in all layers counts like the same window in a pattern.
    const Answer mistral = answer(of_model("mistral-7b", {{P::sequence_length, 131072},
                                                          {P::attention_window, 4096},
                                                          {P::gpus, 64},
                                                          {P::context_parallel, 4},
                                                          {P::recompute, 1}}));
    CHECK(forward_flops(mistral.compiled.ideal) - 2 * mistral.compiled.ideal.layer_parameters ==
          Approx(4.0 * 32 * 128 * 32 * 4096 * (2 - 4096 / 131072.0)));
    CHECK(mistral.estimate.tokens_per_s_per_gpu < mistral.estimate.ideal.tokens_per_s);
}

TEST_CASE("closed form: a ring of few GPUs and the law of message sizes equal those worked out by hand",
          "[ideal]") {
    IdealInputs in = slow_cluster();
    in.latency = 1e-6;
    // 40 gathers of 512 hops of 1 µs beside 1.00663296 s of streaming.
    CHECK(ideal_estimate(in).transfer_time == Approx(1.00663296 + 40 * 512e-6));
    in.sharpness = 0.5;
    CHECK(ideal_estimate(in).transfer_time == Approx(1.00663296 * (1 + std::sqrt(40 * 512e-6 / 1.00663296))));
    in.latency = 0;
    in.ring_share = 0.5;
    in.ring_bandwidth = 50e9;
    CHECK(ideal_estimate(in).transfer_time == Approx(1.00663296 / 4));
    in.gathers_layers = false;
    CHECK(ideal_estimate(in).transfer_time == 0);
}

TEST_CASE("closed form: without FSDP's gathers only the executed FLOPs limit the ideal", "[ideal]") {
    // A plan of all kinds of parallelism on 8,192 GPUs: a ring of all data-parallel GPUs for every layer is
    // no part of it.
    const Answer split = answer(of_model("llama-3-70b", {{P::sequence_length, 2048},
                                                         {P::tensor_parallel, 8},
                                                         {P::context_parallel, 8},
                                                         {P::pipeline_parallel, 8},
                                                         {P::gpus, 8192},
                                                         {P::micro_batch, 1},
                                                         {P::sharding, Sharding::zero1}}));
    REQUIRE(split.valid());
    const Estimate& e = split.estimate;
    CHECK(e.ideal.tokens_per_s == Approx(split.compiled.peak / split.compiled.executed_flops_per_token));
    CHECK(e.ideal.hfu == Approx(1));
    CHECK(e.mfu < e.ideal.mfu);
    // Fully sharded, the gathers over so many GPUs are a part.
    const Answer sharded = answer(with({{P::gpus, 8192}}));
    CHECK(sharded.estimate.ideal.hfu < 0.9);
    CHECK(sharded.estimate.mfu < sharded.estimate.ideal.mfu);
}
