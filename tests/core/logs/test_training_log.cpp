// Tests the readers of training logs with the shapes of the tools' public logs.
#include <catch2/catch.hpp>

#include "support/folder.h"
#include "support/read_logs.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;
using logs::Peak;

TEST_CASE("logs: torchtitan's steps with colours, its mesh and its model", "[logs]") {
    const TrainingLog log = read_log(torchtitan_log());
    CHECK(log.tool == "torchtitan");
    CHECK(log.unit == StepUnit::seconds_per_token);
    CHECK(log.steady.logged == 7);
    CHECK(log.steady.used() == 6);
    CHECK(1 / log.steady.median == Approx(6003.5).epsilon(1e-6));
    CHECK(peak(log, Peak::reserved) == Approx(60.25 * kGibi));
    CHECK(log.contents.device == "NVIDIA H100 80GB HBM3");
    const LogScenario found = log_scenario_of(log);
    const Settings s = resolve(found.scenario);
    CHECK(missing_inputs(found.scenario).empty());
    REQUIRE(found.scenario.model);
    CHECK(found.scenario.model->name == "llama-3-8b");
    REQUIRE(found.scenario.gpu_preset());
    CHECK(found.scenario.gpu_preset()->name == "h100-sxm-80gb");
    CHECK(s[P::gpus] == 8);
    CHECK(s[P::micro_batch] == 2);
    CHECK(s[P::global_batch] == 16);
    CHECK(s[P::recompute] == 1);
    CHECK(written(P::software, s[P::software]) == "torchtitan");
    // 16 sequences of 8,192 tokens on 8 GPUs.
    CHECK(log.step_time(s) == Approx(16 * 8192.0 / 8 / 6003.5).epsilon(1e-6));
}

TEST_CASE("logs: of several ranks of torchtitan, one counts", "[logs]") {
    std::string text = torchtitan_head();
    for (int step = 10; step <= 60; step += 10) {
        text += torchtitan_step(step, 6000);
        std::string other = torchtitan_step(step, 6000, 61);
        text += other.replace(other.find("rank0"), 5, "rank1");
    }
    const TrainingLog log = read_log(text);
    CHECK(log.steady.logged == 6);
    CHECK(log.steady.left_out.restart == 0);
    // A peak is that of the fullest rank.
    CHECK(peak(log, Peak::reserved) == Approx(61 * kGibi));
}

TEST_CASE("logs: torchtitan's printed configuration, and a flavor that is no preset", "[logs]") {
    const std::string configuration =
        "[titan] 2026-03-02 10:20:20,100 - root - INFO - Running with configs: {\n"
        "  \"model_spec\": {\n    \"name\": \"qwen3\",\n    \"flavor\": \"debugmodel\"\n  },\n"
        "  \"training\": {\n    \"local_batch_size\": 4,\n    \"global_batch_size\": -1,\n    \"seq_len\": "
        "4096,\n"
        "    \"steps\": 100\n  },\n"
        "  \"parallelism\": {\n    \"data_parallel_shard_degree\": 4,\n    \"tensor_parallel_degree\": 2,\n"
        "    \"context_parallel_degree\": 1\n  },\n"
        "  \"activation_checkpoint\": {\n    \"mode\": \"none\"\n  }\n}\n";
    const TrainingLog log =
        read_log(configuration + lines(4, [](int i) { return torchtitan_step(i, 5000); }));
    const LogScenario found = log_scenario_of(log);
    const Settings s = resolve(found.scenario);
    CHECK(s[P::tensor_parallel] == 2);
    CHECK(s[P::gpus] == 8);
    CHECK(s[P::micro_batch] == 4);
    CHECK(s[P::sequence_length] == 4096);
    CHECK(s[P::recompute] == 0);
    CHECK(is_missing(found.scenario, "the model"));
    REQUIRE(found.notes.size() == 1);
    CHECK(found.notes.front() == "The model of the log: “debugmodel” of qwen3 is not a known model.");
    CHECK(is_missing(found.scenario, "the GPU"));
    CHECK(missing_inputs(found.scenario).size() == 2);
}

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

