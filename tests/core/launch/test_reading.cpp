// Tests the reverse direction for torchtitan and DeepSpeed: the settings of a tool give back the scenario,
// and options that are not understood are named.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/launch_reading.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("launch: torchtitan's settings are read back unchanged", "[launch]") {
    for (const char* model : {"llama-3-8b", "llama-3-70b", "qwen3-32b", "qwen3-30b-a3b"}) {
        for (const std::string& plan : kPlans) {
            INFO(model << " " << plan);
            // torchtitan has its own option for the optimizer's precision.
            for (const char* more : {"", R"(, "optimizer_precision": "bf16", "recompute": 0.5)"}) {
                if (*more && plan.find("recompute") != std::string::npos) continue;
                const bool compiled =
                    plan.find("fp8") != std::string::npos || plan.find("async") != std::string::npos;
                const std::string text = job(model, compiled ? "torchtitan" : "fsdp2", plan + more);
                check_round_trip(kTorchtitan, check_scenario(text),
                                 plan.find("ddp") != std::string::npos ? std::vector{P::reshard_after_forward}
                                                                       : std::vector<P>());
            }
        }
    }
    for (const char* schedule : {"gpipe", "1f1b"}) {
        check_round_trip(kTorchtitan,
                         check_scenario(job("llama-3-8b", "fsdp2",
                                            R"("sharding": "zero3", "reshard_after_forward": false,
                              "pipeline_parallel": 8, "accumulation": 16, "gradient_precision": "fp32",
                              "schedule": ")" + std::string(schedule) +
                                                "\"")));
    }
    check_round_trip(kTorchtitan, check_scenario(job("llama-3-8b", "fsdp2",
                                                     R"("sharding": "zero3", "reshard_after_forward": false,
                              "pipeline_parallel": 4, "accumulation": 8, "gradient_precision": "fp32",
                              "schedule": "1f1b", "first_stage_layers": 7, "last_stage_layers": 5)")));
    check_round_trip(kTorchtitan, check_scenario(job("qwen3-30b-a3b", "fsdp2",
                                                     R"("sharding": "zero3", "expert_parallel": 8,
                              "gradient_precision": "fp32", "offload": "optimizer+parameters")")));
}

TEST_CASE("launch: torchtitan's converters are read back, and what they leave out is noted", "[launch]") {
    const auto of = [](const char* model, const char* training) {
        return check_scenario(R"({"model": {"preset": ")" + std::string(model) +
                              R"("}, "cluster": {"preset": "dgx-b200", "gpus": 64, "software": "torchtitan"},
            "training": {"sequence_length": 4096, "gradient_precision": "fp32", "sharding": "zero3", )" +
                              training + "}}");
    };
    for (const char* model : {"llama-3-8b", "qwen3-30b-a3b"}) {
        INFO(model);
        check_round_trip(kTorchtitan, of(model, R"("precision": "fp8", "fp8_recipe": "tensorwise",
            "fp8_param_gather": true)"));
        check_round_trip(kTorchtitan, of(model, R"("precision": "mxfp8")"));
        check_round_trip(kTorchtitan, of(model, R"("precision": "bf16")"));
    }
    const LaunchText delayed = kTorchtitan.write(answer(of("llama-3-8b", R"("precision": "fp8")")));
    CHECK(has_note(delayed.notes, "no option for “fp8 recipe delayed”; it scales by tensor"));
    const Scenario stages = of("qwen3-30b-a3b", R"("precision": "fp8", "fp8_recipe": "tensorwise",
        "pipeline_parallel": 2, "accumulation": 8)");
    const LaunchText dense = kTorchtitan.write(answer(stages));
    CHECK(has_note(dense.notes, "they stay in bf16"));
    CHECK(has_note(read(kTorchtitan, dense.text).notes, "leave a part of the layers in bf16"));
    const std::string head = "[model]\nname = \"llama3\"\nflavor = \"8B\"\nconverters = [";
    const LaunchRead rows = read(kTorchtitan, head +
                                                  "\"quantize.linear.float8\"]\n[training]\nseq_len = 4096\n"
                                                  "[quantize.linear.float8]\nrecipe_name = \"rowwise\"\n");
    CHECK(has_note(rows.notes, "The fp8 recipe rowwise is treated as tensorwise."));
    CHECK_FALSE(has_note(rows.notes, "quantize"));
    const LaunchRead other = read(kTorchtitan, head + "\"mine\"]\n[training]\nseq_len = 4096\n");
    CHECK(has_note(other.notes, "These options change time or memory but are not modelled: “mine”."));
    // The tables of converters that are not used change nothing.
    const LaunchRead off =
        read(kTorchtitan, head +
                              "]\n[training]\nseq_len = 4096\n[quantize.linear.float8]\n"
                              "enable_fsdp_float8_all_gather = false\nfilter_fqns = [\"output\"]\n");
    CHECK_FALSE(has_note(off.notes, "quantize"));
    CHECK(resolve(off.scenario).choice<Precision>(P::precision) == Precision::bf16);
}

// Source: pytorch/torchtitan, torchtitan/config_manager.py and torchtitan/parallelisms/pipelining_utils.py at
// commit 3247841 (November 2024); torchtitan/config_manager.py at commit c48ae39 (May 2024).
TEST_CASE("launch: torchtitan's options of 2024 are read by their former names", "[launch]") {
    const std::string start =
        "[job]\ndescription = \"Llama 3\"\n[model]\nname = \"llama3\"\nflavor = \"8B\"\n"
        "norm_type = \"rmsnorm\"\n[training]\nbatch_size = 8\nseq_len = 8192\ncompile = true\n";
    const LaunchRead found = read(kTorchtitan, start + R"(data_parallel_replicate_degree = 2
data_parallel_shard_degree = 4
tensor_parallel_degree = 8
enable_loss_parallel = false
[experimental]
context_parallel_degree = 2
pipeline_parallel_degree = 4
pipeline_parallel_schedule = "Interleaved1F1B"
pipeline_parallel_microbatches = 8
enable_async_tensor_parallel = true
[activation_checkpoint]
mode = "full"
[float8]
enable_float8_linear = true
enable_fsdp_float8_all_gather = true
scaling_type_input = "delayed"
)");
    for (const std::string& note : found.notes) {
        INFO(note);
        CHECK(note.find("parallel") == std::string::npos);
        CHECK(note.find("float8") == std::string::npos);
    }
    const Settings s = resolve(found.scenario);
    CHECK(s[P::gpus] == 2 * 4 * 8 * 2 * 4);
    CHECK(s[P::tensor_parallel] == 8);
    CHECK(s.on(P::async_tensor_parallel));
    CHECK_FALSE(s.on(P::parallel_loss));
    CHECK(s[P::context_parallel] == 2);
    CHECK(s[P::pipeline_parallel] == 4);
    CHECK(s.choice<ScheduleKind>(P::schedule) == ScheduleKind::interleaved);
    CHECK(s[P::virtual_stages] == 2);
    // The 8 sequences of a rank are 8 micro-batches.
    CHECK(s[P::micro_batch] == 1);
    CHECK(s[P::accumulation] == 8);
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::hsdp);
    CHECK(s[P::shard_group] == 8);
    CHECK(s[P::recompute] == 1);
    CHECK(s.choice<Precision>(P::precision) == Precision::fp8);
    CHECK(s.choice<Fp8Recipe>(P::fp8_recipe) == Fp8Recipe::delayed);
    CHECK(s.on(P::fp8_param_gather));
    CHECK(written(P::software, s[P::software]) == "torchtitan");

    const auto with = [&](const std::string& training, const std::string& experimental) {
        return read(kTorchtitan, start + training + "[experimental]\n" + experimental);
    };
    // Without a number of micro-batches there are as many as stages.
    const Settings stages = resolve(with("", "pipeline_parallel_degree = 4\n").scenario);
    CHECK(stages[P::micro_batch] == 2);
    CHECK(stages[P::accumulation] == 4);
    CHECK(stages.choice<ScheduleKind>(P::schedule) == ScheduleKind::one_f_one_b);
    // The names of May 2024. The second stage begins with layer 7, the third one with layer 16.
    const Settings split =
        resolve(with("data_parallel_degree = 2\n",
                     "pipeline_parallel_degree = 3\npipeline_parallel_schedule = \"1f1b\"\n"
                     "pipeline_parallel_microbatches = 4\n"
                     "pipeline_parallel_split_points = \"layers.7,layers.16\"\n")
                    .scenario);
    CHECK(split[P::gpus] == 6);
    CHECK(split[P::first_stage_layers] == 7);
    CHECK(split[P::last_stage_layers] == 16);
    const Settings interleaved =
        resolve(with("data_parallel_degree = 2\n",
                     "pipeline_parallel_degree = 2\npipeline_parallel_schedule = \"interleaved_1f1b\"\n"
                     "pipeline_parallel_split_points = [\"layers.8\", \"layers.16\", \"layers.24\"]\n")
                    .scenario);
    CHECK(interleaved.choice<ScheduleKind>(P::schedule) == ScheduleKind::interleaved);
    CHECK(interleaved[P::virtual_stages] == 2);
    CHECK(resolve(with("fp8_linear = \"dynamic\"\n", "").scenario).choice<Precision>(P::precision) ==
          Precision::fp8);
    for (const char* points : {"layers.8,layers.16", "layers.40", "output", "layers.0"}) {
        INFO(points);
        const Problems problems =
            problems_of(kTorchtitan, start +
                                         "[experimental]\npipeline_parallel_degree = 2\n"
                                         "pipeline_parallel_split_points = \"" +
                                         std::string(points) + "\"\n");
        REQUIRE(problems.size() == 1);
        CHECK(problems.front().where == "experimental.pipeline_parallel_split_points");
        CHECK(problems.front().line == 13);
    }
    // A value that the engine does not model is named.
    CHECK(has_note(
        read(kTorchtitan, start + "[parallelism]\nexpert_parallel_comm_backend = \"hybridep\"\n").notes,
        "“parallelism.expert_parallel_comm_backend = hybridep” is not modelled; standard is assumed."));
    // What is not read is still named.
    CHECK(has_note(with("", "enable_compiled_autograd = true\n").notes, "not modelled: experimental"));
}

TEST_CASE("launch: an unknown model of torchtitan is the only problem of its file", "[launch]") {
    const Problems problems = problems_of(kTorchtitan, R"([model]
name = "your_model"
flavor = "your_flavor"
[training]
local_batch_size = 8
[parallelism]
pipeline_parallel_degree = 2
pipeline_parallel_layers_per_stage = 16
pipeline_parallel_first_stage_less_layers = 0
pipeline_parallel_last_stage_less_layers = 0
)");
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().where == "model.flavor");
}

