// Tests the reader of torchtitan's logs: its steps, and what it prints at the start of a run.
#include <catch2/catch.hpp>

#include "support/read_logs.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;
using logs::Peak;

namespace {

std::string titan(const std::string& message) {
    return "[rank0]:[titan] 2026-08-22 10:20:20,100 - root - INFO - " + message + "\n";
}

// The configuration in the form of torchtitan since July 2026, whose model has sections and lists of its own
// (pytorch/torchtitan pull request 3919), with numbers of our own.
std::string configuration() {
    const std::string text = R"json({
  "model_spec": {
    "name": "llama3",
    "flavor": "8B",
    "model": {
      "dim": 4096,
      "enable_weight_tying": false,
      "vocab_size": 128256,
      "tok_embeddings": {
        "embedding_dim": 4096,
        "num_embeddings": 128256,
        "param_init": {
          "weight": "functools.partial(<function normal_ at 0x7f0>, std=1.0)"
        },
        "sharding_config": null
      },
      "layers": [
        {
          "attention": {
            "mask_type": "causal",
            "n_heads": 32
          },
          "feed_forward": {
            "w1": {
              "bias": false
            }
          }
        },
        {
          "attention": {
            "mask_type": "causal",
            "n_heads": 32
          }
        }
      ],
      "param_init": null
    }
  },
  "training": {
    "num_tokens_per_microbatch_per_dp_rank": 16384,
    "num_tokens_per_train_step": -1,
    "max_context_length": 8192,
    "steps": 1000,
    "dtype": "float32",
    "mixed_precision_param": "bfloat16"
  },
  "parallelism": {
    "data_parallel_replicate_degree": 2,
    "data_parallel_shard_degree": 8,
    "fsdp_reshard_after_forward": "always",
    "tensor_parallel_degree": 4,
    "pipeline_parallel_degree": 2,
    "module_fqns_per_model_part": null,
    "pipeline_parallel_schedule": "Interleaved1F1B",
    "pipeline_parallel_first_stage_less_layers": 0,
    "pipeline_parallel_last_stage_less_layers": 0,
    "num_pp_microbatches": 8,
    "context_parallel_degree": 1,
    "expert_parallel_degree": 1
  },
  "compile": {
    "enable": true,
    "components": [
      "model",
      "loss"
    ]
  },
  "activation_checkpoint": null
}
)json";
    // torchrun's prefix stands in front of every line but the first, which has it already.
    std::string out = titan("Running with configs: {");
    for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1)
        out += "[rank0]:" + text.substr(at, text.find('\n', at) + 1 - at);
    return out;
}

std::string torchtitan_steps() {
    return lines(4, [](int i) { return torchtitan_step(i, 5000); });
}

}  // namespace

TEST_CASE("logs: torchtitan's configuration with the model's own sections", "[logs]") {
    const LogScenario found = log_scenario_of(read_log(configuration() + torchtitan_steps()));
    const Settings s = resolve(found.scenario);
    REQUIRE(found.scenario.model);
    CHECK(found.scenario.model->name == "llama-3-8b");
    CHECK(s[P::tensor_parallel] == 4);
    CHECK(s[P::pipeline_parallel] == 2);
    CHECK(s[P::gpus] == 2 * 8 * 4 * 2);
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::hsdp);
    CHECK(s.choice<ScheduleKind>(P::schedule) == ScheduleKind::interleaved);
    CHECK(s[P::sequence_length] == 8192);
    // 16,384 tokens of a micro-batch are two sequences, and a rank has eight of them.
    CHECK(s[P::micro_batch] == 2);
    CHECK(s[P::accumulation] == 8);
    CHECK(written(P::software, s[P::software]) == "torchtitan");
}

TEST_CASE("logs: torchtitan's batch in tokens", "[logs]") {
    const std::string mesh =
        titan("Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1, ep=1");
    const std::string batch = titan(
        "Trainer is initialized with 16384 tokens per DP rank, 262144 tokens per train step, gradient "
        "accumulation steps 2, maximum context length 8192, total steps 1000 (warmup 200)");
    const TrainingLog log = read_log(mesh + batch + torchtitan_steps());
    const Settings s = resolve(log_scenario_of(log).scenario);
    CHECK(s[P::sequence_length] == 8192);
    CHECK(s[P::micro_batch] == 2);
    CHECK(s[P::global_batch] == 32);
    CHECK(s[P::gpus] == 8);
    CHECK(log.step_time(s) == Approx(262144.0 / 8 / 5000));
    // A pipeline splits the tokens of a rank, and only the configuration says into how many micro-batches.
    const std::string pipeline =
        titan("Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=4, cp=1, tp=1, ep=1");
    const Scenario split = log_scenario_of(read_log(pipeline + batch + torchtitan_steps())).scenario;
    CHECK(is_missing(split, "the micro-batch"));
    CHECK(resolve(split)[P::global_batch] == 32);
}

