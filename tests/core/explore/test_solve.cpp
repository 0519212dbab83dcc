// Tests the reverse question: which input value reaches a target.
#include <catch2/catch.hpp>
#include <cmath>

#include "explore/solve.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

Target at_least(Output output, double value) { return {output, Comparison::at_least, value, false}; }
Target at_most(Output output, double value) { return {output, Comparison::at_most, value, false}; }

double mfu_at(const Scenario& scenario, P id, double value) {
    return answer(edited(scenario, id, value)).estimate.mfu;
}
Verdict verdict_at(const Scenario& scenario, P id, double value) {
    return answer(edited(scenario, id, value)).estimate.verdict;
}

}  // namespace

TEST_CASE("thresholds: the bandwidth and the memory are those at which the MFU reaches a target", "[solve]") {
    const Scenario slow = with({{P::inter_node_bandwidth, 1.25e9}, {P::micro_batch, 1}});
    const Solution bandwidth = solve({slow, P::inter_node_bandwidth, at_least(Output::mfu, 0.25)});
    REQUIRE(bandwidth.found());
    CHECK_FALSE(bandwidth.largest);
    CHECK(mfu_at(slow, P::inter_node_bandwidth, bandwidth.value) >= 0.25);
    CHECK(mfu_at(slow, P::inter_node_bandwidth, bandwidth.value * 0.999) < 0.25);
    CHECK(bandwidth.scenario.value[index(P::inter_node_bandwidth)] == bandwidth.value);

    // More memory allows a larger micro-batch, and that raises the MFU.
    const Scenario planned = with_auto(with({{P::inter_node_bandwidth, 12.5e9}}), P::micro_batch, true);
    const Solution memory = solve({planned, P::memory, at_least(Output::mfu, 0.42)});
    REQUIRE(memory.found());
    CHECK(memory.value > 20e9);
    CHECK(mfu_at(planned, P::memory, memory.value) >= 0.42);
    CHECK(memory.scenario.automatic[index(P::micro_batch)]);
    const Solution never = solve({planned, P::memory, at_least(Output::mfu, 0.95)});
    CHECK_FALSE(never.found());
    CHECK(std::isnan(never.value));
}

TEST_CASE("solve: the longest sequence and the largest micro-batch that fit are found", "[solve]") {
    for (const P id : {P::sequence_length, P::micro_batch}) {
        INFO(parameter(id).key);
        const Solution most = solve({first(), id, {}});
        REQUIRE(most.found());
        CHECK(most.largest);
        REQUIRE(most.met.size() == 1);
        CHECK(verdict_at(first(), id, most.value) == Verdict::fits);
        CHECK(verdict_at(first(), id, most.value + 1) != Verdict::fits);
        CHECK(most.met.back().above == most.value + 1);
        CHECK(std::isnan(most.met.front().below));
    }
}

TEST_CASE("solve: an automatic plan may spread a held batch over more GPUs than it has sequences",
          "[solve]") {
    // As the strong curve: the planner divides the model where the batch cannot be divided.
    Scenario scenario = with_hold(first(), Hold::global_batch);
    REQUIRE(resolve(scenario)[P::global_batch] == 128);
    for (const P id : {P::tensor_parallel, P::micro_batch}) scenario = with_auto(scenario, id, true);
    const Solution fits = solve({.scenario = scenario, .id = P::gpus, .target = {}, .high = 512});
    REQUIRE(fits.found());
    CHECK(fits.met.back().to == 512);
    Scenario by_hand = with_hold(first(), Hold::global_batch);
    CHECK(solve({.scenario = by_hand, .id = P::gpus, .target = {}, .high = 512}).met.back().to == 128);
}

TEST_CASE("solve: the smallest number of GPUs consists of whole nodes, and one node less does not fit",
          "[solve]") {
    const Scenario recomputed =
        of_model("llama-3-70b", {{P::gpus, 64}, {P::micro_batch, 1}, {P::recompute, 1}});
    const Solution fewest = solve({recomputed, P::gpus, {}});
    REQUIRE(fewest.found());
    CHECK_FALSE(fewest.largest);
    CHECK(std::fmod(fewest.value, 8) == 0);
    CHECK(verdict_at(recomputed, P::gpus, fewest.value) == Verdict::fits);
    CHECK(verdict_at(recomputed, P::gpus, fewest.value - 8) != Verdict::fits);
    CHECK(fewest.met.front().below == fewest.value - 8);
    CHECK(fewest.high == 16384);
}

