// Tests scenario files: round trips, units, and one clear message for each mistake.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "evidence/runs.h"
#include "explore/difference.h"
#include "files/result.h"
#include "files/scenario_file.h"
#include "studies/study.h"
#include "support/check_scenario.h"
#include "support/folder.h"
#include "support/scenarios.h"
#include "system/file_io.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

Scenario read_shipped(const std::string& text, Problems& problems) {
    return read_scenario(text, shipped_only(), "", problems);
}

Problems problems_of_scenario_text(const std::string& text) {
    Problems problems;
    read_shipped(text, problems);
    return problems;
}

bool has_problem(const Problems& problems, const std::string& where, const std::string& words) {
    for (const Problem& problem : problems) {
        if (problem.where == where && problem.text().find(words) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("scenario file: the example in the documentation of the interface is read", "[files]") {
    Problems problems;
    const Scenario scenario =
        read_shipped(R"({ "format": "shardscope-scenario", "version": 1, "name": "13B on 64 H100",
        "model": { "preset": "mpt-13b" },
        "cluster": { "preset": "dgx-h100", "gpus": 64, "inter_node_bandwidth": "200 Gbit/s", "gpu": { "memory": "120 GiB" } },
        "training": { "sequence_length": 2048, "micro_batch": 4, "sharding": "zero3", "auto": ["micro_batch"] } })",
                     problems);
    REQUIRE(problems.empty());
    const Settings s = resolve(scenario);
    CHECK(s[P::inter_node_bandwidth] == 25e9);
    CHECK(s[P::memory] == 120.0 * 1073741824.0);
    CHECK(scenario.automatic[index(P::micro_batch)]);
    CHECK(scenario.title() == "13B on 64 H100");
}

TEST_CASE("scenario file: a field of another section is named, and a long list of fields is not printed",
          "[files]") {
    const Problems found = problems_of_scenario_text(
        R"({ "training": { "gpus": 8 }, "assumptions": { "software": "nemo", "zzqq": 1 } })");
    CHECK(has_problem(found, "/training/gpus", "did you mean “cluster.gpus”?"));
    CHECK(has_problem(found, "/assumptions/software", "did you mean “cluster.software”?"));
    CHECK(has_problem(found, "/assumptions/zzqq", "`shardscope parameters` lists all"));
    for (const Problem& problem : found) CHECK(problem.text().size() < 160);
}

TEST_CASE("scenario file: {} gives the first launch", "[files]") {
    Problems problems;
    const Scenario scenario = read_shipped("{}", problems);
    REQUIRE(problems.empty());
    CHECK(result_json(answer(scenario)) == result_json(answer(Scenario::first_launch(shipped_only()))));
}

TEST_CASE("scenario file: a scenario that is written and read again has the same estimate, byte for byte",
          "[files]") {
    for (const Preset* preset : shipped_only().all(PresetKind::scenario)) {
        INFO(preset->name);
        Problems problems;
        const Scenario scenario = read_shipped(preset->text, problems);
        for (const Problem& problem : problems) INFO(problem.text());
        REQUIRE(problems.empty());
        const std::string written = write_scenario(scenario);
        const Scenario again = read_shipped(written, problems);
        REQUIRE(problems.empty());
        CHECK(again == scenario);
        CHECK(write_scenario(again) == written);
        CHECK(result_json(answer(again), true) == result_json(answer(scenario), true));
    }
    Scenario odd = first();
    odd.catalogue = &shipped_only();
    odd.name = "quotes \" and ü";
    odd.give(P::peak_flops, 1.0 / 3 * 1e15);
    odd.give(P::learned_positions, kPositionsAsSequence);
    odd.give(P::recompute, 0.3);
    odd.model = shipped_only().find(PresetKind::model, "mpt-13b");
    odd.cluster = shipped_only().find(PresetKind::cluster, "dgx-h100");
    Problems problems;
    CHECK(read_shipped(write_scenario(odd), problems) == odd);
}

TEST_CASE("scenario file: all mistakes are reported at once, with place, reason and nearest name",
          "[files]") {
    const Problems problems = problems_of_scenario_text(
        R"({"model": {"preset": "mpt-13c", "layrs": 4}, "training": {"micro_batch": "two",
        "sharding": "zero4", "auto": ["micro_bach"]}, "clutser": {}, "cluster": {"inter_node_bandwidth": "400 Gbit", "gpu": {"memory": true}}})");
    CHECK(has_problem(problems, "/model/preset", "mpt-13b"));
    CHECK(has_problem(problems, "/model/layrs", "layers"));
    CHECK(has_problem(problems, "/training/micro_batch", "not a number"));
    CHECK(has_problem(problems, "/training/sharding", "zero"));
    CHECK(has_problem(problems, "/training/auto/0", "micro_batch"));
    CHECK(has_problem(problems, "/clutser", "cluster"));
    CHECK(has_problem(problems, "/cluster/inter_node_bandwidth", "Gbit/s"));
    CHECK(has_problem(problems, "/cluster/gpu/memory", "true or false where a value"));
    CHECK(problems.size() == 8);
}

