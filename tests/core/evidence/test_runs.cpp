// Tests the table of public runs and the engine's error on it.
#include <catch2/catch.hpp>
#include <cmath>

#include "evidence/validation.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("runs: the shipped table is complete", "[evidence]") {
    CHECK(shipped_runs().size() > 300);
    for (const MeasuredRun& run : shipped_runs()) {
        INFO(run.id);
        CHECK_FALSE(run.source.empty());
        CHECK(run.gpus >= 1);
    }
}

TEST_CASE("validation: mean error on the public FSDP runs is at most 12 %", "[evidence]") {
    const Validation validation = validate(shipped_runs(), Catalogue::shipped());
    for (const char* family : {"mosaic", "ibm"}) {
        INFO(family);
        REQUIRE(validation.summary.contains(family));
        CHECK(validation.summary.at(family).mean_abs_error <= 0.12);
    }
    CHECK(validation.summary.at("mosaic").n == 137);
    CHECK(validation.summary.at("ibm").n == 8);
    CHECK(validation.rows.size() + validation.skipped.size() == shipped_runs().size());
    for (const auto& skipped : validation.skipped) CHECK_FALSE(skipped.reason.empty());
}

TEST_CASE("validation: runs of gpt-oss and of hybrid models on many machines are within 12 % on average",
          "[evidence]") {
    double sum = 0;
    int runs = 0;
    for (const ValidationRow& row : validate(shipped_runs(), Catalogue::shipped()).rows) {
        const bool pattern = row.run->scenario.find("layer_pattern") != std::string::npos;
        if (!pattern || !row.run->has_good_time() || row.measured_step <= 0) continue;
        sum += std::fabs(row.error);
        ++runs;
    }
    CHECK(runs >= 60);
    CHECK(sum / runs < 0.12);
}

TEST_CASE("validation: Megatron-Bridge's runs of mixtures of experts are within 8 % on average",
          "[evidence]") {
    double sum = 0;
    int runs = 0;
    for (const ValidationRow& row : validate(shipped_runs(), Catalogue::shipped()).rows) {
        const bool bridge = row.run->family == "megatron_bridge" || row.run->family == "mbridge_cards";
        const bool dense = row.run->model.starts_with("Llama");
        if (!bridge || dense || !row.run->has_good_time() || row.measured_step <= 0) continue;
        sum += std::fabs(row.error);
        ++runs;
    }
    CHECK(runs >= 130);
    CHECK(sum / runs < 0.08);
}

TEST_CASE("runs: a user's table may have few columns, unusual values and bad rows", "[evidence]") {
    const char* table =
        "layers,hidden,ffn_hidden,heads,vocab,gpu,gpus,sequence,micro_batch,global_batch,sharding,tokens_per_"
        "s_per_gpu\r\n"
        "40,5120,20480,40,50368,h100-sxm-80gb,64,2048,2,128,zero3,4800\r\n"
        "40,5120,20480,40,50368,h100-sxm-80gb,64,2048,2\r\n"
        "40,5120,20480,40,50368,x900,64,2048,2,128,zero3,4800\r\n"
        "forty,5120,20480,40,50368,h100-sxm-80gb,64,2048,2,128,zero3,4800\r\n";
    Problems problems;
    const auto runs = read_runs(table, problems);
    REQUIRE(runs.size() == 3);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].line == 3);
    // A step consists of 128 sequences of 2,048 tokens on 64 GPUs.
    CHECK(runs[0].step_time == Approx(128 * 2048 / (4800.0 * 64)));
    const Validation validation = validate(runs, Catalogue::shipped());
    CHECK(validation.rows.size() == 1);
    REQUIRE(validation.skipped.size() == 2);
    CHECK(validation.skipped[0].reason.find("x900") != std::string::npos);
    CHECK(validation.skipped[1].reason.find("forty") != std::string::npos);
    problems.clear();
    CHECK(read_runs("gpu,gpus\nh100,8\n", problems).empty());
    CHECK(problems.size() > 5);
}

TEST_CASE("runs: a row is refused if its rate or its step time is impossible", "[evidence]") {
    const std::string header =
        "layers,hidden,ffn_hidden,heads,vocab,gpu,gpus,sequence,micro_batch,global_batch,sharding,step_time_"
        "s,tokens_per_s_per_gpu\n";
    const std::string row = "40,5120,20480,40,50368,h100-sxm-80gb,64,2048,2,128,zero3,";
    for (const auto& [cells, where, why] :
         {std::tuple{",1e-308", "/tokens_per_s_per_gpu", "a step would take"},
          std::tuple{"2e-6,", "/step_time_s", "a GPU would process 2,048,000,000 tokens"}}) {
        INFO(cells);
        Problems problems;
        const auto runs = read_runs(header + row + cells + "\n", problems);
        REQUIRE(runs.size() == 1);
        REQUIRE(runs[0].problems.size() == 1);
        CHECK(runs[0].problems[0].where == where);
        CHECK(runs[0].problems[0].why.find(why) != std::string::npos);
    }
}

