// The workloads that the benchmarks time and `./dev count` counts.
#pragma once

#include <utility>
#include <vector>

#include "explore/sweep.h"
#include "explore/track.h"
#include "planner/plan.h"
#include "planner/search.h"
#include "scenario/catalogue.h"
#include "scenario/domain.h"
#include "scenario/scenario.h"
#include "support/scenarios.h"

namespace shardscope::bench {

// MPT-13B on 64 H100 with FSDP.
inline Scenario fsdp_13b() { return Scenario::first_launch(); }

inline Scenario gpt3_175b_3d() { return testing::gpt3_175b_3d(64); }

// Every plan of GPT-3 175B on 512 A100 with a global batch of 1,536.
inline Scenario gpt3_175b_on_512_a100() {
    Scenario scenario = Scenario::first_launch();
    scenario.model = scenario.catalogue->find(PresetKind::model, "gpt-3-175b");
    scenario = with_cluster(scenario, *scenario.catalogue->find(PresetKind::cluster, "dgx-a100-80gb"));
    scenario.give(P::software, Software::megatron_core);
    scenario.give(P::gpus, 512);
    scenario.give(P::global_batch, 1536);
    return scenario;
}

// Every plan of DeepSeek-V3 in fp8 on 2,048 H800 with its published batch.
inline Scenario deepseek_v3_on_2048_h800() {
    Scenario scenario = Scenario::first_launch();
    scenario.model = scenario.catalogue->find(PresetKind::model, "deepseek-v3");
    scenario = with_cluster(scenario, *scenario.catalogue->find(PresetKind::cluster, "dgx-h100"));
    scenario.gpu = scenario.catalogue->find(PresetKind::gpu, "h800-sxm-80gb");
    scenario.give(P::gpus, 2048);
    scenario.give(P::global_batch, 15360);
    scenario.give(P::sequence_length, 4096);
    scenario.give(P::precision, Precision::fp8);
    return scenario;
}

// The options of `plan`: the best ten, the frontier, and the number of plans that fit.
inline SearchOptions plan_options(unsigned threads) {
    SearchOptions options;
    options.top = 10;
    options.count_feasible = true;
    options.frontier = true;
    options.threads = threads;
    return options;
}

// Returns the sliders of all rows of the window, at their usual width.
inline std::vector<std::pair<P, SliderScale>> sliders_of(const Scenario& scenario) {
    const Settings settings = resolve(scenario);
    std::vector<std::pair<P, SliderScale>> sliders;
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const Parameter& row = parameter(id);
        if (row.prominence == Prominence::row)
            sliders.emplace_back(id, SliderScale(domain(id, settings), row.logarithmic, row, settings[id]));
    }
    return sliders;
}

// Returns both axes of a map of 96 × 96 points.
inline std::pair<Axis, Axis> map_axes(const Scenario& scenario) {
    return {make_axis(scenario, P::inter_node_bandwidth, 1e9, 400e9, 96, true),
            make_axis(scenario, P::memory_bandwidth, 0.5e12, 10e12, 96, true)};
}

}  // namespace shardscope::bench