TEST_CASE("logs: nanotron's rounded numbers and its printed configuration", "[logs]") {
    const std::string head =
        "08/31/2026 14:37:01 [INFO|DP=0|PP=0|TP=0]: Config(general=GeneralArgs(project='debug',\n"
        "   parallelism=ParallelismArgs(dp=16,\n      pp=2,\n      tp=4,\n"
        "      pp_engine=<nanotron.parallel.pipeline_parallel.engine.AllForwardAllBackwardPipelineEngine "
        "object>,\n"
        "      tp_mode=<TensorParallelLinearMode.REDUCE_SCATTER: 2>,\n"
        "      tp_linear_async_communication=True,\n      recompute_layer=True,\n"
        "      expert_parallel_size=1),\n"
        "   model=ModelArgs(model_config=LlamaConfig(bos_token_id=1,\n     hidden_size=4096,\n"
        "     intermediate_size=14336,\n     num_attention_heads=32,\n     num_hidden_layers=32,\n"
        "     num_key_value_heads=8,\n     tie_word_embeddings=False,\n     vocab_size=128256),\n"
        "   dtype=torch.bfloat16),\n   tokens=TokensArgs(sequence_length=4096,\n      micro_batch_size=2,\n"
        "      batch_accumulation_per_replica=8),\n   optimizer=OptimizerArgs(zero_stage=1))\n";
    const std::string steps = lines(5, [](int i) {
        return written(
            "08/31/2026 14:37:31 [INFO|DP=0|PP=0|TP=0]:  Memory usage: 640.00MiB. Peak allocated "
            "30720.00MiB. Peak reserved: 40960.00MiB\n"
            "08/31/2026 14:37:31 [INFO|DP=0|PP=0|TP=0]: iteration: %d / 15 | consumed_tokens: %d.1M | "
            "elapsed_time_per_iteration_ms: %s | tokens_per_sec: 1.07M | tokens_per_sec_per_gpu: 8.4K | "
            "global_batch_size: 256 | lm_loss: 5.32 | lr: 0.00015 | model_tflops_per_gpu: 390 | "
            "hardware_tflops_per_gpu: 390 | grad_norm: 2.96\n",
            i, i, i == 1 ? "9.71K" : "980");
    });
    const TrainingLog log = read_log(head + steps);
    CHECK(log.tool == "nanotron");
    CHECK(log.steady.median == Approx(0.98));
    CHECK(peak(log, Peak::allocated) == Approx(30720 * kMebi));
    CHECK(peak(log, Peak::reserved) == Approx(40960 * kMebi));
    const LogScenario found = log_scenario_of(log);
    const Settings s = resolve(found.scenario);
    REQUIRE(found.scenario.model);
    CHECK(found.scenario.model->name == "llama-3-8b");
    CHECK(s[P::gpus] == 128);
    CHECK(s[P::global_batch] == 256);
    CHECK(s[P::sequence_length] == 4096);
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::zero1);
    CHECK(s.choice<ScheduleKind>(P::schedule) == ScheduleKind::gpipe);
    CHECK(s.on(P::sequence_parallel));
    CHECK(s.on(P::async_tensor_parallel));
    CHECK(s[P::recompute] == 1);
    CHECK(missing_inputs(found.scenario).size() == 1);
}

TEST_CASE("logs: nanotron's experts", "[logs]") {
    const auto found = [](const std::string& experts) {
        const std::string head =
            "08/31/2026 14:37:01 [INFO|DP=0|PP=0|TP=0]: Config(parallelism=ParallelismArgs(dp=8, pp=1, tp=1, "
            "expert_parallel_size=4),\n   model_config=Qwen2Config(hidden_size=2048,\n"
            "     intermediate_size=6144,\n     " +
            experts +
            "     num_attention_heads=16,\n     num_hidden_layers=24,\n     vocab_size=49152),\n"
            "   tokens=TokensArgs(sequence_length=4096, micro_batch_size=4,\n"
            "     batch_accumulation_per_replica=8))\n";
        return log_scenario_of(read_log(
            head + lines(4, [](int i) {
                return written("[INFO|DP=0|PP=0|TP=0]: iteration: %d / 15 | time_per_iteration_ms: 2.1K |\n",
                               i);
            })));
    };
    const LogScenario all = found(
        "moe_config=MoEConfig(num_experts=64,\n        top_k=8,\n        layers=[-1],\n"
        "        enable_shared_expert=True,\n        token_dispatcher_type='alltoall',\n"
        "        moe_intermediate_size=1024,\n        shared_expert_intermediate_size=2048),\n");
    const Settings s = resolve(all.scenario);
    CHECK(s[P::experts] == 64);
    CHECK(s[P::experts_per_token] == 8);
    CHECK(s[P::expert_ffn_size] == 1024);
    CHECK(s[P::shared_expert_ffn_size] == 2048);
    CHECK(s[P::ffn_size] == 6144);
    CHECK(s[P::dense_layers] == 0);
    CHECK(s[P::expert_parallel] == 4);
    CHECK(all.notes.size() == 1);
    // In one line and without widths, with a list of layers that is written over several lines.
    const LogScenario some = found(
        "moe_config=MoEConfig(num_experts=8, top_k=2, enable_shared_expert=False, layers=[0,\n"
        "        2,\n        23]),\n");
    const Settings few = resolve(some.scenario);
    CHECK(few[P::expert_ffn_size] == 6144);
    CHECK(few[P::shared_expert_ffn_size] == 0);
    CHECK(few[P::dense_layers] == 21);
    CHECK(some.notes.size() == 3);
    CHECK(resolve(found("moe_config=None,\n").scenario)[P::experts] == 0);
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

TEST_CASE("logs: PyTorch's memory summary, nvidia-smi and an error without memory", "[logs]") {
    const TrainingLog log = read_log(
        "|===========================================================================|\n"
        "|                  PyTorch CUDA memory summary, device ID 0                 |\n"
        "| Allocated memory      | 682537 KiB |  65430 MiB |   3115 GiB |   3114 GiB |\n"
        "| GPU reserved memory   |  70000 MiB |     70 GiB |     80 GiB |     10 GiB |\n"
        "|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |\n"
        "| N/A   45C    P0              345W / 400W |  75412MiB / 81920MiB |    100%      Default |\n"
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity "
        "of "
        "79.10 GiB of which 1.20 GiB is free.\n");
    CHECK(peak(log, Peak::allocated) == Approx(65430 * kMebi));
    CHECK(peak(log, Peak::reserved) == Approx(70 * kGibi));
    CHECK(peak(log, Peak::device) == Approx(75412 * kMebi));
    CHECK(log.contents.device == "NVIDIA A100-SXM4-80GB");
    CHECK(log.contents.out_of_memory_line == 7);
    CHECK(log.quality() == RunQuality::none);
}

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
