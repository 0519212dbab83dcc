// Tests `import log`, `calibrate --log`, `explain-gap` and `conventions`.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/logs.h"
#include "support/shell.h"
#include "support/text.h"

using namespace shardscope::testing;
using nlohmann::json;

namespace {

// A run of Llama 3 8B on `gpus` H100 with torchtitan at a throughput.
std::string torchtitan_run(int gpus, int sequence, int batch, int tps) {
    std::string text = torchtitan_head();
    const auto replace = [&](const std::string& from, const std::string& to) {
        text.replace(text.find(from), from.size(), to);
    };
    replace("dp_shard=8", "dp_shard=" + std::to_string(gpus));
    replace(
        "local batch size 2, global batch size 16",
        "local batch size " + std::to_string(batch) + ", global batch size " + std::to_string(batch * gpus));
    replace("sequence length 8192", "sequence length " + std::to_string(sequence));
    for (int step = 1; step <= 8; ++step) text += torchtitan_step(step, step == 1 ? 500 : tps + step);
    return text;
}

}  // namespace

TEST_CASE("import log: measurement, settings with their lines, prediction and explanations", "[cli][logs]") {
    const Folder folder;
    folder.write("run.log", torchtitan_log());
    const RunResult text = run_in(folder, "import log run.log");
    REQUIRE(text.code == 0);
    for (const char* words :
         {"run.log: torchtitan\n", "6 of 7 logged steps; left out: 1 of warm-up",
          "peak reserved       60.2 GiB", "Llama 3 8B", "training.seq_len", "line 6", "measured", "predicted",
          "likely range", "the most plausible first", "gemm_efficiency", "terms of the step"}) {
        INFO(words);
        CHECK(has(text.out, words));
    }
    CHECK(has(text.err, "note: The log does not state the network"));
}

TEST_CASE("import log: what is missing is listed, and --set or --on adds it", "[cli][logs]") {
    const Folder folder;
    folder.write("run.log", megatron_log());
    const RunResult missing = run_in(folder, "import log run.log --format json");
    CHECK(missing.code == 2);
    CHECK(missing.out.empty());
    CHECK(missing.err ==
          "run.log: the log does not state the GPU; add --set cluster.preset=dgx-h100, or the run's scenario "
          "with "
          "--on\n");
    // The text shows what was measured in any case.
    const RunResult text = run_in(folder, "import log run.log");
    CHECK(text.code == 2);
    CHECK(has(text.out, "step time           4 s"));
    CHECK_FALSE(has(text.out, "predicted"));

    const RunResult given = run_in(folder, "import log run.log --set cluster.preset=dgx-h100 --format json");
    REQUIRE(given.code == 0);
    const json run = json::parse(given.out);
    CHECK(run["measured"]["step_time_s"].get<double>() == Approx(4));
    CHECK(run["scenario"]["cluster"]["preset"] == "dgx-h100");
    CHECK(run["scenario"]["training"]["tensor_parallel"] == 2);
    folder.write("base.json", R"({"cluster": {"preset": "dgx-h100"}})");
    const RunResult on = run_in(folder, "import log run.log --on base.json --format json");
    REQUIRE(on.code == 0);
    CHECK(json::parse(on.out)["measured"] == run["measured"]);
    const RunResult wrong = run_in(folder, "import log run.log --set cluster.preset=dgx-h1");
    CHECK(wrong.code == 2);
    CHECK(has(wrong.err, "dgx-h100"));
}

