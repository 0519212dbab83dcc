// Tests the host's time to issue a layer's pass: the kernels of a layer, and the time to launch them.
#include "effects/host.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "compile/effect_inputs.h"
#include "evidence/runs.h"
#include "step/layers.h"
#include "support/parallel_plans.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

double host_time(const char* software, double tensor, double pipeline, bool graphs = false) {
    Scenario scenario = with({{P::tensor_parallel, tensor}, {P::pipeline_parallel, pipeline}});
    scenario.give(P::software, parse(P::software, software).value);
    scenario.give(P::cuda_graphs, graphs);
    return layer_host_time(host_work(resolve(scenario)), 10, false);
}

// Returns the kernels of a layer; of one with experts where there are any.
PassLaunches launches(const Scenario& scenario) {
    const Compiled c = compile(resolve(scenario));
    return c.work.layers[c.work.layers.size() - 1].launches;
}

}  // namespace

TEST_CASE("host: the kernels of a Llama layer are counted", "[effects]") {
    const auto llama = [](double composed_traffic) {
        return of_model("llama-2-7b", {{P::gpus, 8}, {P::composed_traffic, composed_traffic}});
    };
    // Fused: two norms, four matrices, rotary embedding, attention, gate and two residuals. Backward, a
    // matrix has two products, and each of six weights a kernel that accumulates its gradient.
    const PassLaunches fused = launches(llama(1));
    CHECK(fused.forward == 11);
    CHECK(fused.backward == 11 + 4 + 6);
    // In eager PyTorch a norm is six kernels, the rotary embedding ten, and the gate two.
    const PassLaunches eager = launches(llama(2.2));
    CHECK(eager.forward == fused.forward + 5 + 5 + 9 + 1);
    CHECK(eager.backward == fused.backward + 5 + 5 + 9 + 1);
    // Two gathers and two reductions; backward, the inputs are gathered again.
    const PassLaunches parallel =
        launches(changed(llama(1), {{P::tensor_parallel, 4}, {P::sequence_parallel, true}}));
    CHECK(parallel.forward == fused.forward + 4);
    CHECK(parallel.backward == fused.backward + 6);
    // In fp8 each matrix casts its input and the gradient of its output.
    const PassLaunches casts = launches(changed(llama(1), {{P::precision, Precision::fp8}}));
    CHECK(casts.forward == fused.forward + 4);
    CHECK(casts.backward == fused.backward + 4);
    // Experts add the router and the permutation of tokens.
    CHECK(launches(of_model("mixtral-8x7b", {{P::gpus, 8}, {P::composed_traffic, 1}})).forward ==
          fused.forward + 3);
}

TEST_CASE("host: an average layer launches its share of the kernels of a listed model", "[effects]") {
    const PassLaunches found = launches(of_model("resnet-50", {{P::gpus, 8}}));
    CHECK(found.forward > 1);
    // A convolution has two products and a kernel that accumulates its gradient, a normalization two kernels.
    CHECK(found.backward > 1.5 * found.forward);
    CHECK(found.backward <= 3 * found.forward);
}

TEST_CASE("host: full recomputation launches the forward pass again", "[effects]") {
    const auto host = [](double recompute) {
        const Compiled c =
            compile(resolve(with({{P::recompute, recompute}, {P::recompute_share, 1}, {P::gpus, 8}})));
        return Layers(c).of_kind[0];
    };
    const Layer once = host(0), twice = host(1);
    CHECK(twice.forward_host == once.forward_host);
    CHECK(twice.backward_host == Approx(once.backward_host + once.forward_host));
    CHECK(once.backward_host > once.forward_host);
}

TEST_CASE("host: hosts that wait for messages add the time of every tensor-parallel GPU", "[effects]") {
    CHECK(host_time("nanotron", 4, 1) == Approx(0.72e-3));
    CHECK(host_time("nanotron", 1, 2) == Approx(0.72e-3));
    CHECK(host_time("nanotron", 4, 2) == Approx(0.72e-3 + 4 * 1.0e-3));
    CHECK(host_time("nanotron", 8, 4) == Approx(0.72e-3 + 8 * 1.0e-3));
    CHECK(host_time("nanotron", 8, 4, true) == 0);
    // Other stacks queue their messages on the GPU.
    CHECK(host_time("megatron-core", 8, 4) == host_time("megatron-core", 1, 1));
}

