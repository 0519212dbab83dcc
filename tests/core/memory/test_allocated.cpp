// Tests what the framework's allocator hands out beside states and activations: workspaces, placeholders of
// weight gradients, and the gradients of activations.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "effects/activations.h"
#include "effects/workspaces.h"
#include "evidence/runs.h"
#include "memory/memory.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

constexpr double kMebibyte = 1 << 20;

// Llama 3 70B cut to 12 layers on 8 GPUs, 4,096 tokens a micro-batch, as MooreThreads/SimuMax ran it.
Compiled twelve_layers(double tensor) {
    Scenario scenario = of_model("llama-3-70b", {{P::layers, 12},
                                                 {P::gpus, 8},
                                                 {P::sequence_length, 4096},
                                                 {P::micro_batch, 1},
                                                 {P::tensor_parallel, tensor},
                                                 {P::sequence_parallel, tensor > 1},
                                                 {P::sharding, Sharding::zero1},
                                                 {P::recompute, 0},
                                                 {P::loss, Loss::fused}});
    scenario.give(P::software, parse(P::software, "megatron-core").value);
    return compile(resolve(scenario));
}

}  // namespace

TEST_CASE("allocated: workspaces of the threads and streams that multiply", "[memory]") {
    // Two threads of PyTorch.
    CHECK(workspace_bytes({.large = true}) == 64 * kMebibyte);
    CHECK(workspace_bytes({.large = false}) == 2 * 8519680);
    CHECK(workspace_bytes({.transformer_engine = true, .large = true}) == 96 * kMebibyte);
    CHECK(workspace_bytes({.transformer_engine = true, .grouped = true, .large = true}) == 224 * kMebibyte);
    CHECK(workspace_bytes({.transformer_engine = true, .grouped = true}) == 2 * 8519680 + 20 * kMebibyte);
    CHECK(workspace_bytes({.is_pytorch = false, .large = true}) == 0);
}

TEST_CASE("allocated: gradients replace the tensors that the backward pass frees", "[memory]") {
    // A gated feed-forward of inner width 5 and width 2, without sharding: down, activation, up.
    GradientBytes gradients;
    gradients.pass(5, 2, 0, 5);
    CHECK(gradients.most() == 7);  // of the output and the input
    gradients.pass(10);
    gradients.pass(2, 10, 0, 2);
    CHECK(gradients.most() == 10);  // 10 of both halves and 5 of the product, less 5 that are free again
    // Later operators find more free memory than they need.
    gradients.pass(2, 3, 0, 2);
    CHECK(gradients.most() == 10);
}

TEST_CASE("allocated: Llama 3's gradients, placeholders and head on two tensor-parallel GPUs", "[memory]") {
    const Compiled c = twelve_layers(2);
    const BlockWork& layer = c.work.layers[0];
    // Queries, keys and values, output, gate and up, down: one matrix of each shape in half precision.
    CHECK(layer.mixer_shapes == 2 * 8192.0 * (10240 + 8192) / 2);
    CHECK(layer.feed_forward_shapes == 2 * 8192.0 * (57344 + 28672) / 2);
    // So it is where attention and feed-forward have one norm together.
    Settings one_norm = c.settings;
    one_norm.set(P::layer_norms, 1, Origin::given);
    CHECK(compile(one_norm).work.layers[0].feed_forward_shapes == layer.feed_forward_shapes);
    const double shapes = layer.mixer_shapes + layer.feed_forward_shapes;
    const double buffers = state_memory(c.stages.first, c).buffers;
    const double workspaces = (c.settings[P::peak_flops_fp8] > 0 ? 96 : 20.25) * kMebibyte;
    CHECK(buffers == shapes + workspaces);
    CHECK(state_memory(c.stages.first, c).new_gradient == 0);
    // 2 bytes of both halves on one GPU.
    CHECK(layer.gradients == 2 * 4096.0 * 57344 / 2);
    // 501 MiB of logits' gradients, 1,002 MiB of the weights' one, the gathered input and its gradient.
    const double entries = 4096.0 * 128256 / 2;
    CHECK(schedule_memory(c.stages.first, c).logits ==
          Approx(2 * entries + 2 * 8192.0 * 128256 / 2 + 2 * 2 * 4096.0 * 8192));
    // One GPU has twice the matrices.
    CHECK(state_memory(twelve_layers(1).stages.first, twelve_layers(1)).buffers == 2 * shapes + workspaces);
}

TEST_CASE("allocated: eight B200 with Megatron-Core allocate what was measured, on every stage", "[memory]") {
    std::vector<MeasuredRun> runs;
    for (const MeasuredRun& run : shipped_runs()) {
        if (run.family == "simumax") runs.push_back(run);
    }
    REQUIRE(runs.size() == 18);
    for (const MeasuredRun& run : runs) {
        INFO(run.id << " " << run.model);
        Problems problems;
        const std::vector<double> stages =
            allocated_by_stage(compile(resolve(scenario_of(run, Catalogue::shipped(), problems))));
        REQUIRE(stages.size() == run.stage_allocated.size());
        for (std::size_t i = 0; i < stages.size(); ++i)
            CHECK(std::abs(stages[i] / run.stage_allocated[i] - 1) < 0.025);
        CHECK(std::abs(std::ranges::max(stages) / run.peak.allocated - 1) < 0.01);
    }
}

TEST_CASE("allocated: torchao's matrices in fp8 keep their input in 16 bits", "[memory]") {
    const auto saved = [](const char* software, Precision precision) {
        Scenario scenario = of_model("llama-3-8b", {{P::precision, precision}, {P::recompute, 0}});
        scenario.give(P::software, parse(P::software, software).value);
        return compile(resolve(scenario)).work.layers[0].saved;
    };
    for (const char* software : {"fsdp2", "fsdp2-compile", "torchtitan"})
        CHECK(saved(software, Precision::fp8) == saved(software, Precision::bf16));
    CHECK(saved("megatron-core", Precision::fp8) < saved("megatron-core", Precision::bf16));
}
