// Tests that every reader has a fuzz target, and replays the corpora.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/corpus.h"
#include "fuzz/fuzz.h"
#include "text/text.h"

using namespace shardscope;
namespace fs = std::filesystem;

namespace {

const fs::path kRoot = SHARDSCOPE_SOURCE_DIR;

std::string text_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Maps every function of the engine's headers that reads a text to the target that fuzzes it.
const std::map<std::string, std::string> kTargetOf{
    {"import_hf_config", "hf_config"},
    {"merge_shards", "shares"},
    {"parse", "value"},
    {"read_router", "preset"},
    {"parse_axis", "value"},
    {"parse_json", "scenario"},
    {"parse_layer_pattern", "value"},
    {"parse_pipeline_layout", "value"},
    {"parse_quoted_value", "value"},
    {"parse_shard", "value"},
    {"parse_target", "value"},
    {"patched", "study"},
    {"read_calibration", "calibration"},
    {"read_csv", "csv"},
    {"read_listed_model", "scenario"},
    {"read_gpu_benchmark", "measurements"},
    {"read_megatron", "megatron"},
    {"read_megatron_arguments", "log"},
    {"read_megatron_shape", "megatron"},
    {"read_nccl_log", "nccl"},
    {"read_run_csv", "runs"},
    {"read_run_lines", "runs"},
    {"read_runs", "runs"},
    {"read_scenario", "scenario"},
    {"read_scenario_json", "scenario"},
    {"read_section", "scenario"},
    {"read_session", "session"},
    {"read_study", "study"},
    {"read_torchtitan", "torchtitan"},
    {"read_training_log", "log"},
    {"read_value", "scenario"},
    {"read_view", "scenario"},
    {"read_shell_script", "megatron"},
    {"read_slurm_directives", "megatron"},
    {"split_documents", "scenario"},
};
// These functions read files, not texts.
const std::set<std::string> kOfFiles{"read_pieces", "read_text", "read_training_log_file"};

std::set<std::string> targets_in_folders() {
    std::set<std::string> out;
    for (const char* folder : {"readers", "figures"}) {
        for (const fs::path& file : fs::directory_iterator(kRoot / "tests/fuzz" / folder))
            if (file.extension() == ".cpp") out.insert(file.stem());
    }
    return out;
}

}  // namespace

TEST_CASE("fuzz: every reader has a target", "[fuzz]") {
    const std::set<std::string> targets = targets_in_folders();
    std::set<std::string> readers;
    const std::regex declaration(
        R"(\b((read|import|parse|merge)(_\w+)?)\((const std::vector<|const json|)?)");
    for (const fs::path& file : fs::recursive_directory_iterator(kRoot / "core")) {
        if (file.extension() != ".h") continue;
        std::istringstream lines(text_of(file));
        for (std::string line; std::getline(lines, line);) {
            std::smatch match;
            // A declaration begins in the first column.
            if (line.empty() || !std::isalpha(static_cast<unsigned char>(line.front()))) continue;
            if (std::regex_search(line, match, declaration)) readers.insert(match[1]);
        }
    }
    CHECK(readers.size() > 15);
    for (const std::string& reader : readers) {
        INFO("a reader without a fuzz target: " << reader);
        if (kOfFiles.contains(reader)) continue;
        CHECK(kTargetOf.contains(reader));
    }
    for (const auto& [reader, target] : kTargetOf) {
        INFO(reader << " by " << target);
        CHECK(targets.contains(target));
    }
}

TEST_CASE("fuzz: the readers keep their promises on the corpus", "[fuzz]") { fuzz::replay_corpus(); }

TEST_CASE("fuzz: every target has run a million times", "[fuzz]") {
    std::map<std::string, double> executions;
    std::istringstream lines(text_of(kRoot / "tests/fuzz/LEDGER.tsv"));
    std::string line;
    std::getline(lines, line);
    REQUIRE(line == "date\tcommit\ttarget\texecutions\tedges\tfindings");
    while (std::getline(lines, line)) {
        const std::vector<std::string> cells = split(line, '\t');
        INFO(line);
        REQUIRE(cells.size() == 6);
        executions[cells[2]] += std::stod(cells[3]);
    }
    for (const std::string& target : targets_in_folders()) {
        INFO(target << " has run " << executions[target] << " times; run `./dev fuzz " << target
                    << "` again");
        CHECK(executions[target] >= 1e6);
    }
}
