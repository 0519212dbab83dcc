// Tests the host's time to issue a layer's pass.
#include "effects/host.h"

#include <catch2/catch.hpp>

#include "evidence/runs.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

double host_time(const char* software, double tensor, double pipeline, bool graphs = false) {
    Scenario scenario = with({{P::tensor_parallel, tensor}, {P::pipeline_parallel, pipeline}});
    scenario.give(P::software, parse(P::software, software).value);
    scenario.give(P::cuda_graphs, graphs);
    return layer_host_time(resolve(scenario), false);
}

}  // namespace

TEST_CASE("host: hosts that wait for messages add the time of every tensor-parallel GPU", "[effects]") {
    CHECK(host_time("nanotron", 4, 1) == Approx(2.2e-3));
    CHECK(host_time("nanotron", 1, 2) == Approx(2.2e-3));
    CHECK(host_time("nanotron", 4, 2) == Approx(2.2e-3 + 4 * 1.2e-3));
    CHECK(host_time("nanotron", 8, 4) == Approx(2.2e-3 + 8 * 1.2e-3));
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
