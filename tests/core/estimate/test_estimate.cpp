// Tests the whole estimate: definitions, limits, sums, monotonicity and walls.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numeric>

#include "files/result.h"
#include "files/scenario_file.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

#ifndef __SANITIZE_ADDRESS__
// Counts every allocation of this thread of the test program, to check that an estimate does not use the
// heap.
namespace {
thread_local std::size_t allocations = 0;
}
void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif  // the address sanitizer replaces these operators itself

namespace {

double mfu_of(const Scenario& scenario) { return answer(scenario).estimate.mfu; }

// Returns the MFU of a measured throughput, with the program's own FLOP count and peak.
double mfu_at(const char* model, const char* gpu, double sequence, double tokens_per_s_per_gpu) {
    Scenario scenario = with({{P::sequence_length, sequence}, {P::micro_batch, 1}});
    scenario.model = scenario.catalogue->find(PresetKind::model, model);
    scenario.gpu = scenario.catalogue->find(PresetKind::gpu, gpu);
    const Answer found = answer(scenario);
    return found.compiled.flops_per_token * tokens_per_s_per_gpu / found.compiled.peak;
}

}  // namespace

TEST_CASE("MFU: published throughputs give the published MFU", "[mfu]") {
    const double tenth = 0.001;
    CHECK(mfu_at("mpt-70b", "h100-sxm-80gb", 2048, 1039) == Approx(0.4257).margin(tenth));
    CHECK(mfu_at("mpt-7b", "h100-sxm-80gb", 2048, 10643) == Approx(0.4644).margin(tenth));
    CHECK(mfu_at("mpt-7b", "h100-sxm-80gb", 65536, 1956) == Approx(0.2859).margin(tenth));
    CHECK(mfu_at("mpt-70b", "a100-sxm-80gb", 2048, 410) == Approx(0.533).margin(tenth));
    CHECK(mfu_at("llama-3-8b", "a100-sxm-80gb", 8192, 2904) == Approx(0.568).margin(tenth));
    CHECK(mfu_at("llama-2-13b", "a100-sxm-80gb", 4096, 2162) == Approx(0.611).margin(tenth));
}

TEST_CASE("memory: the ZeRO states of 7.5B parameters on 64 GPUs are the published ones", "[memory]") {
    // Source: Rajbhandari et al. 2020, figure 1: 120, 31.4, 16.6 and 1.9 GB.
    const double expected[] = {120, 31.4, 16.6, 1.9};
    for (int level = 0; level < 4; ++level) {
        INFO(level);
        Scenario scenario = with({{P::sharding, static_cast<double>(level)}});
        const Compiled compiled = compile(resolve(scenario));
        const Estimate found = estimate(compiled);
        double states = 0;
        for (std::size_t i = 0; i < kModelStateTerms; ++i) states += found.memory.terms()[i];
        // The figure multiplies the bytes per parameter by 7.5 billion.
        CHECK(7.5 * states / compiled.parameters == Approx(expected[level]).margin(0.05));
    }
}

TEST_CASE("estimate: the terms add up to the totals and the elasticities to one", "[estimate]") {
    for (const double sharding : {0.0, 1.0, 2.0, 3.0, 4.0}) {
        for (const double gpus : {1.0, 8.0, 64.0, 2048.0}) {
            for (const double recompute : {0.0, kRecomputeSelective, 0.5, 1.0}) {
                INFO("sharding " << sharding << " gpus " << gpus << " recompute " << recompute);
                const Answer found = answer(with({{P::sharding, sharding},
                                                  {P::gpus, gpus},
                                                  {P::recompute, recompute},
                                                  {P::accumulation, 3}}));
                REQUIRE(found.valid());
                const Estimate& e = found.estimate;
                const double step = std::accumulate(e.step.terms.begin(), e.step.terms.end(), 0.0);
                CHECK(step == Approx(e.step.total).epsilon(1e-12));
                CHECK(e.step.attribution.total() == Approx(e.step.total).epsilon(1e-12));
                CHECK(std::accumulate(e.elasticity.begin(), e.elasticity.end(), 0.0) ==
                      Approx(1).epsilon(1e-12));
                const MemoryTerms& terms = e.memory.terms();
                CHECK(std::accumulate(terms.begin(), terms.end(), 0.0) ==
                      Approx(e.memory.peak).epsilon(1e-12));
                CHECK(e.compute_time() + e.communication_time() - e.step.hidden_communication +
                          e.waiting_time() ==
                      Approx(e.step.total).epsilon(1e-12));
                CHECK(std::ranges::all_of(e.step.terms, [](double t) { return t >= 0; }));
            }
        }
    }
}

