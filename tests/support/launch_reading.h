// Reading settings of training tools back in tests.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "effects/model_states.h"
#include "launch/launch.h"
#include "scenario/gpu_groups.h"
#include "support/check_scenario.h"

namespace shardscope::testing {

inline LaunchRead read(const LaunchFormat& format, const std::string& text,
                       const Scenario& base = Scenario::first_launch(shipped_only())) {
    Problems problems;
    LaunchRead out = format.read(text, base, problems);
    for (const Problem& problem : problems) FAIL_CHECK(problem.text());
    return out;
}

inline Problems problems_of(const LaunchFormat& format, const std::string& text) {
    Problems problems;
    format.read(text, Scenario::first_launch(shipped_only()), problems);
    return problems;
}

// Returns a command of Megatron-LM with these options on 64 GPUs.
inline std::string megatron_command(const std::string& options,
                                    const std::string& program = "pretrain_gpt.py") {
    return "torchrun --nnodes 8 --nproc_per_node 8 " + program +
           " --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 "
           "--max-position-embeddings 4096 --micro-batch-size 1 --vocab-size 32000 " +
           options + "\n";
}

inline Settings megatron_settings(const std::string& script) {
    return resolve(read(kMegatron, script).scenario);
}

inline bool has_note(const std::vector<std::string>& notes, const std::string& words) {
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

inline double effective(P id, const Settings& s) {
    if (id == P::learned_positions && s[id] == kPositionsAsSequence) return s[P::sequence_length];
    // A shard group of all GPUs counts as no group.
    if (id == P::shard_group) return shard_group(s);
    if (id == P::sharding && is_fsdp(s)) return shard_group(s) == max_shard_group(s) ? 3 : 4;
    if (id == P::value_head_size && s[id] == 0 && s[P::kv_lora_rank] > 0) return s[P::head_size];
    if (id == P::expert_ffn_size && s[id] == 0 && s[P::experts] > 0) return s[P::ffn_size];
    return s[id];
}

// Checks that settings that are written and read again give the same model, training and plan, except for
// `lost`.
inline void check_round_trip(const LaunchFormat& format, const Scenario& scenario, std::vector<P> lost = {}) {
    const Answer before = answer(scenario);
    REQUIRE(before.valid());
    const LaunchText launch = format.write(before);
    INFO(launch.text);
    // The file does not state the hardware.
    Scenario base = Scenario::first_launch(shipped_only());
    base.cluster = scenario.cluster;
    const LaunchRead back = read(format, launch.text, base);
    const Settings after = resolve(back.scenario);
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        const Group group = parameter(id).group;
        const bool in_settings = group == Group::model || group == Group::training || group == Group::plan;
        if (!in_settings && id != P::gpus && id != P::software) continue;
        if (std::find(lost.begin(), lost.end(), id) != lost.end()) continue;
        INFO(parameter(id).key << " was " << before.settings[id] << " and is " << after[id]);
        const double was = effective(id, before.settings);
        const double is = effective(id, after);
        CHECK((was == is || (std::isnan(was) && std::isnan(is)) || is == Approx(was).epsilon(1e-12)));
    }
}

inline std::string job(const std::string& model, const std::string& software, const std::string& training,
                       int gpus = 64) {
    return R"({"model": {"preset": ")" + model + R"("}, "cluster": {"gpus": )" + std::to_string(gpus) +
           R"(, "software": ")" + software + R"("}, "training": {"sequence_length": 4096, )" + training +
           "}}";
}

// The training of a scenario in several ways, as JSON.
inline const std::vector<std::string> kPlans{
    R"("micro_batch": 2, "accumulation": 4, "sharding": "zero3", "gradient_precision": "fp32")",
    R"("micro_batch": 1, "sharding": "hsdp", "shard_group": 8, "recompute": "full",
       "gradient_precision": "fp32")",
    R"("micro_batch": 1, "sharding": "zero3", "tensor_parallel": 8, "sequence_parallel": true,
       "recompute": "selective", "gradient_precision": "fp32", "precision": "fp8",
       "fp8_recipe": "tensorwise")",
    R"("micro_batch": 1, "global_batch": 128, "sharding": "zero3", "tensor_parallel": 2,
       "sequence_parallel": true, "async_tensor_parallel": true, "context_parallel": 2,
       "pipeline_parallel": 2, "accumulation": null, "gradient_precision": "fp32")",
    R"("micro_batch": 1, "accumulation": 8, "sharding": "zero3", "pipeline_parallel": 4,
       "virtual_stages": 2, "schedule": "interleaved", "gradient_precision": "fp32")",
    R"("micro_batch": 1, "accumulation": 2, "sharding": "ddp", "gradient_precision": "fp32",
       "training_tokens": 5242880000)",
};

}  // namespace shardscope::testing
