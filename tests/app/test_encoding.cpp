// Tests hostile names from files in the command line's outputs: no command runs, and no control sequence
// reaches a terminal.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "support/hostile.h"
#include "support/outside_parsers.h"
#include "support/shell.h"

using namespace shardscope::testing;
using nlohmann::json;

namespace {

std::string quoted(const std::string& text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string preset(const std::string& kind, const std::string& name, const std::string& title,
                   const std::string& values) {
    return R"({"format": "shardscope-preset", "version": 1, "kind": ")" + kind + R"(", "name": )" +
           quoted(name) + R"(, "title": )" + quoted(title) + R"(, "source": )" + quoted(title) +
           R"(, "values": )" + values + "}";
}

const std::string kShape =
    R"({"layers": 4, "hidden_size": 256, "ffn_size": 1024, "heads": 4, "kv_heads": 4, "vocab_size": 1024})";

std::string in_folder(const Folder& folder, const std::string& command) {
    return "cd " + folder.path() + " && " + command;
}

}  // namespace

TEST_CASE("encoding: an imported config.json cannot bring a command into a launch script", "[encoding]") {
    const Folder folder;
    const std::string name = "x\ntouch pwned #";
    folder.write("config.json", R"({"model_type": "llama", "hidden_size": 256, "num_hidden_layers": 4,
        "num_attention_heads": 4, "vocab_size": 1024, "intermediate_size": 512, "_name_or_path": )" +
                                    quoted(name) + "}");
    const RunResult imported = run_in(folder, "import hf config.json");
    REQUIRE(imported.code == 0);
    CHECK(json::parse(imported.out)["title"] == "x touch pwned #");
    folder.write("shardscope/presets/imported.json", imported.out);
    folder.write("gpu.json", preset("gpu", "mine", "G\ntouch pwned #\r\ntouch pwned", R"({"memory": "80 GiB",
        "memory_bandwidth": "3 TB/s", "peak_flops": {"bf16": 1e15}})"));
    folder.write("job.json", R"({"model": {"preset": )" + json::parse(imported.out)["name"].dump() +
                                 R"(}, "cluster": {"gpus": 8, "gpu": {"preset": "gpu.json"}}})");
    REQUIRE(run_in(folder, "launch job.json --for megatron -o train.sh").code == 0);
    const std::string script = read_file(folder.file("train.sh"));
    CHECK(script.find("\n# x touch pwned # on 8 G touch pwned # touch pwned, by Shardscope ") !=
          std::string::npos);
    // The script runs with another program in place of torchrun.
    folder.write("bin/torchrun", "#!/bin/sh\n: > started\n");
    fs::permissions(folder.file("bin/torchrun"), fs::perms::owner_all);
    CHECK(std::system(in_folder(folder, "PATH=$PWD/bin:$PATH bash train.sh").c_str()) == 0);
    CHECK(fs::exists(folder.file("started")));
    CHECK_FALSE(fs::exists(folder.file("pwned")));
}

TEST_CASE("encoding: presets are listed under names without characters special to a shell", "[encoding]") {
    const Folder folder;
    const std::vector<std::string> bad{"../../x", "-o", "a\nb", "a b", ".hidden", "", std::string(65, 'x'),
                                       "é"};
    int files = 0;
    for (const std::string& name : bad)
        folder.write("shardscope/presets/" + std::to_string(++files) + ".json",
                     preset("model", name, "Bad", kShape));
    folder.write("shardscope/presets/good.json", preset("model", "my.model_7B+x", "Good", kShape));
    folder.write("shardscope/presets/my scenario.json", R"({"format": "shardscope-scenario", "version": 1})");
    folder.write("shardscope/presets/-o.json", R"({"format": "shardscope-scenario", "version": 1})");
    const RunResult listed = run_in(folder, "presets list");
    CHECK(listed.code == 0);
    CHECK(listed.out.find("my.model_7B+x") != std::string::npos);
    CHECK(listed.out.find("Bad") == std::string::npos);
    CHECK(listed.out.find("my scenario") == std::string::npos);
    CHECK(listed.out.find(" -o") == std::string::npos);
    for (int i = 1; i <= files; ++i) {
        INFO(i);
        CHECK(listed.err.find("/" + std::to_string(i) + ".json:/name: ") != std::string::npos);
    }
    CHECK(listed.err.find("“a\\nb” is not a valid preset name (a name has letters") != std::string::npos);
    CHECK(listed.err.find("/my scenario.json: the file's name is not a valid preset name") !=
          std::string::npos);
    CHECK(listed.err.find("/-o.json: the file's name") != std::string::npos);
    // A file is found by its path, whatever its name.
    folder.write("my fit.json",
                 R"({"format": "shardscope-calibration", "version": 1, "title": "x", "source": "y",
        "everywhere": {"overlap": 0.3}})");
    folder.write("job.json", R"({"cluster": {"calibration": "my fit.json"}})");
    CHECK(run_in(folder, "estimate job.json").code == 0);
    CHECK(run_in(folder, "import nccl log --name -x").err.find("--name") != std::string::npos);
}