TEST_CASE("walls: elasticities agree with finite differences", "[walls]") {
    const double factor = 1 + 1e-6;
    for (const double bandwidth : {1.25e9, 12.5e9, 50e9}) {
        for (const double gpus : {8.0, 64.0, 1024.0}) {
            const Scenario base = with({{P::inter_node_bandwidth, bandwidth}, {P::gpus, gpus}});
            const Answer now = answer(base);
            const auto difference = [&](std::initializer_list<P> rates, double by) {
                Scenario scaled = base;
                for (const P id : rates) scaled.give(id, now.settings[id] * by);
                return std::log(answer(scaled).estimate.tokens_per_s / now.estimate.tokens_per_s) /
                       std::log(factor);
            };
            INFO("bandwidth " << bandwidth << " gpus " << gpus);
            const auto& e = now.estimate.elasticity;
            CHECK(e[0] == Approx(difference({P::peak_flops}, factor)).margin(2e-5));
            CHECK(e[1] == Approx(difference({P::memory_bandwidth}, factor)).margin(2e-5));
            CHECK(e[2] == Approx(difference({P::intra_node_bandwidth}, factor)).margin(2e-5));
            CHECK(e[3] == Approx(difference({P::inter_node_bandwidth}, factor)).margin(2e-5));
            CHECK(e[4] ==
                  Approx(difference({P::collective_latency, P::intra_node_latency, P::inter_node_latency,
                                     P::kernel_launch, P::launch_overhead, P::step_overhead},
                                    1 / factor))
                      .margin(2e-5));
        }
    }
}

TEST_CASE("limits: one GPU has no communication", "[limits]") {
    for (const double sharding : {0.0, 1.0, 2.0, 3.0, 4.0}) {
        const Answer alone = answer(with({{P::gpus, 1}, {P::sharding, sharding}}));
        CHECK(alone.estimate.communication_time() == 0);
        CHECK(alone.estimate.elasticity[2] == 0);
        CHECK(alone.estimate.elasticity[3] == 0);
    }
}

TEST_CASE("limits: with infinite bandwidth only compute time remains", "[limits]") {
    Scenario fast = without_latency(first());
    fast.give(P::inter_node_bandwidth, 1e15);
    fast.give(P::intra_node_bandwidth, 1e15);
    const Answer found = answer(fast);
    CHECK(found.estimate.communication_time() < 1e-3 * found.estimate.step.total);
    CHECK(found.estimate.step.total == Approx(found.estimate.compute_time()).epsilon(1e-3));
}

TEST_CASE("monotonicity: more bandwidth never lowers MFU", "[limits]") {
    for (const P id : {P::inter_node_bandwidth, P::intra_node_bandwidth, P::memory_bandwidth}) {
        for (const double gpus : {2.0, 8.0, 64.0, 512.0}) {
            double last = 0;
            for (double value = 1e9; value < 1e14; value *= 1.3) {
                const double now = mfu_of(with({{id, value}, {P::gpus, gpus}}));
                CHECK(now >= last - 1e-12);
                last = now;
            }
        }
    }
}

TEST_CASE("limits: without latencies, doubling every rate leaves the MFU unchanged", "[limits]") {
    const Scenario base = without_latency(first());
    const Answer now = answer(base);
    Scenario doubled = base;
    for (const P id :
         {P::peak_flops, P::memory_bandwidth, P::intra_node_bandwidth, P::inter_node_bandwidth}) {
        doubled.give(id, 2 * now.settings[id]);
    }
    CHECK(mfu_of(doubled) == Approx(now.estimate.mfu).epsilon(1e-12));
}

TEST_CASE("limits: with more memory a scenario that fits still fits", "[limits]") {
    int last = 2;
    for (double memory = 4e9; memory < 400e9; memory *= 1.05) {
        const int verdict = static_cast<int>(answer(with({{P::memory, memory}})).estimate.verdict);
        CHECK(verdict <= last);
        last = verdict;
    }
    CHECK(last == static_cast<int>(Verdict::fits));
}

TEST_CASE("estimate: results are continuous in continuous inputs", "[estimate]") {
    // Checks across every regime of the sweep that no output changes by more than the change of the input
    // explains.
    for (const P id :
         {P::inter_node_bandwidth, P::intra_node_bandwidth, P::memory_bandwidth, P::peak_flops}) {
        const double at = answer(first()).settings[id];
        double last = 0;
        for (double value = at / 50; value < at * 50; value *= 1.001) {
            const double time = answer(with({{id, value}})).estimate.step.total;
            if (last > 0) CHECK(std::fabs(time / last - 1) < 0.0015);
            last = time;
        }
    }
}

