// Tests how Megatron-LM's layers, and the stages that they are split into, are written and read back.
#include <catch2/catch.hpp>

#include "parameters/interned_text.h"
#include "support/launch_reading.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("launch: Megatron-LM's ways to split layers are read back", "[launch]") {
    const auto script = [](int layers, const std::string& more) {
        return "torchrun --nproc-per-node=8 pretrain_gpt.py --num-layers " + std::to_string(layers) +
               " --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --micro-batch-size 1 "
               "--global-batch-size 64 --bf16 " +
               more + "\n";
    };
    const auto ends = [](const LaunchRead& found) {
        const Settings s = resolve(found.scenario);
        return std::pair(s[P::first_stage_layers], s[P::last_stage_layers]);
    };
    using Ends = std::pair<double, double>;
    const std::string four = "--pipeline-model-parallel-size 4 ";
    const std::string both =
        "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split ";
    // 30 + 2 layers on four stages give 7 at each end, which is also the engine's own split.
    const LaunchRead counted = read(kMegatron, script(30, four + both));
    CHECK(ends(counted) == Ends(0, 0));
    CHECK_FALSE(has_note(counted.notes, "by its own rule"));
    const LaunchRead loss = read(kMegatron, script(31, four + "--account-for-loss-in-pipeline-split "));
    CHECK_FALSE(has_note(loss.notes, "by its own rule"));
    // 31 + 1 layers on four stages are 8, 8, 8 and 7, because the first stage's embedding does not count.
    CHECK(ends(loss) == Ends(0, 0));
    const LaunchRead embedding =
        read(kMegatron, script(31, four + "--account-for-embedding-in-pipeline-split "));
    CHECK(ends(embedding) == Ends(7, 8));
    CHECK(has_note(read(kMegatron, script(32, four + both)).notes, "by its own rule"));
    // Two layers between an embedding and a head that are stages of their own, as the engine has them, and
    // three layers after an embedding alone.
    const LaunchRead alone = read(kMegatron, script(2, four + both));
    CHECK(resolve(alone.scenario)[P::pipeline_layout] == 0);
    CHECK_FALSE(has_note(alone.notes, "by its own rule"));
    const LaunchRead one_end =
        read(kMegatron, script(3, four + "--account-for-embedding-in-pipeline-split "));
    CHECK(interned_text(resolve(one_end.scenario)[P::pipeline_layout]) == "E|(t*1|)*2t*1L");

    const auto layout = [&](const std::string& text) {
        return script(32, four + "--pipeline-model-parallel-layout '" + text + "'");
    };
    const LaunchRead given = read(kMegatron, layout("Et*9|t*9|t*9|t*5L"));
    CHECK(ends(given) == Ends(9, 5));
    CHECK_FALSE(has_note(given.notes, "The stages of the file"));
    CHECK(ends(read(kMegatron, layout("Ettttt,ttt|(t*9|)*2t*6,L"))) == Ends(8, 6));
    // What the first and the last stage do not say is kept as a layout.
    const LaunchRead by_hand = read(kMegatron, layout("Et*8|t*10|t*8|t*6L"));
    CHECK(interned_text(resolve(by_hand.scenario)[P::pipeline_layout]) == "Et*8|t*10|t*8|t*6L");
    CHECK_FALSE(has_note(by_hand.notes, "The stages of the file"));
    const LaunchRead pieces = read(kMegatron, layout("Et*4|(t*4|)*6t*4L"));
    CHECK(resolve(pieces.scenario)[P::virtual_stages] == 2);
    for (const char* wrong :
         {"Et*9|t*9|t*9|t*6L", "Et*16|t*15|t*1L", "Ex*9", "E(t*9|", "Et*|", "(((((((((((t"}) {
        const Problems problems = problems_of(kMegatron, layout(wrong));
        REQUIRE(problems.size() == 1);
        CHECK(problems.front().where == "--pipeline-model-parallel-layout");
    }
    // Megatron-LM's options for the ends must be above 0, so that a head alone is written as a layout.
    const LaunchText head_alone = kMegatron.write(answer(check_scenario(
        R"({"model": {"preset": "llama-3-8b", "layers": 4, "vocab_size": 262144},
        "cluster": {"software": "megatron-core"}, "assumptions": {"balanced_stages": true},
        "training": {"sharding": "zero1", "pipeline_parallel": 4, "accumulation": 8}})")));
    CHECK(head_alone.text.find("--pipeline-model-parallel-layout 'Et*2|(t*1|)*2L'") != std::string::npos);
    CHECK(head_alone.text.find("pipeline-num-layers") == std::string::npos);
    // A layout that only the layout option can express is read back unchanged.
    const Scenario odd = check_scenario(R"({"model": {"preset": "gpt-3-175b", "layers": 43},
        "training": {"pipeline_parallel": 8, "accumulation": 16}})");
    const LaunchText launch = kMegatron.write(answer(odd));
    REQUIRE(launch.text.find("--pipeline-model-parallel-layout") != std::string::npos);
    const LaunchRead back = read(kMegatron, launch.text);
    CHECK(ends(back) == Ends(0, 0));
    CHECK_FALSE(has_note(back.notes, "The stages of the file"));

    // A number that only the launcher determines at run time is reported as unknown.
    for (const char* torchrun : {"--nproc-per-node=gpu", "--nnodes=1:4 --nproc-per-node=8"})
        CHECK(has_note(
            read(kMegatron, "torchrun " + std::string(torchrun) +
                                script(32, "").substr(std::string("torchrun --nproc-per-node=8").size()))
                .notes,
            "does not give the number of GPUs"));
    CHECK(has_note(read(kMegatron, script(32, "--ckpt-format torch --lr 1")).notes, "Not used: --lr."));
}