TEST_CASE("scenario file: senseless values are refused", "[files]") {
    CHECK(has_problem(problems_of_scenario_text(R"({"training": {"micro_batch": -2}})"),
                      "/training/micro_batch", "at least 1"));
    CHECK(has_problem(problems_of_scenario_text(R"({"training": {"micro_batch": 0}})"),
                      "/training/micro_batch", "at least 1"));
    CHECK(has_problem(problems_of_scenario_text(R"({"cluster": {"gpus": 1e300}})"), "/cluster/gpus",
                      "at most"));
    CHECK(has_problem(problems_of_scenario_text(R"({"model": {"hidden_size": 5000}})"), "/model/hidden_size",
                      "4,992 or 5,120"));
    CHECK(has_problem(problems_of_scenario_text(R"({"cluster": {"gpus": 12}})"), "/cluster/gpus", "8 or 16"));
    CHECK(has_problem(problems_of_scenario_text(R"({"training": {"schedule": "dualpipes"}})"),
                      "/training/schedule", "dualpipe"));
    CHECK(has_problem(problems_of_scenario_text(R"({"assumptions": {"mfu_override": 1.4}})"),
                      "/assumptions/mfu_override", "at most"));
    CHECK(problems_of_scenario_text(R"({"assumptions": {"mfu_override": 0.4, "mtbf_hours_per_gpu": 50000}})")
              .empty());
    CHECK(has_problem(problems_of_scenario_text(R"({"model": {"experts": 8}})"), "/model/experts_per_token",
                      "8 experts"));
    CHECK(problems_of_scenario_text(R"({"training": {"tensor_parallel": 4, "schedule": "zb-h1"}})").empty());
    CHECK(has_problem(problems_of_scenario_text(R"({"training": {"accumulation": 2, "global_batch": 256}})"),
                      "/training/accumulation", "leave one out"));
    CHECK(has_problem(problems_of_scenario_text(R"({"cluster": {"gpu": "v100-sxm-32gb"}})"),
                      "/training/precision", "bf16"));
    CHECK(problems_of_scenario_text(
              R"({"cluster": {"gpu": "v100-sxm-32gb"}, "training": {"precision": "fp16"}})")
              .empty());
    CHECK(problems_of_scenario_text(R"({"assumptions": {"overlap": null}, "cluster": {"calibration": null}})")
              .empty());
}

TEST_CASE("scenario file: a GPU without a cluster preset has the links of its usual node", "[files]") {
    const auto links = [](const char* text) {
        Problems problems;
        return resolve(read_scenario(text, shipped_only(), "", problems))[P::intra_node_bandwidth];
    };
    CHECK(links(R"({"cluster": {"gpu": "b200-sxm", "gpus": 8}})") == 900e9);
    CHECK(links(R"({"cluster": {"gpu": {"preset": "a100-sxm-80gb"}}})") == 300e9);
    // The GPU of a cluster is replaced, and its links stay.
    CHECK(links(R"({"cluster": {"preset": "dgx-h100", "gpu": "b200-sxm"}})") == 450e9);
    CHECK(links(R"({"cluster": {"gpu": {"memory": "100 GiB"}}})") == 450e9);
}

