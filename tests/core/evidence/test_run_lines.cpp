// Tests measured runs as JSON Lines.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "evidence/coverage.h"
#include "evidence/run_lines.h"
#include "evidence/validation.h"
#include "support/scenarios.h"
#include "system/embedded.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Llama-3-70B cut to 12 layers on 8 B200, with allocated bytes of both pipeline stages
// (MooreThreads/SimuMax@4dcaae5, docs/b200).
const std::string kScenario =
    R"("scenario": {"model": {"layers": 12, "hidden_size": 8192, "ffn_size": 28672, "heads": 64, "kv_heads": 8,
    "head_size": 128, "vocab_size": 128256, "mlp": "gated", "norm": "rmsnorm"}, "cluster": {"gpu": "b200-sxm",
    "gpus": 8, "gpus_per_node": 8, "software": "megatron-core", "software_version": "Megatron-LM 23e00ed"},
    "training": {"sequence_length": 4096, "micro_batch": 1, "global_batch": 16, "precision": "bf16",
    "gradient_precision": "fp32", "sharding": "zero1", "pipeline_parallel": 2, "overlap_grad_reduce": false,
    "overlap_param_gather": false, "loss": "fused"}})";

std::string one_line_of(std::string text) {
    std::erase(text, '\n');
    return text;
}

std::vector<MeasuredRun> read_line(const std::string& text, Problems& problems) {
    return read_runs(one_line_of(text), problems);
}

}  // namespace

TEST_CASE("run lines: a run has its scenario, its three memories and its quality", "[evidence]") {
    Problems problems;
    const auto runs =
        read_line("{\"id\": \"a\", \"family\": \"f\", \"licence\": \"Apache-2.0\", " + kScenario +
                      R"(, "measured": {"step_time_s": 0.843, "peak_allocated_bytes": 71459614208,
    "peak_reserved_bytes": 76111937536, "stage_allocated_bytes": [71459614208, 67611634688]},
    "quality": "good", "memory_quality": "good"})",
                  problems);
    REQUIRE(problems.empty());
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].software == "megatron-core");
    CHECK(runs[0].gpu == "b200-sxm");
    CHECK(runs[0].licence == "Apache-2.0");
    CHECK(runs[0].peak.reserved == 76111937536);
    CHECK(runs[0].stage_allocated.size() == 2);
    CHECK(runs[0].has_good_time());
    const Validation found = validate(runs, Catalogue::shipped());
    REQUIRE(found.rows.size() == 1);
    // The first stage: weights, gradients and optimizer of 6.185 B parameters are 51.8 GiB, and six layers
    // keep 274,688 bytes a token of two micro-batches, 12.6 GiB.
    CHECK(found.rows[0].predicted.allocated == Approx(71459614208.0).epsilon(0.03));
    CHECK(found.rows[0].predicted.allocated < found.rows[0].predicted.reserved);
    CHECK(found.rows[0].predicted.reserved < found.rows[0].predicted.device);
    CHECK(found.rows[0].predicted_peak == found.rows[0].predicted.allocated);
}

TEST_CASE("run lines: a JSON array is refused with the form that is expected", "[evidence]") {
    Problems problems;
    CHECK(read_runs("\n[{\"id\": \"a\", \"measured\": {\"step_time_s\": 1}}]\n", problems).empty());
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().what == "the table is a JSON array");
}

TEST_CASE("run lines: a step time and a rate follow from each other", "[evidence]") {
    const auto read = [](const std::string& measured) {
        Problems problems;
        const auto runs = read_line("{" + kScenario + ", \"measured\": {" + measured + "}}", problems);
        REQUIRE(problems.empty());
        REQUIRE(runs.size() == 1);
        return runs.front();
    };
    // A step has 16 sequences of 4,096 tokens on 8 GPUs: 8,192 tokens per GPU.
    CHECK(read(R"("tokens_per_s_per_gpu": 8192)").step_time == Approx(1));
    CHECK(read(R"("tokens_per_s_per_gpu": 8192)").has_good_time());
    CHECK(read(R"("step_time_s": 2)").tokens_per_s_per_gpu == Approx(4096));
    CHECK(read(R"("step_time_s": 2, "tokens_per_s_per_gpu": 4000)").tokens_per_s_per_gpu == 4000);
    CHECK(read(R"("peak_allocated_bytes": 1e10)").step_time == 0);
}

