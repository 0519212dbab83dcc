// Tests the results of claims against numbers worked out by hand.
#include <catch2/catch.hpp>
#include <cmath>

#include "studies/claim.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

Claim claim_of(Measure measure, Output output, std::vector<Scenario> scenarios) {
    Claim out;
    out.measure = measure;
    out.output = output;
    out.scenarios = std::move(scenarios);
    return out;
}

Claim ranged(Claim claim, double low, double high) {
    claim.low = low;
    claim.high = high;
    return claim;
}

constexpr double kOpen = std::numeric_limits<double>::infinity();
// Usable memory is an output with exactly the value of its input: 64 and 48 GiB give round ratios.
Scenario memory(double gib) { return with({{P::memory, gib * kGiB}}); }

}  // namespace

TEST_CASE("claim: values, ratios and changes are those of the scenarios", "[studies]") {
    const std::vector<Scenario> two{memory(64), memory(48)};
    const Finding value = evaluate_claim(claim_of(Measure::value, Output::capacity, {memory(48)}));
    CHECK(value.value == 48 * kGiB);
    const Finding ratio = evaluate_claim(claim_of(Measure::ratio, Output::capacity, two));
    CHECK(ratio.value == 0.75);
    CHECK(ratio.values == std::vector<double>{64 * kGiB, 48 * kGiB});
    CHECK(evaluate_claim(claim_of(Measure::relative_change, Output::capacity, two)).value == -0.25);
    // At half the GPUs with the same rate, training takes twice the days.
    const std::vector<Scenario> rates{with({{P::mfu_override, 0.4}, {P::training_tokens, 1e12}}),
                                      with({{P::mfu_override, 0.5}, {P::training_tokens, 1e12}})};
    CHECK(evaluate_claim(claim_of(Measure::ratio, Output::tokens_per_s, rates)).value ==
          Approx(1.25).epsilon(1e-12));
    CHECK(evaluate_claim(claim_of(Measure::relative_change, Output::training_days, rates)).value ==
          Approx(-0.2).epsilon(1e-12));
}

TEST_CASE("claim: a value in the range agrees, and one with the stated direction of the effect agrees partly",
          "[studies]") {
    const Claim ratio = claim_of(Measure::ratio, Output::capacity, {memory(64), memory(48)});  // 0.75
    CHECK(evaluate_claim(ranged(ratio, 0.7, 0.8)).agreement == Agreement::agrees);
    CHECK(evaluate_claim(ranged(ratio, 0.75, 0.75)).agreement == Agreement::agrees);
    CHECK(evaluate_claim(ranged(ratio, 0.4, 0.6)).agreement == Agreement::partly);
    CHECK(evaluate_claim(ranged(ratio, -kOpen, 0.6)).agreement == Agreement::partly);
    CHECK(evaluate_claim(ranged(ratio, 1.2, kOpen)).agreement == Agreement::disagrees);
    // “No effect” lies inside the range, so there is no stated direction.
    CHECK(evaluate_claim(ranged(ratio, 0.9, 1.1)).agreement == Agreement::disagrees);

    const Claim change = claim_of(Measure::relative_change, Output::capacity, {memory(64), memory(48)});
    CHECK(evaluate_claim(ranged(change, -0.3, -0.2)).agreement == Agreement::agrees);
    CHECK(evaluate_claim(ranged(change, -0.5, -0.4)).agreement == Agreement::partly);
    CHECK(evaluate_claim(ranged(change, 0.1, kOpen)).agreement == Agreement::disagrees);

    // A single number has no direction.
    const Claim value = claim_of(Measure::value, Output::capacity, {memory(48)});
    CHECK(evaluate_claim(ranged(value, 50 * kGiB, 60 * kGiB)).agreement == Agreement::disagrees);
    CHECK(evaluate_claim(ranged(value, -kOpen, 50 * kGiB)).agreement == Agreement::agrees);
    CHECK(evaluate_claim(value).agreement == Agreement::answered);
}