TEST_CASE(
    "launch: DeepSpeed's training settings are read back, and the model stays that of the base scenario",
    "[launch]") {
    for (const char* plan :
         {R"("micro_batch": 4, "accumulation": 2, "sharding": "zero2", "offload": "optimizer")",
          R"("micro_batch": 1, "sharding": "hsdp", "shard_group": 8, "gradient_precision": "fp32")",
          R"("micro_batch": 2, "sharding": "zero3", "offload": "optimizer+parameters", "tensor_parallel": 4)",
          R"("micro_batch": 2, "sharding": "zero++", "offload": "optimizer-nvme")",
          R"("micro_batch": 2, "sharding": "ddp", "precision": "fp16", "gradient_precision": "fp16")",
          R"("micro_batch": 2, "sharding": "zero1", "optimizer": "muon", "optimizer_precision": "bf16")"}) {
        INFO(plan);
        check_round_trip(kDeepspeed,
                         check_scenario(R"({"cluster": {"software": "deepspeed"}, "training": {)" +
                                        std::string(plan) + "}}"));
    }
    const LaunchRead partly =
        read(kDeepspeed, R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": "auto"},
        "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 2}, "wall_clock_breakdown": false})");
    CHECK(resolve(partly.scenario)[P::gpus] == 64);
    CHECK(has_note(partly.notes, "does not give the number of GPUs"));
    CHECK(has_note(partly.notes, "Not used: wall_clock_breakdown."));
    // "auto" does not mean fp32: the default is kept, and a note says that it is a default.
    CHECK(resolve(partly.scenario).choice<Precision>(P::precision) == Precision::bf16);
    CHECK(has_note(partly.notes, "leaves the precision to Hugging Face (“auto”); bf16 is assumed."));
    const auto precision = [](const std::string& config) {
        return read(kDeepspeed, R"({"train_batch_size": 64, )" + config + "}");
    };
    const LaunchRead both = precision(R"("fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"})");
    CHECK(resolve(both.scenario).choice<Precision>(P::precision) == Precision::bf16);
    CHECK(resolve(both.scenario).choice<Precision>(P::gradient_precision) == Precision::bf16);
    CHECK(has_note(both.notes, "leaves the precision"));
    const LaunchRead half = precision(R"("fp16": {"enabled": true}, "bf16": {"enabled": "auto"})");
    CHECK(resolve(half.scenario).choice<Precision>(P::precision) == Precision::fp16);
    CHECK_FALSE(has_note(half.notes, "leaves the precision"));
    const LaunchRead full = precision(R"("bf16": {"enabled": false})");
    CHECK(resolve(full.scenario).choice<Precision>(P::precision) == Precision::fp32);
}

