// Tests the reader of DeepSpeed's logs: throughput, breakdown and the configuration that it prints.
#include <catch2/catch.hpp>

#include "support/read_logs.h"

using namespace shardscope;
using namespace shardscope::testing;
using logs::Peak;

TEST_CASE("logs: DeepSpeed's throughput timer, configuration and breakdown", "[logs]") {
    std::string text =
        "[2026-03-02 10:20:30,123] [INFO] [config.py:1001:print]   train_batch_size ............. 64\n"
        "[2026-03-02 10:20:30,123] [INFO] [config.py:1001:print]   train_micro_batch_size_per_gpu  4\n"
        "[2026-03-02 10:20:30,123] [INFO] [config.py:1001:print]   world_size ................... 8\n"
        "[2026-03-02 10:20:30,123] [INFO] [config.py:1001:print]   zero_optimization_stage ...... 3\n"
        "[2026-03-02 10:20:30,123] [INFO] [config.py:1001:print]   bfloat16_enabled ............. True\n";
    text += lines(6, [](int i) {
        return written(
            "[2026-03-02 10:21:30,123] [INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | fwd: 1000.00 | "
            "bwd: 2500.00 | bwd_inner: 2100.00 | bwd_allreduce: 400.00 | step: 500.00\n"
            "[2026-03-02 10:21:30,123] [INFO] [timer.py:258:stop] epoch=0/micro_step=%d/global_step=%d, "
            "RunningAvgSamplesPerSec=15.2, CurrSamplesPerSec=16.0, MemAllocated=10.2GB, "
            "MaxMemAllocated=45.6GB\n",
            2 * i, i);
    });
    const TrainingLog log = read_log(text);
    CHECK(log.tool == "DeepSpeed");
    CHECK(log.unit == StepUnit::seconds_per_sample);
    CHECK(peak(log, Peak::allocated) == Approx(45.6 * kGibi));
    CHECK(log.contents.parts.at("bwd") == Approx(2.5));
    const LogScenario found = log_scenario_of(log);
    const Settings s = resolve(found.scenario);
    CHECK(s[P::gpus] == 8);
    CHECK(s[P::micro_batch] == 4);
    CHECK(s[P::global_batch] == 64);
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::zero3);
    CHECK(log.step_time(s) == Approx(4));
    // The breakdown alone gives the same time: 1 + 2.5 + 0.5 s.
    const std::string parts = lines(4, [](int) {
        return std::string(
            "time (ms) | fwd: 1000.00 | bwd: 2500.00 | bwd_inner: 2100.00 | bwd_allreduce: 400.00 | "
            "step: 500.00\n");
    });
    CHECK(read_log(parts).steady.median == Approx(4));
    const std::string pipeline = lines(4, [](int i) {
        return written("steps: %d loss: 9.1034 iter time (s): 1.250 samples/sec: 51.200\n", i);
    });
    CHECK(read_log(pipeline).steady.median == Approx(1.25));
}

TEST_CASE("logs: DeepSpeed's world size, and the sections of its configuration", "[logs]") {
    const auto setting = [](const std::string& name, const std::string& value) {
        // As many dots as DeepSpeed prints: up to the 29th character.
        const std::string dots(name.size() < 29 ? 29 - name.size() : 0, '.');
        return "[INFO] [config.py:1013:print]   " + name + " " + dots + " " + value + "\n";
    };
    const auto settings = [](const std::string& text) {
        const std::string time = lines(4, [](int i) {
            return written("[Rank 0] epoch=0/micro_step=%d/global_step=%d, CurrSamplesPerSec=16.0\n", i, i);
        });
        return log_scenario_of(read_log(text + time)).scenario;
    };
    const std::string ranks = setting("world_size", "4");
    CHECK(resolve(settings(ranks))[P::gpus] == 4);
    // The world size counts data-parallel ranks where something divides the model.
    const std::string stages =
        "[engine.py:165] RANK=0 STAGE=0 LAYERS=9 [0, 9) STAGE_PARAMS=1 (0.001M)\n"
        "[engine.py:165] RANK=4 STAGE=1 LAYERS=9 [9, 18) STAGE_PARAMS=1 (0.001M)\n";
    CHECK_FALSE(settings(ranks + stages).is_given(P::gpus));
    CHECK(resolve(settings(ranks + stages))[P::pipeline_parallel] == 2);
    CHECK_FALSE(settings(ranks + "    \"sequence_parallel_size\":2,\n").is_given(P::gpus));
    // The launcher counts all processes.
    CHECK(resolve(settings("[launch.py:180:main] dist_world_size=8\n" + ranks + stages))[P::gpus] == 8);
    const auto precision = [&](const std::string& name, const std::string& value) {
        return resolve(settings(setting(name, value))).choice<Precision>(P::precision);
    };
    CHECK(precision("bfloat16_config", "enabled=True immediate_grad_update=False") == Precision::bf16);
    CHECK(precision("float16_config", "enabled=True auto_cast=False") == Precision::fp16);
    CHECK_FALSE(settings(setting("float16_config", "enabled=False")).is_given(P::precision));
    CHECK(resolve(settings(setting("train_micro_batch_size_per_gpu", "3")))[P::micro_batch] == 3);
    CHECK(resolve(settings(setting("zero_optimization_stage", "2"))).choice<Sharding>(P::sharding) ==
          Sharding::zero2);
}

