// `shardscope import`: a log in, a preset out that the program takes.
#include <sys/wait.h>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace fs = std::filesystem;

namespace {

class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "shardscope-import-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~Folder() { fs::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        fs::create_directories(fs::path(at(name)).parent_path());
        std::ofstream(at(name), std::ios::binary) << text;
    }
    [[nodiscard]] std::string read(const std::string& name) const {
        std::ostringstream text;
        text << std::ifstream(at(name), std::ios::binary).rdbuf();
        return text.str();
    }
    // Output in the files `out` and `err`; the folder is the user's data folder.
    [[nodiscard]] int run(const std::string& arguments) const {
        const std::string command = "cd " + path_.string() +
                                    " && env -u DISPLAY -u WAYLAND_DISPLAY XDG_DATA_HOME=" + path_.string() +
                                    " " SHARDSCOPE_PROGRAM " " + arguments + " > out 2> err < /dev/null";
        const int status = std::system(command.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

  private:
    fs::path path_;
};

// An all-gather on `nodes` hosts of 8 GPUs that takes `latency` µs and streams at `bandwidth` GB/s.
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

TEST_CASE("import nccl: the preset it prints is one the program takes", "[cli]") {
    const Folder folder;
    folder.write("node.log", log_of(1, 30, 360));
    folder.write("nodes.log", log_of(4, 150, 320));
    REQUIRE(folder.run("import nccl node.log nodes.log --name fabric-ours --inter-bandwidth 400Gbit/s") == 0);
    const auto preset = nlohmann::json::parse(folder.read("out"));
    CHECK(preset["kind"] == "calibration");
    CHECK(preset["name"] == "fabric-ours");
    CHECK(preset["values"]["network_efficiency"].get<double>() == Approx(0.8).epsilon(0.07));
    CHECK(preset["values"]["intra_node_efficiency"].get<double>() == Approx(0.8).epsilon(0.07));
    CHECK(folder.read("err").find("rms") != std::string::npos);

    folder.write("shardscope/presets/ours.json", folder.read("out"));
    REQUIRE(folder.run("presets show fabric-ours") == 0);
    CHECK(folder.read("err").empty());
    CHECK(folder.read("out").find("cluster.inter_node_latency") != std::string::npos);
    CHECK(folder.read("out").find("32 GPUs on 4 nodes") != std::string::npos);
}

TEST_CASE("import nccl: what a log does not tell is left out, and nominal bandwidths count", "[cli]") {
    const Folder folder;
    folder.write("node.log", log_of(1, 30, 240));
    REQUIRE(folder.run("import nccl node.log --cluster dgx-a100-80gb") == 0);
    const auto a100 = nlohmann::json::parse(folder.read("out"))["values"];
    CHECK(a100["intra_node_efficiency"].get<double>() == Approx(0.8).epsilon(0.07));
    CHECK_FALSE(a100.contains("network_efficiency"));
    CHECK(folder.read("err").find("network_efficiency") != std::string::npos);
    REQUIRE(folder.run("import nccl node.log --intra-bandwidth 480GB/s") == 0);
    const auto faster = nlohmann::json::parse(folder.read("out"))["values"];
    CHECK(faster["intra_node_efficiency"].get<double>() == Approx(0.5).epsilon(0.07));
    // Two hosts that share an NVLink domain are one node.
    folder.write("nodes.log", log_of(2, 60, 240));
    REQUIRE(folder.run("import nccl nodes.log --gpus-per-node 16") == 0);
    CHECK(folder.read("out").find("16 GPUs on 1 node,") != std::string::npos);
}

TEST_CASE("import: unusable input says why and prints nothing", "[cli]") {
    const Folder folder;
    folder.write("node.log", log_of(1, 30, 240));
    folder.write("other.txt", "no log\n");
    const auto refused = [&](const std::string& arguments, const std::string& word) {
        INFO(arguments);
        CHECK(folder.run("import " + arguments) == 2);
        CHECK(folder.read("out").empty());
        CHECK(folder.read("err").find(word) != std::string::npos);
    };
    refused("nccl other.txt", "other.txt: not an nccl-tests log");
    refused("nccl missing.log", "missing.log");
    refused("nccl node.log --cluster dgx-h10", "dgx-h100");
    refused("nccl node.log --intra-bandwidth 3", "--intra-bandwidth");
    refused("nccl node.log --gpus-per-node 3", "--gpus-per-node");
    refused("nccl node.log --name 'My fabric'", "lower case");
    refused("hf config.json", "not modelled yet");
    refused("", "subcommand");
}