TEST_CASE("import log: values of --set change no other value, in any order", "[cli][logs]") {
    const Folder folder;
    std::string text = "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/64\n";
    for (int i = 0; i < 8; ++i)
        text += written(
            "Training epoch 0, iteration %d/99 | global_batch_size: 32 | global_step: %d | "
            "train_step_timing in s: 6.1\n",
            i, i);
    folder.write("run.log", text);
    std::vector<std::string> values{"cluster.preset=dgx-h100", "tensor_parallel=8",
                                    "model.preset=llama-3-70b", "sequence_length=8192", "micro_batch=1"};
    std::sort(values.begin(), values.end());
    std::string first;
    do {
        std::string arguments = "import log run.log";
        for (const std::string& value : values) arguments += " --set " + value;
        const RunResult ran = run_in(folder, arguments);
        REQUIRE(ran.code == 0);
        if (first.empty()) first = ran.out;
        REQUIRE(ran.out == first);
    } while (std::next_permutation(values.begin(), values.end()) && values[0] == "cluster.preset=dgx-h100");
    CHECK(has(first, "  gpus             64           line 1\n"));
    // What contradicts the log is reported with the lines.
    const std::string some = " --set model.preset=llama-3-70b --set sequence_length=8192 --set micro_batch=1";
    const RunResult conflict = run_in(folder, "import log run.log --set cluster.preset=dgx-h100" + some);
    CHECK(conflict.code == 2);
    CHECK(has(conflict.err, "the log states gpus 64 (line 1), global_batch 32 (line 9)"));
    // A value that replaces one of the log has no line.
    const RunResult replaced =
        run_in(folder, "import log run.log --set cluster.preset=dgx-h100 --set gpus=32" + some);
    REQUIRE(replaced.code == 0);
    CHECK(has(replaced.out, "  gpus             32\n"));
    CHECK(has(replaced.err, "note: --set replaces gpus 64 of line 1 by 32\n"));
    // A preset does not answer for other inputs.
    const RunResult missing = run_in(folder, "import log run.log --set cluster.preset=dgx-h100");
    CHECK(has(missing.err, "the log does not state the micro-batch"));
    CHECK_FALSE(has(missing.out, "micro_batch"));
}

TEST_CASE("import log: a last start on fewer GPUs, and the parts of DeepSpeed's step", "[cli][logs]") {
    const Folder folder;
    std::string text = megatron_log();
    MegatronArguments few = dense_arguments();
    few["world_size"] = "32";
    folder.write("two.log", text + megatron_log(megatron_arguments(few)));
    CHECK(has(run_in(folder, "import log two.log").out, "12 of an earlier start with other settings"));
    folder.write("parts.log",
                 "time (ms) | fwd: 2000.5 | bwd: 4400.5 | bwd_inner: 4000.1 | bwd_allreduce: 400.1 | "
                 "step: 60.1\n");
    CHECK(has(run_in(folder, "import log parts.log").out, "of which bwd_allreduce 400 ms\n"));
}

TEST_CASE("import log: its lines are a table for validate, and several logs calibrate", "[cli][logs]") {
    const Folder folder;
    folder.write("a.log", torchtitan_run(8, 8192, 1, 6000));
    folder.write("b.log", torchtitan_run(64, 4096, 2, 6300));
    folder.write("c.log", torchtitan_run(128, 2048, 8, 6500));
    REQUIRE(run_in(folder, "import log a.log b.log c.log --format json").code == 0);
    folder.write("runs.jsonl", read_file(folder.file("out")));
    REQUIRE(run_in(folder, "validate --runs runs.jsonl --format json").code == 0);
    const json rows = json::parse(read_file(folder.file("out")))["rows"];
    REQUIRE(rows.size() == 3);
    CHECK(rows[0]["id"] == "a");
    CHECK(rows[0]["measured_step_s"].get<double>() == Approx(8192 / 6005.0).epsilon(1e-3));
    REQUIRE(run_in(folder, "calibrate --log a.log b.log c.log -o ours.json").code == 0);
    CHECK(has(read_file(folder.file("out")), "constants from 3 runs"));
    const json ours = json::parse(read_file(folder.file("ours.json")));
    CHECK(has(ours["source"], "3 runs of 3 training logs"));
    REQUIRE(run_in(folder, "calibrate --runs runs.jsonl --log a.log -o both.json").code == 0);
    CHECK(has(json::parse(read_file(folder.file("both.json")))["source"], "of runs.jsonl and a.log"));
    const RunResult unused = run_in(folder, "calibrate --runs runs.jsonl --set gpus=8");
    CHECK(unused.code == 2);
    CHECK(has(unused.err, "--set: needs --log"));
}