TEST_CASE("recompute: activations and MFU fall, and HFU exceeds MFU", "[estimate]") {
    const Answer none = answer(first());
    const Answer full = answer(with({{P::recompute, 1}, {P::recompute_share, 1}}));
    const auto activations = [](const Answer& a) {
        return a.estimate.memory.terms()[static_cast<std::size_t>(MemoryTerm::activations)];
    };
    CHECK(activations(full) < 0.2 * activations(none));
    CHECK(full.estimate.mfu < none.estimate.mfu);
    CHECK(full.estimate.hfu / full.estimate.mfu > 1.2);
    // The executed FLOPs are counted by hand: three passes of each matrix, none for the embedding's lookup,
    // half of 4·L·h·s for causal flash attention in the forward pass and 2.5 times that in the backward pass.
    // Recomputation adds the forward pass of the layers.
    const double layers = 40;
    const double h = 5120;
    const double s = 2048;
    const double forward = 2 * layers * 12 * h * h + 2 * layers * h * s;
    const double executed = 6 * (layers * 12 * h * h + 50368 * h) + 3.5 * 2 * layers * h * s;
    CHECK(none.compiled.executed_flops_per_token == Approx(executed).epsilon(1e-12));
    CHECK(full.compiled.executed_flops_per_token == Approx(executed + forward).epsilon(1e-12));
    CHECK(none.estimate.hfu ==
          Approx(executed * none.estimate.tokens_per_s_per_gpu / none.compiled.peak).epsilon(1e-12));
}

TEST_CASE("MFU: attention through a window counts only the scores inside the window", "[estimate]") {
    const double s = 131072;
    const double window = 1024;
    const Answer narrow =
        answer(of_model("mistral-7b", {{P::sequence_length, s}, {P::attention_window, window}}));
    const Answer whole = answer(of_model("mistral-7b", {{P::sequence_length, s}, {P::attention_window, 0}}));
    const double attention = 12 * 32 * 4096.0;  // L layers of width a·d
    CHECK(whole.compiled.flops_per_token - narrow.compiled.flops_per_token ==
          Approx(attention * (s - window * (2 - window / s))).epsilon(1e-9));
    // Without a causal mask a token attends to its whole window and nothing else.
    const Answer both_ways = answer(
        of_model("mistral-7b", {{P::sequence_length, s}, {P::attention_window, window}, {P::causal, false}}));
    CHECK(whole.compiled.flops_per_token - both_ways.compiled.flops_per_token ==
          Approx(attention * (s - window)).epsilon(1e-9));
    for (const Answer* each : {&narrow, &whole, &both_ways}) {
        CHECK(each->estimate.hfu <= 1);
        CHECK(each->estimate.mfu < 1);
    }
}

TEST_CASE("estimate: the hardware never executes more FLOPs than its peak allows", "[estimate]") {
    // Covers a million tokens, an overridden fp8 peak and constants at their limits.
    const Answer longest = answer(of_model("llama-3-8b", {{P::sequence_length, 1048576}}));
    CHECK(longest.estimate.hfu <= 1);
    const Answer overridden = answer(with({{P::precision, Precision::fp8}, {P::peak_flops_fp8, 100e12}}));
    CHECK(overridden.estimate.hfu <= 1);
    CHECK(overridden.estimate.mfu <= 1);
    const Answer perfect = answer(without_latency(with({{P::sequence_length, 1048576},
                                                        {P::gemm_efficiency, 1},
                                                        {P::attention_efficiency, 1},
                                                        {P::attention_generation, 3},
                                                        {P::fp8_efficiency, 2},
                                                        {P::gemm_half_depth, 0},
                                                        {P::gemm_half_area, 0},
                                                        {P::precision, Precision::fp8}})));
    CHECK(perfect.valid());
    CHECK(perfect.estimate.hfu <= 1);
}