// Source of the rule: NVIDIA/Megatron-LM, validate_args in megatron/training/arguments.py adds one layer for
// each of the two options, and get_num_layers_to_build in transformer_block.py takes it from the first and
// the last virtual stage.
TEST_CASE("launch: Megatron-LM counts embedding and loss as layers of the virtual stages, too", "[launch]") {
    const auto yaml = [](int layers, int stages, const std::string& more) {
        return "MODEL_ARGS:\n  --num-layers: " + std::to_string(layers) +
               "\n  --hidden-size: 4096\n  --num-attention-heads: 32\n  --seq-length: 4096\n"
               "  --micro-batch-size: 1\n  --global-batch-size: 512\n  --bf16: true\n  --vocab-size: 32000\n"
               "  --pipeline-model-parallel-size: " +
               std::to_string(stages) + "\n" + more;
    };
    const auto layout_of = [](const Settings& s) {
        return s[P::pipeline_layout] == 0 ? "" : std::string(interned_text(s[P::pipeline_layout]));
    };
    const std::string embedding = "  --account-for-embedding-in-pipeline-split: true\n";
    const std::string loss = "  --account-for-loss-in-pipeline-split: true\n";
    // (94 + 2) / 8 / 4 = 3 virtual stages, of 3, 4, …, 4 and 3 layers, which is also the engine's own rule.
    const std::string four = "  --num-layers-per-virtual-pipeline-stage: 4\n";
    const LaunchRead both = read(kMegatron, yaml(94, 8, four + embedding + loss));
    CHECK(resolve(both.scenario)[P::virtual_stages] == 3);
    CHECK(layout_of(resolve(both.scenario)).empty());
    CHECK_FALSE(has_note(both.notes, "by its own rule"));
    // (30 + 2) / 4 / 4 = 2: the same with the number of virtual stages.
    const Settings ranks =
        megatron_settings(yaml(30, 4, "  --num-virtual-stages-per-pipeline-rank: 2\n" + embedding + loss));
    CHECK(ranks[P::virtual_stages] == 2);
    CHECK(layout_of(ranks).empty());
    // (31 + 1) / 4 / 4 = 2 virtual stages of 4 layers, of which the last one has 3. The engine's rule would
    // have the first one shorter.
    const Settings only_loss = megatron_settings(yaml(31, 4, four + loss));
    CHECK(only_loss[P::virtual_stages] == 2);
    CHECK(layout_of(only_loss) == "Et*4|(t*4|)*6t*3L");
    // 32 + 2 layers are no multiple of 4 · 4.
    const Problems problems = problems_of(kMegatron, yaml(32, 4, four + embedding + loss));
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().where == "/training/virtual_stages");
}