TEST_CASE("logs: torchtitan's lines on the pipeline, asynchronous tensor parallelism and offloading",
          "[logs]") {
    const auto scenario = [](const std::string& tensor, const std::string& text) {
        return log_scenario_of(
                   read_log(titan("Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=4, "
                                  "cp=1, tp=" +
                                  tensor + ", ep=1") +
                            titan("Model llama3 8B size: 8,030,261,248 total parameters") + text +
                            torchtitan_steps()))
            .scenario;
    };
    const std::string tokens = titan(
        "Trainer is initialized with 32768 tokens per DP rank, 131072 tokens per train step, gradient "
        "accumulation steps 1, maximum context length 4096, total steps 1000 (warmup 200)");
    const std::string schedule =
        titan("Using pipeline schedule Interleaved1F1B with 8 microbatches and 4 stages.");
    const Scenario found = scenario("1", tokens + schedule);
    const Settings s = resolve(found);
    CHECK(s.choice<ScheduleKind>(P::schedule) == ScheduleKind::interleaved);
    // Four stages on two GPUs; 32,768 tokens are eight micro-batches of one sequence of 4,096.
    CHECK(s[P::virtual_stages] == 2);
    CHECK(s[P::micro_batch] == 1);
    CHECK(s[P::accumulation] == 8);
    CHECK_FALSE(is_missing(found, "the micro-batch"));
    const Settings eight = resolve(scenario(
        "1", tokens + titan("Using pipeline schedule Interleaved1F1B with 8 microbatches and 8 stages.")));
    CHECK(eight[P::virtual_stages] == 4);

    // The wordings of 2025 and of 2024.
    const std::string sequences = titan(
        "Trainer is initialized with local batch size 8, global batch size 32, gradient accumulation steps "
        "1, "
        "sequence length 4096, total steps 1000 (warmup 200)");
    const Settings local = resolve(
        scenario("2", sequences + titan("Using pipeline schedule 1F1B with 4 microbatches and 2 stages.") +
                          titan("Applied Float8 tensorwise Async Tensor Parallelism to the model")));
    CHECK(local[P::micro_batch] == 2);
    CHECK(local.choice<ScheduleKind>(P::schedule) == ScheduleKind::one_f_one_b);
    CHECK(local.on(P::async_tensor_parallel));
    CHECK(resolve(scenario("1", sequences + titan("Using pipeline schedule gpipe")))
              .choice<ScheduleKind>(P::schedule) == ScheduleKind::gpipe);
    // A schedule that the program does not know is left out.
    CHECK(resolve(scenario("1", sequences + titan("Using pipeline schedule None with 8 microbatches and 2 "
                                                  "stages.")))
              .choice<ScheduleKind>(P::schedule) == ScheduleKind::one_f_one_b);

    CHECK(resolve(scenario("2", tokens + schedule + titan("Async TP is enabled")))
              .on(P::async_tensor_parallel));
    CHECK_FALSE(resolve(scenario("2", tokens + schedule)).on(P::async_tensor_parallel));
    const Scenario offloaded =
        scenario("1", tokens + schedule + titan("Applied CPU Offloading to the model"));
    CHECK(resolve(offloaded).choice<Offload>(P::offload) == Offload::optimizer_and_parameters);
    // Without their lines, nothing is offloaded or recomputed.
    CHECK(found.is_given(P::offload));
    CHECK(s.choice<Offload>(P::offload) == Offload::none);
    CHECK(found.is_given(P::recompute));
    CHECK(s[P::recompute] == 0);
    // The run of the log has the sharding of its mesh and the offload, beside a pipeline, too.
    const TrainingLog log = read_log(torchtitan_log());
    Scenario complete = offloaded;
    complete.cluster = Catalogue::shipped().find(PresetKind::cluster, "dgx-h100");
    Problems problems;
    const std::vector<MeasuredRun> runs = read_runs(write_log_run(log, complete, "run.log"), problems);
    REQUIRE(problems.empty());
    REQUIRE(runs.size() == 1);
    const Settings run = resolve(scenario_of(runs.front(), Catalogue::shipped(), problems));
    for (const Problem& problem : problems) UNSCOPED_INFO(problem.text());
    CHECK(problems.empty());
    CHECK(run.choice<Sharding>(P::sharding) == Sharding::zero3);
    CHECK(run.choice<Offload>(P::offload) == Offload::optimizer_and_parameters);
}

