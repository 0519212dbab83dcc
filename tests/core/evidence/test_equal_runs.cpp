// Tests what runs with equal settings weigh, and what a calibration says of errors that it cannot explain.
#include <catch2/catch.hpp>
#include <cmath>

#include "evidence/calibration.h"
#include "evidence/equal_runs.h"
#include "evidence/missing_effects.h"
#include "evidence/validated.h"
#include "files/scenario_file.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// A run of MPT-7B on H100 whose time is the predicted one times `factor`.
MeasuredRun run_of(const std::string& id, Scenario scenario, double factor) {
    scenario.give(P::software, Software::fsdp1);
    const Answer predicted = answer(scenario);
    REQUIRE(predicted.valid());
    MeasuredRun run;
    run.id = id;
    run.family = "mine";
    run.scenario = write_scenario(scenario, false);
    run.software = "fsdp1";
    run.gpu = "h100-sxm-80gb";
    run.model = "MPT-7B";
    run.gpus = predicted.settings[P::gpus];
    run.step_time = factor * predicted.estimate.step.total;
    run.quality = RunQuality::good;
    return run;
}

Scenario seven_b(std::initializer_list<std::pair<P, Value>> values) {
    Scenario scenario = of_model("mpt-7b", values);
    scenario.give(P::gpus, 8);
    return scenario;
}

}  // namespace

TEST_CASE("equal runs: they weigh as one, and the price of a GPU does not tell them apart", "[evidence]") {
    const Settings a = resolve(seven_b({}));
    const Settings b = resolve(seven_b({{P::price_per_gpu_hour, 3}, {P::training_tokens, 1e12}}));
    const Settings c = resolve(seven_b({{P::sequence_length, 4096}}));
    MeasuredRun fast, slow, other;
    fast.id = "fast";
    slow.id = "slow";
    fast.step_time = 1;
    slow.step_time = 1.44;
    other.step_time = 3;
    std::vector<RunWithSettings> runs{{&fast, &a}, {&slow, &b}, {&other, &c}};
    CHECK(first_equals(runs) == std::vector<std::size_t>{0, 0, 2});
    CHECK(common_times(runs)[1] == Approx(1.2));  // √(1 · 1.44)
    CHECK(common_times(runs)[2] == Approx(3));
    CHECK(contradictions(runs) == std::vector<std::string>{"", "", ""});
    slow.step_time = 1.6;
    const std::vector<std::string> reasons = contradictions(runs);
    CHECK(reasons[0].find("slow took 1.6 s") != std::string::npos);
    CHECK(reasons[1].find("fast took 1 s") != std::string::npos);
    CHECK(reasons[2].empty());
}

TEST_CASE("equal runs: a small latency and an unknown program tell runs apart", "[evidence]") {
    MeasuredRun fast, slow;
    fast.step_time = 1;
    slow.step_time = 3;
    const auto contradict = [&](const Settings& a, const Settings& b) {
        return !contradictions({{&fast, &a}, {&slow, &b}}).front().empty();
    };
    const Settings near = resolve(seven_b({{P::intra_node_latency, 2.6e-6}}));
    const Settings far = resolve(seven_b({{P::intra_node_latency, 3.4e-6}}));
    CHECK(contradict(near, near));
    CHECK_FALSE(contradict(near, far));
    const Settings other = resolve(seven_b({{P::software, Software::other}}));
    fast.software = slow.software = "foo";
    CHECK(contradict(other, other));
    slow.software = "bar";
    CHECK_FALSE(contradict(other, other));
}

TEST_CASE("equal runs: a validation counts them against their common time, and names contradictions",
          "[evidence]") {
    std::vector<MeasuredRun> runs{run_of("a", seven_b({}), 1 / 1.2), run_of("b", seven_b({}), 1.2)};
    const Validation equal = validate(runs, Catalogue::shipped());
    // One run is 20 % slower and one 17 % faster than predicted; together they are as predicted.
    CHECK(equal.summary.at("mine").mean_abs_error == Approx(0).margin(1e-9));
    CHECK(equal.rows[0].error == Approx(0.2));
    runs.push_back(run_of("c", seven_b({}), 2));
    const Validation contradictory = validate(runs, Catalogue::shipped());
    CHECK(contradictory.rows.empty());
    REQUIRE(contradictory.skipped.size() == 3);
    CHECK_FALSE(contradictory.skipped[0].unreadable);
    CHECK(contradictory.skipped[0].reason.find("c took") != std::string::npos);
}

