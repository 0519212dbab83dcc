// Tests the readers of logs of the Hugging Face Trainer, of PyTorch Lightning and of NeMo, which uses it.
#include <catch2/catch.hpp>

#include "support/read_logs.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("logs: NeMo's lines and Lightning's progress bar", "[logs]") {
    const std::string text = lines(6, [](int i) {
        return written(
            "Training epoch 0, iteration %d/99 | lr: 4.5e-07 | global_batch_size: 128 | global_step: %d | "
            "reduced_train_loss: 11.03 | train_step_timing in s: %.3f | consumed_samples: %d\n",
            i - 1, i - 1, i == 1 ? 30.0 : 6.5, 128 * i);
    });
    const TrainingLog log = read_log("Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/64\n" + text);
    CHECK(log.tool == "NeMo");
    CHECK(log.steady.median == Approx(6.5));
    CHECK(log.steady.left_out.warm_up == 1);
    CHECK(log.contents.line_of(P::gpus) == 1);
    const LogScenario found = log_scenario_of(log);
    CHECK(resolve(found.scenario)[P::gpus] == 64);
    CHECK(resolve(found.scenario)[P::global_batch] == 128);
    CHECK(is_missing(found.scenario, "the model"));
    CHECK(is_missing(found.scenario, "the micro-batch"));
    // The bar is rewritten after carriage returns and is one line of the file.
    const std::string bar = lines(5, [](int i) {
        return written(
            "\rEpoch 0: :   5%%|▌         | %d/100 [00:32<10:21, v_num=, reduced_train_loss=11.0, "
            "global_step=%d.000, consumed_samples=%d.0, train_step_timing in s=5.430]",
            i, i, 128 * i);
    });
    CHECK(read_log(bar).steady.logged == 5);
    CHECK(read_log(bar).steady.median == Approx(5.43));
}

TEST_CASE("logs: the Trainer's console output and its state file", "[logs]") {
    const std::string console =
        "[INFO|trainer.py:2243] >> ***** Running training *****\n"
        "[INFO|trainer.py:2246] >>   Instantaneous batch size per device = 4\n"
        "[INFO|trainer.py:2249] >>   Total train batch size (w. parallel, distributed & accumulation) = 64\n"
        "[INFO|trainer.py:2250] >>   Gradient Accumulation steps = 2\n"
        "[INFO|trainer.py:2251] >>   Total optimization steps = 2,000\n";
    std::string bar = console;
    for (int i = 1; i <= 6; ++i)
        bar +=
            written("\r  5%%|▌         | %d/2000 [05:00<1:35:00,  %s]", i, i < 4 ? "3.00s/it" : "3.01s/it");
    // The bar of an evaluation has another total.
    bar += "\r 10%|█         | 1/10 [00:01<00:09,  1.00s/it]";
    const TrainingLog log = read_log(bar);
    CHECK(log.tool == "Hugging Face Trainer");
    CHECK(log.steady.logged == 6);
    CHECK(log.steady.median == Approx(3.01).epsilon(0.01));
    const LogScenario found = log_scenario_of(log);
    CHECK(resolve(found.scenario)[P::gpus] == 8);
    CHECK(resolve(found.scenario)[P::micro_batch] == 4);
    // A state file has only the mean over the run.
    const TrainingLog state = read_log(
        "{\n  \"epoch\": 1.0,\n  \"global_step\": 2000,\n  \"log_history\": [\n    {\n      \"epoch\": 1.0,\n"
        "      \"step\": 2000,\n      \"total_flos\": 1.2e+20,\n      \"train_loss\": 1.1,\n"
        "      \"train_runtime\": 6300.0,\n      \"train_samples_per_second\": 20.317,\n"
        "      \"train_steps_per_second\": 0.317\n    }\n  ],\n  \"max_steps\": 2000\n}\n");
    CHECK(state.whole_run);
    // 6,300 s ÷ 2,000 steps; the rate in the file is rounded.
    CHECK(state.steady.median == Approx(3.15));
    CHECK(state.quality() == RunQuality::ambiguous);
    CHECK(is_missing(log_scenario_of(state).scenario, "the micro-batch"));
}

TEST_CASE("logs: the Trainer's files state the batch by rounded rates", "[logs]") {
    const auto rates = [](const char* samples, const char* steps) {
        return written(
            "{\n  \"epoch\": 3.0,\n  \"train_runtime\": 7308.0,\n  \"train_samples_per_second\": %s,\n"
            "  \"train_steps_per_second\": %s\n}\n",
            samples, steps);
    };
    const Settings results = resolve(log_scenario_of(read_log(rates("21.3", "0.333"))).scenario);
    CHECK(results[P::global_batch] == 64);
    // Two digits leave several batches.
    CHECK(is_missing(log_scenario_of(read_log(rates("21.3", "0.003"))).scenario, "the batch"));
    const std::string history =
        "{\n  \"global_step\": 2436,\n  \"log_history\": [\n" + rates("340.917", "0.333") + "  ],\n";
    const LogScenario state =
        log_scenario_of(read_log(history + "  \"max_steps\": 2436,\n  \"train_batch_size\": 8\n}\n"));
    CHECK(resolve(state.scenario)[P::micro_batch] == 8);
    CHECK(resolve(state.scenario)[P::global_batch] == 1024);
    // DeepSpeed's configuration has the batch of all processes under this name.
    const TrainingLog other = read_log("\"train_batch_size\": 64\n" + rates("21.3", "0.333"));
    CHECK(is_missing(log_scenario_of(other).scenario, "the micro-batch"));
}

TEST_CASE("logs: Lightning's own progress bar", "[logs]") {
    std::string text = "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/8\n";
    for (int i = 1; i <= 8; ++i)
        text += written("\rEpoch 0:   5%%|▌         | %d/1000 [00:%02d<16:12,  %s, v_num=0, loss=6.5]", i, i,
                        i == 1 ? "9.50s/it" : "2.00it/s");
    // The bar of a validation is none of training.
    text += "\rValidation DataLoader 0:  50%|▌ | 9/10 [00:01<00:01,  8.00it/s]";
    const TrainingLog log = read_log(text + "\n");
    CHECK(log.tool == "PyTorch Lightning");
    CHECK(log.software.empty());
    CHECK(log.steady.logged == 8);
    CHECK(log.steady.median == Approx(0.5));
    CHECK(resolve(log_scenario_of(log).scenario)[P::gpus] == 8);
    // The bar counts batches, of which an optimizer step accumulates several.
    CHECK(log.unit == StepUnit::seconds_per_batch);
    Scenario scenario = log_scenario_of(log).scenario;
    scenario.give(P::accumulation, 8);
    CHECK(log.step_time(resolve(scenario)) == Approx(4));
    scenario.give(P::accumulation, 1);
    CHECK(log.step_time(resolve(scenario)) == Approx(0.5));
    const Scenario stated =
        log_scenario_of(read_log("  accumulate_grad_batches: 4\n" + text + "\n")).scenario;
    CHECK(resolve(stated)[P::accumulation] == 4);
}
