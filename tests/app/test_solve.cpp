// Tests `shardscope solve` and the large side of `sweep`, as a shell calls them.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "support/shell.h"

using nlohmann::json;
using namespace shardscope::testing;

namespace {

std::string verdict_at(const std::string& assignment) {
    return json::parse(run("estimate - --format json --set " + assignment).out)["verdict"];
}

}  // namespace

TEST_CASE("solve: it finds the longest sequence that fits, and the next does not fit", "[cli]") {
    const RunResult longest = run("solve - --for sequence_length --target fits --format json");
    REQUIRE(longest.code == 0);
    const json found = json::parse(longest.out);
    const int tokens = found["value"];
    CHECK(found["for"] == "training.sequence_length");
    CHECK(found["end"] == "largest");
    CHECK(verdict_at("sequence_length=" + std::to_string(tokens)) == "fits");
    CHECK(verdict_at("sequence_length=" + std::to_string(tokens + 1)) != "fits");
    CHECK(found["met"][0]["missed_above"] == tokens + 1);
    const RunResult text = run("solve - --for sequence_length --target fits");
    CHECK(text.code == 0);
    CHECK(text.out.find("the largest at which it fits") != std::string::npos);
    CHECK(text.err.empty());
}

TEST_CASE("solve: it finds the rate for a target, also for a share of the best", "[cli]") {
    const RunResult rate = run("solve - --for inter_node_bandwidth --target 'mfu>=0.3' --format json");
    REQUIRE(rate.code == 0);
    const double bandwidth = json::parse(rate.out)["value"];
    const RunResult there =
        run("estimate - --format json --set inter_node_bandwidth=" + std::to_string(std::ceil(bandwidth)));
    CHECK(json::parse(there.out)["mfu"].get<double>() == Approx(0.3).epsilon(1e-6));
    const RunResult share =
        run("solve - --for inter_node_bandwidth --target 'mfu>=95 % of best' --format json");
    REQUIRE(share.code == 0);
    CHECK(json::parse(share.out)["target_value"].get<double>() > 0.3);
}

TEST_CASE("solve: without a solution the exit code is 3, and the obstacle and alternatives are named",
          "[cli]") {
    const RunResult none = run("solve - --for gpus --target fits --set model.preset=llama-3-70b");
    CHECK(none.code == 3);
    CHECK(none.out.empty());
    CHECK(none.err.find("because activations alone need") != std::string::npos);
    CHECK(none.err.find("with full recompute: GPUs ") != std::string::npos);
    const RunResult in_json =
        run("solve - --for gpus --target fits --set model.preset=llama-3-70b --format json");
    CHECK(in_json.code == 3);
    const json found = json::parse(in_json.out);
    CHECK(found["value"].is_null());
    CHECK(found["met"].empty());
    CHECK(none.err.find(found["reason"].get<std::string>()) == 0);
    // The range may go beyond the slider's number of GPUs.
    CHECK(run("solve - --for gpus --target 'training_days<=0.4' --to 131072").code == 0);
    CHECK(run("solve - --for gpus --target 'training_days<=0.4'").code == 3);
}

TEST_CASE("solve: all problems of an unusable question are reported", "[cli]") {
    const RunResult wrong = run("solve - --for gpuz --target 'mfoo>=1'");
    CHECK(wrong.code == 2);
    CHECK(wrong.err.find("did you mean “gpus”?") != std::string::npos);
    CHECK(wrong.err.find("did you mean “mfu”?") != std::string::npos);
    CHECK(run("solve - --for gpus").code == 2);
    CHECK(run("solve - --for gpus --target fits --from 64 --to 8").code == 2);
    CHECK(run("solve - --for gpus --target fits", "{\"training\": {\"micro_batch\": -1}}").code == 2);
}

TEST_CASE("sweep: parts concatenate to the whole, byte for byte, as CSV and as JSON Lines", "[cli]") {
    const Folder folder;
    const std::string grid = "--axis gpus=8:512:17 --axis sequence_length=512:8192:13:log --output mfu,wall";
    for (const std::string ending : {"csv", "jsonl"}) {
        const std::string whole = folder.file("whole." + ending);
        REQUIRE(run("sweep - " + grid + " -o " + whole).code == 0);
        for (const int parts : {2, 7, 300}) {
            std::string joined;
            for (int part = 1; part <= parts; ++part) {
                const std::string file = folder.file("part." + ending);
                REQUIRE(run("sweep - " + grid + " -o " + file + " --shard " + std::to_string(part) + "/" +
                            std::to_string(parts))
                            .code == 0);
                joined += read_file(file);
                if (parts == 300 && part == 20) break;  // empty parts and single lines are among these
            }
            CAPTURE(ending, parts);
            if (parts < 300) CHECK(joined == read_file(whole));
            else CHECK(read_file(whole).starts_with(joined));
        }
    }
}

TEST_CASE("sweep: impossible combinations of values are invalid, not adjusted", "[cli]") {
    const RunResult grid = run("sweep - --axis gpus=8,64 --axis pipeline_parallel=1,32 --output mfu");
    REQUIRE(grid.code == 0);
    CHECK(grid.out.find("8,32,,invalid,") != std::string::npos);
    CHECK(grid.out.find("64,32,,invalid\n") == std::string::npos);
}

TEST_CASE(
    "sweep: with the plan held an automatic micro-batch keeps its value, otherwise each point is planned",
    "[cli]") {
    const std::string scenario = R"({"training": {"auto": ["micro_batch"]}})";
    const std::string sweep = "sweep - --axis memory='80 GiB,160 GiB' --output memory.peak_bytes ";
    const RunResult replanned = run(sweep, scenario);
    const RunResult held = run(sweep + "--held", scenario);
    REQUIRE(replanned.code == 0);
    REQUIRE(held.code == 0);
    CHECK(replanned.out != held.out);
    const auto peak = [](const std::string& csv, int line) {
        std::istringstream lines(csv);
        std::string text;
        for (int i = 0; i <= line; ++i) std::getline(lines, text);
        return std::stod(text.substr(text.find(',') + 1));
    };
    CHECK(peak(held.out, 1) == peak(held.out, 2));
    CHECK(peak(replanned.out, 2) > 1.5 * peak(replanned.out, 1));
}