TEST_CASE("launch: a DeepSpeed config with what its program sets", "[launch]") {
    const auto on = [](const std::string& config, const Scenario& base) {
        Problems problems;
        LaunchRead out = kDeepspeed.read(config, base, problems);
        for (const Problem& problem : problems) FAIL_CHECK(problem.text());
        return out;
    };
    const Scenario base = check_scenario(R"({"model": {"preset": "llama-3-8b"},
        "cluster": {"gpus": 32, "software": "deepspeed"}, "training": {"sequence_length": 4096, "micro_batch": 3,
            "accumulation": 5, "recompute": "selective", "recompute_modules": ["mlp", "layernorm"],
            "loss": "chunked", "packing": 512, "pipeline_parallel": 2, "sharding": "zero1",
            "precision": "fp16"}})");
    // Written and read on the scenario itself, all of it comes back.
    const LaunchText written_config = kDeepspeed.write(answer(base));
    CHECK(written_config.text.find(R"("communication_data_type": "fp16")") != std::string::npos);
    const Settings s = resolve(base);
    const Settings back = resolve(on(written_config.text, base).scenario);
    for (const P id :
         {P::gpus, P::micro_batch, P::accumulation, P::recompute, P::recompute_modules, P::loss, P::packing,
          P::pipeline_parallel, P::sharding, P::precision, P::gradient_precision, P::sequence_length}) {
        INFO(parameter(id).key);
        CHECK(back[id] == s[id]);
    }
    // Without a base, there is no such setting.
    CHECK(resolve(read(kDeepspeed, written_config.text).scenario)[P::recompute] == 0);
    // DeepSpeed's pipeline shards no gradients.
    CHECK(resolve(on(R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}})", base)
                      .scenario)[P::pipeline_parallel] == 1);
    // The batch that is "auto" is the program's.
    const LaunchRead automatic = on(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto",
        "gradient_accumulation_steps": "auto", "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}})",
                                    base);
    CHECK(resolve(automatic.scenario)[P::micro_batch] == 3);
    CHECK(resolve(automatic.scenario)[P::accumulation] == 5);
    CHECK(resolve(automatic.scenario)[P::gpus] == 32);
    CHECK(has_note(automatic.notes,
                   "leaves train_micro_batch_size_per_gpu to Hugging Face (“auto”); 3 is assumed."));
    CHECK(has_note(automatic.notes,
                   "leaves gradient_accumulation_steps to Hugging Face (“auto”); 5 is assumed."));
    // The accumulation follows from the batch where that is given.
    const LaunchRead batch = on(R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 2,
        "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 3}})",
                                base);
    CHECK(resolve(batch.scenario)[P::accumulation] == 2);
    CHECK_FALSE(has_note(batch.notes, "to Hugging Face"));
    const Answer full = answer(check_scenario(R"({"training": {"precision": "fp32", "sharding": "zero1"}})"));
    CHECK(kDeepspeed.write(full).text.find(R"("communication_data_type": "fp32")") != std::string::npos);
}

