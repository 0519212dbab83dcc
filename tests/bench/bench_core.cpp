// Measures the speed of the engine on one core.
#include <benchmark/benchmark.h>

#include "bench/workloads.h"
#include "explore/map.h"
#include "explore/scaling.h"
#include "explore/sweep.h"
#include "explore/timeline.h"
#include "planner/planner.h"
#include "system/jobs.h"

using namespace shardscope;
using namespace shardscope::bench;

namespace {

// Times memory, step time and walls of a compiled scenario.
void estimate_fsdp_13b(benchmark::State& state) {
    const Compiled compiled = compile(resolve(fsdp_13b()));
    for (auto _ : state) {
        benchmark::DoNotOptimize(compiled);
        benchmark::DoNotOptimize(estimate(compiled));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(estimate_fsdp_13b);

void estimate_gpt3_175b_3d(benchmark::State& state) {
    const Compiled compiled = compile(resolve(gpt3_175b_3d()));
    for (auto _ : state) {
        benchmark::DoNotOptimize(compiled);
        benchmark::DoNotOptimize(estimate(compiled));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(estimate_gpt3_175b_3d);

// Times the same, including presets, derived values, checks and operators.
void answer_fsdp_13b(benchmark::State& state) {
    const Scenario scenario = fsdp_13b();
    Answer scratch;
    for (auto _ : state) benchmark::DoNotOptimize(answer_into(scenario, scratch));
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(answer_fsdp_13b);

void answer_gpt3_175b_3d(benchmark::State& state) {
    const Scenario scenario = gpt3_175b_3d();
    Answer scratch;
    for (auto _ : state) benchmark::DoNotOptimize(answer_into(scenario, scratch));
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(answer_gpt3_175b_3d);

void sweep_200_points(benchmark::State& state) {
    const Scenario scenario = fsdp_13b();
    const Axis axis = make_axis(scenario, P::inter_node_bandwidth, 1e9, 400e9, 200, true);
    for (auto _ : state) benchmark::DoNotOptimize(curve(scenario, axis));
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(axis.values.size()));
}
BENCHMARK(sweep_200_points);

void map_96_by_96(benchmark::State& state) {
    const Scenario scenario = locked(fsdp_13b());
    const auto [x, y] = map_axes(scenario);
    for (auto _ : state) benchmark::DoNotOptimize(wall_map(scenario, x, y));
    state.SetItemsProcessed(state.iterations() * 96 * 96);
}
BENCHMARK(map_96_by_96)->Unit(benchmark::kMillisecond);

// Times the Walls map with its own axes, whose edits change other parameters, too.
void map_of_gpus_and_sequence(benchmark::State& state) {
    const Scenario scenario = locked(fsdp_13b());
    const Axis x = map_axis(scenario, P::gpus, 96);
    const Axis y = map_axis(scenario, P::sequence_length, 96);
    for (auto _ : state) benchmark::DoNotOptimize(wall_map(scenario, x, y));
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(x.values.size() * y.values.size()));
}
BENCHMARK(map_of_gpus_and_sequence)->Unit(benchmark::kMillisecond);

// Every cell gets its own plan, on all cores.
void map_96_by_96_replanned(benchmark::State& state) {
    const Scenario scenario = with_auto(fsdp_13b(), P::micro_batch, true);
    const Axis x = make_axis(scenario, P::inter_node_bandwidth, 1e9, 400e9, 96, true);
    const Axis y = make_axis(scenario, P::memory, 20e9, 400e9, 96, true);
    for (auto _ : state) benchmark::DoNotOptimize(wall_map(scenario, x, y, usable_threads()));
    state.SetItemsProcessed(state.iterations() * 96 * 96);
}
BENCHMARK(map_96_by_96_replanned)->Unit(benchmark::kMillisecond)->UseRealTime();

// Everything is automatic and planned in rounds. The time is that to the first picture of all cells, or until
// every cell has its own plan.
void map_96_by_96_automatic(benchmark::State& state, bool whole) {
    Scenario scenario = Scenario::first_launch();
    scenario.model = scenario.catalogue->find(PresetKind::model, "llama-3-70b");
    scenario.give(P::gpus, 512);
    scenario.give(P::global_batch, 1024);
    scenario.automatic = default_free_parameters();
    const Axis x = make_axis(scenario, P::inter_node_bandwidth, 1e9, 400e9, 96, true);
    const Axis y = make_axis(scenario, P::memory, 40e9, 400e9, 96, true);
    for (auto _ : state) {
        PlannedMap map(scenario, x, y, 8);
        do benchmark::DoNotOptimize(map.next(usable_threads()));
        while (whole && !map.finished());
    }
}
BENCHMARK_CAPTURE(map_96_by_96_automatic, first_picture, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(map_96_by_96_automatic, whole, true)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(1);

void scaling_curves(benchmark::State& state) {
    const Scenario scenario = fsdp_13b();
    for (auto _ : state) benchmark::DoNotOptimize(scaling(scenario));
}
BENCHMARK(scaling_curves)->Unit(benchmark::kMicrosecond);

// Times the tracks of all rows of the window at the sliders' usual width; an item is a track.
void painted_tracks(benchmark::State& state, const Scenario& scenario) {
    const auto sliders = sliders_of(scenario);
    std::size_t points = 0;
    for (auto _ : state) {
        points = 0;
        for (const auto& [id, scale] : sliders) {
            const Track made = track(scenario, id, scale, {});
            points += made.points.size();
            benchmark::DoNotOptimize(made);
        }
    }
    state.counters["points"] = static_cast<double>(points);
    state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(sliders.size()));
}
BENCHMARK_CAPTURE(painted_tracks, fsdp_13b, fsdp_13b())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(painted_tracks, gpt3_175b_3d, gpt3_175b_3d())->Unit(benchmark::kMillisecond);

// Times one scenario with an automatic micro-batch, planned each time.
void plan_micro_batch(benchmark::State& state) {
    const Scenario scenario = with_auto(fsdp_13b(), P::micro_batch, true);
    Answer scratch;
    for (auto _ : state) benchmark::DoNotOptimize(answer_into(scenario, scratch));
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plan_micro_batch);

// Times the Timeline tab's picture of a step.
void timeline_of(benchmark::State& state, const Scenario& scenario) {
    const Answer base = answer(scenario);
    for (auto _ : state) benchmark::DoNotOptimize(step_timeline(base.compiled, base.estimate));
    state.SetItemsProcessed(state.iterations());
}
void timeline_fsdp_13b(benchmark::State& state) { timeline_of(state, fsdp_13b()); }
void timeline_gpt3_175b_3d(benchmark::State& state) { timeline_of(state, gpt3_175b_3d()); }
BENCHMARK(timeline_fsdp_13b)->Unit(benchmark::kMicrosecond);
BENCHMARK(timeline_gpt3_175b_3d)->Unit(benchmark::kMicrosecond);

// Times the search of `plan`: the best ten, the frontier, and the number of plans that fit.
void plan_search_of(benchmark::State& state, const Scenario& scenario) {
    const Settings settings = resolve(scenario);
    const SearchOptions options = plan_options(static_cast<unsigned>(state.range(0)));
    double plans = 0;
    double evaluated = 0;
    for (auto _ : state) {
        const SearchResult found = search_plans(settings, default_free_parameters(), options);
        plans += found.space;
        evaluated += found.evaluated;
    }
    state.SetItemsProcessed(static_cast<int64_t>(plans));
    state.counters["space"] = plans / static_cast<double>(state.iterations());
    state.counters["evaluated"] = evaluated / static_cast<double>(state.iterations());
}
void plan_search(benchmark::State& state) { plan_search_of(state, gpt3_175b_on_512_a100()); }
void plan_deepseek_v3(benchmark::State& state) { plan_search_of(state, deepseek_v3_on_2048_h800()); }
BENCHMARK(plan_search)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(plan_deepseek_v3)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

// Times the grid that Calculon spans for the same search without offload: tensor × pipeline × data
// parallelism, micro-batch, interleaving, recomputation, and kinds of communication (here sequence and
// asynchronous tensor parallelism, and the sharded states; its finer switches are collapsed into those).
void plan_calculon_grid(benchmark::State& state) {
    const Settings settings = resolve(gpt3_175b_on_512_a100());
    ParameterSet free;
    for (const P id : {P::tensor_parallel, P::pipeline_parallel, P::micro_batch, P::virtual_stages,
                       P::schedule, P::recompute, P::sequence_parallel, P::async_tensor_parallel, P::sharding,
                       P::reshard_after_forward, P::shard_group})
        free.set(index(id));
    SearchOptions options;
    options.count_feasible = true;
    double plans = 0;
    for (auto _ : state) plans += search_plans(settings, free, options).space;
    state.SetItemsProcessed(static_cast<int64_t>(plans));
    state.counters["space"] = plans / static_cast<double>(state.iterations());
}
BENCHMARK(plan_calculon_grid)->Unit(benchmark::kMillisecond);

// Times memory and step time of every plan, without pruning.
void plan_evaluate_all(benchmark::State& state) {
    const Settings settings = resolve(gpt3_175b_on_512_a100());
    SearchOptions options;
    options.everything = true;
    double plans = 0;
    for (auto _ : state) plans += search_plans(settings, default_free_parameters(), options).space;
    state.SetItemsProcessed(static_cast<int64_t>(plans));
}
BENCHMARK(plan_evaluate_all)->Unit(benchmark::kMillisecond);

// Times the search that the window runs while a slider moves: the best plan, for any number of GPUs.
void plan_live(benchmark::State& state) {
    Scenario scenario = gpt3_175b_on_512_a100();
    scenario.model = scenario.catalogue->find(PresetKind::model, "llama-3-70b");
    scenario.give(P::gpus, static_cast<double>(state.range(0)));
    scenario.automatic = default_free_parameters();
    for (auto _ : state) benchmark::DoNotOptimize(planned(scenario));
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plan_live)->Arg(64)->Arg(512)->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