TEST_CASE("runs: a step in which the GPUs cannot do its FLOPs is refused", "[evidence]") {
    // MPT-13B: 6 · 12.9·10⁹ FLOPs for each of 4,096 tokens of a GPU take 0.32 s at the peak of an H100.
    const auto reason = [](const char* seconds) {
        Problems problems;
        const auto runs = read_runs(
            "layers,hidden,ffn_hidden,heads,vocab,gpu,gpus,sequence,micro_batch,global_batch,sharding,step_"
            "time_s\n40,5120,20480,40,50368,h100-sxm-80gb,64,2048,2,128,zero3," +
                std::string(seconds) + "\n",
            problems);
        const Validation validation = validate(runs, Catalogue::shipped());
        return validation.skipped.empty() ? std::string() : validation.skipped[0].reason;
    };
    CHECK(reason("0.5").empty());
    CHECK(reason("0.1").find("cannot execute the FLOPs") != std::string::npos);
}

TEST_CASE("runs: misspelt fields and values of a JSON line are named", "[evidence]") {
    const auto problem_of = [](const std::string& from, const std::string& to) {
        std::string line =
            R"({"id": "a", "scenario": {"model": {"preset": "mpt-13b"}, "cluster": {"gpu": "h100-sxm-80gb",)"
            R"( "gpus": 64}, "training": {"micro_batch": 2, "global_batch": 128}}, "settings": ["fabric: efa"],)"
            R"( "measured": {"step_time_s": 0.9, "out_of_memory": false}, "quality": "good"})";
        const std::size_t at = line.find(from);
        REQUIRE(at != std::string::npos);
        line.replace(at, from.size(), to);
        Problems problems;
        const auto runs = read_runs(line + "\n", problems);
        REQUIRE(runs.size() == 1);
        const Validation validation = validate(runs, Catalogue::shipped());
        return validation.skipped.empty() ? std::string() : validation.skipped[0].reason;
    };
    CHECK(problem_of("step_time_s", "step_time_s").empty());
    for (const auto& [from, to, expected] :
         {std::tuple{"step_time_s", "step_time", "step_time_s"}, std::tuple{"quality", "qualty", "quality"},
          std::tuple{"settings", "setings", "settings"}, std::tuple{"\"good\"", "\"goood\"", "good"},
          std::tuple{"false", "\"true\"", "write true or false"}, std::tuple{"efa", "eaf", "“efa”"},
          std::tuple{R"(["fabric: efa"])", R"("fabric: efa")", "no list of texts"},
          std::tuple{"\"micro_batch\": 2", "\"micro_batch\": -2", "/scenario/training/micro_batch"}}) {
        INFO(to << ": " << problem_of(from, to));
        CHECK(problem_of(from, to).find(expected) != std::string::npos);
    }
}

TEST_CASE("runs: a row with a negative batch has no step time and is left out", "[evidence]") {
    Problems problems;
    const auto runs = read_runs(
        "layers,hidden,ffn_hidden,heads,vocab,gpu,gpus,sequence,micro_batch,global_batch,sharding,tokens_per_"
        "s_per_gpu\n40,5120,20480,40,50368,h100-sxm-80gb,64,2048,2,-128,zero3,4800\n",
        problems);
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].step_time == 0);
    const Validation validation = validate(runs, Catalogue::shipped());
    REQUIRE(validation.skipped.size() == 1);
    CHECK(validation.skipped[0].reason.find("/global_batch") != std::string::npos);
}

TEST_CASE("runs: columns that occur twice are named, even in a table with nearly as many columns as allowed",
          "[evidence]") {
    std::string header =
        "layers,hidden,ffn_hidden,heads,vocab,gpu,gpus,sequence,micro_batch,global_batch,sharding";
    for (int i = 0; i < 980; ++i) header += ",column of mine " + std::to_string(i);
    header += ",column of mine 7,heads";
    Problems problems;
    read_runs(header + "\n", problems);
    std::vector<std::string> twice;
    for (const Problem& problem : problems) {
        if (problem.what.find("twice") != std::string::npos) twice.push_back(problem.what);
    }
    REQUIRE(twice.size() == 2);
    CHECK(twice[0].find("“column of mine 7”") != std::string::npos);
    CHECK(twice[1].find("“heads”") != std::string::npos);
}