TEST_CASE("launch: Megatron-DeepSpeed's config on the scenario of its script", "[launch]") {
    const LaunchRead script =
        read(kMegatron,
             "deepspeed --num_nodes 4 --num_gpus 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
             "--num-attention-heads 32 --num-key-value-heads 8 --seq-length 4096 "
             "--max-position-embeddings 4096 --micro-batch-size 2 --global-batch-size 64 --vocab-size 32000 "
             "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --bf16 "
             "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1 --deepspeed "
             "--deepspeed_config ds.json\n");
    CHECK(has_note(script.notes, "import the file with it as its base"));
    CHECK(has_note(script.notes, "--zero-stage is absent"));
    const auto on = [&](const char* config) {
        Problems problems;
        const LaunchRead out = kDeepspeed.read(config, script.scenario, problems);
        for (const Problem& problem : problems) FAIL_CHECK(problem.text());
        return resolve(out.scenario);
    };
    const Settings before = resolve(script.scenario);
    const Settings s = on(R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 2,
        "zero_optimization": {"stage": 1, "offload_optimizer": {"device": "cpu"}}, "bf16": {"enabled": true}})");
    CHECK(s.choice<Sharding>(P::sharding) == Sharding::zero1);
    CHECK(s.choice<Offload>(P::offload) == Offload::optimizer);
    for (const P id : {P::gpus, P::tensor_parallel, P::pipeline_parallel, P::micro_batch, P::global_batch,
                       P::recompute, P::software, P::precision, P::layers, P::sequence_length}) {
        INFO(parameter(id).key);
        CHECK(s[id] == before[id]);
    }
    const Settings stated = on(R"({"train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true}})");
    CHECK(stated[P::micro_batch] == 4);
    CHECK(stated[P::global_batch] == 64);
    CHECK(stated.choice<Precision>(P::precision) == Precision::fp16);
}