TEST_CASE("scenario file: files of other kinds are refused", "[files]") {
    CHECK(has_problem(problems_of_scenario_text(""), "", "empty"));
    CHECK(has_problem(problems_of_scenario_text("  \n "), "", "empty"));
    CHECK(has_problem(problems_of_scenario_text("{\"model\": {"), "", "not valid JSON"));
    CHECK(problems_of_scenario_text("{\n\n\"model\": ]}")[0].line == 3);
    CHECK(has_problem(problems_of_scenario_text("[]"), "", "object"));
    CHECK(has_problem(problems_of_scenario_text("3"), "", "object"));
    CHECK(has_problem(problems_of_scenario_text(std::string("\0\1\2PNG", 6)), "", "not text"));
    CHECK(has_problem(problems_of_scenario_text("\x89PNG\r\n\x1a\n"), "", "not valid JSON"));
    CHECK(has_problem(problems_of_scenario_text(R"({"format": "other"})"), "/format", "shardscope-scenario"));
    CHECK(has_problem(problems_of_scenario_text(R"({"version": 9})"), "/version", "version 1"));
    std::string deep(100000, '[');
    CHECK_FALSE(problems_of_scenario_text(deep).empty());
}

TEST_CASE("scenario file: a user's preset stays the same one however often its file is read", "[files]") {
    const auto folder = std::filesystem::temp_directory_path() / "shardscope-test-own";
    std::filesystem::create_directories(folder);
    const auto write = [&](const char* gpus) {
        std::ofstream(folder / "mine.json")
            << R"({"format": "shardscope-preset", "version": 1, "kind": "cluster", "name": "mine",
                   "title": "Mine", "values": {"gpu": "h100-sxm-80gb", "gpus": )"
            << gpus << "}}";
    };
    const std::string text = R"({"cluster": {"preset": "mine.json"}})";
    Problems problems;
    Catalogue catalogue = Catalogue::with_folder("", problems);
    write("16");
    const Scenario before = read_scenario(text, catalogue, folder.string(), problems);
    REQUIRE(problems.empty());
    // The next start reads it by the path that was written.
    const Scenario again = read_scenario(write_scenario(before), catalogue, "", problems);
    REQUIRE(problems.empty());
    CHECK(again.cluster == before.cluster);
    CHECK(in_words(differences(answer(before), answer(again))) == "same settings");
    // The path also works from another folder.
    CHECK(before.cluster->path == (folder / "mine.json").string());
    const Scenario beside =
        read_scenario(R"({"cluster": {"preset": "../shardscope-test-own/mine.json"}})", catalogue,
                      (folder / ".." / "shardscope-test-own").string(), problems);
    REQUIRE(problems.empty());
    CHECK(beside.cluster == before.cluster);
    const auto count = catalogue.all(PresetKind::cluster).size();
    // A changed file counts with its new text, and with the old text once that is restored.
    write("32");
    const Scenario changed = read_scenario(text, catalogue, folder.string(), problems);
    CHECK(changed.cluster != before.cluster);
    CHECK(resolve(changed)[P::gpus] == 32);
    CHECK(catalogue.find(PresetKind::cluster, "mine") == changed.cluster);
    write("16");
    CHECK(read_scenario(text, catalogue, folder.string(), problems).cluster == before.cluster);
    CHECK(catalogue.find(PresetKind::cluster, "mine") == before.cluster);
    CHECK(catalogue.all(PresetKind::cluster).size() == count);
    // Inline values are the same calibration each time, too.
    const std::string inline_values = R"({"cluster": {"calibration": {"network_efficiency": 0.8}}})";
    const Scenario values = read_shipped(inline_values, problems);
    REQUIRE(values.calibration);
    CHECK(read_shipped(inline_values, problems).calibration == values.calibration);
    REQUIRE(problems.empty());
    std::filesystem::remove_all(folder);
}

