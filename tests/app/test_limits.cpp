// Tests inputs of many megabytes that the program cannot read, and questions that would take days: each ends
// at a limit, with a message, and needs little time and memory.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/shell.h"
#include "support/text.h"

using namespace shardscope::testing;

namespace {

constexpr std::size_t kLargest = std::size_t{16} << 20;

// Returns `unit` repeated between `head` and `tail`, up to the largest input.
std::string filled(const std::string& head, const std::string& unit, const std::string& tail) {
    std::string out = head;
    out.reserve(kLargest);
    while (out.size() + unit.size() + tail.size() <= kLargest) out += unit;
    return out + tail;
}

// The address sanitizer reserves terabytes of address space.
#ifdef __SANITIZE_ADDRESS__
const std::string kLimitAddresses = "true";
#else
const std::string kLimitAddresses = "ulimit -v 2097152";
#endif

// Runs the program with that input as FILE and at most 2 GiB of address space.
RunResult run_limited(const std::string& arguments, const std::string& input) {
    const Folder folder;
    folder.write("in", input);
    const std::string line = "cd " + folder.path() + " && " + kLimitAddresses +
                             " && env -u DISPLAY XDG_DATA_HOME=/nonexistent timeout 120 " SHARDSCOPE_PROGRAM
                             " " +
                             arguments + " > out 2> err < /dev/null";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder.file("out")),
            read_file(folder.file("err"))};
}

}  // namespace

TEST_CASE("limits: JSON of many values, deep JSON and many lines are refused by every reader", "[limits]") {
    struct Hostile {
        std::string input;
        std::string message;
    };
    const std::string deep(1'000'000, '[');
    const std::vector<Hostile> inputs{
        {filled("{\"view\": [", "{},", "{}]}"), "more than 1,000,000 values"},
        {filled("{\"model\": [", "0,", "0]}"), "more than 1,000,000 values"},
        {"{\"search\": {\"scenario\": " + deep + std::string(deep.size(), ']') + "}}", "nested too deeply"}};
    for (const char* command :
         {"estimate in", "sweep in --axis gpus=8", "plan in", "solve in --for gpus --target fits",
          "export in --plot memory -o f.svg", "validate --calibration in", "import hf in",
          "calibrate --gpu h100-sxm-80gb --measurements in", "launch in"}) {
        for (const Hostile& hostile : inputs) {
            const RunResult result = run_limited(command, hostile.input);
            CAPTURE(command, hostile.message, result.err);
            CHECK(result.code == 2);
            CHECK(has(result.err, hostile.message));
        }
    }
    // Readers of other formats report that the file does not contain what they need.
    for (const char* command :
         {"plan --merge in", "import launch in", "validate --runs in", "import nccl in"}) {
        for (const Hostile& hostile : inputs) {
            const RunResult result = run_limited(command, hostile.input);
            CAPTURE(command, hostile.message, result.err);
            CHECK(result.code == 2);
            CHECK_FALSE(result.err.empty());
        }
    }
    const RunResult lines = run_limited("estimate in", filled("", "{}\n", ""));
    CHECK(lines.code == 2);
    CHECK(has(lines.err, "more than 100,000 lines of JSON"));
}

