// Tests `shardscope calibrate` and the use of the file that it writes.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/shell.h"

using namespace shardscope::testing;
using nlohmann::json;

namespace {

const std::string kHeader =
    "id,software,layers,hidden,ffn_hidden,heads,vocab,mlp,gpu,gpus,sequence,micro_batch,global_batch,"
    "sharding,"
    "recompute,step_time_s,tokens_per_s_per_gpu\n";

// Returns runs of a 7B model on A100 that are a quarter slower than llm-foundry's.
std::string slow_runs(int count) {
    std::string out = kHeader;
    for (int i = 0; i < count; ++i) {
        const int micro_batch = 1 + i % 4;
        const int gpus = 8 << (i % 5);
        const double tokens = 2048.0 * micro_batch;
        out += "r" + std::to_string(i) + ",fsdp1,32,4096,16384,32,50368,plain,a100-sxm-80gb," +
               std::to_string(gpus) + ",2048," + std::to_string(micro_batch) + "," +
               std::to_string(gpus * micro_batch) + ",zero3," + (i % 2 == 0 ? "none" : "full") + ",," +
               std::to_string(2700 * (i % 2 == 0 ? 1 : 0.8) * tokens / (tokens + 500)) + "\n";
    }
    return out;
}

}  // namespace

TEST_CASE("calibrate: the predictions move towards a user's runs", "[cli]") {
    const Folder folder;
    folder.write("runs.csv", slow_runs(16));
    const json before = json::parse(run_in(folder, "validate --runs runs.csv --format json").out);
    const RunResult ran = run_in(folder, "calibrate --runs runs.csv -o mine.json");
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    CHECK(ran.out.find("cross-validated") != std::string::npos);
    const json after =
        json::parse(run_in(folder, "validate --runs runs.csv --calibration mine.json --format json").out);
    CHECK(after["summary"]["user"]["mean_abs_error"].get<double>() <
          0.5 * before["summary"]["user"]["mean_abs_error"].get<double>());

    // A scenario uses the same file.
    folder.write("a.json", R"({"model":{"preset":"mpt-7b"},"cluster":{"preset":"dgx-a100-80gb","gpus":64}})");
    folder.write(
        "b.json",
        R"({"model":{"preset":"mpt-7b"},"cluster":{"preset":"dgx-a100-80gb","gpus":64,"calibration":"mine.json"}})");
    const json plain = json::parse(run_in(folder, "estimate a.json --format json").out);
    const json mine = json::parse(run_in(folder, "estimate b.json --format json").out);
    CHECK(mine["step_time_s"].get<double>() > 1.05 * plain["step_time_s"].get<double>());
}

TEST_CASE("calibrate: unusable input is reported", "[cli]") {
    const Folder folder;
    CHECK(run_in(folder, "calibrate").code == 2);
    folder.write("two.csv", slow_runs(2));
    const RunResult two = run_in(folder, "calibrate --runs two.csv -o mine.json");
    CHECK(two.code == 2);
    CHECK(two.err.find("too few") != std::string::npos);
    CHECK_FALSE(fs::exists(folder.file("mine.json")));

    // A bad row is reported with its line, and the others are used.
    folder.write("bad.csv",
                 slow_runs(12) + "x,fsdp1,32,4096,16384,32,50368,plain,z100,8,2048,1,8,zero3,none,,2000\n");
    const RunResult bad = run_in(folder, "calibrate --runs bad.csv -o mine.json");
    CHECK(bad.code == 2);
    CHECK(bad.err.find("bad.csv:14:") != std::string::npos);
    CHECK(fs::exists(folder.file("mine.json")));

    // The rate is that of all GPUs, and a column is misspelt.
    folder.write(
        "total.csv",
        kHeader + "t,fsdp1,32,4096,16384,32,50368,plain,a100-sxm-80gb,64,2048,1,64,zero3,none,1.0,131072\n");
    CHECK(run_in(folder, "validate --runs total.csv").err.find("does not agree") != std::string::npos);
    folder.write("column.csv", "tensor_paralel," + slow_runs(1));
    CHECK(run_in(folder, "validate --runs column.csv").err.find("tensor_parallel") != std::string::npos);

    // Three equal runs do not determine an uncertainty band.
    std::string one = slow_runs(1);
    const std::string row = one.substr(kHeader.size());
    folder.write("same.csv", one + row + row);
    const RunResult same = run_in(folder, "calibrate --runs same.csv -o same.json");
    if (same.code == 0) CHECK(read_file(folder.file("same.json")).find("error_band") == std::string::npos);

    CHECK(run_in(folder, "calibrate --runs two.csv --collectives two.csv").err.find("nccl-tests") !=
          std::string::npos);
    CHECK(run_in(folder, "calibrate --collectives two.csv --cluster nowhere").err.find("nowhere") !=
          std::string::npos);
    CHECK(run_in(folder, "calibrate --measurements two.csv").err.find("--gpu") != std::string::npos);
    CHECK(run_in(folder, "validate --calibration two.csv").code == 2);
    CHECK(run_in(folder, "calibrate --runs bad.csv -o " + folder.path()).code == 1);
}