TEST_CASE("claim: a scenario that does not fit has no value, and the reason names it", "[studies]") {
    const Scenario large = with({{P::sequence_length, 65536}, {P::micro_batch, 8}});
    REQUIRE_FALSE(answer(large).fits());
    const Finding found =
        evaluate_claim(ranged(claim_of(Measure::ratio, Output::mfu, {first(), large}), 0.5, 2));
    CHECK(found.agreement == Agreement::unknown);
    CHECK(std::isnan(found.value));
    CHECK(found.reason == large.title() + ": does not fit");
    // Its memory is known nevertheless.
    CHECK(evaluate_claim(claim_of(Measure::value, Output::peak_memory, {large})).value > 80e9);

    const Scenario odd = with({{P::tensor_parallel, 7}});
    const Finding invalid = evaluate_claim(ranged(claim_of(Measure::value, Output::mfu, {odd}), 0, 1));
    CHECK(invalid.agreement == Agreement::unknown);
    CHECK(invalid.reason.find("tensor × context × pipeline parallel = 7") != std::string::npos);
}

TEST_CASE("claim: over a grid of inputs each scenario counts with its best point", "[studies]") {
    Claim claim = claim_of(Measure::value, Output::tokens_per_s, {with({{P::mfu_override, 0.4}})});
    claim.along = {{P::gpus, {8, 32, 16}}, {P::mfu_override, {0.2, 0.5, 0.3}}};
    const Scenario best = with({{P::gpus, 32}, {P::mfu_override, 0.5}});
    CHECK(evaluate_claim(claim).value == value_of(Output::tokens_per_s, answer(best)));
    // For times and memory the smallest value is the best; values are used as given, and invalid ones do not
    // count.
    claim.output = Output::step_time;
    claim.along = {{P::micro_batch, {2, 1, 4}}};
    CHECK(evaluate_claim(claim).value ==
          value_of(Output::step_time, answer(with({{P::mfu_override, 0.4}, {P::micro_batch, 1}}))));
    claim.along = {{P::tensor_parallel, {7, 1}}};
    CHECK(evaluate_claim(claim).value == value_of(Output::step_time, answer(with({{P::mfu_override, 0.4}}))));
}

TEST_CASE("claim: a crossover is the point from which the lead is never lost again", "[studies]") {
    // The engine's prediction, which falls as the network gets slower, is compared with a fixed 30 %.
    Claim claim = claim_of(Measure::crossover, Output::mfu, {first()});
    claim.target = 0.3;
    claim.along = {{P::inter_node_bandwidth, {1e9, 2e9, 4e9, 8e9, 16e9, 32e9, 64e9}}};
    const Finding found = evaluate_claim(claim);
    const auto mfu = [](double bandwidth) {
        return value_of(Output::mfu, answer(with({{P::inter_node_bandwidth, bandwidth}})));
    };
    REQUIRE(std::isfinite(found.value));
    CHECK(mfu(found.value) >= 0.3);
    CHECK(mfu(found.value / 2) < 0.3);
    CHECK(found.agreement == Agreement::answered);
    CHECK(evaluate_claim(ranged(claim, found.value, kOpen)).agreement == Agreement::agrees);
    CHECK(evaluate_claim(ranged(claim, 2 * found.value, kOpen)).agreement == Agreement::partly);

    // The second of two scenarios is better from 16 GPUs on; its own number is compared.
    Scenario slow = with({{P::mfu_override, 0.4}});
    Claim pair =
        ranged(claim_of(Measure::crossover, Output::mfu, {slow, with({{P::mfu_override, 0.5}})}), 1, 64);
    pair.along = {{P::gpus, {16, 32, 64}}};
    CHECK(evaluate_claim(pair).value == 16);
    // With the better scenario first, the other one never overtakes it.
    std::swap(pair.scenarios[0], pair.scenarios[1]);
    const Finding never = evaluate_claim(pair);
    CHECK(std::isnan(never.value));
    CHECK(never.agreement == Agreement::disagrees);
    CHECK(never.reason == "nowhere up to 64");
    // The best of the other scenarios counts.
    pair.scenarios.push_back(with({{P::mfu_override, 0.6}}));
    CHECK(evaluate_claim(pair).value == 16);
    // A lead that is lost again does not count: it exists at one value of the input, but not at the next.
    Claim lost = claim_of(Measure::crossover, Output::mfu, {first()});
    lost.target = 0.3;
    lost.along = {{P::inter_node_bandwidth, {64e9, 1e9}}};
    CHECK(std::isnan(evaluate_claim(lost).value));
}

