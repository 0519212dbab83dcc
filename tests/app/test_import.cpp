// Tests `shardscope import`: a log becomes a preset that the program accepts.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/shell.h"

using namespace shardscope::testing;
using nlohmann::json;

namespace {

int run_code(const Folder& folder, const std::string& arguments) { return run_in(folder, arguments).code; }

// Returns the log of an all-gather on `nodes` hosts of 8 GPUs with `latency` µs and `bandwidth` GB/s.
std::string log_of(int nodes, double latency, double bandwidth) {
    const int ranks = 8 * nodes;
    std::string out = "# Collective test starting: all_gather_perf\n# nThread 1 nGpus 8\n# Using devices\n";
    for (int rank = 0; rank < ranks; ++rank) {
        out += "#  Rank " + std::to_string(rank) + " Group  0 Pid 1 on host" + std::to_string(rank / 8) +
               " device " + std::to_string(rank % 8) + " [0x1b] NVIDIA H100 80GB HBM3\n";
    }
    out += "#       size         count      type   redop    root     time   algbw   busbw #wrong\n";
    const double factor = (ranks - 1.0) / ranks;
    for (double bytes = 1 << 18; bytes < 1e10; bytes *= 4) {
        const double time = latency + factor * bytes / bandwidth * 1e-3;
        char row[160];
        std::snprintf(row, sizeof row, "%12.0f %12.0f float none -1 %9.2f %9.3f %9.3f 0\n", bytes, bytes / 4,
                      time, bytes / time * 1e-3, factor * bytes / time * 1e-3);
        out += row;
    }
    return out;
}

}  // namespace

TEST_CASE("import nccl: the program accepts the preset that it prints", "[cli]") {
    const Folder folder;
    folder.write("node.log", log_of(1, 30, 360));
    folder.write("nodes.log", log_of(4, 150, 320));
    REQUIRE(run_code(folder,
                     "import nccl node.log nodes.log --name fabric-ours --inter-bandwidth 400Gbit/s") == 0);
    const auto preset = nlohmann::json::parse(read_file(folder.file("out")));
    CHECK(preset["kind"] == "calibration");
    CHECK(preset["name"] == "fabric-ours");
    CHECK(preset["values"]["network_efficiency"].get<double>() == Approx(0.8).epsilon(0.07));
    CHECK(preset["values"]["intra_node_efficiency"].get<double>() == Approx(0.8).epsilon(0.07));
    CHECK(read_file(folder.file("err")).find("rms") != std::string::npos);

    folder.write("shardscope/presets/ours.json", read_file(folder.file("out")));
    REQUIRE(run_code(folder, "presets show fabric-ours") == 0);
    CHECK(read_file(folder.file("err")).empty());
    CHECK(read_file(folder.file("out")).find("cluster.inter_node_latency") != std::string::npos);
    CHECK(read_file(folder.file("out")).find("32 GPUs on 4 nodes") != std::string::npos);
}

TEST_CASE("import nccl: values that the log does not determine are left out, and nominal bandwidths are used",
          "[cli]") {
    const Folder folder;
    folder.write("node.log", log_of(1, 30, 240));
    REQUIRE(run_code(folder, "import nccl node.log --cluster dgx-a100-80gb") == 0);
    const auto a100 = nlohmann::json::parse(read_file(folder.file("out")))["values"];
    CHECK(a100["intra_node_efficiency"].get<double>() == Approx(0.8).epsilon(0.07));
    CHECK_FALSE(a100.contains("network_efficiency"));
    CHECK(read_file(folder.file("err")).find("network_efficiency") != std::string::npos);
    REQUIRE(run_code(folder, "import nccl node.log --intra-bandwidth 480GB/s") == 0);
    const auto faster = nlohmann::json::parse(read_file(folder.file("out")))["values"];
    CHECK(faster["intra_node_efficiency"].get<double>() == Approx(0.5).epsilon(0.07));
    // Two hosts that share an NVLink domain form one node.
    folder.write("nodes.log", log_of(2, 60, 240));
    REQUIRE(run_code(folder, "import nccl nodes.log --gpus-per-node 16") == 0);
    CHECK(read_file(folder.file("out")).find("16 GPUs on 1 node,") != std::string::npos);
}

TEST_CASE("import hf: a config.json becomes a preset, and a scenario may name it", "[cli]") {
    const Folder folder;
    folder.write("Some-Model/config.json", R"({"model_type": "llama", "hidden_size": 4096,
        "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,
        "num_hidden_layers": 32, "vocab_size": 128256, "rms_norm_eps": 1e-05})");
    const RunResult ran = run_in(folder, "import hf Some-Model/config.json --name mine");
    REQUIRE(ran.code == 0);
    const json preset = json::parse(ran.out);
    CHECK(preset["kind"] == "model");
    CHECK(preset["name"] == "mine");
    CHECK(preset["values"]["kv_heads"] == 8);
    CHECK(ran.err.find("8.03 B") != std::string::npos);
    // The scenario uses the file itself, and the preset made from it.
    folder.write("mine.json", ran.out);
    folder.write("a.json", R"({"name": "x", "model": {"preset": "Some-Model/config.json"}})");
    folder.write("b.json", R"({"name": "x", "model": {"preset": "mine.json"}})");
    const RunResult a = run_in(folder, "estimate a.json --format json");
    REQUIRE(a.code == 0);
    CHECK(json::parse(a.out)["parameters"] == 8030261248);
    CHECK(a.out == run_in(folder, "estimate b.json --format json").out);

    folder.write("broken.json", R"({"model_type": "new", "hidden_size": 4096})");
    const RunResult broken = run_in(folder, "import hf broken.json");
    CHECK(broken.code == 2);
    CHECK(broken.out.empty());
    for (const char* field : {"/num_hidden_layers", "/num_attention_heads", "/vocab_size"})
        CHECK(broken.err.find(std::string("broken.json:") + field) != std::string::npos);
    CHECK(run_in(folder, "import hf nowhere.json").code == 2);
    // A model that a scenario would refuse gives no preset.
    folder.write("odd.json", R"({"model_type": "llama", "hidden_size": -4096, "num_hidden_layers": 0,
        "num_attention_heads": 32, "vocab_size": 100, "intermediate_size": 1e300})");
    const RunResult odd = run_in(folder, "import hf odd.json");
    CHECK(odd.code == 2);
    CHECK(odd.out.empty());
    CHECK(odd.err.find("/model/layers") != std::string::npos);
}

TEST_CASE("import: unusable input is refused with the reason, and nothing is printed", "[cli]") {
    const Folder folder;
    folder.write("node.log", log_of(1, 30, 240));
    folder.write("other.txt", "no log\n");
    const auto refused = [&](const std::string& arguments, const std::string& word) {
        INFO(arguments);
        CHECK(run_code(folder, "import " + arguments) == 2);
        CHECK(read_file(folder.file("out")).empty());
        CHECK(read_file(folder.file("err")).find(word) != std::string::npos);
    };
    refused("nccl other.txt", "other.txt: not an nccl-tests log");
    refused("nccl missing.log", "missing.log");
    refused("nccl node.log --cluster dgx-h10", "dgx-h100");
    refused("nccl node.log --intra-bandwidth 3", "--intra-bandwidth");
    refused("nccl node.log --gpus-per-node 3", "--gpus-per-node");
    refused("nccl node.log --name 'My fabric'", "letters, digits");
    refused("hf other.txt", "other.txt");
    refused("", "subcommand");
}