TEST_CASE("logs: the configuration that DeepSpeed prints as JSON", "[logs]") {
    const auto scenario = [](const std::string& text) {
        const std::string time = lines(4, [](int i) {
            return written("[Rank 0] epoch=0/micro_step=%d/global_step=%d, CurrSamplesPerSec=16.0\n", i, i);
        });
        return log_scenario_of(read_log(text + time)).scenario;
    };
    // The form of ScientificNotationEncoder in deepspeed/runtime/config_utils.py. Lines of other ranks lie
    // between those of the configuration.
    const auto printed = [](const std::string& zero, const std::string& more) {
        return "[2026-03-02 10:20:30,123] [INFO] [config.py:1014:print_user_config]   json = {\n"
               "    \"train_batch_size\": 64, \n    \"train_micro_batch_size_per_gpu\": 4, \n"
               "    \"optimizer\": {\n        \"type\": \"AdamW\", \n        \"params\": {\n"
               "            \"lr\": 1e-05, \n            \"betas\": [0.9, 0.95]\n        }\n    }, \n"
               "[rank1]: loading the data\n"
               "    \"bf16\": {\n        \"enabled\": true\n    }, \n" +
               more + "    \"zero_optimization\": {\n        \"stage\": 3, \n" + zero +
               "        \"reduce_bucket_size\": 5.000000e+08\n    }\n}\n";
    };
    const std::string optimizer =
        "        \"offload_optimizer\": {\n            \"device\": \"cpu\", \n"
        "            \"pin_memory\": true\n        }, \n";
    const Scenario found = scenario(printed(optimizer, ""));
    const Settings s = resolve(found);
    // Its settings are stated where it begins.
    const TrainingLog log = read_log(
        "starting\n" + printed(optimizer, "") + lines(12, [](int i) {
            return written("[Rank 0] epoch=0/micro_step=%d/global_step=%d, CurrSamplesPerSec=16.0\n", i, i);
        }));
    CHECK(line_of_value(log, found, found, P::offload) == 2);
    CHECK(line_of_value(log, found, found, P::optimizer) == 2);
    CHECK(s.choice<Offload>(P::offload) == Offload::optimizer);
    CHECK(s.choice<Optimizer>(P::optimizer) == Optimizer::adamw);
    CHECK(found.is_given(P::optimizer));
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::zero3);
    CHECK(s.choice<Precision>(P::precision) == Precision::bf16);
    // The log states neither.
    CHECK(is_missing(found, "the model"));
    CHECK(is_missing(found, "the number of GPUs"));

    const Settings weights = resolve(scenario(
        printed(optimizer + "        \"offload_param\": {\n            \"device\": \"cpu\"\n        }, \n",
                "    \"communication_data_type\": \"fp32\", \n    \"data_types\": {\n"
                "        \"grad_accum_dtype\": \"bf16\"\n    }, \n    \"tensor_parallel\": {\n"
                "        \"autotp_size\": 4\n    }, \n    \"sequence_parallel_size\": 2, \n")));
    CHECK(weights.choice<Offload>(P::offload) == Offload::optimizer_and_parameters);
    CHECK(weights.choice<Precision>(P::gradient_precision) == Precision::fp32);
    CHECK(weights.choice<Precision>(P::main_gradient_precision) == Precision::bf16);
    CHECK(weights[P::tensor_parallel] == 4);
    CHECK(weights[P::context_parallel] == 2);
    // Without a section for it, nothing is offloaded.
    const Scenario none = scenario(printed("", ""));
    CHECK(none.is_given(P::offload));
    CHECK(resolve(none).choice<Offload>(P::offload) == Offload::none);

    // The software is DeepSpeed, also where the steps are those of the Trainer.
    const std::string bar =
        "[INFO|trainer.py:2251] >>   Total optimization steps = 2,000\n" +
        lines(6, [](int i) { return written("\r  5%%|▌         | %d/2000 [05:00<1:35:00,  3.00s/it]", i); });
    const LogScenario trainer = log_scenario_of(read_log(printed(optimizer, "") + bar));
    const Settings of_trainer = resolve(trainer.scenario);
    CHECK(written(P::software, of_trainer[P::software]) == "deepspeed");
    CHECK(of_trainer.choice<Offload>(P::offload) == Offload::optimizer);

    // A configuration that breaks off, and one with a value that is none.
    CHECK_FALSE(scenario(printed(optimizer, "").substr(0, 300)).is_given(P::optimizer));
    const std::string disk =
        "        \"offload_optimizer\": {\n            \"device\": \"disk\"\n        }, \n";
    const LogScenario refused = log_scenario_of(
        read_log(printed(disk, "") + lines(4, [](int i) {
                     return written("[Rank 0] micro_step=%d/global_step=%d, CurrSamplesPerSec=16.0\n", i, i);
                 })));
    REQUIRE(refused.notes.size() == 1);
    CHECK(refused.notes.front().find("The DeepSpeed configuration of the log is not read: ") == 0);
    CHECK(refused.notes.front().find("disk") != std::string::npos);
    CHECK_FALSE(refused.scenario.is_given(P::offload));
}

