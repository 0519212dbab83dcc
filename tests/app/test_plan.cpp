// Tests `shardscope plan`, alone and in shares, as a shell calls it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "support/shell.h"

using nlohmann::json;
using namespace shardscope::testing;

namespace {

constexpr const char* kJob =
    R"({"model": {"preset": "llama-2-13b"}, "cluster": {"preset": "dgx-a100-80gb", "gpus": 64,
        "software": "megatron-core"}, "training": {"global_batch": 128}})";

}  // namespace

TEST_CASE("plan: an estimate of the best plan gives the same numbers, and its neighbours are slower",
          "[cli]") {
    const Folder folder;
    folder.write("job.json", kJob);
    const RunResult ran = run_in(folder, "plan job.json --format json --top 3 --timing");
    REQUIRE(ran.code == 0);
    const json found = json::parse(ran.out);
    CHECK(found["space"].get<double>() > 1000);
    CHECK(found["feasible"].get<double>() < found["space"].get<double>());
    CHECK(found["feasible"].get<double>() > 100);
    REQUIRE(found["plans"].size() == 3);
    CHECK(found["plans"][0]["mfu"] >= found["plans"][1]["mfu"]);
    CHECK(found["plans"][1]["mfu"] >= found["plans"][2]["mfu"]);
    CHECK(found["reason"].is_null());
    const json timing = json::parse(ran.err);
    CHECK(timing["evaluated"].get<double>() > 0);
    CHECK(timing["seconds"].get<double>() > 0);

    json job = json::parse(kJob);
    job["training"].update(found["plans"][0]["plan"]);
    job["training"].erase("accumulation");
    folder.write("best.json", job.dump());
    const json alone = json::parse(run_in(folder, "estimate best.json --format json").out);
    CHECK(alone["mfu"] == found["plans"][0]["mfu"]);
    CHECK(alone["memory"]["peak_bytes"] == found["plans"][0]["memory.peak_bytes"]);
    CHECK(alone["verdict"] == "fits");

    REQUIRE(found["neighbours"].size() > 5);
    for (const json& neighbour : found["neighbours"]) {
        INFO(neighbour.dump());
        const bool fits = neighbour["over_bytes"] == 0;
        CHECK((!fits || neighbour["mfu"].get<double>() <= alone["mfu"].get<double>() * (1 + 1e-12)));
        CHECK_FALSE(neighbour["why"].get<std::string>().empty());
    }
    const RunResult text = run_in(folder, "plan job.json");
    CHECK(text.code == 0);
    CHECK(text.out.find("One step away from the best") != std::string::npos);
}

TEST_CASE("plan: the scenario's automatic keys are free unless --free names others", "[cli]") {
    const Folder folder;
    json job = json::parse(kJob);
    job["training"]["auto"] = {"micro_batch", "recompute"};
    folder.write("job.json", job.dump());
    const json two = json::parse(run_in(folder, "plan job.json --format json").out);
    CHECK(two["free"] == json::array({"micro_batch", "recompute"}));
    CHECK(two["plans"][0]["plan"]["tensor_parallel"] == 1);
    const json one =
        json::parse(run_in(folder, "plan job.json --free training.micro_batch --format json").out);
    CHECK(one["free"] == json::array({"micro_batch"}));
    // The window shows this for the same scenario.
    const json live = json::parse(run_in(folder, "estimate job.json --format json").out);
    CHECK(live["mfu"] == two["plans"][0]["mfu"]);
    CHECK(live["plan"]["micro_batch"] == two["plans"][0]["plan"]["micro_batch"]);
}

TEST_CASE("plan: without a fitting plan the exit code is 3 and the reason is named, other mistakes give 2",
          "[cli]") {
    const Folder folder;
    folder.write("huge.json",
                 R"({"model": {"preset": "gpt-1t"}, "cluster": {"preset": "dgx-a100-40gb", "gpus": 8}})");
    const RunResult none = run_in(folder, "plan huge.json --free micro_batch,recompute --format json");
    CHECK(none.code == 3);
    CHECK(json::parse(none.out)["plans"].empty());
    CHECK(none.err.find("none of") != std::string::npos);
    CHECK(none.err.find("of the usable") != std::string::npos);
    for (const char* wrong : {"plan huge.json --free gpus", "plan huge.json --free micro_bach",
                              "plan huge.json --objective speed", "plan huge.json --shard 3/2",
                              "plan huge.json --top 0", "plan", "plan --merge nothing.jsonl"}) {
        INFO(wrong);
        const RunResult ran = run_in(folder, wrong);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK_FALSE(ran.err.empty());
    }
}

