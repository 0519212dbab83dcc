// Tests the reader of MLPerf's logs: blocks of steps, benchmark, platform and degrees.
#include <catch2/catch.hpp>

#include "support/read_logs.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("logs: MLPerf's blocks, without the evaluations between them", "[logs]") {
    const auto event = [](long long ms, const char* key, const char* value, int samples) {
        return written(
            "0: :::MLLOG {\"namespace\": \"\", \"time_ms\": %lld, \"event_type\": \"POINT_IN_TIME\", "
            "\"key\": "
            "\"%s\", \"value\": %s, \"metadata\": {\"file\": \"run.py\", \"lineno\": 1, \"samples_count\": "
            "%d}}\n",
            ms, key, value, samples);
    };
    std::string text = event(1000, "global_batch_size", "32", 0) +
                       event(1000, "max_sequence_length", "8192", 0) +
                       event(1000, "tensor_parallelism", "4", 0);
    // Five blocks of 320 samples in 20 s each, and 5 s of evaluation: 16 samples/s.
    for (int i = 0; i < 5; ++i) {
        text += event(10000 + i * 25000, "block_start", "null", 320 * i);
        text += event(30000 + i * 25000, "block_stop", "null", 320 * (i + 1));
        text += event(30000 + i * 25000, "eval_start", "null", 320 * (i + 1));
    }
    const TrainingLog log = read_log(text);
    CHECK(log.tool == "MLPerf");
    CHECK(log.unit == StepUnit::seconds_per_sample);
    CHECK(1 / log.steady.median == Approx(16));
    CHECK(log.steady.left_out.evaluation == 0);
    const LogScenario found = log_scenario_of(log);
    const Settings s = resolve(found.scenario);
    CHECK(log.step_time(s) == Approx(2));
    CHECK(s[P::tensor_parallel] == 4);
    CHECK(s[P::sequence_length] == 8192);
}

TEST_CASE("logs: MLPerf's benchmark, platform, ranks and precision", "[logs]") {
    const auto line = [](const char* key, const std::string& value) {
        return written(":::MLLOG {\"time_ms\": 1, \"key\": \"%s\", \"value\": %s, \"metadata\": {}}\n", key,
                       value.c_str());
    };
    const auto block = [](int i) {
        return written(
            ":::MLLOG {\"time_ms\": %d, \"key\": \"block_start\", \"value\": null, \"metadata\": "
            "{\"samples_count\": %d}}\n"
            ":::MLLOG {\"time_ms\": %d, \"key\": \"block_stop\", \"value\": null, \"metadata\": "
            "{\"samples_count\": %d}}\n",
            25000 * i, 320 * i, 25000 * i + 20000, 320 * (i + 1));
    };
    const auto read = [&](const std::string& text) {
        return log_scenario_of(read_log(text + lines(5, block)));
    };
    const std::string batch = line("global_batch_size", "64") + line("max_sequence_length", "8192");
    const std::string benchmark = line("submission_benchmark", "\"llama31_8b\"");

    const LogScenario found = read(benchmark + line("submission_platform", "\"1xNVIDIA B200\"") + batch +
                                   line("number_of_ranks", "16") + line("tensor_parallelism", "2") +
                                   line("gradient_accumulation_steps", "4") +
                                   line("lowest_numerical_precision_in_linear", "\"nvfp4\""));
    const Settings s = resolve(found.scenario);
    CHECK(missing_inputs(found.scenario).empty());
    REQUIRE(found.scenario.model);
    CHECK(found.scenario.model->name == "llama-3-8b");
    REQUIRE(found.scenario.gpu_preset());
    CHECK(found.scenario.gpu_preset()->name == "b200-sxm");
    CHECK(s[P::gpus] == 16);
    // 64 sequences of 8 ranks in 4 micro-batches each.
    CHECK(s[P::micro_batch] == 2);
    CHECK(s[P::accumulation] == 4);
    CHECK(s.choice<Precision>(P::precision) == Precision::nvfp4);

    // One node of eight GPUs: 64 sequences in 4 micro-batches of 2 sequences each.
    const LogScenario amd =
        read(benchmark + line("submission_platform", "\"1xMI325X\"") + batch + line("micro_batch_size", "2") +
             line("gradient_accumulation_steps", "4") + line("lowest_numerical_precision_linear", "\"fp8\""));
    CHECK(missing_inputs(amd.scenario).empty());
    CHECK(amd.scenario.gpu_preset()->name == "mi325x");
    CHECK(resolve(amd.scenario)[P::gpus] == 8);
    CHECK(resolve(amd.scenario).choice<Precision>(P::precision) == Precision::fp8);
    // The number of nodes alone does not give that of the GPUs.
    CHECK(is_missing(read(benchmark + line("submission_platform", "\"8xMI355X\"") + batch).scenario,
                     "the number of GPUs"));

    CHECK(resolve(read(benchmark + batch + line("number_of_nodes", "2") + line("accelerators_per_node", "8"))
                      .scenario)[P::gpus] == 16);

    const LogScenario lora = read(line("submission_benchmark", "\"llama2_70b_lora\"") + batch +
                                  line("lowest_numerical_precision_linear", "\"mxfp4\""));
    REQUIRE(lora.scenario.model);
    CHECK(lora.scenario.model->name == "llama-2-70b");
    CHECK(resolve(lora.scenario).choice<Precision>(P::precision) == Precision::mxfp8);
    REQUIRE(lora.notes.size() == 2);
    CHECK(lora.notes[0] ==
          "The benchmark llama2_70b_lora trains LoRA adapters; the scenario trains all weights.");
    CHECK(lora.notes[1] == "The precision mxfp4 is treated as MXFP8.");
    for (const char* name : {"bert", "gpt3", "gpt_oss_20b", "llama31_405b", "deepseekv3_671b"}) {
        INFO(name);
        CHECK(read(line("submission_benchmark", "\"" + std::string(name) + "\"") + batch).scenario.model);
    }
    CHECK(is_missing(read(line("submission_benchmark", "\"flux1\"") + batch).scenario, "the model"));

    // The model of the log replaces that of the scenario, with what was changed in it.
    Scenario base = of_model("qwen3-8b", {{P::layers, 7}});
    Problems problems;
    const Scenario replaced =
        log_scenario(read_log(benchmark + batch + lines(5, block)), &base, Catalogue::shipped(), problems)
            .scenario;
    REQUIRE(problems.empty());
    CHECK(replaced.model->name == "llama-3-8b");
    CHECK(resolve(replaced)[P::layers] == 32);
}