TEST_CASE("logs: DeepSpeed's JSON tells ZeRO++ and MiCS from stage 3, and has notes", "[logs]") {
    const auto log = [](const std::string& zero, const std::string& more) {
        const std::string text =
            "[INFO] [launch.py:181:main] dist_world_size=16\n"
            "[INFO] [config.py:1007:print]   train_batch_size ............. 64\n"
            "[INFO] [config.py:1007:print]   train_micro_batch_size_per_gpu  4\n"
            "[INFO] [config.py:1007:print]   zero_optimization_stage ...... 3\n"
            "[INFO] [config.py:993:print_user_config]   json = {\n    \"train_batch_size\": 64, \n" +
            more + "    \"bf16\": {\n        \"enabled\": true\n    }, \n    \"zero_optimization\": {\n" +
            zero + "        \"stage\": 3\n    }\n}\n";
        return read_log(text + lines(4, [](int i) {
                            return written("[Rank 0] micro_step=%d/global_step=%d, CurrSamplesPerSec=16.0\n",
                                           i, i);
                        }));
    };
    const auto sharding = [](const Scenario& scenario) {
        return resolve(scenario).choice<Sharding>(P::sharding);
    };
    const TrainingLog quantized =
        log("        \"zero_quantized_weights\": true, \n        \"zero_quantized_gradients\": true, \n"
            "        \"zero_hpz_partition_size\": 8, \n",
            "");
    const Scenario plus = log_scenario_of(quantized).scenario;
    CHECK(sharding(plus) == Sharding::zero_pp);
    constexpr int kJson = 5;
    CHECK(line_of_value(quantized, plus, plus, P::sharding) == kJson);
    const Scenario mics = log_scenario_of(log("        \"mics_shard_size\": 8, \n", "")).scenario;
    CHECK(sharding(mics) == Sharding::hsdp);
    CHECK(resolve(mics)[P::shard_group] == 8);
    CHECK(sharding(log_scenario_of(log("", "")).scenario) == Sharding::zero3);
    // The log states the number of GPUs and the model, so that there is no note on them.
    CHECK(log_scenario_of(log("", "")).notes.empty());
    const LogScenario noted =
        log_scenario_of(log("        \"offload_optimizer\": {\n            \"device\": \"cpu\", \n"
                            "            \"ratio\": 0.3\n        }, \n",
                            "    \"zenflow\": {\n        \"topk_ratio\": 0.1\n    }, \n"));
    REQUIRE(noted.notes.size() == 2);
    CHECK(noted.notes[0].find("offload_optimizer.ratio") != std::string::npos);
    CHECK(noted.notes[1].find("zenflow") != std::string::npos);
}

TEST_CASE("logs: the lines in which DeepSpeed prints its configuration", "[logs]") {
    const auto settings = [](const std::string& zero) {
        const std::string head = "[2026-03-02 10:20:30,123] [INFO] [config.py:1014:print]   ";
        const std::string text = head + "optimizer_name ............... adamw\n" + head +
                                 "zero_config .................. stage=3 contiguous_gradients=True " + zero +
                                 " sub_group_size=1000000000\n";
        const std::string time = lines(4, [](int i) {
            return written("[Rank 0] epoch=0/micro_step=%d/global_step=%d, CurrSamplesPerSec=16.0\n", i, i);
        });
        return resolve(log_scenario_of(read_log(text + time)).scenario);
    };
    const std::string optimizer =
        "offload_optimizer=DeepSpeedZeroOffloadOptimizerConfig(device='cpu', nvme_path=None, buffer_count=4)";
    const Settings host = settings("offload_param=None " + optimizer);
    CHECK(host.choice<Offload>(P::offload) == Offload::optimizer);
    CHECK(host.choice<Optimizer>(P::optimizer) == Optimizer::adamw);
    CHECK(settings("offload_param=DeepSpeedZeroOffloadParamConfig(device='cpu', nvme_path=None) " + optimizer)
              .choice<Offload>(P::offload) == Offload::optimizer_and_parameters);
    CHECK(settings("offload_param=None offload_optimizer=DeepSpeedZeroOffloadOptimizerConfig(device="
                   "<OffloadDeviceEnum.nvme: 'nvme'>, nvme_path='/local')")
              .choice<Offload>(P::offload) == Offload::optimizer_nvme);
    CHECK(settings("offload_param=None offload_optimizer=None").choice<Offload>(P::offload) == Offload::none);
    CHECK(settings("offload_optimizer=DeepSpeedZeroOffloadOptimizerConfig(device='none', nvme_path=None)")
              .choice<Offload>(P::offload) == Offload::none);
}
