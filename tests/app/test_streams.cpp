// Tests how the program reads and writes what a shell gives it: streams, devices, links and full disks.
#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "support/shell.h"
#include "support/text.h"

using nlohmann::json;
using namespace shardscope::testing;

namespace {

// Runs a bash command in a folder, with the program as $shardscope.
RunResult bash(const Folder& folder, const std::string& command) {
    folder.write("command.bash", "shardscope=" SHARDSCOPE_PROGRAM "\n" + command + "\n");
    const std::string line = "cd " + folder.path() +
                             " && env -u DISPLAY -u WAYLAND_DISPLAY XDG_DATA_HOME=" + folder.path() +
                             " bash command.bash > out 2> err < /dev/null";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder.file("out")),
            read_file(folder.file("err"))};
}

// Returns the commands that read a file, with @ in its place.
const std::vector<std::string>& reading_commands() {
    static const std::vector<std::string> commands{
        "estimate @",
        "sweep @ --axis gpus=8",
        "plan @",
        "plan --merge @",
        "solve @ --for gpus --target fits",
        "export @ --plot memory -o figure.svg",
        "export first-launch --plot collectives --collectives @ -o figure.svg",
        "validate --runs @",
        "validate --calibration @",
        "calibrate --runs @",
        "calibrate --gpu h100-sxm-80gb --measurements @",
        "calibrate --collectives @ --cluster dgx-h100",
        "import hf @",
        "import nccl @",
        "import launch @",
        "launch @ --for megatron"};
    return commands;
}

std::string with(std::string command, const std::string& file) {
    return command.replace(command.find('@'), 1, file);
}

}  // namespace

TEST_CASE("every command refuses files that are not regular, with the reason and exit code 2", "[streams]") {
    const Folder folder;
    REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    fs::create_symlink("loop", folder.file("loop"));
    const std::vector<std::pair<std::string, std::string>> refused{
        {"pipe", "this is a named pipe"},
        {"/dev/zero", "this is a device"},
        {"loop", "Too many levels of symbolic links"},
        {"/proc/self/mem", "Input/output error"},
        {".", "this is a folder"}};
    for (const std::string& command : reading_commands()) {
        for (const auto& [file, reason] : refused) {
            const RunResult result = bash(folder, "timeout 20 $shardscope " + with(command, file));
            CAPTURE(command, file, result.err);
            CHECK(result.code == 2);
            CHECK(has(result.err, reason));
        }
    }
}

TEST_CASE("every command stops reading a stream after 16 MiB", "[streams][limits]") {
    const Folder folder;
    for (const std::string& command : reading_commands()) {
        const RunResult result =
            bash(folder, "timeout 20 $shardscope " + with(command, "-") + " < /dev/zero");
        CAPTURE(command, result.err);
        CHECK(result.code == 2);
        CHECK(has(result.err, "larger than 16 MiB"));
    }
}

TEST_CASE("standard input and bash's process substitution are read as streams", "[streams]") {
    const Folder folder;
    folder.write("scenario.json", R"({"cluster": {"gpus": 256}})");
    const RunResult file = bash(folder, "$shardscope estimate scenario.json --format json");
    REQUIRE(file.code == 0);
    for (const char* command : {"$shardscope estimate - --format json < scenario.json",
                                "cat scenario.json | $shardscope estimate - --format json",
                                "cat scenario.json | $shardscope estimate /dev/stdin --format json",
                                "$shardscope estimate /dev/stdin --format json < scenario.json",
                                "$shardscope estimate <(cat scenario.json) --format json",
                                "$shardscope estimate /dev/fd/7 --format json 7< scenario.json",
                                // The writer is slow.
                                "$shardscope estimate <(printf '{'; cat /dev/null; printf '\"cluster\": '; "
                                "printf '{\"gpus\": 256}}') --format json"}) {
        const RunResult stream = bash(folder, command);
        CAPTURE(command, stream.err);
        CHECK(stream.code == 0);
        CHECK(stream.out == file.out);
    }
    // Two streams at once are read separately.
    const RunResult two = bash(folder,
                               "$shardscope estimate <(echo '{\"name\": \"a\"}') <(echo '{\"name\": \"b\"}') "
                               "--format json");
    CHECK(two.code == 0);
    CHECK(has(two.out, "\"a\""));
    CHECK(has(two.out, "\"b\""));
    // Relative paths in a stream start at the working folder.
    folder.write("own.json", read_file(SHARDSCOPE_SOURCE_DIR "/presets/models/mpt-7b.json"));
    CHECK(bash(folder, "$shardscope estimate <(echo '{\"model\": {\"preset\": \"own.json\"}}')").code == 0);
    const RunResult closed = bash(folder, "$shardscope estimate - <&-");
    CHECK(closed.code == 2);
    CHECK(has(closed.err, "Bad file descriptor"));
}

TEST_CASE("pipes and devices in a folder of presets do not block the program", "[streams]") {
    const Folder folder;
    fs::create_directories(folder.file("shardscope/presets"));
    REQUIRE(::mkfifo(folder.file("shardscope/presets/pipe.json").c_str(), 0600) == 0);
    fs::create_symlink("/dev/zero", folder.file("shardscope/presets/zero.json"));
    const RunResult result = bash(folder, "timeout 20 $shardscope estimate first-launch");
    CHECK(result.code == 0);
    CHECK(has(result.err, "pipe.json: this is a named pipe"));
    CHECK(has(result.err, "zero.json: this is a device"));
}