TEST_CASE("launch: unusual values of a DeepSpeed config are reported", "[launch]") {
    const auto only = [](const std::string& config) {
        const Problems problems = problems_of(kDeepspeed, config);
        INFO(config);
        REQUIRE(problems.size() == 1);
        return problems.front();
    };
    for (const char* stage : {"1.5", "-1", "7"}) {
        const Problem problem = only(R"({"zero_optimization": {"stage": )" + std::string(stage) + "}}");
        CHECK(problem.where == "/zero_optimization/stage");
        CHECK(problem.suggestion == "write 0, 1, 2 or 3");
    }
    for (const char* key :
         {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"}) {
        for (const char* value : {"-3", "0", "1.5"})
            CHECK(only("{\"train_batch_size\": 64, \"" + std::string(key) + "\": " + value + "}").where ==
                  "/" + std::string(key));
    }
    CHECK(only(R"({"train_batch_size": 64, "bf16": true})").what == "is not an object");
    CHECK(only(R"({"train_batch_size": 64, "bf16": {"enabled": 1}})").where == "/bf16/enabled");
    CHECK(only(R"({"train_batch_size": 64, "communication_data_type": "fp8"})").where ==
          "/communication_data_type");
    CHECK(only(R"({"zero_optimization": {"offload_optimizer": {"device": "disk"}}})").where ==
          "/zero_optimization/offload_optimizer/device");

    const LaunchRead old = read(kDeepspeed, R"({"train_batch_size": 64, "zero_optimization": true})");
    CHECK(resolve(old.scenario).choice<Sharding>(P::sharding) == Sharding::zero1);
    CHECK(has_note(old.notes, "old name of stage 1"));
    const LaunchRead off = read(kDeepspeed, R"({"train_batch_size": 64, "zero_optimization": false})");
    CHECK(resolve(off.scenario).choice<Sharding>(P::sharding) == Sharding::ddp);

    const LaunchRead disk = read(kDeepspeed, R"({"train_batch_size": 64, "bf16": {"enabled": true},
        "optimizer": {"type": "Lamb", "params": {"lr": 1e-4}, "legacy_fusion": true},
        "zero_optimization": {"stage": 3, "overlap_comm": true, "reduce_bucket_size": 500000000,
            "offload_optimizer": {"device": "nvme", "nvme_path": "/tmp"}}})");
    CHECK(resolve(disk.scenario).choice<Offload>(P::offload) == Offload::optimizer_nvme);
    const LaunchRead weights = read(kDeepspeed, R"({"train_batch_size": 64,
        "zero_optimization": {"stage": 3, "zero_quantized_weights": true, "offload_param": {"device": "nvme"}}})");
    CHECK(resolve(weights.scenario).choice<Offload>(P::offload) == Offload::optimizer_and_parameters);
    CHECK(has_note(weights.notes, "“offload_param” offloads to NVMe"));
    CHECK(resolve(weights.scenario).choice<Sharding>(P::sharding) == Sharding::zero3);
    CHECK(has_note(weights.notes, "The file has only some of them; ZeRO-3 is assumed."));
    // DeepSpeed offloads the whole optimizer unless `ratio` is below 1 (OffloadConfig in
    // deepspeed/runtime/zero/offload_config.py).
    const LaunchRead half = read(kDeepspeed, R"({"train_batch_size": 64, "zero_optimization": {"stage": 3,
        "offload_optimizer": {"device": "cpu", "pin_memory": true, "ratio": 0.5}}})");
    CHECK(resolve(half.scenario).choice<Offload>(P::offload) == Offload::optimizer);
    CHECK(has_note(half.notes, "but are not modelled: zero_optimization.offload_optimizer.ratio."));
    CHECK(has_note(disk.notes, "The optimizer Lamb is treated as AdamW."));
    CHECK(has_note(disk.notes, "are not modelled: zero_optimization.reduce_bucket_size."));
    CHECK(has_note(disk.notes, "Not used: optimizer.legacy_fusion, optimizer.params.lr."));
}