TEST_CASE("missing effects: errors that follow a setting name it", "[calibration]") {
    const auto sentences = [](auto&& factor) {
        std::vector<MeasuredRun> runs;
        for (const double sequence : {1024.0, 2048.0, 4096.0, 8192.0}) {
            for (const double micro_batch : {1.0, 2.0}) {
                runs.push_back(
                    run_of(std::to_string(runs.size()),
                           seven_b({{P::sequence_length, sequence}, {P::micro_batch, micro_batch}}),
                           factor(sequence, micro_batch)));
            }
        }
        return missing_effects(calibrate(runs, Catalogue::shipped(), for_own_runs()), Catalogue::shipped());
    };
    CHECK(sentences([](double, double) { return 1.0; }) == std::vector<std::string>{});
    // No constant of the engine makes every second run 40 % slower.
    const std::vector<std::string> of_batch =
        sentences([](double, double micro_batch) { return micro_batch == 2 ? 1.4 : 1.0; });
    REQUIRE_FALSE(of_batch.empty());
    CHECK(of_batch.back().find("follow “Micro-batch”: +") != std::string::npos);
    CHECK(of_batch.back().find("lack an effect of it") != std::string::npos);
    // Nor does one make a GPU three times as fast, or four times as slow.
    const std::vector<std::string> fast = sentences([](double, double) { return 1.0 / 3; });
    REQUIRE(fast.size() == 1);
    CHECK(fast.front().find("faster than predicted") != std::string::npos);
}

TEST_CASE("missing effects: a constant that moves to the limit of its range is named", "[calibration]") {
    Calibration calibration;
    const auto overlap = [](double before, double after) {
        return FittedConstant{P::overlap, "stack-fsdp1", before, after};
    };
    calibration.constants = {overlap(0.8, 1)};
    const std::vector<std::string> sentences = missing_effects(calibration, Catalogue::shipped());
    REQUIRE(sentences.size() == 1);
    CHECK(sentences.front() == "overlap of stack-fsdp1 ends at 1, the largest value that is physical.");
    calibration.constants = {overlap(1, 1), overlap(0.8, 0.9)};
    CHECK(missing_effects(calibration, Catalogue::shipped()).empty());
}

TEST_CASE("unknown software: it is predicted as other software, with its name and a message", "[evidence]") {
    Problems unused;
    Catalogue catalogue = Catalogue::with_folder("", unused);
    const auto read = [&](const std::string& software) {
        Problems problems;
        const Scenario out =
            read_scenario(R"({"cluster": {"software": ")" + software + R"("}})", catalogue, "", problems);
        REQUIRE(problems.empty());
        return out;
    };
    const Scenario unknown = read("megatorn-core");
    const Answer now = answer(unknown);
    CHECK(written(P::software, now.settings[P::software]) == "other");
    const std::vector<std::string> warnings = extrapolation_warnings(now);
    CHECK(std::ranges::count(warnings,
                             "The software “megatorn-core” is not known. It is predicted as “other”, and the "
                             "error band is wide. Is “megatron-core” meant?") == 1);
    // A saved file keeps the name, and another choice drops it.
    Problems problems;
    const std::string saved = write_scenario(unknown, false);
    CHECK(read_scenario(saved, catalogue, "", problems) == unknown);
    CHECK(edited(unknown, P::software, Software::fsdp2).software_name.empty());
    // Programs of known stacks.
    CHECK(written(P::software, resolve(read("megatron-lm"))[P::software]) == "megatron-core");
    CHECK(read("megatron-lm").software_name.empty());
    MeasuredRun run;
    run.software = "my-stack";
    CHECK(unknown_software({run, run}) == std::set<std::string>{"my-stack"});
}