TEST_CASE("output: -o writes to standard output if it names - or /dev/stdout", "[streams]") {
    const Folder folder;
    for (const std::string& command : {std::string("plan first-launch --free micro_batch --top 1"),
                                       std::string("launch first-launch --for megatron")}) {
        const RunResult plain = bash(folder, "$shardscope " + command);
        for (const char* target : {" -o -", " -o /dev/stdout"}) {
            CAPTURE(command, target);
            const RunResult named = bash(folder, "$shardscope " + command + target);
            CHECK(named.code == 0);
            CHECK(named.out == plain.out);
        }
    }
    CHECK_FALSE(fs::exists(folder.file("-")));
}

TEST_CASE("a full disk is reported by every output, with exit code 1", "[streams]") {
    const Folder folder;
    for (const char* arguments :
         {"--help", "--version", "manual", "completion bash", "completion zsh", "completion fish",
          "completion words", "parameters", "presets list", "presets show dgx-h100", "estimate --help",
          "estimate first-launch", "plan first-launch --free micro_batch", "presets list --help"}) {
        CAPTURE(arguments);
        const RunResult full = bash(folder, "$shardscope " + std::string(arguments) + " > /dev/full");
        CHECK(full.code == 1);
        CHECK(full.err == "shardscope: standard output cannot be written (No space left on device)\n");
    }
    // Mistakes on the command line are reported on standard error, and the exit code is the same if that
    // cannot be written.
    CHECK(bash(folder, "$shardscope --unknown > /dev/full 2> /dev/full").code == 2);
}

TEST_CASE("a limit on the size of files is reported and leaves no partial file", "[streams][limits]") {
    const Folder folder;
    folder.write("old.csv", "old");
    folder.write("figure.svg", "old");
    const std::string before = std::to_string(folder.count());
    for (const char* command : {"$shardscope sweep first-launch --axis gpus=8:4096:200 -o old.csv",
                                "$shardscope sweep first-launch --axis gpus=8:4096:200 -o new.csv",
                                "$shardscope export first-launch --plot memory -o figure.svg"}) {
        const RunResult result =
            bash(folder, "trap '' XFSZ; trap - XFSZ\nulimit -f 1\n" + std::string(command));
        CAPTURE(command, result.err);
        CHECK(result.code == 1);
        CHECK(has(result.err, "File too large"));
    }
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path())) names.insert(entry.path().filename());
    CHECK(names == std::set<std::string>{"command.bash", "err", "figure.svg", "old.csv", "out"});
    CHECK(read_file(folder.file("old.csv")) == "old");
    CHECK(read_file(folder.file("figure.svg")) == "old");
    // The same limit holds if standard output is a file.
    const RunResult printed = bash(folder, "ulimit -f 1\n$shardscope parameters");
    CHECK(printed.code == 1);
    CHECK(has(printed.err, "standard output cannot be written (File too large)"));
}

TEST_CASE("if the standard streams are closed the program's messages do not go into its files", "[streams]") {
    const Folder folder;
    const std::string sweep = "$shardscope sweep first-launch --axis gpus=8:64:3 -o ";
    REQUIRE(bash(folder, sweep + "usual.csv").code == 0);
    CHECK(bash(folder, sweep + "bare.csv <&- >&- 2>&-").code == 0);
    CHECK(read_file(folder.file("bare.csv")) == read_file(folder.file("usual.csv")));
    CHECK(bash(folder, "$shardscope parameters >&-").code == 1);
}

TEST_CASE("an unusable display is reported without a crash", "[streams]") {
    const Folder folder;
    for (const auto& [settings, reason] : std::vector<std::pair<std::string, std::string>>{
             {"DISPLAY=:4095", "could not connect to display :4095"},
             {"DISPLAY=nonsense", "could not connect to display nonsense"},
             {"WAYLAND_DISPLAY=nowhere XDG_RUNTIME_DIR=" + folder.path(), ""},
             {"WAYLAND_DISPLAY=nowhere DISPLAY=:4095 XDG_RUNTIME_DIR=" + folder.path(), ""},
             {"QT_QPA_PLATFORM=nosuch", "Could not find the Qt platform plugin \"nosuch\""},
             {"QT_QPA_PLATFORM=xcb", "could not connect to display"},
             {"DISPLAY=:4095 QT_QPA_PLATFORM_PLUGIN_PATH=/nonexistent QT_PLUGIN_PATH=/nonexistent", ""}}) {
        const RunResult result = bash(folder, "env -u QT_QPA_PLATFORM -u DISPLAY -u WAYLAND_DISPLAY " +
                                                  settings + " timeout 20 $shardscope");
        CAPTURE(settings, result.err);
        CHECK(result.code == 1);
        CHECK(result.err.starts_with("shardscope: there is no display that can be used ("));
        CHECK(has(result.err, reason));
        CHECK(has(result.err, "see shardscope --help for the commands that need none"));
    }
}