TEST_CASE("runs: the first launch is a public run", "[evidence]") {
    const auto comparable = comparable_runs(answer(first()));
    bool found = false;
    for (const ComparableRun& entry : comparable) {
        if (entry.same_settings && entry.run->gpus == 64) {
            found = true;
            CHECK(entry.run->tokens_per_s_per_gpu == Approx(4800).epsilon(0.01));
        }
    }
    CHECK(found);
    CHECK(answer(first()).estimate.tokens_per_s_per_gpu == Approx(4800).epsilon(0.06));
    // On other hardware no run has the same settings.
    for (const P rate : {P::inter_node_bandwidth, P::intra_node_bandwidth}) {
        const Answer slower = answer(edited(first(), rate, resolve(first())[rate] / 2));
        for (const ComparableRun& entry : comparable_runs(slower)) CHECK_FALSE(entry.same_settings);
    }
}

TEST_CASE("runs: the runs that are compared with a scenario contain the run that it was made from",
          "[evidence]") {
    constexpr std::size_t kEvery = 13;
    std::size_t compared = 0;
    for (std::size_t i = 0; i < shipped_runs().size(); i += kEvery) {
        const MeasuredRun& run = shipped_runs()[i];
        Problems problems;
        const Answer found = answer(scenario_of(run, Catalogue::shipped(), problems));
        if (!problems.empty() || !found.valid() || !run.has_good_time()) continue;
        INFO(run.id);
        const std::vector<ComparableRun> runs = comparable_runs(found);
        CHECK(std::ranges::count(runs, run.id, [](const ComparableRun& one) { return one.run->id; }) == 1);
        ++compared;
    }
    CHECK(compared > 50);
}

TEST_CASE("runs: a row with blank or senseless cells is refused with the reason", "[evidence]") {
    const std::string header =
        "layers,hidden,ffn_hidden,heads,vocab,gpu,gpus,sequence,micro_batch,global_batch,sharding,step_time_"
        "s,peak_memory_bytes\n";
    const auto reason = [&](const std::string& row) {
        Problems problems;
        const auto runs = read_runs(header + row, problems);
        REQUIRE(runs.size() == 1);
        const Validation validation = validate(runs, Catalogue::shipped());
        return validation.skipped.empty() ? std::string() : validation.skipped[0].reason;
    };
    CHECK(reason("40,5120,20480,40,50368,h100-sxm-80gb,64,2048,2,128,zero3,0.85,\n").empty());
    CHECK(reason(",5120,20480,40,50368,h100-sxm-80gb,64,2048,2,128,zero3,0.85,\n").find("/layers") == 0);
    CHECK(reason("40,5120,20480,40,50368,h100-sxm-80gb,64,2048,2,128,zero3,abc,\n").find("/step_time_s") ==
          0);
    CHECK(reason("40,5120,20480,40,50368,h100-sxm-80gb,64,2048,2,128,zero3,-1,\n").find("/step_time_s") == 0);
    CHECK(
        reason("40,5120,20480,40,50368,h100-sxm-80gb,64,2048,2,128,zero3,\"1,5\",\n").find("/step_time_s") ==
        0);
    CHECK(reason("40,5120,20480,40,50368,h100-sxm-80gb,64,2048,2,128,zero3,0.85,-1\n")
              .find("/peak_memory_bytes") == 0);
    Problems problems;
    CHECK(read_runs(header, problems).empty());
    CHECK(problems.size() == 1);
}

TEST_CASE("runs: software, partly used nodes and racks are translated into scenario settings", "[evidence]") {
    const char* table =
        "software,layers,hidden,ffn_hidden,heads,vocab,mlp,gpu,gpus,gpus_per_node,sequence,micro_batch,"
        "global_batch,sharding,step_time_s\n"
        "torchtitan,32,4096,14336,32,128256,gated,h100-sxm-80gb,12,8,8192,1,12,zero3,2\n"
        "nobody,32,4096,14336,32,128256,gated,gb200,128,4,8192,1,128,zero3,2\n";
    Problems problems;
    const std::vector<MeasuredRun> runs = read_runs(table, problems);
    REQUIRE(problems.empty());
    REQUIRE(runs.size() == 2);
    const Settings first = resolve(scenario_of(runs[0], Catalogue::shipped(), problems));
    CHECK(written(P::software, first[P::software]) == "torchtitan");
    CHECK(first[P::gpus_used_per_node] == 6);
    const Settings second = resolve(scenario_of(runs[1], Catalogue::shipped(), problems));
    CHECK(written(P::software, second[P::software]) == "other");
    CHECK(second[P::gpus_per_node] == 72);
    CHECK(second[P::gpus_used_per_node] == 64);
    CHECK(problems.empty());
}
