// What each input is worth.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

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

TEST_CASE("sensitivity: sorted, and every end equals a single estimate", "[sensitivity]") {
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

TEST_CASE("sensitivity: where the network binds it ranks above memory bandwidth", "[sensitivity]") {
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

TEST_CASE("sensitivity: ends that do not fit stay, inputs without effect go", "[sensitivity]") {
    const Scenario full = with({{P::micro_batch, 3}});
    const Sensitivity found = sensitivity(full, Output::mfu, Change::half_and_double);
    // Half of the memory cannot hold it, twice changes nothing: the bar stays for its broken end.
    const auto* memory = bar_of(found, P::memory);
    REQUIRE(memory != nullptr);
    REQUIRE(memory->less);
    CHECK_FALSE(memory->less->fits);
    CHECK(std::isnan(memory->less->value));
    CHECK(memory->more->value == found.now);
    CHECK(bar_of(found, P::tdp) == nullptr);
    CHECK(found.without_effect > 5);
    // One GPU a tensor-parallel group cannot be halved.
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

TEST_CASE("sensitivity: with the plan found anew memory buys MFU, with the plan held it does not",
          "[sensitivity]") {
    const Scenario planned = with_auto(with({{P::inter_node_bandwidth, 12.5e9}}), P::micro_batch, true);
    const Answer now = answer(planned);
    const Sensitivity anew = sensitivity(planned, Output::mfu, Change::half_and_double);
    const Sensitivity held = sensitivity(locked(now.scenario), Output::mfu, Change::half_and_double);
    CHECK(anew.now == held.now);
    REQUIRE(bar_of(anew, P::memory)->more);
    CHECK(bar_of(anew, P::memory)->more->value > anew.now);
    CHECK(bar_of(held, P::memory)->more->value == held.now);
}