TEST_CASE("logs: a torchtitan log without its mesh leaves the number of GPUs to the user", "[logs]") {
    const LogScenario found = log_scenario_of(
        read_log(titan("Model llama3 8B size: 8,030,261,248 total parameters") + torchtitan_steps()));
    CHECK(is_missing(found.scenario, "the number of GPUs"));
    for (const std::string& note : found.notes) {
        INFO(note);
        CHECK(note.find("number of GPUs") == std::string::npos);
    }
}

TEST_CASE("logs: torchtitan's fp8 and its activation checkpointing", "[logs]") {
    const auto settings = [](const std::string& line) {
        return resolve(
            log_scenario_of(read_log(torchtitan_head() + titan(line) + torchtitan_steps())).scenario);
    };
    for (const char* line : {"Swapped to Float8Linear layers", "Float8 training active with recipe rowwise",
                             "Swapped to Float8Linear layers with enable_fsdp_float8_all_gather=True"}) {
        INFO(line);
        CHECK(settings(line).choice<Precision>(P::precision) == Precision::fp8);
    }
    const Settings gathered =
        settings("Swapped to Float8Linear layers with enable_fsdp_float8_all_gather=True");
    CHECK(gathered.choice<Fp8Recipe>(P::fp8_recipe) == Fp8Recipe::tensorwise);
    CHECK(gathered.on(P::fp8_param_gather));
    CHECK_FALSE(settings("Swapped to Float8Linear layers").on(P::fp8_param_gather));
    const LogScenario rows = log_scenario_of(
        read_log(torchtitan_head() + titan("Float8 training active with recipe rowwise, scaling axiswise") +
                 torchtitan_steps()));
    CHECK(rows.notes.front() == "The fp8 recipe rowwise is treated as tensorwise.");
    CHECK(settings("Applied SelectiveAC activation checkpointing to the model")[P::recompute] ==
          kRecomputeSelective);
    CHECK(settings("Applied FullAC activation checkpointing to the model")[P::recompute] == 1);
    // The converters of a configuration of 2025.
    const std::string list = titan("Running with args: {") +
                             "  \"model\": {\n    \"converters\": [\n      \"quantize.linear.float8\"\n"
                             "    ]\n  },\n  \"training\": {\n    \"steps\": 7\n  }\n}\n";
    const Settings s =
        resolve(log_scenario_of(read_log(torchtitan_head() + list + torchtitan_steps())).scenario);
    CHECK(s.choice<Precision>(P::precision) == Precision::fp8);
    CHECK(s[P::training_tokens] == 7.0 * 16 * 8192);
}

TEST_CASE("logs: the flavors of torchtitan's models", "[logs]") {
    const auto scenario = [](const std::string& model) {
        return log_scenario_of(
                   read_log(titan("Model " + model + " size: 1,000 total parameters") + torchtitan_steps()))
            .scenario;
    };
    for (const auto& [flavor, preset] :
         {std::pair{"llama3 8B_flex", "llama-3-8b"}, std::pair{"llama4 17bx16e", "llama-4-scout"},
          std::pair{"gpt_oss 20b", "gpt-oss-20b"}}) {
        INFO(flavor);
        REQUIRE(scenario(flavor).model);
        CHECK(scenario(flavor).model->name == preset);
    }
    // Of the smaller Qwen3 there is no preset; their published numbers of parameters are in millions.
    for (const auto& [flavor, millions] : {std::pair{"qwen3 0.6B", 596.0}, std::pair{"qwen3 1.7B", 1721.0},
                                           std::pair{"qwen3 4B", 4022.0}, std::pair{"qwen3 14B", 14768.0}}) {
        INFO(flavor);
        Scenario one = scenario(flavor);
        one.gpu = Catalogue::shipped().find(PresetKind::gpu, "h100-sxm-80gb");
        CHECK(compile(resolve(one)).parameters == Approx(millions * 1e6).epsilon(0.002));
    }
}