TEST_CASE("launch: DeepSpeed's file may have comments, and its batch is a multiple of its parts",
          "[launch]") {
    const LaunchRead commented = read(kDeepspeed, R"({
        // the batch of all GPUs
        "train_batch_size": 128, /* and of one */ "train_micro_batch_size_per_gpu": 2})");
    CHECK(resolve(commented.scenario)[P::micro_batch] == 2);
    const Problems odd = problems_of(kDeepspeed, R"({"train_batch_size": 512,
        "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 7})");
    REQUIRE(odd.size() == 1);
    CHECK(odd.front().where == "/train_batch_size");
    CHECK(odd.front().why.find("28 must divide it") != std::string::npos);
    const auto zero_pp = [](const char* gpus) {
        return read(kDeepspeed, R"({"train_batch_size": 64, "zero_optimization": {"stage": 3,
            "zero_quantized_weights": true, "zero_quantized_gradients": true, "zero_hpz_partition_size": )" +
                                    std::string(gpus) + "}}")
            .notes;
    };
    CHECK(has_note(zero_pp("16"), "In the file 16 GPUs have the secondary shards"));
    CHECK_FALSE(has_note(zero_pp("8"), "share a second copy"));
}

TEST_CASE("launch: torchtitan's unread keys are named, and those that matter as such", "[launch]") {
    const LaunchRead found = read(kTorchtitan, R"(
[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 1
seq_len = 8192
[parallelism]
context_parallel_rotate_method = "alltoall"
[compile]
components = ["model"]
[comm]
init_timeout_seconds = 300
trace_buf_size = 20000
[optimizer]
lr = 3e-4
)");
    CHECK(has_note(found.notes,
                   "are not modelled: compile.components, "
                   "parallelism.context_parallel_rotate_method."));
    CHECK(has_note(found.notes, "Not used: comm, optimizer."));
}

TEST_CASE("launch: torchtitan splits the layers by the number of stages alone", "[launch]") {
    const auto config = [](int stages, const std::string& more) {
        return "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 4096\n"
               "local_batch_size = 16\n[parallelism]\npipeline_parallel_degree = " +
               std::to_string(stages) + "\n" + more;
    };
    // The 34 layers, embedding and head included, on four stages are 9, 9, 8 and 8, less one at each end.
    for (const char* split_options : {"", "pipeline_parallel_layers_per_stage = 10\n",
                                      "pipeline_parallel_layers_per_stage = 9\n"
                                      "pipeline_parallel_first_stage_less_layers = 1\n"
                                      "pipeline_parallel_last_stage_less_layers = 1\n"}) {
        const LaunchRead found = read(kTorchtitan, config(4, split_options));
        const Settings s = resolve(found.scenario);
        CHECK(s[P::first_stage_layers] == 8);
        CHECK(s[P::last_stage_layers] == 7);
        // The middle stages have 9 and 8 of 17 layers, as in torchtitan, so no note is needed.
        CHECK_FALSE(has_note(found.notes, "The stages of the file"));
    }
    // All stages have the same number of layers, so no note is needed.
    const std::string no_less =
        "pipeline_parallel_first_stage_less_layers = 0\npipeline_parallel_last_stage_less_layers = 0\n";
    const LaunchRead even = read(kTorchtitan, config(4, no_less));
    CHECK(resolve(even.scenario)[P::first_stage_layers] == 0);
    CHECK_FALSE(has_note(even.notes, "The stages of the file"));
    // With two virtual stages per GPU the GPUs have 4 + 4, 5 + 4, 4 + 4 and 4 + 3 layers.
    const LaunchRead pieces =
        read(kTorchtitan, config(4, "pipeline_parallel_schedule = \"Interleaved1F1B\"\n"));
    CHECK(resolve(pieces.scenario)[P::virtual_stages] == 2);
    CHECK(has_note(
        pieces.notes,
        "The stages of the file have 8, 9, 8 and 7 layers; those of the scenario have 8, 8, 8 and 8."));

    const auto where = [&](const std::string& more) {
        const Problems problems = problems_of(kTorchtitan, config(4, more));
        REQUIRE(problems.size() == 1);
        return problems.front().where;
    };
    const std::string each = "parallelism.pipeline_parallel_layers_per_stage";
    CHECK(where("pipeline_parallel_layers_per_stage = 5\n") == each);
    CHECK(where("pipeline_parallel_layers_per_stage = 1.5\n") == each);
    CHECK(
        where("pipeline_parallel_schedule = \"Interleaved1F1B\"\npipeline_parallel_layers_per_stage = 9\n") ==
        each);
    CHECK(where("pipeline_parallel_first_stage_less_layers = 20\n") ==
          "parallelism.pipeline_parallel_degree");
}

TEST_CASE("launch: the assumptions about the loss stay those of the base scenario", "[launch]") {
    const Scenario base =
        check_scenario(R"({"training": {"critical_batch_law": "kaplan", "training_tokens": 1e12}})");
    Problems problems;
    const LaunchRead found = kDeepspeed.read(R"({"train_batch_size": 64})", base, problems);
    REQUIRE(problems.empty());
    const Settings s = resolve(found.scenario);
    CHECK(written(P::critical_batch_law, s[P::critical_batch_law]) == "kaplan");
    CHECK(s[P::training_tokens] == 0);
}

TEST_CASE("launch: a torchtitan file as people write it is read", "[launch]") {
    const LaunchRead found = read(kTorchtitan, R"(
[job]
dump_folder = "./outputs"
[metrics]
log_freq = 10
[model]
name = "llama3"
flavor = "70B"
converters = "float8"
[training]
batch_size = 8   # the older name
seq_len = 8192
steps = 1000
compile = true
[parallelism]
data_parallel_shard_degree = -1
tensor_parallel_degree = 8
[checkpoint]
interval = 500
[activation_checkpoint]
mode = 'full'
)");
    const Settings s = resolve(found.scenario);
    CHECK(found.scenario.model->name == "llama-3-70b");
    CHECK(s[P::micro_batch] == 8);
    CHECK(s[P::tensor_parallel] == 8);
    CHECK(s[P::gpus] == 64);
    CHECK(s[P::global_batch] == 64);
    CHECK(s[P::recompute] == 1);
    CHECK(s.choice<Precision>(P::precision) == Precision::fp8);
    CHECK(s.choice<Fp8Recipe>(P::fp8_recipe) == Fp8Recipe::tensorwise);
    CHECK(written(P::software, s[P::software]) == "torchtitan");
    CHECK(s[P::training_tokens] == 1000.0 * 64 * 8192);
    CHECK(has_note(found.notes, "Not used: checkpoint, job, metrics."));
    CHECK(has_note(found.notes, "64 are assumed"));
}

TEST_CASE("launch: an unreadable entry is reported with its line", "[launch]") {
    const auto only = [](const Problems& problems) {
        REQUIRE(problems.size() == 1);
        return problems.front();
    };
    const std::string head = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n";
    CHECK(only(problems_of(kTorchtitan, head + "seq_len = \n")).line == 5);
    // The fuzzer found this input, which toml++ mishandled.
    CHECK(only(problems_of(kTorchtitan, "[\n  \"a")).why == "the file is not TOML");
    CHECK(only(problems_of(kTorchtitan, "Ćz = 1\n")).why == "the file is not TOML");
    CHECK(problems_of(kTorchtitan, "# Größe\n" + head + "seq_len = 4096\n").empty());
    const Problem words = only(problems_of(kTorchtitan, head + "seq_len = \"long\"\n"));
    CHECK(words.line == 5);
    CHECK(words.where == "training.seq_len");
    const Problem flavor = only(problems_of(kTorchtitan, "[model]\nname = \"llama3\"\nflavor = \"9B\"\n"));
    CHECK(flavor.line == 3);
    CHECK(flavor.suggestion.find("llama3 8B") != std::string::npos);
    // An impossible plan is refused as everywhere else.
    CHECK(only(problems_of(kTorchtitan, head + "[parallelism]\ntensor_parallel_degree = 7\n"
                                               "data_parallel_shard_degree = 8\n"))
              .where == "/training/tensor_parallel");

    const std::string shape =
        "train --num-layers 4 --num-attention-heads 8 --seq-length 128 \\\n --micro-batch-size 1 ";
    const Problem variable = only(problems_of(kMegatron, shape + "\\\n --hidden-size $HIDDEN\n"));
    CHECK(variable.line == 3);
    CHECK(variable.what == "is $HIDDEN");
    CHECK(only(problems_of(kMegatron, shape)).where == "--hidden-size");
    CHECK(only(problems_of(kMegatron, shape + "--hidden-size wide")).what == "“wide” is not a number");
    CHECK(only(problems_of(kMegatron, shape + "--hidden-size")).what == "has no value");
    CHECK(only(problems_of(kMegatron, shape + "--hidden-size 64 --num-experts 8 --moe-layer-freq [1]+[0]"))
              .where == "--moe-layer-freq");
    CHECK(only(problems_of(kDeepspeed, R"({"train_batch_size": "many"})")).where == "/train_batch_size");
}

TEST_CASE("launch: broken JSON and TOML are reported with the line", "[launch]") {
    const Problems broken_json = unread_launch_file(
        "{\"train_batch_size\": 64,\n \"zero_optimization\": {\"stage\": 2},\n \"fp16\": tru\n}");
    REQUIRE(broken_json.size() == 1);
    CHECK(broken_json.front().line == 3);
    const Problems toml = unread_launch_file("[training]\nsteps = 100\nseq_len = \n[parallelism]\n");
    REQUIRE(toml.size() == 1);
    CHECK(toml.front().line == 3);
    for (const char* text : {"", "echo", "{}", "[training]\nsteps = 1\n"}) {
        const Problems other = unread_launch_file(text);
        REQUIRE(other.size() == 1);
        CHECK(other.front().what == "is not a file of launch settings");
    }
}