TEST_CASE("plan: shares run by GNU parallel merge to the same bytes as one search", "[cli]") {
    const Folder folder;
    folder.write("job.json", kJob);
    const std::string free = "--free tensor_parallel,pipeline_parallel,micro_batch,recompute,sharding";
    const std::string program = SHARDSCOPE_PROGRAM;
    const std::string parallel = "cd " + folder.path() + " && parallel --will-cite -j 2 " + program +
                                 " plan job.json " + free +
                                 " --shard {}/5 -o share-{}.jsonl ::: 1 2 3 4 5 < /dev/null";
    REQUIRE(std::system(parallel.c_str()) == 0);
    REQUIRE(run_in(folder, "plan job.json " + free + " --format json -o whole.json").code == 0);
    // The shares may be in any order.
    const RunResult merged = run_in(folder,
                                    "plan --merge share-3.jsonl share-1.jsonl share-5.jsonl share-2.jsonl "
                                    "share-4.jsonl --format json");
    REQUIRE(merged.code == 0);
    CHECK(merged.out == read_file(folder.file("whole.json")));
    const json whole = json::parse(merged.out);
    std::ptrdiff_t lines = 0;
    for (int i = 1; i <= 5; ++i) {
        const std::string share = read_file(folder.file("share-" + std::to_string(i) + ".jsonl"));
        lines += std::ranges::count(share, '\n');
        CHECK(json::parse(share.substr(0, share.find('\n'))).contains("plan"));
    }
    CHECK(lines == whole["feasible"].get<std::ptrdiff_t>());

    const RunResult missing =
        run_in(folder, "plan --merge share-1.jsonl share-2.jsonl share-4.jsonl share-5.jsonl");
    CHECK(missing.code == 2);
    CHECK(missing.err.find("share 3 of 5 is missing") != std::string::npos);
    // A senseless first line is reported, and nothing else happens.
    for (
        const char* nonsense :
        {R"({"search": 3})", R"({"search": {"shard": [1, 0], "free": [], "objective": "mfu"}})",
         R"({"search": {"shard": [1, 1], "free": ["no"], "objective": "mfu", "allow_risky": false, "top": 5,)"
         R"( "space": 1, "full_rate": 1, "scenario": {}}})"}) {
        folder.write("nonsense.jsonl", std::string(nonsense) + "\n");
        const RunResult refused = run_in(folder, "plan --merge nonsense.jsonl");
        CHECK(refused.code == 2);
        CHECK(refused.err.find("does not say which search") != std::string::npos);
    }
    // A share with a missing or a repeated line is refused, too.
    const std::string second = read_file(folder.file("share-2.jsonl"));
    const std::size_t last = second.rfind('\n', second.size() - 2) + 1;
    for (const std::string& damaged : {second.substr(0, last), second + second.substr(last)}) {
        folder.write("damaged.jsonl", damaged);
        const RunResult refused = run_in(
            folder, "plan --merge share-1.jsonl damaged.jsonl share-3.jsonl share-4.jsonl share-5.jsonl");
        CHECK(refused.code == 2);
        CHECK(refused.out.empty());
        CHECK(refused.err.find("damaged.jsonl") != std::string::npos);
    }
    const RunResult twice = run_in(folder, "plan --merge share-1.jsonl share-1.jsonl");
    CHECK(twice.code == 2);
    CHECK(twice.err.find("repeats share") != std::string::npos);

    // The same holds for a sweep, byte for byte, as a CSV whose header only the first share has.
    const std::string sweep =
        " sweep job.json --axis gpus=8:4096:40:log --axis micro_batch=1,2,4 --output mfu,wall ";
    const std::string parts =
        "cd " + folder.path() + " && parallel --will-cite -j 2 " + program + sweep +
        "--shard {}/3 -o part-{}.csv ::: 1 2 3 < /dev/null && cat part-1.csv part-2.csv part-3.csv > all.csv";
    REQUIRE(std::system(parts.c_str()) == 0);
    REQUIRE(run_in(folder, sweep + "-o once.csv").code == 0);
    CHECK(read_file(folder.file("all.csv")) == read_file(folder.file("once.csv")));
}

TEST_CASE("plan: a grid reports its best points and the thresholds of a target", "[cli]") {
    const Folder folder;
    folder.write("job.json", kJob);
    const std::string free = " --free tensor_parallel,micro_batch,recompute --format json";
    const RunResult ran = run_in(folder,
                                 "plan job.json --over gpus=16,32,64,128 --over sequence_length=2k,4k "
                                 "--threshold 'mfu>=0.4'" +
                                     free);
    REQUIRE(ran.code == 0);
    const json found = json::parse(ran.out);
    CHECK(found["points"] == 8);
    double most = 0;
    for (const char* gpus : {"16", "32", "64", "128"}) {
        for (const char* sequence : {"2048", "4096"}) {
            const RunResult alone = run_in(folder, "plan job.json --set gpus=" + std::string(gpus) +
                                                       " --set sequence_length=" + sequence + free);
            if (alone.code == 0)
                most = std::max(most, json::parse(alone.out)["plans"][0]["mfu"].get<double>());
        }
    }
    CHECK(most > 0);
    CHECK(found["highest"]["mfu"]["mfu"] == most);
    const json& point = found["highest"]["tokens_per_s"];
    CHECK(point["at"]["cluster.gpus"] == 128);
    // With less bandwidth than the threshold the target is missed.
    const json& bandwidth = found["thresholds"]["cluster.inter_node_bandwidth"];
    REQUIRE(bandwidth["value"].is_number());
    CHECK(run_in(folder, "plan job.json --over gpus=16 --shard 1/2").code == 2);
    CHECK(run_in(folder, "plan job.json --threshold 'mfu>=0.4'").code == 2);
}