// Source: NVIDIA/Megatron-LM, validate_args in megatron/training/arguments.py.
TEST_CASE("launch: virtual stages that do not divide the layers are written as a layout", "[launch]") {
    const LaunchText uneven = kMegatron.write(answer(check_scenario(
        R"({"model": {"preset": "llama-3-70b"}, "cluster": {"gpus": 64, "software": "megatron-core"},
        "training": {"sharding": "zero1", "pipeline_parallel": 4, "virtual_stages": 3, "accumulation": 16,
            "tensor_parallel": 8}})")));
    CHECK(uneven.text.find("--pipeline-model-parallel-layout 'Et*6|(t*7|)*8(t*6|)*2t*6L'") !=
          std::string::npos);
    CHECK(uneven.text.find("--num-virtual-stages") == std::string::npos);
    const std::string by_hand = "Et*8|(t*12|)*6L";
    const Scenario given = check_scenario(
        R"({"model": {"preset": "llama-3-70b"}, "cluster": {"gpus": 64, "software": "megatron-core"},
        "training": {"sharding": "zero1", "pipeline_parallel": 8, "accumulation": 16, "tensor_parallel": 8,
            "pipeline_layout": ")" +
        by_hand + R"("}})");
    CHECK(kMegatron.write(answer(given)).text.find("'" + by_hand + "'") != std::string::npos);
    check_round_trip(kMegatron, given);
}

TEST_CASE("launch: a hybrid model's layers are read and written", "[launch]") {
    const std::string hybrid =
        "--position-embedding-type none --mamba-num-heads 64 --mamba-state-dim 64 --mamba-num-groups 4 ";
    const Settings s = megatron_settings(
        megatron_command(hybrid + "--hybrid-layer-pattern M-M*-M-M*-", "pretrain_hybrid.py"));
    CHECK(s[P::layers] == 10);
    // A | separates the stages of a pipeline.
    const Settings staged = megatron_settings(
        megatron_command(hybrid + "--pipeline-model-parallel-size 2 --hybrid-layer-pattern 'M-M*-|M-M*-'",
                         "pretrain_hybrid.py"));
    CHECK(staged[P::layers] == 10);
    CHECK(staged[P::pipeline_parallel] == 2);
    CHECK(format(P::layer_pattern, staged[P::layer_pattern]) ==
          format(P::layer_pattern, s[P::layer_pattern]));
    CHECK(format(P::layer_pattern, s[P::layer_pattern]) ==
          "mamba2/none,none/dense,mamba2/none,full/none,none/dense");
    CHECK(s[P::ssm_heads] == 64);
    CHECK(s[P::ssm_head_size] == 64);
    CHECK(s[P::ssm_state_size] == 64);
    CHECK(s[P::ssm_groups] == 4);
    CHECK(problems_of(kMegatron, megatron_command(hybrid, "pretrain_hybrid.py")).size() == 1);
    CHECK(problems_of(kMegatron, megatron_command(hybrid + "--hybrid-override-pattern M/X")).size() == 1);
    // G is a layer of gated DeltaNet alone.
    const std::string delta_net = "--hybrid-layer-pattern G-G-G-*- --linear-num-key-heads 8 ";
    const Settings next = megatron_settings(megatron_command(delta_net, "pretrain_hybrid.py"));
    CHECK(format(P::layer_pattern, next[P::layer_pattern]) ==
          "linear/none,none/dense,linear/none,none/dense,linear/none,none/dense,full/none,none/dense");
    CHECK(next[P::linear_key_heads] == 8);
    CHECK(next[P::linear_value_heads] == 32);
    const std::string linear = "--experimental-attention-variant gated_delta_net --linear-num-key-heads 8 ";
    const Settings delta = megatron_settings(megatron_command(linear + "--linear-attention-freq 4"));
    CHECK(format(P::layer_pattern, delta[P::layer_pattern]).starts_with("linear"));
    CHECK(delta[P::linear_key_heads] == 8);
    CHECK(delta[P::linear_value_heads] == 32);
    const std::string newer = "--experimental-attention-variant gdn --linear-attention-freq 4";
    CHECK(megatron_settings(megatron_command(newer))[P::layer_pattern] == delta[P::layer_pattern]);
    CHECK(problems_of(kMegatron, megatron_command(linear + "--linear-attention-freq [1]*3+[0]")).size() == 1);
    CHECK(problems_of(kMegatron, megatron_command("--experimental-attention-variant dsa")).size() == 1);
    for (const char* model : {"nemotron-h-56b", "qwen3-next-80b-a3b"}) {
        const LaunchText launch =
            kMegatron.write(answer(check_scenario(job(model, "megatron-core", R"("sharding": "zero1")"))));
        CHECK_FALSE(has_note(launch.notes, "layer pattern is not written"));
        CHECK(read(kMegatron, launch.text).scenario.model->name == model);
    }
}