TEST_CASE("claim: numbers have the unit of the measured output", "[studies]") {
    Claim claim = claim_of(Measure::relative_change, Output::mfu, {first(), first()});
    CHECK(text_of(claim, -0.372) == "−37.2 %");
    CHECK(text_of(claim, 0.05) == "+5.0 %");
    CHECK(range_text(claim).empty());
    CHECK(range_text(ranged(claim, -0.45, -0.3)) == "−45.0 % to −30.0 %");
    CHECK(range_text(ranged(claim, -kOpen, -0.3)) == "at most −30.0 %");
    claim.measure = Measure::ratio;
    CHECK(text_of(claim, 0.65) == "0.65 ×");
    CHECK(text_of(claim, 26) == "26 ×");
    claim.measure = Measure::value;
    CHECK(text_of(claim, 0.408) == "40.8 %");
    claim.measure = Measure::crossover;
    claim.along = {{P::inter_node_bandwidth, {1e9}}};
    CHECK(text_of(claim, 50e9) == "400 Gbit/s");
    claim.stated = 50e9;
    CHECK(expected_text(claim) == "400 Gbit/s");
}

TEST_CASE("claim: the finding is given as the number, the numbers behind it, or the reason", "[studies]") {
    const Claim ratio = claim_of(Measure::ratio, Output::capacity, {memory(64), memory(48)});
    const Finding finding = evaluate_claim(ranged(ratio, 0.7, 0.8));
    CHECK(found_text(ratio, finding) == "0.75 ×");
    CHECK(values_text(ratio, finding) == "64.0 GiB → 48.0 GiB");
    CHECK(name_of(finding.agreement) == "agrees");
    CHECK(name_of(ratio.measure) == "ratio");
    const Claim value = claim_of(Measure::value, Output::capacity, {memory(64)});
    CHECK(values_text(value, evaluate_claim(value)).empty());
    Claim lost = claim_of(Measure::crossover, Output::mfu, {first()});
    lost.target = 0.3;
    lost.along = {{P::inter_node_bandwidth, {64e9, 1e9}}};
    CHECK(found_text(lost, evaluate_claim(lost)) == "nowhere up to 8 Gbit/s");
    CHECK(name_of(evaluate_claim(lost).agreement) == "answered");
    const Claim absent = ranged(claim_of(Measure::value, Output::mfu, {memory(2)}), 0.3, 0.4);
    CHECK(name_of(evaluate_claim(absent).agreement) == "unknown");
    CHECK(found_text(absent, evaluate_claim(absent)) == evaluate_claim(absent).reason);
    for (const auto& [agreement, name] :
         {std::pair{Agreement::partly, "partly"}, std::pair{Agreement::disagrees, "disagrees"}})
        CHECK(name_of(agreement) == name);
}

TEST_CASE("claim: a cancelled evaluation returns", "[studies]") {
    Claim claim = claim_of(Measure::value, Output::mfu, {first()});
    std::vector<double> many;
    for (int i = 1; i <= 1000; ++i) many.push_back(i);
    claim.along = {{P::sequence_length, many}, {P::micro_batch, many}, {P::gpus, many}};
    std::stop_source stop;
    stop.request_stop();
    // A thousand million points would take longer than the test's time limit.
    CHECK(std::isnan(evaluate_claim(claim, stop.get_token()).value));
}
