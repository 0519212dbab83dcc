// Tests `shardscope launch` and `import launch`, one after the other.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/shell.h"

using namespace shardscope::testing;
using nlohmann::json;

TEST_CASE("launch: the settings go to standard output, what they lack to standard error", "[cli]") {
    const Folder folder;
    folder.write("job.json", R"({"model": {"preset": "llama-3-70b"},
        "cluster": {"gpus": 128, "software": "megatron-core"},
        "training": {"sequence_length": 8192, "global_batch": 256, "micro_batch": 1, "sharding": "zero1",
            "pipeline_parallel": 4, "schedule": "zb-h1", "tensor_parallel": 8, "sequence_parallel": true}})");
    const RunResult script = run_in(folder, "launch job.json");
    REQUIRE(script.code == 0);
    CHECK(script.out.starts_with("#!/usr/bin/env bash\n"));
    CHECK(script.out.find("--pipeline-model-parallel-size 4 ") != std::string::npos);
    CHECK(script.err.find("the nearest one is written, 1F1B") != std::string::npos);
    const RunResult config = run_in(folder, "launch job.json --for deepspeed --set micro_batch=2");
    REQUIRE(config.code == 0);
    CHECK(json::parse(config.out)["train_micro_batch_size_per_gpu"] == 2);
    CHECK(config.err.find("deepspeed --num_nodes 16 --num_gpus 8") != std::string::npos);
    REQUIRE(run_in(folder, "launch job.json --for torchtitan -o train.toml").code == 0);
    CHECK(read_file(folder.file("train.toml")).find("flavor = \"70B\"") != std::string::npos);
    CHECK(run_in(folder, "launch job.json --for fsdp2").out.find("fully_shard(") == std::string::npos);
    CHECK(run_in(folder, "launch - --for fsdp2 < /dev/null").code == 2);
}

TEST_CASE("launch: the start command uses the name under which the file was written", "[cli]") {
    const Folder folder;
    folder.write("job.json", R"({"cluster": {"software": "megatron-core"}})");
    const RunResult script = run_in(folder, "launch job.json -o 'my run.sh'");
    REQUIRE(script.code == 0);
    CHECK(script.err.find("bash 'my run.sh' --data-path") != std::string::npos);
    const RunResult toml = run_in(folder, "launch job.json --for torchtitan -o \"it's.toml\"");
    REQUIRE(toml.code == 0);
    const std::string named = R"(--job.config_file 'it'\''s.toml')";
    CHECK(toml.err.find(named) != std::string::npos);
    CHECK(read_file(folder.file("it's.toml")).find(named) != std::string::npos);
    const RunResult lines = run_in(folder, "launch job.json --for torchtitan -o \"$(printf 'a\\nb')\"");
    REQUIRE(lines.code == 0);
    CHECK(read_file(folder.file("a\nb")).find(R"(--job.config_file $'a\012b')") != std::string::npos);

    // The scenario file is not overwritten, however its path is written.
    for (const char* target : {"job.json", "./job.json"}) {
        const RunResult same = run_in(folder, "launch job.json -o " + std::string(target));
        CHECK(same.code == 2);
        CHECK(same.err.find("is the scenario itself") != std::string::npos);
    }
    CHECK(read_file(folder.file("job.json")).starts_with("{\"cluster\""));
}

TEST_CASE("launch: an automatic plan is the planner's", "[cli]") {
    const Folder folder;
    folder.write("job.json", R"({"model": {"preset": "llama-3-70b"}, "cluster": {"gpus": 64},
        "training": {"auto": ["micro_batch", "recompute", "tensor_parallel", "sharding"]}})");
    const RunResult result = run_in(folder, "estimate job.json --format json");
    REQUIRE(result.code == 0);
    const RunResult launch = run_in(folder, "launch job.json --for fsdp2");
    const json plan = json::parse(result.out)["plan"];
    const std::string micro = "MICRO_BATCH = " + std::to_string(plan["micro_batch"].get<int>()) + " ";
    CHECK(plan["micro_batch"] != 2);  // its value without a planner
    CHECK(launch.out.find(micro) != std::string::npos);
}

