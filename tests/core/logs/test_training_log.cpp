// Tests what the readers of all logs share: what is missing or refused, long lines and files, and the run
// that a log becomes.
#include <catch2/catch.hpp>

#include "support/folder.h"
#include "support/read_logs.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("logs: what the log does not state comes from a scenario", "[logs]") {
    const TrainingLog log = read_log(lines(6, [](int i) {
        return written("| global_batch_size: 128 | global_step: %d | train_step_timing in s: 6.5\n", i);
    }));
    const Scenario base = of_model("llama-3-8b", {{P::gpus, 128}, {P::recompute, 1}, {P::micro_batch, 1}});
    Problems problems;
    const LogScenario found = log_scenario(log, &base, Catalogue::shipped(), problems);
    REQUIRE(problems.empty());
    const Settings s = resolve(found.scenario);
    CHECK(found.scenario.model == base.model);
    CHECK(s[P::recompute] == 1);
    CHECK(s[P::gpus] == 128);
    CHECK(s[P::global_batch] == 128);
    CHECK(written(P::software, s[P::software]) == "nemo");
}

TEST_CASE("logs: a run is written as a line that the reader of runs takes", "[logs]") {
    const TrainingLog log = read_log(torchtitan_log());
    const LogScenario found = log_scenario_of(log);
    Problems problems;
    const std::vector<MeasuredRun> runs =
        read_runs(write_log_run(log, found.scenario, "runs/my run.log"), problems);
    REQUIRE(problems.empty());
    REQUIRE(runs.size() == 1);
    const MeasuredRun& run = runs.front();
    CHECK(run.id == "my-run");
    CHECK(run.problems.empty());
    CHECK(run.quality == RunQuality::good);
    CHECK(run.step_time == Approx(log.step_time(resolve(found.scenario))));
    CHECK(run.tokens_per_s_per_gpu == Approx(6003.5).epsilon(1e-6));
    CHECK(run.peak.reserved == Approx(60.25 * kGibi));
    const Scenario again = shardscope::scenario_of(run, Catalogue::shipped(), problems);
    CHECK(problems.empty());
    const Answer ours = answer(found.scenario);
    const Answer theirs = answer(again);
    REQUIRE(ours.valid());
    REQUIRE(theirs.valid());
    CHECK(ours.estimate.step.total == theirs.estimate.step.total);
}

TEST_CASE("logs: a step time that exceeds the GPU's peak is no good measurement", "[logs]") {
    const std::string gpu = "NVIDIA H100 80GB HBM3\n";
    const auto log = [&](double ms) {
        return read_log(gpu + megatron_arguments() + lines(6, [&](int i) { return megatron_step(i, ms); }));
    };
    const auto run = [](const TrainingLog& of) {
        Problems problems;
        const std::vector<MeasuredRun> runs =
            read_runs(write_log_run(of, log_scenario_of(of).scenario, "my.log"), problems);
        CHECK(problems.empty());
        REQUIRE(runs.size() == 1);
        return runs.front();
    };
    const TrainingLog usual = log(4000);
    CHECK(contradiction(usual, log_scenario_of(usual).scenario).empty());
    CHECK(run(usual).has_good_time());
    // 64 GPUs would need 1.7 s at their peak.
    const TrainingLog fast = log(1000);
    const std::string why = contradiction(fast, log_scenario_of(fast).scenario);
    for (const char* words :
         {"1 s", "256 sequences of 8,192 tokens", "64 GPUs and bf16", "states 400 TFLOP/s"}) {
        INFO(why);
        CHECK(why.find(words) != std::string::npos);
    }
    CHECK(run(fast).quality == RunQuality::ambiguous);
    CHECK_FALSE(run(fast).has_good_time());
    CHECK(run(fast).note.find(why) != std::string::npos);
}

TEST_CASE("logs: a run states its sharding, which tables assume to be another one", "[logs]") {
    const TrainingLog log = read_log(torchtitan_log());
    const Scenario base =
        of_model("llama-3-8b", {{P::gpus, 8}, {P::tensor_parallel, 2}, {P::offload, Offload::optimizer}});
    REQUIRE_FALSE(base.is_given(P::sharding));
    Problems problems;
    const std::vector<MeasuredRun> runs = read_runs(write_log_run(log, base, "a.log"), problems);
    REQUIRE(problems.empty());
    const Settings again = resolve(shardscope::scenario_of(runs.front(), Catalogue::shipped(), problems));
    REQUIRE(problems.empty());
    CHECK(again[P::sharding] == resolve(base)[P::sharding]);
}

TEST_CASE("logs: a rate that no table takes is left out of the run", "[logs]") {
    const TrainingLog log = read_log(lines(4, [](int i) {
        return written(
            "global_step=%d, RunningAvgSamplesPerSec=1.0, CurrSamplesPerSec=160000000.0, "
            "MaxMemAllocated=45.6GB\n",
            i);
    }));
    const Scenario base = of_model("llama-3-8b", {});
    Problems problems;
    const LogScenario found = log_scenario(log, &base, Catalogue::shipped(), problems);
    const std::vector<MeasuredRun> runs = read_runs(write_log_run(log, found.scenario, "a.log"), problems);
    REQUIRE(problems.empty());
    REQUIRE(runs.size() == 1);
    CHECK(runs.front().problems.empty());
    CHECK(runs.front().step_time == 0);
    CHECK(runs.front().quality == RunQuality::none);
    CHECK(runs.front().peak.allocated == Approx(45.6 * kGibi));
}