TEST_CASE("host: runs of 8B models on pipelines with tensor parallelism take as long as measured",
          "[effects]") {
    // Without the waiting hosts the predictions would be 0.4 to 0.6 of the measured times.
    int compared = 0;
    for (const PublicRun& measured : public_runs()) {
        for (const char* id : {"ultrascale-1740", "ultrascale-1857", "ultrascale-1850"}) {
            if (measured.run->id != id) continue;
            ++compared;
            Compiled compiled;
            compile(measured.settings, compiled);
            INFO(id);
            CHECK(estimate(compiled).step.total == Approx(measured.run->step_time).epsilon(0.1));
        }
    }
    CHECK(compared == 3);
}

TEST_CASE("host: every local expert adds the time of its casts, twice in formats that scale blocks",
          "[effects]") {
    const auto time = [](const char* precision, double experts, double parallel, bool fixed = false) {
        Scenario scenario = with({{P::gpus, 16}, {P::experts, experts}, {P::expert_parallel, parallel}});
        scenario.give(P::precision, parse(P::precision, precision).value);
        scenario.give(P::cuda_graphs, fixed);
        scenario.give(P::static_expert_buffers, fixed);
        return layer_host_time(host_work(resolve(scenario)), 10, true);
    };
    const double cast = resolve(with({}))[P::expert_cast_overhead];
    CHECK(cast > 0);
    CHECK(time("bf16", 64, 8) == time("bf16", 128, 8));
    CHECK(time("fp8", 64, 8) - time("bf16", 64, 8) == Approx(8 * cast));
    CHECK(time("mxfp8", 64, 8) - time("bf16", 64, 8) == Approx(16 * cast));
    CHECK(time("nvfp4", 64, 16) - time("bf16", 64, 16) == Approx(8 * cast));
    CHECK(time("mxfp8", 64, 8, true) == 0);
}

TEST_CASE("host: layers that stay in bf16 need no casts", "[effects]") {
    const auto of = [](const char* precision, double bf16_layers) {
        Scenario scenario = of_model("qwen3-30b-a3b", {{P::bf16_layers, bf16_layers}});
        scenario.give(P::precision, parse(P::precision, precision).value);
        return resolve(scenario);
    };
    const auto host = [&](const char* precision, double bf16_layers) {
        return layer_host_time(host_work(of(precision, bf16_layers)), 10, true);
    };
    // 128 experts on a GPU: 12.8 ms in each of the 48 layers, or in a quarter of them.
    const double cast = of("fp8", 0)[P::expert_cast_overhead];
    CHECK(host("fp8", 0) - host("bf16", 0) == Approx(128 * cast));
    CHECK(host("fp8", 36) - host("bf16", 0) == Approx(32 * cast));
    CHECK(host("nvfp4", 36) - host("bf16", 0) == Approx(64 * cast));
    // With all layers in bf16 the step is that of bf16.
    CHECK(estimate(compile(of("fp8", 48))).step.total ==
          Approx(estimate(compile(of("bf16", 0))).step.total).epsilon(1e-12));
}

TEST_CASE("host: Qwen3-30B-A3B with 16 experts per GPU takes the host's time", "[effects]") {
    // The GPU alone would need less than half of the measured times.
    int compared = 0;
    double errors = 0;
    for (const PublicRun& measured : public_runs()) {
        for (const char* id : {"megatron_bridge-0222", "megatron_bridge-0253"}) {
            if (measured.run->id != id) continue;
            ++compared;
            Compiled compiled;
            compile(measured.settings, compiled);
            errors += std::fabs(estimate(compiled).step.total / measured.run->step_time - 1);
        }
    }
    REQUIRE(compared == 2);
    CHECK(errors / compared < 0.15);
}