TEST_CASE("limits: names of megabytes and thousands of problems are reported in bounded time", "[limits]") {
    const std::string name = filled("", "x", "").substr(0, kLargest / 2);
    for (const std::string& input :
         {"{\"" + name + "\": 1}", "{\"model\": {\"" + name + "\": 1}}",
          "{\"model\": {\"preset\": \"" + name + "\"}}", "{\"training\": {\"sharding\": \"" + name + "\"}}",
          "{\"cluster\": {\"gpus\": \"" + name + "\"}}"}) {
        const RunResult result = run_limited("estimate in", input);
        CAPTURE(input.substr(0, 30), result.code);
        CHECK(result.code == 2);
        CHECK_FALSE(result.err.empty());
    }
    std::string keys = "{\"format\": \"shardscope-scenario\"";
    for (int i = 0; i < 500'000; ++i) keys += ",\"" + std::to_string(i) + "\":1";
    const RunResult many = run_limited("estimate in", keys + "}");
    CHECK(many.code == 2);
    CHECK(std::count(many.err.begin(), many.err.end(), '\n') == 1001);
    CHECK(many.err.ends_with("and 499000 more problems\n"));
}

TEST_CASE("limits: tables and logs of megabytes are read or refused in bounded time", "[limits]") {
    const RunResult rows = run_limited("validate --runs in", filled("layers,hidden\n", "1,2\n", ""));
    CHECK(rows.code == 2);
    CHECK(has(rows.err, "more than 10,000 rows"));
    for (const char* command : {"validate --runs in", "import nccl in", "import launch in"}) {
        for (const char* unit : {"\n", ",", "$(", "<<a\n"}) {
            const RunResult result = run_limited(command, filled("", unit, ""));
            CAPTURE(command, unit, result.err);
            CHECK(result.code == 2);
            CHECK_FALSE(result.err.empty());
        }
    }
}

TEST_CASE("limits: a sweep, a grid of plans and a figure have a largest number of points", "[limits]") {
    const std::string million = "1GiB:80GiB:1000000";
    for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
             {"sweep in --axis memory=" + million + " --axis sequence_length=128:65536:500",
              "at most 10,000,000"},
             {"sweep in --axis memory=1GiB:80GiB:1000000000", "use a whole number from 1 to 1,000,000"},
             {"plan in --over memory=" + million + " --over inter_node_bandwidth=1e9:1e11:2",
              "at most 1,000,000"},
             {"export in --plot walls --axis memory=" + million +
                  " --axis sequence_length=128:65536:2 -o f.svg",
              "at most 1,000,000"},
             {"export in --plot memory --size 8001x600 -o f.svg", "200 to 8,000 each way"},
             {"export in --plot memory --scale 5 -o f.png", "1 to 4"},
             {"plan in --top 1000001", "1 to 1,000,000"}}) {
        const RunResult result = run_limited(arguments, "{}");
        CAPTURE(arguments, result.err);
        CHECK(result.code == 2);
        CHECK(has(result.err, message));
    }
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("limits: a lack of memory is reported", "[limits]") {
    const Folder folder;
    folder.write("in", "{}");
    folder.write("out.csv", "old");
    // The lines of this sweep do not fit into the available memory.
    const std::string line =
        "cd " + folder.path() +
        " && ulimit -v 400000 && env -u DISPLAY XDG_DATA_HOME=/nonexistent timeout 120 " SHARDSCOPE_PROGRAM
        " validate --runs large > out 2> err < /dev/null";
    folder.write("large", filled("", ",", ""));
    const int status = std::system(line.c_str());
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 1);
    CHECK(read_file(folder.file("err")) ==
          "shardscope: out of memory; close other programs, or reduce the request\n");
}
#endif

TEST_CASE("progress: a long command shows its progress on a terminal, and nowhere else", "[limits]") {
    const Folder folder;
    folder.write("in", "{}");
    for (const char* command :
         {"plan in --over gpus=8:1000000:60 --over inter_node_bandwidth=1e9:1e11:5 -o plans",
          "sweep in --axis memory=1GiB:80GiB:200000 -o sweep.csv"}) {
        CAPTURE(command);
        // On one processor the command takes seconds.
        folder.write("one.bash",
                     "allowed=$(taskset -cp $$)\nallowed=${allowed##*: }\nexec taskset -c "
                     "\"${allowed%%[,-]*}\" " SHARDSCOPE_PROGRAM " " +
                         std::string(command) + "\n");
        // `script` runs it on a new terminal.
        const std::string line = "cd " + folder.path() +
                                 " && env -u DISPLAY XDG_DATA_HOME=/nonexistent script -qec 'bash one.bash' "
                                 "/dev/null > terminal < /dev/null";
        CHECK(std::system(line.c_str()) == 0);
        const std::string terminal = read_file(folder.file("terminal"));
        CHECK(has(terminal, " % done\033[K"));
        CHECK(terminal.ends_with("\r\033[K"));
        const RunResult piped = run_in(folder, command);
        CHECK(piped.code == 0);
        CHECK(piped.err.empty());
    }
}