TEST_CASE("import log: other files are refused with the reason", "[cli][logs]") {
    const Folder folder;
    folder.write("text.log", "Loading model\nstep: 1 loss: 2.0\n");
    const RunResult none = run_in(folder, "import log text.log");
    CHECK(none.code == 2);
    CHECK(none.out.empty());
    CHECK(has(none.err, "text.log: the log states no step time"));
    CHECK(run_in(folder, "import log absent.log").code == 2);
    CHECK(run_in(folder, "import log .").code == 2);
    // One unusable log of several does not stop the others.
    folder.write("good.log", torchtitan_log());
    const RunResult both = run_in(folder, "import log text.log good.log --format json");
    CHECK(both.code == 2);
    CHECK(json::parse(both.out)["id"] == "good");
}

TEST_CASE("explain-gap: scenarios, runs and logs, as a waterfall that adds up", "[cli][logs]") {
    const Folder folder;
    folder.write("run.log", torchtitan_log());
    folder.write("faster.json",
                 R"({"model": {"preset": "llama-3-8b"}, "cluster": {"preset": "dgx-b200", "gpus": 8,
                     "software": "fsdp2-compile"}, "training": {"sequence_length": 8192, "micro_batch": 2}})");
    const std::string shipped = json::parse(run("validate --format json").out)["rows"][0]["id"];
    for (const std::string& sides : std::vector<std::string>{
             "run.log faster.json", "faster.json run.log", shipped + " run.log", "faster.json " + shipped}) {
        const RunResult ran = run_in(folder, "explain-gap " + sides + " --format json");
        INFO(sides << ran.err);
        REQUIRE(ran.code == 0);
        const json gap = json::parse(ran.out);
        double sum = gap["from"]["step_time_s"].get<double>() + gap["unexplained_from_s"].get<double>();
        for (const json& bar : gap["bars"]) sum += bar["seconds"].get<double>();
        sum += gap["unexplained_to_s"].get<double>();
        CHECK(sum == Approx(gap["to"]["step_time_s"].get<double>()).epsilon(1e-12));
    }
    const RunResult text = run_in(folder, "explain-gap run.log faster.json");
    REQUIRE(text.code == 0);
    CHECK(has(text.out, "unexplained in the first"));
    CHECK(has(text.out, "GPU"));
    CHECK(has(text.out, "mean of two orders"));
    folder.write("empty.log", "");
    CHECK(has(run_in(folder, "explain-gap empty.log run.log").err, "empty.log: the log states no step time"));
    CHECK(run_in(folder, "explain-gap run.log").code == 2);
    const RunResult unknown = run_in(folder, "explain-gap run.log nothing");
    CHECK(unknown.code == 2);
    CHECK(has(unknown.err, "nothing: there is no such file, and no measured run has this identifier"));
    CHECK(has(run_in(folder, "explain-gap run.log " + shipped + "x").err, "did you mean “" + shipped + "”?"));
    // With the same global batch on twice as many GPUs, the accumulation differs, which follows from both.
    for (const char* gpus : {"32", "64"})
        folder.write(std::string(gpus) + ".json",
                     R"({"model": {"preset": "llama-3-8b"}, "cluster": {"gpus": )" + std::string(gpus) +
                         R"(}, "training": {"sequence_length": 8192, "global_batch": 128}})");
    const RunResult wider = run_in(folder, "explain-gap 32.json 64.json");
    REQUIRE(wider.code == 0);
    CHECK(has(wider.out, "\nNumber of GPUs: gpus 32 → 64\n"));
    CHECK_FALSE(has(wider.out, ": \n"));
}