TEST_CASE("launch: layers with windows, experts and linear attention in any order are written and read back",
          "[launch]") {
    const std::vector<P> lost{P::norm_weights,
                              P::layer_norms,
                              P::head_bias,
                              P::causal,
                              P::qk_norm,
                              P::learned_positions,
                              P::attention_sinks,
                              P::attention_gate,
                              P::shared_expert_gate,
                              P::convolution_kernel};
    const auto scenario = [](const std::string& model, const std::string& layers, int sequence = 4096) {
        return check_scenario(R"({"model": {"preset": ")" + model + '"' + layers + R"(},
            "cluster": {"gpus": 64, "software": "megatron-core"},
            "training": {"micro_batch": 1, "sharding": "zero1", "gradient_precision": "fp32",
                "sequence_length": )" +
                              std::to_string(sequence) + "}}");
    };
    const auto script = [&](const Scenario& of) { return kMegatron.write(answer(of)); };
    // 48 layers.
    const Scenario windows =
        scenario("gemma-3-12b", R"(, "layer_pattern": ["sliding", "sliding", "full", "full"])");
    CHECK(script(windows).text.find("--window-attn-skip-freq '([1]*2+[0]*2)*12' ") != std::string::npos);
    check_round_trip(kMegatron, windows, lost);
    // A last repetition that is cut off: 62 layers.
    check_round_trip(kMegatron,
                     scenario("gemma-3-27b", R"(, "layer_pattern": ["sliding", "sliding", "full", "full"])"),
                     lost);
    const Scenario mixed = scenario("llama-4-maverick", R"(, "attention_window": 1024,
        "layer_pattern": ["sliding/dense", "full/experts"])");
    for (const char* option :
         {"--window-size 1023,0 ", "--window-attn-skip-freq 2 ", "--moe-layer-freq '([0]*1+[1]*1)*24' "}) {
        INFO(option);
        CHECK(script(mixed).text.find(option) != std::string::npos);
    }
    check_round_trip(kMegatron, mixed, lost);
    check_round_trip(
        kMegatron, scenario("qwen3-next-80b-a3b", R"(, "layer_pattern": ["linear", "full", "full"])"), lost);

    // The chunks of Llama 4 have 8,192 tokens.
    const LaunchText chunk = script(scenario("llama-4-maverick", ""));
    CHECK(has_note(chunk.notes, "The sequence is one chunk"));
    CHECK(chunk.text.find("--window-size") == std::string::npos);
    const Settings one = megatron_settings(chunk.text);
    CHECK(format(P::layer_pattern, one[P::layer_pattern]) == "full/dense,full/experts");
    CHECK(one[P::experts] == 128);
    CHECK(
        has_note(script(scenario("llama-4-maverick", "", 32768)).notes, "The layer pattern is not written"));

    // Of 32 layers, every second has experts; a list of another length is refused.
    for (const char* list : {"'([0]*1+[1]*1)*16'", "'([0]+[1])*16'"}) {
        const Settings s = megatron_settings(megatron_command("--num-experts 8 --moe-layer-freq " +
                                                              std::string(list) + " --window-size 127,0"));
        CHECK(format(P::layer_pattern, s[P::layer_pattern]) == "sliding/dense,sliding/experts");
        CHECK(s[P::dense_layers] == 0);
    }
    CHECK(megatron_settings(
              megatron_command("--num-experts 8 --moe-layer-freq '([0]*3+[1]*29)'"))[P::dense_layers] == 3);
    CHECK(problems_of(kMegatron, megatron_command("--num-experts 8 --moe-layer-freq '([0]*1+[1]*1)*15'"))
              .size() == 1);
}

