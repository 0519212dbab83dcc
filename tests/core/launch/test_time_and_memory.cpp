// Tests that an option which changes the time or memory of a step is imported or named as not modelled, and
// never as not used.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "launch/launch.h"
#include "support/check_scenario.h"

using namespace shardscope;
using namespace shardscope::testing;
using nlohmann::json;

namespace {

// Returns the run's settings in the form of the tool, with what a line of the list adds.
std::string file_with(const std::string& tool, const std::string& added) {
    if (tool == "megatron") {
        return "torchrun --nnodes=2 --nproc-per-node=8 pretrain_gpt.py --num-layers 8 --hidden-size 1024 "
               "--num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --vocab-size 32000 "
               "--num-experts 8 --micro-batch-size 1 --global-batch-size 64 --bf16 "
               "--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 "
               "--moe-token-dispatcher-type alltoall " +
               added + "\n";
    }
    if (tool == "torchtitan") {
        const std::string model =
            added.find("mixed_precision_param") != std::string::npos ? "llama3" : "qwen3";
        return added + "\nmodel.name = \"" + model + "\"\nmodel.flavor = \"" +
               (model == "qwen3" ? "30B-A3B" : "8B") +
               "\"\ntraining.local_batch_size = 8\nparallelism.data_parallel_shard_degree = 8\n"
               "parallelism.tensor_parallel_degree = 2\nparallelism.pipeline_parallel_degree = 2\n" +
               (added.find("expert_parallel_degree") == std::string::npos
                    ? "parallelism.expert_parallel_degree = 2\n"
                    : "") +
               (added.find("microbatch_size") == std::string::npos
                    ? "parallelism.pipeline_parallel_microbatch_size = 1\n"
                    : "") +
               (added.find("_checkpoint.mode") == std::string::npos
                    ? "activation_checkpoint.mode = \"none\"\n"
                    : "");
    }
    json config = json::parse(R"({"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4,
        "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}})");
    if (!added.empty()) config.merge_patch(json::parse(added));
    return config.dump();
}

// Returns the last option that a line adds, whose effect the line is for: "--exp-avg-dtype",
// "training.gc_freq", "zero_optimization.sub_group_size".
std::string last_option(const std::string& tool, const std::string& added) {
    if (tool == "megatron") {
        const std::size_t start = added.rfind("--");
        return added.substr(start, added.find(' ', start) - start);
    }
    if (tool == "torchtitan") return added.substr(0, added.find(' '));
    const json patch = json::parse(added);
    const std::string section = patch.begin().key();
    const json& inside = patch.begin().value();
    return section + (inside.is_object() && !inside.empty() ? "." + std::prev(inside.end()).key() : "");
}

LaunchRead read_file_text(const LaunchFormat& format, const std::string& text) {
    Problems problems;
    Scenario base = Scenario::first_launch(shipped_only());
    LaunchRead out = format.read(text, base, problems);
    for (const Problem& problem : problems) {
        INFO(problem.text());
        CHECK(out.complete);
    }
    return out;
}

std::string joined(const std::vector<std::string>& notes) {
    std::string out;
    for (const std::string& note : notes) out += note + "\n";
    return out;
}

}  // namespace

TEST_CASE("launch: no option that changes time or memory is listed as not used", "[launch]") {
    std::ifstream list(SHARDSCOPE_SOURCE_DIR "/tests/core/launch/options/time-and-memory.txt");
    REQUIRE(list);
    std::map<std::string, int> tried;
    std::string line;
    while (std::getline(list, line)) {
        if (line[0] == '#') continue;
        const std::string tool = line.substr(0, line.find(' '));
        const std::string added = line.substr(tool.size() + 1);
        const LaunchFormat* format = launch_format(tool);
        REQUIRE(format);
        const std::string option = last_option(tool, added);
        INFO(line);
        const LaunchRead without = read_file_text(*format, file_with(tool, ""));
        const LaunchRead with = read_file_text(*format, file_with(tool, added));
        const std::string notes = joined(with.notes);
        INFO(notes);
        for (const std::string& note : with.notes)
            if (note.starts_with("Not used")) CHECK(note.find(option) == std::string::npos);
        // A section of which nothing is read is named as a whole.
        const std::string section = option.substr(0, option.find('.'));
        const auto named = [&](const std::string& name) {
            const std::size_t at = notes.find("are not modelled: ");
            return at != std::string::npos && notes.find(name, at) != std::string::npos;
        };
        bool changes = joined(without.notes) != notes;
        const Settings before = resolve(without.scenario);
        const Settings after = resolve(with.scenario);
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            changes =
                changes || (before[id] != after[id] && !(std::isnan(before[id]) && std::isnan(after[id])));
        }
        CHECK((named(option) || named(section) || changes));
        ++tried[tool];
    }
    CHECK(tried["megatron"] > 250);
    CHECK(tried["torchtitan"] > 30);
    CHECK(tried["deepspeed"] > 45);
}