TEST_CASE("conventions: one run in all of them, and a quoted number converted", "[cli]") {
    const Folder folder;
    folder.write("job.json", R"({"model": {"preset": "llama-3-8b"}, "training": {"sequence_length": 2048}})");
    const RunResult all = run_in(folder, "conventions job.json --format json");
    REQUIRE(all.code == 0);
    const json own = json::parse(all.out);
    CHECK(own["basis"] == "predicted");
    REQUIRE(run_in(folder, "estimate job.json --format json").code == 0);
    const json estimated = json::parse(read_file(folder.file("out")));
    const auto value_of = [](const json& of, const std::string& name, const char* field) {
        for (const json& row : of["conventions"])
            if (row["name"] == name) return row[field].get<double>();
        return 0.0;
    };
    CHECK(value_of(own, "palm", "mfu") == Approx(estimated["mfu"].get<double>()));
    CHECK(value_of(own, "hfu", "mfu") == Approx(estimated["hfu"].get<double>()));
    CHECK(value_of(own, "palm", "mfu_sparse_peak") == Approx(estimated["mfu"].get<double>() / 2));
    const RunResult quoted =
        run_in(folder, "conventions job.json --value '38 %' --as megatron/sparse --format json");
    REQUIRE(quoted.code == 0);
    CHECK(value_of(json::parse(quoted.out), "megatron", "mfu_sparse_peak") == Approx(0.38));
    CHECK(json::parse(quoted.out)["basis"] == "quoted");
    // A share of the peak of bf16 may exceed 100 % where the run uses fp8.
    const std::string fp8 = "conventions job.json --set precision=fp8 --value '107.3 %' --as megatron-2021";
    const RunResult above = run_in(folder, fp8 + "/bf16 --format json");
    REQUIRE(above.code == 0);
    CHECK(value_of(json::parse(above.out), "megatron-2021", "mfu_bf16_peak") == Approx(1.073));
    const RunResult beyond = run_in(folder, fp8);
    CHECK(beyond.code == 2);
    CHECK(has(beyond.err, "is more than 100 % of the peak of the precision in use"));
    const RunResult rate = run_in(folder, "conventions job.json --value '1000 TFLOP/s' --as palm");
    CHECK(rate.code == 2);
    CHECK(has(rate.err, "is more than 100 % of the peak of the precision in use (which is 989"));
    CHECK(has(rate.err, "give the rate of one GPU"));
    const RunResult text = run_in(folder, "conventions job.json");
    CHECK(has(text.out, "llm-foundry"));
    CHECK(!has(text.out, "does not fit"));
    CHECK(has(run_in(folder, "conventions job.json --set training.sequence_length=8192").out,
              "does not fit in memory"));
    CHECK(run_in(folder, "conventions job.json --value 38").code == 2);
    CHECK(run_in(folder, "conventions job.json --value 38 --as palm").code == 2);
    const RunResult unknown = run_in(folder, "conventions job.json --value '38 %' --as plam");
    CHECK(unknown.code == 2);
    CHECK(has(unknown.err, "did you mean “palm”?"));
}

TEST_CASE("launch: a SLURM job starts the written file", "[cli]") {
    const Folder folder;
    folder.write("job.json", R"({"cluster": {"gpus": 32, "software": "megatron-core"}})");
    REQUIRE(run_in(folder, "launch job.json --for megatron -o train.sh --slurm job.sbatch").code == 0);
    const std::string job = read_file(folder.file("job.sbatch"));
    CHECK(has(job, "#SBATCH --nodes=4\n"));
    CHECK(has(job, "srun bash train.sh"));
    CHECK(run_in(folder, "launch job.json --for megatron --slurm job.sbatch").code == 2);
    // Neither file is written where they are the same one.
    const RunResult same = run_in(folder, "launch job.json --for megatron -o new.sh --slurm ./new.sh");
    CHECK(same.code == 2);
    CHECK(has(same.err, "is the file of -o"));
    CHECK(run_in(folder, "launch job.json --for megatron -o new.sh --slurm none/job.sbatch").code != 0);
    CHECK_FALSE(std::filesystem::exists(folder.file("new.sh")));
    CHECK(run_in(folder, "launch job.json --for megatron -o train.sh --slurm job.json").code == 2);
    CHECK(has(read_file(folder.file("job.json")), "megatron-core"));
}