TEST_CASE("logs: what a torchtitan log does not state comes from a scenario", "[logs]") {
    const std::string mesh =
        titan("Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=16, cp=1, tp=2, ep=1");
    const TrainingLog log = read_log(mesh + torchtitan_steps());
    const Scenario base = of_model("qwen3-8b", {{P::gpus, 8},
                                                {P::sequence_length, 4096},
                                                {P::micro_batch, 4},
                                                {P::global_batch, 128},
                                                {P::precision, static_cast<double>(Precision::fp8)},
                                                {P::async_tensor_parallel, 1},
                                                {P::recompute, 1}});
    Problems problems;
    const LogScenario found = log_scenario(log, &base, Catalogue::shipped(), problems);
    REQUIRE(problems.empty());
    const Settings s = resolve(found.scenario);
    CHECK(found.scenario.model == base.model);
    CHECK(s[P::sequence_length] == 4096);
    CHECK(s[P::micro_batch] == 4);
    CHECK(s[P::global_batch] == 128);
    CHECK(s.choice<Precision>(P::precision) == Precision::fp8);
    CHECK(s.on(P::async_tensor_parallel));
    // It always reduces gradients in fp32.
    CHECK(s.choice<Precision>(P::gradient_precision) == Precision::fp32);
    // The log states these: the mesh, and no line that says that activations are recomputed.
    CHECK(s[P::gpus] == 32);
    CHECK(s[P::tensor_parallel] == 2);
    CHECK(s[P::recompute] == 0);
    // The model of the log replaces that of the scenario, with what was changed in it.
    Scenario changed = base;
    changed.give(P::layers, 7);
    const TrainingLog llama = read_log(torchtitan_log());
    const LogScenario read = log_scenario(llama, &changed, Catalogue::shipped(), problems);
    REQUIRE(problems.empty());
    CHECK(read.scenario.model->name == "llama-3-8b");
    CHECK(resolve(read.scenario)[P::layers] == 32);
    CHECK(resolve(read.scenario)[P::global_batch] == 16);
}

TEST_CASE("logs: torchtitan's expert parallelism, sequence parallelism and CUDA graphs", "[logs]") {
    const auto found = [](const std::string& model, const std::string& parallelism, const std::string& more,
                          const std::string& mesh) {
        return log_scenario_of(
            read_log(titan("Running with configs: {") + "  \"model\": {\n" + model +
                     "  },\n  \"parallelism\": {\n" + parallelism + "  },\n" + more + "}\n" +
                     titan("Building device mesh with parallelism: dp_replicate=1, cp=1, " + mesh) +
                     torchtitan_steps()));
    };
    const auto is_noted = [](const LogScenario& read, const std::string& words) {
        return std::ranges::any_of(read.notes, [&](const std::string& note) {
            return note.find("not modelled") != std::string::npos && note.find(words) != std::string::npos;
        });
    };
    const std::string experts = "    \"name\": \"deepseek_v3\",\n    \"flavor\": \"671B\"\n";
    const LogScenario split = found(experts, "    \"expert_parallel_comm_backend\": \"deepep\"\n", "",
                                    "pp=1, dp_shard=32, tp=4, ep=32, etp=1");
    const Settings s = resolve(split.scenario);
    CHECK(s[P::expert_tensor_parallel] == 1);
    CHECK(s.choice<MoeDispatcher>(P::moe_dispatcher) == MoeDispatcher::deepep);
    const LogScenario whole =
        found(experts, "    \"expert_tensor_parallel_degree\": 4\n", "", "pp=1, dp_shard=32, tp=4, ep=32");
    CHECK(resolve(whole.scenario)[P::expert_tensor_parallel] != 1);

    const std::string dense = "    \"name\": \"llama3\",\n    \"flavor\": \"8B\"\n";
    const std::string graphs = "  \"training\": {\n    \"disable_cuda_graphs\": false\n  },\n";
    const LogScenario switched =
        found(dense, "    \"enable_sequence_parallel\": false,\n    \"enable_fsdp_symm_mem\": true\n",
              graphs +
                  "  \"debug\": {\n    \"deterministic\": true\n  },\n"
                  "  \"optimizer\": {\n    \"early_step_in_backward\": true\n  }\n",
              "pp=1, dp_shard=4, tp=4, ep=1");
    CHECK_FALSE(resolve(switched.scenario).on(P::sequence_parallel));
    CHECK(resolve(switched.scenario).on(P::cuda_graphs));
    for (const char* key : {"parallelism.enable_fsdp_symm_mem", "debug", "optimizer"}) {
        INFO(key);
        CHECK(is_noted(switched, key));
    }
    // What is off by default changes nothing and is not named.
    const LogScenario usual =
        found(dense, "    \"enable_sequence_parallel\": true,\n    \"enable_fsdp_symm_mem\": false\n",
              "  \"debug\": {\n    \"deterministic\": false\n  }\n", "pp=1, dp_shard=4, tp=4, ep=1");
    CHECK(resolve(usual.scenario).on(P::sequence_parallel));
    CHECK_FALSE(is_noted(usual, ""));
    // A pipeline has no CUDA graphs, and its parts are named.
    const LogScenario pipeline =
        found(dense,
              "    \"module_fqns_per_model_part\": [\n      [\n        \"tok_embeddings\",\n"
              "        \"layers.0\"\n      ],\n      [\n        \"layers.1\"\n      ]\n    ]\n",
              graphs, "pp=2, dp_shard=4, tp=1, ep=1");
    CHECK_FALSE(resolve(pipeline.scenario).on(P::cuda_graphs));
    CHECK(is_noted(pipeline, "parallelism.module_fqns_per_model_part"));
}

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