TEST_CASE("run lines: rows that are not modelled are named with their reason", "[evidence]") {
    for (const char* setting : {"not modelled: micro-batch not stated", "layer_pattern: mamba"}) {
        Problems problems;
        const auto runs = read_line("{\"id\": \"a\", " + kScenario + ", \"settings\": [\"" + setting +
                                        "\"], \"measured\": {\"step_time_s\": 1}}",
                                    problems);
        REQUIRE(runs.size() == 1);
        const Validation found = validate(runs, Catalogue::shipped());
        CHECK(found.rows.empty());
        REQUIRE(found.skipped.size() == 1);
        CHECK_FALSE(found.skipped[0].unreadable);
        CHECK(found.skipped[0].reason.find("not modelled") != std::string::npos);
    }
}

// yanring/Megatron-MoE-ModelZoo prints these runs of Qwen3-235B-A22B in pairs, with balanced and with real
// routing.
TEST_CASE("run lines: one expert imbalance explains the public pairs with balanced and real routing",
          "[evidence]") {
    const auto run = [](const char* id) {
        const auto found = std::ranges::find(shipped_runs(), id, &MeasuredRun::id);
        REQUIRE(found != shipped_runs().end());
        return *found;
    };
    const auto step_time = [](const MeasuredRun& row) {
        Problems problems;
        return answer(scenario_of_json(row, Catalogue::shipped(), problems)).estimate.step.total;
    };
    struct Pair {
        const char *balanced, *real;
        double balanced_tflops, real_tflops;
    };
    for (const Pair& pair : {Pair{"megatron_moe_zoo-0007", "megatron_moe_zoo-0008", 295, 237},
                             Pair{"megatron_moe_zoo-0009", "megatron_moe_zoo-0010", 335, 277},
                             Pair{"megatron_moe_zoo-0011", "megatron_moe_zoo-0012", 368, 320},
                             Pair{"megatron_moe_zoo-0013", "megatron_moe_zoo-0014", 389, 357}}) {
        INFO(pair.balanced);
        CHECK(step_time(run(pair.real)) / step_time(run(pair.balanced)) ==
              Approx(pair.balanced_tflops / pair.real_tflops).epsilon(0.015));
    }
}

TEST_CASE("run lines: a scenario's own expert imbalance holds with real routing", "[evidence]") {
    Problems problems;
    const auto runs =
        read_line("{\"id\": \"a\", " + kScenario.substr(0, kScenario.size() - 1) +
                      R"(, "assumptions": {"expert_imbalance": 1.2}}, "settings": ["moe_routing: real"],
    "measured": {"step_time_s": 1}})",
                  problems);
    REQUIRE(runs.size() == 1);
    CHECK(scenario_of_json(runs[0], Catalogue::shipped(), problems).value[index(P::expert_imbalance)] == 1.2);
}

TEST_CASE("run lines: the fabric that the settings name gives the constants of the network", "[evidence]") {
    const auto settings_of = [](const std::string& cluster, const std::string& fabric) {
        Problems problems;
        const auto runs =
            read_line(R"({"id": "a", "scenario": {"cluster": )" + cluster + R"(}, "settings": ["fabric: )" +
                          fabric + R"("], "measured": {"step_time_s": 1}})",
                      problems);
        REQUIRE(runs.size() == 1);
        const Settings out = resolve(scenario_of_json(runs[0], Catalogue::shipped(), problems));
        REQUIRE(problems.empty());
        return out;
    };
    const std::string nodes = R"({"gpu": "h100-sxm-80gb", "gpus": 64})";
    const Settings infiniband = settings_of(nodes, "infiniband");
    const Settings efa = settings_of(nodes, "efa");
    CHECK(efa[P::inter_node_latency] == Approx(54e-6));
    CHECK(efa[P::network_efficiency] < infiniband[P::network_efficiency]);
    // One that is not known says nothing, and a cluster of the catalogue has its own fabric.
    CHECK(settings_of(nodes, "token-ring")[P::inter_node_latency] == infiniband[P::inter_node_latency]);
    const std::string preset = R"({"preset": "dgx-h100", "gpus": 64})";
    CHECK(settings_of(preset, "efa")[P::inter_node_latency] == infiniband[P::inter_node_latency]);
}