TEST_CASE("calibrate: the software of a measurement may be unknown, which is said", "[cli]") {
    const Folder folder;
    folder.write("kernels.json", R"({
        "format": "shardscope-measurements", "version": 1, "gpu": "NVIDIA H100 80GB HBM3",
        "driver": "550.54", "torch": "2.5.1", "cuda": "12.4", "cudnn": null, "device": "cuda",
        "created": "2025-03-01T12:00:00+00:00",
        "gemm": [{"m": 4096, "n": 4096, "k": 4096, "precision": "bf16", "seconds": 2.1e-4}],
        "attention": [{"batch": 8, "heads": 32, "sequence": 2048, "head_size": 128, "kernel": "flash",
                       "causal": true, "forward_s": 1e-3, "backward_s": 2.5e-3}],
        "streaming": [{"bytes": 1073741824, "seconds": 4e-4}], "blocks": []})");
    const std::string command = "calibrate --gpu h100-sxm-80gb --measurements kernels.json --software ";
    const RunResult unknown = run_in(folder, command + "fsdp3");
    CHECK(unknown.code == 0);
    CHECK(unknown.err.find("note: The software “fsdp3” is not known.") != std::string::npos);
    CHECK(unknown.err.find("Is “fsdp1” meant?") != std::string::npos);
    CHECK(run_in(folder, command + "fsdp2").err.empty());
}

TEST_CASE("scenarios: a calibration may be given by name or inline, and a wrong one is refused", "[cli]") {
    const RunResult plain = run("estimate - --format json");
    const RunResult slow =
        run("estimate - --format json", R"({"cluster":{"calibration":{"gemm_efficiency":0.3}}})");
    REQUIRE(slow.code == 0);
    CHECK(json::parse(slow.out)["mfu"].get<double>() < json::parse(plain.out)["mfu"].get<double>());
    const RunResult parts = run(
        "estimate - --format json",
        R"({"cluster":{"calibration":{"parts":{"gpu-h100":{"gemm_efficiency":0.3},"gpu-a100":{"gemm_efficiency":0.9}}}}})");
    REQUIRE(parts.code == 0);
    CHECK(json::parse(parts.out)["mfu"] == json::parse(slow.out)["mfu"]);
    const RunResult wrong = run("estimate -", R"({"cluster":{"calibration":{"gemm_eficiency":0.3}}})");
    CHECK(wrong.code == 2);
    CHECK(wrong.err.find("/cluster/calibration/values/gemm_eficiency") != std::string::npos);
    CHECK(wrong.err.find("gemm_efficiency") != std::string::npos);
    CHECK(run("estimate -", R"({"cluster":{"calibration":"nobody"}})").code == 2);
}