TEST_CASE("logs: a text without steps and peaks is refused", "[logs]") {
    Problems problems;
    read_training_log("Loading model\nstep: 1 loss: 2.0\n", problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().what.find("no step time") != std::string::npos);
    CHECK_FALSE(is_training_log("{\"model\": {}}"));
    CHECK_FALSE(is_training_log(""));
    CHECK(is_training_log(torchtitan_log()));
    CHECK(is_training_log(megatron_log()));
}

TEST_CASE("logs: long lines, missing ends and numbers that are none", "[logs]") {
    // A line is cut at 64 KiB; the next one is read.
    const std::string text =
        std::string(200'000, 'x') + "\n" + lines(4, [](int i) { return megatron_step(i, 500); });
    CHECK(read_log(text).steady.median == Approx(0.5));
    Problems problems;
    const TrainingLog log = read_training_log(
        "iteration 1/ 10 | elapsed time per iteration (ms): nan |\n"
        "iteration 2/ 10 | elapsed time per iteration (ms): 1e999 |\n"
        "iteration 3/ 10 | elapsed time per iteration (ms): -5 |\n"
        "iteration 4/ 10 | elapsed time per iteration (ms):",
        problems);
    CHECK(log.steady.logged == 0);
    CHECK(problems.size() == 1);
}

TEST_CASE("logs: a log is read from its file in pieces, and a missing file is a problem", "[logs]") {
    const Folder folder;
    // Larger than one piece, so that a line lies in two of them.
    std::string text = megatron_arguments();
    for (int step = 1; step <= 3000; ++step) text += megatron_step(10 * step, 4000);
    Problems problems;
    const TrainingLog log = read_training_log_file(folder.write("train.log", text), problems);
    CHECK(problems.empty());
    CHECK(log.steady.logged == 3000);
    CHECK(log.steady.median == Approx(4));
    CHECK(read_training_log(text, problems).steady.logged == 3000);
    read_training_log_file(folder.file("nowhere.log"), problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().text().find("it does not exist") != std::string::npos);
}

TEST_CASE("logs: lines with rates state batch, GPUs and sequence", "[logs]") {
    const TrainingLog nanotron = read_log(lines(5, [](int i) {
        return written(
            "10/17/2025 16:31:56 [INFO|DP=0|PP=0|TP=0]: iteration: %d / 378950 | consumed_tokens: 85.8G | "
            "elapsed_time_per_iteration_ms: 11.5K | tokens_per_sec: 22.8K | tokens_per_sec_per_gpu: 11.4K | "
            "global_batch_size: 64 | lm_loss: 2.38 | model_tflops_per_gpu: 38.3\n",
            i);
    }));
    const Settings s = resolve(log_scenario_of(nanotron).scenario);
    CHECK(s[P::gpus] == 2);
    CHECK(s[P::global_batch] == 64);
    CHECK(s[P::sequence_length] == 4096);
    const TrainingLog deepspeed = read_log(lines(5, [](int i) {
        return written(
            "[2023-07-25 21:03:13,269] [INFO] [timer.py:215:stop] epoch=0/micro_step=%d/global_step=%d, "
            "RunningAvgSamplesPerSec=7.86, CurrSamplesPerSec=8.01, MemAllocated=59.65GB, "
            "MaxMemAllocated=63.31GB\n samples/sec: 7.799 | iteration %d/ 10000 | elapsed time per iteration "
            "(ms): 4103.1 | learning rate: 2.1E-06 | lm_loss: 1.1E+01 |\n",
            i, i, i);
    }));
    CHECK(resolve(log_scenario_of(deepspeed).scenario)[P::global_batch] == 32);
}

TEST_CASE("logs: what a log does not state is named with the option that adds it", "[logs]") {
    const std::vector<MissingInput> missing =
        missing_inputs(log_scenario_of(read_log(megatron_log())).scenario);
    REQUIRE(missing.size() == 1);
    const std::string text = problem_of(missing.front()).text();
    CHECK(text.find("the log does not state the GPU") != std::string::npos);
    CHECK(text.find("--set " + std::string(missing.front().key) + "=" + missing.front().example) !=
          std::string::npos);
}

TEST_CASE("logs: a completed scenario that is not valid names the values that the log states", "[logs]") {
    const TrainingLog log = read_log(megatron_log());
    const Scenario stated = log_scenario_of(log).scenario;
    Scenario completed = stated;
    completed.cluster = Catalogue::shipped().find(PresetKind::cluster, "dgx-h100");
    for (const Problem& problem : check_completed(log, stated, completed)) UNSCOPED_INFO(problem.text());
    CHECK(check_completed(log, stated, completed).empty());
    // The log states 64 GPUs; the user adds a pipeline of 5 stages.
    completed.give(P::pipeline_parallel, 5);
    const Problems problems = check_completed(log, stated, completed);
    REQUIRE_FALSE(problems.empty());
    const std::string text = problems.front().text();
    CHECK(text.find("the log states") != std::string::npos);
    CHECK(text.find("gpus 64 (line ") != std::string::npos);
    CHECK(text.find("pipeline_parallel") == text.rfind("pipeline_parallel"));  // which the log does not state
    // Without a value of the log, the problem alone is reported.
    Scenario own = Scenario::first_launch();
    own.give(P::pipeline_parallel, 5);
    const Problems alone = check_completed(log, Scenario::first_launch(), own);
    REQUIRE_FALSE(alone.empty());
    CHECK(alone.front().text().find("the log states") == std::string::npos);
}