TEST_CASE("solve: it respects the valid values of a held batch, of degrees and of choices", "[solve]") {
    const Scenario held = with_hold(with({{P::gpus, 64}}), Hold::global_batch);
    const Solution gpus = solve({held, P::gpus, at_least(Output::tokens_per_s, 200e3)});
    REQUIRE(gpus.found());
    // The batch has 128 sequences, so only divisors of 128 are valid GPU counts.
    CHECK(std::fmod(128, gpus.value) == 0);
    CHECK(value_of(Output::tokens_per_s, answer(edited(held, P::gpus, gpus.value))) >= 200e3);
    CHECK(gpus.met.front().below == gpus.value / 2);
    CHECK_FALSE(value_of(Output::tokens_per_s, answer(edited(held, P::gpus, gpus.value / 2))) >= 200e3);

    const Scenario large = with({{P::micro_batch, 4}, {P::sequence_length, 4096}});
    REQUIRE(answer(large).estimate.verdict == Verdict::does_not_fit);
    const Solution degree = solve({large, P::tensor_parallel, {}});
    REQUIRE(degree.found());
    CHECK(std::fmod(64, degree.value) == 0);
    CHECK(verdict_at(large, P::tensor_parallel, degree.value) == Verdict::fits);
    CHECK(verdict_at(large, P::tensor_parallel, degree.value / 2) != Verdict::fits);

    const Scenario one_copy = with({{P::sharding, Sharding::ddp}});
    REQUIRE(answer(one_copy).estimate.verdict == Verdict::does_not_fit);
    const Solution sharding = solve({one_copy, P::sharding, {}});
    REQUIRE(sharding.found());
    for (const MetRange& stretch : sharding.met)
        CHECK(verdict_at(one_copy, P::sharding, stretch.from) == Verdict::fits);
}

TEST_CASE("solve: every interval that meets the target is found with its exact ends", "[solve]") {
    // The interval has two ends: few GPUs do not fit, and many GPUs are limited by the network.
    const Scenario scenario = with({{P::inter_node_bandwidth, 12.5e9}});
    const double target = answer(scenario).estimate.mfu;
    const Solution gpus = solve({scenario, P::gpus, at_least(Output::mfu, target)});
    REQUIRE(gpus.found());
    for (const MetRange& stretch : gpus.met) {
        CHECK(mfu_at(scenario, P::gpus, stretch.from) >= target);
        CHECK(mfu_at(scenario, P::gpus, stretch.to) >= target);
        for (const double missed : {stretch.below, stretch.above}) {
            if (std::isnan(missed)) continue;
            const Answer there = answer(edited(scenario, P::gpus, missed));
            CHECK_FALSE(value_of(Output::mfu, there) >= target);
        }
    }
    // A brute-force search over all node counts gives the same result.
    std::vector<double> met;
    for (double g = 8; g <= 1024; g += 8) {
        const Answer there = answer(edited(scenario, P::gpus, g));
        if (value_of(Output::mfu, there) >= target) met.push_back(g);
    }
    for (const double g : met) {
        CHECK(std::ranges::any_of(gpus.met, [g](const MetRange& s) { return s.from <= g && g <= s.to; }));
    }
}

TEST_CASE("solve: a share of the best is relative to the best value that the input can reach", "[solve]") {
    const Scenario slow = with({{P::inter_node_bandwidth, 2.5e9}});
    const Solution knee =
        solve({slow, P::inter_node_bandwidth, {Output::mfu, Comparison::at_least, 0.95, true}});
    REQUIRE(knee.found());
    const double best = mfu_at(slow, P::inter_node_bandwidth, knee.high);
    CHECK(knee.target.value == Approx(0.95 * best).epsilon(1e-6));
    CHECK(mfu_at(slow, P::inter_node_bandwidth, knee.value) == Approx(0.95 * best).epsilon(1e-5));
}