TEST_CASE("launch: models with state-space layers have no embedding of positions", "[launch]") {
    for (const char* model : {"nemotron-h-56b", "nemotron-3-nano-30b-a3b", "mamba2-2.7b"}) {
        const std::string text =
            kMegatron.write(answer(check_scenario(job(model, "megatron-core", R"("sharding": "zero1")"))))
                .text;
        INFO(model);
        CHECK(text.find("--position-embedding-type none") != std::string::npos);
        CHECK(text.find("--rotary-base") == std::string::npos);
    }
}

TEST_CASE("launch: Megatron-LM's window does not count the token itself", "[launch]") {
    CHECK(megatron_settings(megatron_command("--window-size 127,0"))[P::attention_window] == 128);
    const std::string text =
        kMegatron.write(answer(check_scenario(job("gpt-oss-20b", "megatron-core", R"("sharding": "zero1")"))))
            .text;
    CHECK(text.find("--window-size 127,0") != std::string::npos);
}

TEST_CASE("launch: prediction layers in a stage before the last one are read", "[launch]") {
    const auto script = [](const std::string& layout) {
        return "torchrun --nnodes 8 --nproc_per_node 8 pretrain_gpt.py --num-layers 61 --hidden-size 1024 "
               "--num-attention-heads 16 --seq-length 1024 --position-embedding-type rope --micro-batch-size "
               "1 "
               "--global-batch-size 64 --vocab-size 32000 --mtp-num-layers 1 --bf16 "
               "--pipeline-model-parallel-size 16 --pipeline-model-parallel-layout '" +
               layout + "'\n";
    };
    // NVIDIA's layout of DeepSeek-V3.
    for (const std::string& layout : std::vector<std::string>{"Et*3|(tt|)*29,m|L", "Et*3|(tt|)*29m|L"}) {
        const LaunchRead found = read(kMegatron, script(layout));
        const Settings s = resolve(found.scenario);
        CHECK(s[P::virtual_stages] == 2);
        CHECK(s[P::mtp_layers] == 1);
        CHECK(interned_text(s[P::pipeline_layout]) == layout);
        CHECK_FALSE(has_note(found.notes, "layout"));
        const Answer imported = answer(found.scenario);
        REQUIRE(imported.valid());
        // The 31st of 32 virtual stages is on the 15th of 16 GPUs.
        const std::vector<Stage> stages =
            every_stage(imported.compiled.stages, LayerSequence(imported.compiled.settings));
        CHECK(stages[14].predictions == 1);
        CHECK(stages[15].predictions == 0);
        CHECK(stages[15].head);
        // Written and read again, it is the same.
        const LaunchRead again = read(kMegatron, kMegatron.write(imported).text);
        CHECK(interned_text(resolve(again.scenario)[P::pipeline_layout]) == layout);
    }
}