TEST_CASE("MFU set by hand: a value that the hardware cannot reach is refused with the highest possible one",
          "[estimate]") {
    const Answer impossible = answer(with({{P::recompute, 1}, {P::mfu_override, 0.95}}));
    REQUIRE(impossible.problems.size() == 1);
    CHECK(impossible.problems.front().where == "/assumptions/mfu_override");
    const std::string& suggestion = impossible.problems.front().suggestion;
    REQUIRE(suggestion.starts_with("use at most "));
    const double most = std::stod(suggestion.substr(12));
    CHECK(answer(with({{P::recompute, 1}, {P::mfu_override, most}})).valid());
    CHECK_FALSE(answer(with({{P::recompute, 1}, {P::mfu_override, most + 0.001}})).valid());
}

TEST_CASE("estimate: an impossible result is reported as an error of the program, not as an answer",
          "[estimate]") {
    Problems problems;
    Catalogue catalogue = Catalogue::with_folder({}, problems);
    const Answer good = answer(Scenario::first_launch(catalogue));
    REQUIRE(is_possible(good.estimate));
    for (const double hfu : {1.2, -0.1, std::nan("")}) {
        Answer wrong = good;
        wrong.estimate.hfu = hfu;
        CHECK_FALSE(is_possible(wrong.estimate));
        CHECK(impossible_problem(wrong).why.find("error of Shardscope") != std::string::npos);
        // The scenario attached to the error report can be read again.
        CHECK(scenario_to_report(wrong).empty());
        wrong.impossible = true;
        const Scenario reported = read_scenario(scenario_to_report(wrong), catalogue, {}, problems);
        CHECK(problems.empty());
        CHECK(reported == good.scenario);
    }
    Estimate negative = good.estimate;
    negative.elasticity[0] = -0.01;
    CHECK_FALSE(is_possible(negative));
    Estimate endless = good.estimate;
    endless.step.total = std::numeric_limits<double>::infinity();
    CHECK_FALSE(is_possible(endless));
}

TEST_CASE("estimate: more memory raises the MFU through the automatic micro-batch", "[plan]") {
    const Scenario automatic = with_auto(with({{P::inter_node_bandwidth, 6.25e9}}), P::micro_batch, true);
    Scenario larger = automatic;
    larger.give(P::memory, 2 * resolve(automatic)[P::memory]);
    const Answer small = answer(automatic);
    const Answer large = answer(larger);
    CHECK(large.settings[P::micro_batch] > small.settings[P::micro_batch]);
    CHECK(large.estimate.mfu > small.estimate.mfu);
    // The automatic micro-batch is the largest usual one that fits: half as much again does not fit.
    Scenario one_more = small.scenario;
    one_more.automatic.reset();
    one_more.give(P::micro_batch, std::ceil(1.5 * small.settings[P::micro_batch]));
    CHECK(small.estimate.verdict == Verdict::fits);
    CHECK(answer(one_more).estimate.verdict != Verdict::fits);
    CHECK(levers(small).gpu_memory > 0);
    // Twice the micro-batch would be faster, but it does not fit in memory.
    CHECK(std::isnan(levers(small).batch));
    CHECK(levers(answer(with({{P::inter_node_bandwidth, 6.25e9}, {P::micro_batch, 1}}))).batch > 0);
}

TEST_CASE(
    "scaling: pure FSDP of a 7B model loses about a third of its throughput per GPU from 128 to 2,048 H100",
    "[estimate]") {
    // Source: Fernandez et al. 2024, arXiv 2411.13055: throughput per GPU falls by 37.2 %, power by 5.9 %.
    Scenario base = with({{P::sequence_length, 4096}, {P::micro_batch, 2}, {P::gpus, 128}});
    base.model = base.catalogue->find(PresetKind::model, "llama-2-7b");
    const Estimate before = answer(base).estimate;
    base.give(P::gpus, 2048);
    const Estimate after = answer(base).estimate;
    const double change = after.tokens_per_s_per_gpu / before.tokens_per_s_per_gpu - 1;
    CHECK(change < -0.20);
    CHECK(change > -0.50);
    CHECK(after.power_per_gpu < before.power_per_gpu);
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("estimate: it allocates no heap memory", "[estimate]") {
    const Compiled compiled = compile(resolve(first()));
    const std::size_t before = allocations;
    const Estimate found = estimate(compiled);
    CHECK(allocations == before);
    CHECK(found.mfu > 0);
}

TEST_CASE("estimate: repeated resolving, checking and compiling allocate no heap memory", "[estimate]") {
    const Scenario scenario = first();
    Compiled compiled;
    compile(resolve(scenario), compiled);
    const std::size_t before = allocations;
    const Settings settings = resolve(scenario);
    const bool valid = is_valid(settings);
    compile(settings, compiled);
    CHECK(allocations == before);
    CHECK(valid);
}
#endif