TEST_CASE("run lines: times that are not good weigh nothing", "[evidence]") {
    for (const char* quality : {"noisy", "tiny", "ambiguous"}) {
        Problems problems;
        const auto runs = read_line("{\"id\": \"a\", " + kScenario + R"(, "measured": {"step_time_s": 1},
    "quality": ")" + quality + "\"}",
                                    problems);
        REQUIRE(runs.size() == 1);
        CHECK_FALSE(runs[0].has_good_time());
        CHECK(validate(runs, Catalogue::shipped()).summary.empty());
    }
}

TEST_CASE("run lines: a bad line is reported with its number and does not stop the others", "[evidence]") {
    Problems problems;
    const std::string good =
        one_line_of("{\"id\": \"a\", " + kScenario + ", \"measured\": {\"step_time_s\": 1}}");
    const auto runs = read_runs(good + "\n{\"id\": 3\n[1]\n" + good + "\n", problems);
    CHECK(runs.size() == 2);
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].line == 2);
    CHECK(problems[1].line == 3);
    problems.clear();
    const auto wrong =
        read_line("{\"id\": \"b\", " + kScenario + ", \"measured\": {\"step_time_s\": -1}}", problems);
    REQUIRE(wrong.size() == 1);
    CHECK(validate(wrong, Catalogue::shipped()).skipped.front().reason.find("/measured/step_time_s") !=
          std::string::npos);
    CHECK(is_run_table(good));
}

TEST_CASE("run lines: the shipped range of validated settings is that of the runs", "[evidence]") {
    const std::span<const EmbeddedFile> files = embedded_files();
    const auto file = std::ranges::find(files, "runs/coverage.json", &EmbeddedFile::path);
    REQUIRE(file != files.end());
    CHECK(file->text == measured_coverage());
}

TEST_CASE("run lines: a file has the runs of one family, and their identifiers begin with its name",
          "[evidence]") {
    for (const EmbeddedFile& file : embedded_files()) {
        if (!file.path.starts_with("runs/") || !file.path.ends_with(".jsonl")) continue;
        Problems problems;
        for (const MeasuredRun& run : read_runs(file.text, problems)) {
            INFO(run.id);
            CHECK("runs/" + run.family + ".jsonl" == file.path);
            CHECK(run.id.substr(0, run.id.rfind('-')) == run.family);
        }
        CHECK(problems.empty());
    }
}

TEST_CASE("run lines: every shipped run is predicted or says why it is not modelled", "[evidence]") {
    const Validation found = validate(shipped_runs(), Catalogue::shipped());
    CHECK(found.rows.size() > 1800);
    for (const auto& skipped : found.skipped) {
        INFO(skipped.run->id << ": " << skipped.reason);
        CHECK_FALSE(skipped.run->not_modelled.empty());
    }
    for (const MeasuredRun& run : shipped_runs()) CHECK_FALSE(run.licence.empty());
}

TEST_CASE("run lines: a row without scenario or measurements is a problem of that row", "[evidence]") {
    Problems problems;
    const auto runs = read_run_lines(R"({"id": "a", "measured": {"step_time_s": 1}}
{"id": "b", "scenario": {}}
)",
                                     problems);
    CHECK(problems.empty());
    REQUIRE(runs.size() == 2);
    REQUIRE(runs[0].problems.size() == 1);
    CHECK(runs[0].problems.front().text() ==
          "/scenario: the scenario is missing (it holds the settings of the run); write {…}");
    REQUIRE(runs[1].problems.size() == 1);
    CHECK(runs[1].problems.front().text("runs.jsonl") ==
          "runs.jsonl:2:/measured: the measurements are missing; write {\"step_time_s\": 1.5}");
}

TEST_CASE("run lines: a table has a largest number of rows", "[evidence]") {
    std::string text;
    for (int i = 0; i <= 10000; ++i) text += "{}\n";
    Problems problems;
    CHECK(read_run_lines(text, problems).empty());
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().text().find("more than 10,000 rows") != std::string::npos);
}