TEST_CASE("solve: without a solution the report names the obstacle with numbers", "[solve]") {
    const Scenario wide = of_model("llama-3-70b", {{P::micro_batch, 2}});
    const Solution none = solve({wide, P::gpus, {}});
    REQUIRE_FALSE(none.found());
    INFO(none.reason);
    CHECK(none.reason.find("activations alone need") != std::string::npos);
    // The headline names the same number.
    const MemoryTerms terms = answer(wide).estimate.memory.terms();
    const std::string need =
        format(terms[static_cast<std::size_t>(MemoryTerm::activations)], Quantity::bytes);
    CHECK(none.reason.find("activations alone need " + need + " of") != std::string::npos);
    CHECK(none.reason.find("16,384") != std::string::npos);
    CHECK(none.reason.find("79.1 GiB") != std::string::npos);

    const Solution slow = solve({first(), P::inter_node_bandwidth, at_least(Output::mfu, 0.9)});
    REQUIRE_FALSE(slow.found());
    INFO(slow.reason);
    CHECK(slow.reason.find("MFU is at most") != std::string::npos);
    CHECK(slow.reason.find("the wall there is compute") != std::string::npos);

    const Solution small = solve({first(), P::micro_batch, at_most(Output::peak_memory, 1e9)});
    REQUIRE_FALSE(small.found());
    CHECK(small.reason.find("Peak memory is at least") != std::string::npos);
}

TEST_CASE("solve: if the current plan has no solution, another plan may have one", "[solve]") {
    const Question question{of_model("llama-3-70b", {{P::micro_batch, 2}}), P::gpus, {}};
    REQUIRE_FALSE(solve(question).found());
    double last = 0;
    const auto others = alternatives(question, {}, [&](double done) {
        CHECK(done >= last);
        last = done;
    });
    CHECK(last == 1);
    REQUIRE_FALSE(others.empty());
    for (const Alternative& way : others) {
        INFO(way.label);
        CHECK(answer(way.solution.scenario).estimate.verdict == Verdict::fits);
        // The solution is a part of one node or whole nodes.
        CHECK((way.solution.value < 8 || std::fmod(way.solution.value, 8) == 0));
    }
}

TEST_CASE("solve: the number of threads does not change the solution, and a cancelled search returns",
          "[solve]") {
    Question question{with_auto(first(), P::micro_batch, true), P::memory, at_least(Output::mfu, 0.4)};
    const Solution one = solve(question);
    question.threads = 4;
    const Solution four = solve(question);
    CHECK(one.value == four.value);
    REQUIRE(one.met.size() == four.met.size());
    std::stop_source stopped;
    stopped.request_stop();
    CHECK_FALSE(solve(question, stopped.get_token()).found());
}

TEST_CASE("solve: targets are read as people write them", "[solve]") {
    Problems problems;
    CHECK(parse_target("fits", problems).is_fit());
    const Target mfu = parse_target("mfu >= 50 %", problems);
    CHECK(mfu.output == Output::mfu);
    CHECK(mfu.value == 0.5);
    CHECK(text_of(mfu) == "MFU ≥ 50.0 %");
    const Target memory = parse_target("memory.peak_bytes<=70 GiB", problems);
    CHECK(memory.comparison == Comparison::at_most);
    CHECK(memory.value == 70.0 * (1 << 30));
    const Target share = parse_target("mfu>=95 % of best", problems);
    CHECK(share.of_best);
    CHECK(share.value == Approx(0.95));
    CHECK(problems.empty());
    for (const char* bad : {"mfu", "mfu>0.5", "mfoo>=1", "mfu>=x", "mfu>=150 % of best", ">=", ""}) {
        problems.clear();
        INFO(bad);
        parse_target(bad, problems);
        CHECK(problems.size() == 1);
    }
}

TEST_CASE("solve: the values that meet a target are given in one sentence", "[solve]") {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const Target fits;
    CHECK(text_of(P::gpus, {32, 16384, 16, kNone}, fits) == "Fits at 32, not at 16");
    CHECK(text_of(P::micro_batch, {1, 4, kNone, 5}, fits) == "Fits at 4, not at 5");
    CHECK(text_of(P::gpus, {64, 128, 32, 256}, fits) == "Fits from 64 to 128, not at 32 and 256");
    CHECK(text_of(P::gpus, {64, 64, 32, 128}, fits) == "Fits at 64, not at 32 and 128");
    CHECK(text_of(P::gpus, {1, 16384, kNone, kNone}, fits) == "Fits from 1 to 16,384");
    // A continuous value has no next one to name.
    CHECK(text_of(P::inter_node_bandwidth, {25e9, 400e9, 25e9 * (1 - 1e-9), kNone}, fits) ==
          "Fits from 200 Gbit/s up");
    CHECK(text_of(P::gpus, {32, 16384, 16, kNone}, at_least(Output::mfu, 0.4)) == "Met at 32, not at 16");
}