TEST_CASE(
    "scenario file: a preset given relative to the working directory is written with a path that still works",
    "[files]") {
    const auto folder = std::filesystem::temp_directory_path() / "shardscope-test-relative";
    std::filesystem::create_directories(folder);
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    std::ofstream("mine.json") << R"({"format": "shardscope-preset", "version": 1, "kind": "cluster",
        "name": "mine", "values": {"gpu": "h100-sxm-80gb"}})";
    Problems problems;
    Catalogue catalogue = Catalogue::with_folder("", problems);
    const Scenario scenario =
        read_scenario(R"({"cluster": {"preset": "mine.json"}})", catalogue, ".", problems);
    std::filesystem::current_path(here);
    REQUIRE(problems.empty());
    const std::string written = nlohmann::json::parse(write_scenario(scenario))["cluster"]["preset"];
    CHECK(std::filesystem::path(written).is_absolute());
    CHECK(read_scenario(write_scenario(scenario), catalogue, "elsewhere", problems) == scenario);
    CHECK(problems.empty());
    std::filesystem::remove_all(folder);
}

TEST_CASE("scenario file: a user's preset does not replace a shipped one", "[files]") {
    Problems problems;
    Catalogue catalogue = Catalogue::with_folder("", problems);
    const Preset* shipped = catalogue.find(PresetKind::model, "mpt-13b");
    const Preset* own = catalogue.add(shipped->text, "/home/me/mpt-13b/config.json", problems);
    REQUIRE(own);
    CHECK(own != shipped);
    CHECK(catalogue.find(PresetKind::model, "mpt-13b") == shipped);
    CHECK(catalogue.find(PresetKind::model, "mpt-13b-own") == own);
    CHECK(own->title == shipped->title + " (config.json)");
    Scenario scenario = Scenario::first_launch(catalogue);
    scenario = with_model(scenario, *own);
    CHECK(write_scenario(scenario).find("/home/me/mpt-13b/config.json") != std::string::npos);
    // An inline preset does not take its name in the catalogue either.
    const Scenario inside = read_scenario(
        R"({"cluster": {"calibration": {"format": "shardscope-preset", "version": 1, "kind": "calibration",
            "name": "stack-fsdp2", "values": {"network_efficiency": 0.5}}}})",
        catalogue, "", problems);
    REQUIRE(problems.empty());
    CHECK(catalogue.find(PresetKind::calibration, "stack-fsdp2") != inside.calibration);
    CHECK(read_scenario(write_scenario(inside), catalogue, "", problems) == inside);
    CHECK(problems.empty());
    // A study's views name the one of the two studies that is open.
    const Preset* study = catalogue.find(PresetKind::study, "scaling-trends");
    const Preset* mine = catalogue.add(study->text, "/home/me/study.json", problems);
    REQUIRE(mine);
    const Study read = read_study(*mine, catalogue, problems);
    CHECK(problems.empty());
    CHECK(read.name == "scaling-trends-own");
    CHECK(read.scenario.view.study == "scaling-trends-own");
}

TEST_CASE("files: missing, too large and unwritable files and folders are refused", "[files]") {
    Problems problems;
    read_text("/nonexistent/file.json", problems);
    CHECK(has_problem(problems, "", "does not exist"));
    problems.clear();
    read_text("/", problems);
    CHECK(has_problem(problems, "", "folder"));
    const auto folder = std::filesystem::temp_directory_path() / "shardscope-test-files";
    std::filesystem::create_directories(folder);
    const std::string large = (folder / "large.json").string();
    { std::ofstream(large).put('{'); }
    std::filesystem::resize_file(large, 100 << 20);
    problems.clear();
    read_text(large, problems);
    CHECK(has_problem(problems, "", "larger than 16 MiB"));
    problems.clear();
    CHECK_FALSE(write_file_atomically("/nonexistent/out.csv", "x", problems));
    CHECK(problems.size() == 1);
    problems.clear();
    CHECK(write_file_atomically((folder / "out.csv").string(), "x\n", problems));
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);
    std::filesystem::remove_all(folder);
}