TEST_CASE("encoding: no output of a command controls the terminal", "[encoding]") {
    const Folder folder;
    ExternalParsers parsers;
    std::string lines;
    std::string runs =
        "id,family,source,layers,hidden,ffn_hidden,heads,vocab,gpu,gpus,sequence,micro_batch,global_batch,"
        "sharding,step_time_s\n";
    std::string claims;
    int count = 0;
    for (const std::string& text : hostile_texts(200)) {
        const std::string number = std::to_string(++count);
        folder.write("shardscope/presets/" + number + ".json",
                     preset("model", count % 3 == 0 ? text : "m" + number, text, kShape));
        lines += R"({"name": )" + quoted(text) + ", " + quoted(text) + ": " + quoted(text) + "}\n";
        lines += R"({"name": )" + quoted(text) + R"(, "model": {"preset": )" + quoted(text) + "}}\n";
        lines += R"({"name": )" + quoted(text) + "}\n";
        // The name is written unchanged, including invalid UTF-8.
        std::string cell;
        for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
        for (const char* step : {"1.5", "x"})
            runs += "\"" + cell + "\",\"" + cell + "\",\"" + cell +
                    "\",32,4096,11008,32,32000,h100-sxm-80gb,8,4096,1,64," + "zero3," + step + "\n";
    }
    folder.write("lines.jsonl", lines);
    folder.write("runs.csv", runs);
    folder.write("broken.json", "{\"\x1b[31m\xFF\": \xC2\x9B}");
    folder.write("\x1b[31m\n\xFF.json", "{\"x\": 1}");
    const std::string strange = "$'\\033[31m\\n\\377.json'";
    // Each entry is a command and whether its whole output is JSON Lines.
    for (const std::string& command : {std::string("presets list"),
                                       std::string("estimate lines.jsonl"),
                                       std::string("estimate lines.jsonl --format json"),
                                       std::string("validate --runs runs.csv"),
                                       std::string("validate --runs runs.csv --format json"),
                                       std::string("estimate broken.json"),
                                       "estimate " + strange,
                                       "launch " + strange,
                                       "launch nowhere" + strange,
                                       "export " + strange + " -o " + strange,
                                       "sweep " + strange + " --axis " + strange,
                                       "solve " + strange + " --for " + strange + " --target " + strange,
                                       "plan " + strange,
                                       "plan --merge " + strange,
                                       "import hf " + strange,
                                       "import launch " + strange,
                                       "import nccl " + strange,
                                       "calibrate --runs " + strange,
                                       "presets show " + strange,
                                       strange + " " + strange,
                                       "--" + strange,
                                       "estimate lines.jsonl --set " + strange + "=1",
                                       std::string("presets show m1"),
                                       std::string("presets show m2"),
                                       "launch - --for torchtitan -o " + strange + ".toml",
                                       "completion " + strange,
                                       "import nccl " + strange + " --name " + strange}) {
        folder.write("command.sh", SHARDSCOPE_PROGRAM " " + command + " < /dev/null\n");
        std::system(in_folder(folder, "env -u DISPLAY -u WAYLAND_DISPLAY XDG_DATA_HOME=" + folder.path() +
                                          " bash command.sh > out 2> err")
                        .c_str());
        for (const char* stream : {"out", "err"})
            parsers.add("terminal", read_file(folder.file(stream)), {{"text", command + " on " + stream}});
    }
    const RunResult words = run("completion words", "presets\nshow\n");
    CHECK(words.code == 0);
    parsers.judge();
}
