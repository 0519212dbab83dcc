// Tests the effect of each input on an output.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "explore/sensitivity.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

const SensitivityBar* bar_of(const Sensitivity& found, P id) {
    const auto at = std::ranges::find(found.bars, id, &SensitivityBar::id);
    return at == found.bars.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("sensitivity: bars are sorted, and every end equals a single estimate", "[sensitivity]") {
    for (const Change change : {Change::half_and_double, Change::ten_percent}) {
        const Sensitivity found = sensitivity(first(), Output::mfu, change);
        CHECK(found.now == answer(first()).estimate.mfu);
        REQUIRE(found.bars.size() > 10);
        CHECK(std::ranges::is_sorted(found.bars, std::greater<>(), &SensitivityBar::effect));
        for (const SensitivityBar& bar : found.bars) {
            INFO(parameter(bar.id).key);
            REQUIRE((bar.less || bar.more));
            for (const auto& end : {bar.less, bar.more}) {
                if (!end) continue;
                const Answer there = answer(edited(first(), bar.id, end->x));
                CHECK(end->fits == there.fits());
                if (end->fits) CHECK(end->value == there.estimate.mfu);
                else CHECK(std::isnan(end->value));
            }
        }
    }
}

TEST_CASE("sensitivity: if the network is the wall it ranks above memory bandwidth", "[sensitivity]") {
    const Scenario slow = with({{P::inter_node_bandwidth, 3e9}});
    REQUIRE(answer(slow).estimate.wall == Wall::inter_node);
    for (const Change change : {Change::half_and_double, Change::ten_percent}) {
        const Sensitivity found = sensitivity(slow, Output::tokens_per_s_per_gpu, change);
        const auto* network = bar_of(found, P::inter_node_bandwidth);
        const auto* memory = bar_of(found, P::memory_bandwidth);
        REQUIRE(network != nullptr);
        REQUIRE((!memory || network->effect > memory->effect));
    }
}

TEST_CASE("sensitivity: ends that do not fit are kept, and inputs without effect are left out",
          "[sensitivity]") {
    const Scenario full = with({{P::micro_batch, 3}});
    const Sensitivity found = sensitivity(full, Output::mfu, Change::half_and_double);
    // The scenario does not fit in half of the memory, and twice the memory changes nothing: the bar is kept
    // for the end that does not fit.
    const auto* memory = bar_of(found, P::memory);
    REQUIRE(memory != nullptr);
    REQUIRE(memory->less);
    CHECK_FALSE(memory->less->fits);
    CHECK(std::isnan(memory->less->value));
    CHECK(memory->more->value == found.now);
    CHECK(bar_of(found, P::tdp) == nullptr);
    CHECK(found.without_effect > 5);
    // A tensor-parallel degree of one cannot be halved.
    const auto* degree = bar_of(found, P::tensor_parallel);
    if (degree) CHECK_FALSE(degree->less.has_value());
}

TEST_CASE("sensitivity: small changes agree with the elasticities", "[sensitivity]") {
    const Sensitivity found =
        sensitivity(without_latency(first()), Output::tokens_per_s_per_gpu, Change::ten_percent);
    const Estimate now = answer(without_latency(first())).estimate;
    const auto* flops = bar_of(found, P::peak_flops);
    REQUIRE(flops != nullptr);
    const double arc = std::log(flops->more->value / flops->less->value) / std::log(1.1 / 0.9);
    CHECK(arc == Approx(now.elasticity[static_cast<std::size_t>(Rate::compute)]).margin(0.03));
}

TEST_CASE("sensitivity: with a new plan more memory raises the MFU, with the plan held it does not",
          "[sensitivity]") {
    const Scenario planned = with_auto(with({{P::inter_node_bandwidth, 12.5e9}}), P::micro_batch, true);
    const Answer now = answer(planned);
    const Sensitivity replanned = sensitivity(planned, Output::mfu, Change::half_and_double);
    const Sensitivity held = sensitivity(locked(now.scenario), Output::mfu, Change::half_and_double);
    CHECK(replanned.now == held.now);
    REQUIRE(bar_of(replanned, P::memory)->more);
    CHECK(bar_of(replanned, P::memory)->more->value > replanned.now);
    CHECK(bar_of(held, P::memory)->more->value == held.now);
}

TEST_CASE("sensitivity: the number of threads does not change it, and it stops when asked to",
          "[sensitivity]") {
    const Scenario planned = with_auto(first(), P::micro_batch, true);
    const Sensitivity one = sensitivity(planned, Output::mfu, Change::half_and_double, 1);
    const Sensitivity three = sensitivity(planned, Output::mfu, Change::half_and_double, 3);
    REQUIRE(one.bars.size() == three.bars.size());
    for (std::size_t i = 0; i < one.bars.size(); ++i) {
        CHECK(one.bars[i].id == three.bars[i].id);
        CHECK(one.bars[i].effect == three.bars[i].effect);
    }
    std::stop_source source;
    source.request_stop();
    CHECK(sensitivity(planned, Output::mfu, Change::half_and_double, 1, source.get_token()).bars.empty());
    CHECK_FALSE(planned_elasticity(answer(planned), 1, source.get_token()).has_value());
}

TEST_CASE("sensitivity: for a scenario that does not fit, the changes that make it fit come first",
          "[sensitivity]") {
    const Scenario full = with({{P::sequence_length, 8192}});
    REQUIRE_FALSE(answer(full).fits());
    const Sensitivity found = sensitivity(full, Output::peak_memory, Change::half_and_double);
    CHECK_FALSE(found.fits);
    CHECK(std::ranges::is_partitioned(found.bars, &SensitivityBar::makes_fit));
    REQUIRE(found.bars.front().makes_fit);
    for (const SensitivityBar& bar : found.bars) {
        INFO(parameter(bar.id).key);
        bool makes_fit = false;
        for (const auto& end : {bar.less, bar.more}) {
            if (!end) continue;
            const Answer there = answer(edited(full, bar.id, end->x));
            CHECK(end->value == there.estimate.memory.peak);
            CHECK(end->capacity == there.estimate.memory.capacity);
            CHECK(end->fits == there.fits());
            makes_fit = makes_fit || there.fits();
        }
        CHECK(bar.makes_fit == makes_fit);
        CHECK((bar.makes_fit || bar.effect >= kNoEffect));
    }
    // Twice the memory does not change the peak but the capacity that it is compared with.
    const auto* memory = bar_of(found, P::memory);
    REQUIRE(memory != nullptr);
    CHECK(memory->makes_fit);
    CHECK(memory->more->value == found.now);
    CHECK(memory->more->capacity > found.now);
    CHECK(bar_of(found, P::inter_node_bandwidth) == nullptr);
}

TEST_CASE("sensitivity: a rate is raised in the sense of the elasticities", "[sensitivity][walls]") {
    const double factor = 1 + 1e-6;
    for (const Scenario& scenario :
         {with({{P::inter_node_bandwidth, 12.5e9}}),
          with({{P::tensor_parallel, 4}, {P::offload, Offload::optimizer_and_parameters}}),
          of_model("llama-3-8b", {{P::sequence_length, 8192}, {P::activation_offload, 1}})}) {
        const Answer now = answer(scenario);
        REQUIRE(now.fits());
        for (std::size_t i = 0; i < kRates; ++i) {
            const Answer faster = answer(with_rate(now, static_cast<Rate>(i), factor));
            INFO(name_of(static_cast<Rate>(i)));
            CHECK(std::log(faster.estimate.tokens_per_s / now.estimate.tokens_per_s) / std::log(factor) ==
                  Approx(now.estimate.elasticity[i]).margin(2e-5));
        }
    }
}

TEST_CASE("sensitivity: the best plan at another rate is never worse than the held plan there",
          "[sensitivity][walls]") {
    std::vector<Scenario> scenarios{
        with_auto(with({{P::inter_node_bandwidth, 12.5e9}}), P::micro_batch, true)};
    // Two plans are nearly equally good at one of these bandwidths.
    for (const double bandwidth : {3.0e9, 3.2e9, 3.4e9, 3.6e9, 3.8e9}) {
        Scenario changing = with({{P::inter_node_bandwidth, bandwidth}});
        for (const P id : {P::sharding, P::recompute, P::tensor_parallel, P::pipeline_parallel})
            changing = with_auto(changing, id, true);
        scenarios.push_back(changing);
    }
    int changes = 0;
    for (const Scenario& scenario : scenarios) {
        const Answer now = answer(scenario);
        REQUIRE(now.fits());
        const auto replanned = planned_elasticity(now);
        REQUIRE(replanned.has_value());
        CHECK(planned_elasticity(now, 3) == replanned);
        for (std::size_t i = 0; i < kRates; ++i) {
            INFO(name_of(static_cast<Rate>(i)));
            // tokens/s at both ends, from single estimates.
            std::array<double, 2> best{};
            std::array<double, 2> held{};
            for (const std::size_t up : {0U, 1U}) {
                const Scenario there =
                    with_rate(now, static_cast<Rate>(i), up == 1 ? 1 + kRateStep : 1 - kRateStep);
                held[up] = answer(locked(there)).estimate.tokens_per_s;
                best[up] = answer(there).estimate.tokens_per_s;
                if (!scenario.automatic[index(P::micro_batch)]) CHECK(best[up] >= held[up]);
                best[up] = std::max(best[up], held[up]);
                if (best[up] > held[up] * 1.001) ++changes;
            }
            const double steps = std::log(1.1 / 0.9);
            CHECK((*replanned)[i] == Approx(std::log(best[1] / best[0]) / steps).margin(1e-12));
            const double same = std::log(held[1] / held[0]) / steps;
            if (best[1] > held[1] * 1.001 && best[0] == held[0]) CHECK((*replanned)[i] > same);
            if (best[0] > held[0] * 1.001 && best[1] == held[1]) CHECK((*replanned)[i] < same);
        }
    }
    // Some do get another plan with a faster network and with a slower chip.
    CHECK(changes >= 2);
}

TEST_CASE(
    "sensitivity: without free parameters the elasticities with new plans equal those with the plan held",
    "[sensitivity][walls]") {
    const Answer now = answer(with({{P::inter_node_bandwidth, 12.5e9}}));
    const auto replanned = planned_elasticity(now);
    REQUIRE(replanned.has_value());
    // Differences over ±10 % approximate the derivative.
    for (std::size_t i = 0; i < kRates; ++i)
        CHECK((*replanned)[i] == Approx(now.estimate.elasticity[i]).margin(0.03));
    CHECK(std::accumulate(replanned->begin(), replanned->end(), 0.0) == Approx(1).margin(0.03));
    CHECK_FALSE(planned_elasticity(answer(with({{P::sequence_length, 8192}}))).has_value());
}