TEST_CASE("files: JSON Lines and single objects are told apart", "[files]") {
    Problems problems;
    CHECK(split_documents("{}\n{}\n", problems).size() == 2);
    CHECK(split_documents("{\n}\n", problems).size() == 1);
    CHECK(split_documents("{}", problems).size() == 1);
    CHECK(split_documents("\n{}\n\n", problems).size() == 1);
    CHECK(split_documents("", problems).size() == 1);
    CHECK(split_documents("{\"a\":1}\n\n{\"b\":2}\n", problems)[1].line == 3);
    CHECK(problems.empty());
}

TEST_CASE("result: times are null where the scenario does not fit, and every documented field is present",
          "[files]") {
    Scenario large = first();
    large.give(P::sequence_length, 65536);
    const auto result = nlohmann::json::parse(result_json(answer(large)));
    CHECK(result["verdict"] == "does-not-fit");
    CHECK(result["wall"] == "memory");
    for (const char* field :
         {"step_time_s", "tokens_per_s", "tokens_per_s_per_gpu", "mfu", "hfu", "training_days"})
        CHECK(result[field].is_null());
    CHECK(result["memory"]["peak_bytes"].is_number());
    CHECK_FALSE(result["reason"].get<std::string>().empty());
    CHECK(nlohmann::json::parse(result_json(answer(large), true))["mfu"].is_number());
    const auto fits = nlohmann::json::parse(result_json(answer(first())));
    double sum = 0;
    for (const auto& [name, bytes] : fits["memory"]["terms"].items()) sum += bytes.get<double>();
    CHECK(sum == Approx(fits["memory"]["peak_bytes"].get<double>()).epsilon(1e-12));
    sum = 0;
    for (const auto& [name, seconds] : fits["step_terms"].items()) sum += seconds.get<double>();
    CHECK(sum == Approx(fits["step_time_s"].get<double>()).epsilon(1e-12));
    for (const char* field :
         {"name", "plan", "auto", "parameters", "active_parameters", "hidden_communication_s",
          "decomposition", "band", "elasticities", "levers", "power_per_gpu_w", "tokens_per_joule",
          "gpu_hours", "cost", "energy_j", "ideal", "flops_convention"}) {
        INFO(field);
        CHECK(fits.contains(field));
    }
}

TEST_CASE("scenario file: presets that it names by path are read, and mistakes in them have their file",
          "[scenario]") {
    const Folder folder;
    folder.write("bad.json", R"({"format": "shardscope-preset", "version": 1, "kind": "model"})");
    folder.write("gpu.json", read_file(SHARDSCOPE_SOURCE_DIR "/presets/gpus/h100-sxm-80gb.json"));
    const auto problem_of_model = [&](const char* path) {
        Problems problems;
        Catalogue catalogue = Catalogue::with_folder("", problems);
        read_scenario(std::string(R"({"model": {"preset": ")") + path + "\"}}", catalogue, folder.path(),
                      problems);
        REQUIRE_FALSE(problems.empty());
        return problems.front().text();
    };
    CHECK(problem_of_model("bad.json").find("/model/preset") == 0);
    CHECK(problem_of_model("bad.json").find("bad.json: ") != std::string::npos);
    CHECK(problem_of_model("gpu.json").find("is a preset of another kind (gpu)") != std::string::npos);
    CHECK(problem_of_model("nowhere.json").find("it does not exist") != std::string::npos);
}

TEST_CASE("scenario file: a measured run uses presets by name only", "[scenario]") {
    for (const char* scenario :
         {R"({"model": {"operators": []}})",
          R"({"model": {"preset": "llama-3-8b"}, "cluster": {"calibration": {"overlap": 0.3}}})"}) {
        INFO(scenario);
        Problems problems;
        const auto runs = read_runs(
            std::string(R"({"id": "a", "scenario": )") + scenario + R"(, "measured": {"step_time_s": 1}})",
            problems);
        REQUIRE(runs.size() == 1);
        Problems found;
        scenario_of(runs.front(), Catalogue::shipped(), found);
        REQUIRE_FALSE(found.empty());
        CHECK(found.front().text().find("a measured run can use presets by name only") != std::string::npos);
    }
}