TEST_CASE("import launch: the settings of a run become a scenario with an estimate", "[cli]") {
    const Folder folder;
    folder.write("run.sh",
                 "N=4\ntorchrun --nnodes=$N --nproc-per-node=8 pretrain_gpt.py --num-layers 32 \\\n"
                 "  --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 \\\n"
                 "  --group-query-attention --num-query-groups 8 --swiglu --normalization RMSNorm \\\n"
                 "  --untie-embeddings-and-output-weights --disable-bias-linear --vocab-size 128256 \\\n"
                 "  --position-embedding-type rope --hidden-dropout 0 --attention-dropout 0 \\\n"
                 "  --seq-length 8192 --micro-batch-size 1 --global-batch-size 128 --bf16 --lr 1e-4 \\\n"
                 "  --use-distributed-optimizer --tensor-model-parallel-size 2\n");
    const RunResult import = run_in(folder, "import launch run.sh");
    REQUIRE(import.code == 0);
    const json scenario = json::parse(import.out);
    CHECK(scenario["model"]["preset"] == "llama-3-8b");
    CHECK(scenario["cluster"]["gpus"] == 32);
    CHECK(scenario["training"]["sharding"] == "zero1");
    CHECK(import.err.find("Not used: --lr.") != std::string::npos);
    folder.write("scenario.json", import.out);
    CHECK(run_in(folder, "estimate scenario.json").code == 0);
    // Written again, the settings give the same command, apart from what only one side has.
    const RunResult again = run_in(folder, "launch scenario.json");
    REQUIRE(again.code == 0);
    folder.write("again.sh", again.out);
    CHECK(run_in(folder, "import launch again.sh").out == import.out);

    // The cluster is another one, and what the file does not contain is set by hand.
    folder.write("small.json", R"({"cluster": {"preset": "dgx-a100-80gb"}})");
    const RunResult on = run_in(folder, "import launch run.sh --on small.json --set training.recompute=full");
    REQUIRE(on.code == 0);
    CHECK(json::parse(on.out)["cluster"]["preset"] == "dgx-a100-80gb");
    CHECK(json::parse(on.out)["training"]["recompute"] == "full");
}

TEST_CASE("import launch: values of the command line complete a script that does not state its GPUs",
          "[cli]") {
    const Folder folder;
    folder.write("run.sh",
                 "torchrun --nproc_per_node 8 --nnodes ${SLURM_NNODES:-1} pretrain_gpt.py --num-layers 32 "
                 "--hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --micro-batch-size 1 "
                 "--global-batch-size 128 --bf16 --pipeline-model-parallel-size 16\n");
    const RunResult alone = run_in(folder, "import launch run.sh");
    CHECK(alone.code == 2);
    CHECK(alone.err.find("/cluster/gpus") != std::string::npos);
    CHECK(alone.err.find("the file does not give the number of GPUs") != std::string::npos);
    const RunResult given = run_in(folder, "import launch run.sh --set cluster.gpus=64");
    CHECK(given.code == 0);
    CHECK(given.out.find("\"pipeline_parallel\": 16") != std::string::npos);
    // A number of the command line is no assumption, also where it is the assumed one.
    folder.write("train.toml", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 8192\n");
    const std::string note = "The file does not give the number of GPUs; 64 are assumed.";
    CHECK(run_in(folder, "import launch train.toml").err.find(note) != std::string::npos);
    for (const char* gpus : {"64", "512"}) {
        const RunResult set = run_in(folder, "import launch train.toml --set gpus=" + std::string(gpus));
        CHECK(set.code == 0);
        CHECK(set.err.find("number of GPUs") == std::string::npos);
    }
}

TEST_CASE("launch: a SLURM job for TPUs is refused, and no file is written", "[cli]") {
    const Folder folder;
    folder.write("s.json", R"({"cluster": {"preset": "tpu-v5p-slice", "gpus": 512}})");
    const RunResult refused = run_in(folder, "launch s.json -o plan.yml --slurm job.sbatch");
    CHECK(refused.code == 2);
    CHECK(refused.err.find("--slurm: is not possible for a cluster of TPUs") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.file("plan.yml")));
    CHECK_FALSE(std::filesystem::exists(folder.file("job.sbatch")));
    CHECK(run_in(folder, "launch s.json -o plan.yml").code == 0);
}

TEST_CASE("launch: where no tool runs the software, one has to be named", "[cli]") {
    const Folder folder;
    folder.write("s.json", R"({"cluster": {"software": "nanotron"}})");
    const RunResult none = run_in(folder, "launch s.json");
    CHECK(none.code == 2);
    CHECK(none.out.empty());
    CHECK(none.err.find("no tool of this program runs “nanotron”") != std::string::npos);
    CHECK(run_in(folder, "launch s.json --for megatron").code == 0);
}

TEST_CASE("import launch: unusable input is refused with the reason, and nothing is printed", "[cli]") {
    const Folder folder;
    const auto refused = [&](const std::string& text, const std::string& word) {
        folder.write("run.sh", text);
        const RunResult ran = run_in(folder, "import launch run.sh");
        INFO(ran.err);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK(ran.err.find(word) != std::string::npos);
    };
    refused("milk\n", "is not a file of launch settings");
    refused(
        "p --num-layers $L --hidden-size 64 \\\n --num-attention-heads 4 --seq-length 8 --micro-batch-size 1",
        "run.sh:1:--num-layers: is $L");
    refused("[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 2k\n", "run.sh:5:");
    CHECK(run_in(folder, "import launch nowhere.toml").code == 2);
    CHECK(run_in(folder, "launch resnet.json --for nemo").code == 2);
    folder.write("resnet.json", R"({"model": {"preset": "resnet-50"}})");
    const RunResult images = run_in(folder, "launch resnet.json --for megatron");
    CHECK(images.code == 2);
    CHECK(images.out.empty());
    CHECK(images.err.find("list of operators; see --for") != std::string::npos);
}
