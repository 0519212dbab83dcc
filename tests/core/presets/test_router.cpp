// Tests how presets, published files and Megatron-LM's scripts state rotary embeddings and routing.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "launch/launch.h"
#include "planner/answer.h"
#include "presets/hf_config.h"
#include "presets/router_json.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;
using nlohmann::json;

TEST_CASE("router: a preset's field is read and written, and errors name the place", "[presets]") {
    const json full = {{"score", "sigmoid"},
                       {"scaling", 2.5},
                       {"balancing_loss", 1e-4},
                       {"balancing_bias", true},
                       {"balances_each_sequence", true}};
    Problems problems;
    const auto router = read_router(full, problems);
    REQUIRE(router);
    CHECK(router->scaling == 2.5);
    CHECK(router->balancing_loss == 1e-4);
    CHECK(json(write_router(*router)) == full);
    CHECK(json(write_router(*read_router({{"score", "softmax"}}, problems))) == json({{"score", "softmax"}}));
    REQUIRE(problems.empty());

    const auto where = [](const json& router_field) {
        Problems found;
        CHECK_FALSE(read_router(router_field, found));
        REQUIRE(found.size() == 1);
        return found.front().where;
    };
    CHECK(where(json::array()) == "/router");
    CHECK(where(json::object()) == "/router/score");
    CHECK(where({{"score", "argmax"}}) == "/router/score");
    CHECK(where({{"score", "softmax"}, {"scaling", -1}}) == "/router/scaling");
    CHECK(where({{"score", "softmax"}, {"balancing_bias", 1}}) == "/router/balancing_bias");
    CHECK(where({{"score", "softmax"}, {"group", 8}}) == "/router/group");
}

TEST_CASE("router: groups of experts in the field of an older file become parameters", "[presets]") {
    json file = json::parse(
        R"({"format": "shardscope-preset", "version": 1, "kind": "model", "name": "own", "title": "Own",
            "router": {"score": "sigmoid", "groups": 8, "chosen_groups": 4},
            "values": {"layers": 4, "hidden_size": 512, "heads": 4, "experts": 64, "experts_per_token": 8}})");
    Problems problems;
    Catalogue catalogue = Catalogue::with_folder("", problems);
    const Preset* own = catalogue.add(file.dump(), "own.json", problems);
    REQUIRE(problems.empty());
    REQUIRE(own);
    Scenario scenario = Scenario::first_launch(catalogue);
    scenario.model = own;
    CHECK(resolve(scenario)[P::expert_groups] == 8);
    CHECK(resolve(scenario)[P::chosen_expert_groups] == 4);
}

TEST_CASE("router: a published file gives its base of the positions and its routing", "[presets]") {
    // The fields of huggingface.co/deepseek-ai/DeepSeek-V3/config.json.
    const auto imported = [](const char* config) {
        Problems problems;
        const json preset = json::parse(import_hf_config(config, "m", problems).preset);
        CHECK(problems.empty());
        return preset;
    };
    const json v3 = imported(R"({"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432,
        "moe_intermediate_size": 2048, "num_hidden_layers": 61, "num_attention_heads": 128,
        "num_key_value_heads": 128, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
        "first_k_dense_replace": 3, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280, "n_group": 8, "topk_group": 4,
        "topk_method": "noaux_tc", "scoring_func": "sigmoid", "routed_scaling_factor": 2.5,
        "aux_loss_alpha": 0.001, "seq_aux": true, "rope_theta": 10000, "hidden_act": "silu"})");
    CHECK(v3["rotary_base"] == 10000);
    CHECK(v3["router"] == json({{"score", "sigmoid"},
                                {"scaling", 2.5},
                                {"balancing_loss", 0.001},
                                {"balancing_bias", true},
                                {"balances_each_sequence", true}}));
    CHECK(v3["values"]["expert_groups"] == 8);
    CHECK(v3["values"]["chosen_expert_groups"] == 4);
    // A dense model has no router, and newer files have the base in an object.
    const json dense = imported(R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
        "hidden_act": "silu", "rope_parameters": {"rope_theta": 500000.0, "rope_type": "default"}})");
    CHECK(dense["rotary_base"] == 500000);
    CHECK(dense["activation"] == "silu");
    CHECK_FALSE(dense.contains("router"));
    // An impossible number of groups is no reason to refuse the model.
    const json odd = imported(R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
        "num_local_experts": 8, "num_experts_per_tok": 2, "hidden_act": "silu", "n_group": 1e9})");
    CHECK(odd["router"] == json({{"score", "softmax"}}));
    CHECK_FALSE(odd["values"].contains("expert_groups"));
}

TEST_CASE("router: the share of a head that rotary embeddings turn is read, written and limited",
          "[presets]") {
    const auto imported = [](const std::string& type, const std::string& fields) {
        Problems problems;
        const std::string config = R"({"model_type": ")" + type + R"(", "hidden_size": 1024, "head_dim": 128,
            "intermediate_size": 4096, "num_hidden_layers": 4, "num_attention_heads": 8,
            "num_key_value_heads": 8, "vocab_size": 32000, "hidden_act": "silu", "rms_norm_eps": 1e-5)" +
                                   fields + "}";
        const json preset = json::parse(import_hf_config(config, "m", problems).preset);
        CHECK(problems.empty());
        return preset.value("rotary_share", 0.0);
    };
    CHECK(imported("glm4_moe", R"(, "partial_rotary_factor": 0.5, "n_routed_experts": 8,
        "num_experts_per_tok": 2, "moe_intermediate_size": 512)") == 0.5);
    CHECK(imported("gpt_neox", R"(, "rotary_pct": 0.25)") == 0.25);
    CHECK(imported("stablelm", R"(, "partial_rotary_factor": 0.25)") == 0.25);
    CHECK(imported("llama",
                   R"(, "rope_parameters": {"rope_theta": 10000.0, "partial_rotary_factor": 0.75})") == 0.75);
    // MiniMax gives the width, here half of a head's.
    CHECK(imported("minimax_m2", R"(, "rotary_dim": 64, "num_local_experts": 8, "num_experts_per_tok": 2)") ==
          0.5);
    CHECK(imported("llama", "") == 0);
    CHECK(imported("llama", R"(, "partial_rotary_factor": 1.0)") == 0);
    CHECK(imported("llama", R"(, "partial_rotary_factor": -3)") == 0);
    // The classes' defaults.
    CHECK(imported("gpt_neox", "") == 0.25);
    CHECK(imported("phi", "") == 0.5);

    const auto problems_of = [](const std::string& share) {
        Problems problems;
        Catalogue catalogue = Catalogue::with_folder("", problems);
        const Preset* own = catalogue.add(
            R"({"format": "shardscope-preset", "version": 1, "kind": "model", "name": "own", "title": "Own",
                "rotary_share": )" +
                share + R"(, "values": {"layers": 4, "hidden_size": 512, "heads": 4}})",
            "own.json", problems);
        if (problems.empty()) CHECK(own->rotary_share == (share == "1" ? 0 : std::stod(share)));
        return problems.size();
    };
    CHECK(problems_of("0.5") == 0);
    CHECK(problems_of("1") == 0);
    for (const char* wrong : {"0", "-0.5", "1.5", R"("half")"}) CHECK(problems_of(wrong) == 1);

    // The tools' settings have it, and reading them notes only another share.
    const LaunchText script = kMegatron.write(answer(of_model("glm-4.5", {{P::gpus, 128}})));
    CHECK(script.text.find("--rotary-percent 0.5 ") != std::string::npos);
    CHECK(kMegatronBridge.write(answer(of_model("glm-4.5", {{P::gpus, 128}})))
              .text.find("cfg.model.rotary_percent = 0.5\n") != std::string::npos);
    CHECK(kMegatron.write(answer(of_model("llama-3-8b", {}))).text.find("--rotary-percent") ==
          std::string::npos);
    // It changes neither memory nor time.
    Scenario whole = of_model("glm-4.5", {{P::gpus, 128}});
    Preset changed = *whole.model;
    changed.rotary_share = 0;
    const double step = answer(whole).estimate.step.total;
    whole.model = &changed;
    CHECK(answer(whole).estimate.step.total == step);
}

TEST_CASE("router: Megatron-LM's script has positions and routing, and reading it notes only other values",
          "[presets]") {
    Scenario scenario = of_model("deepseek-v3", {{P::gpus, 2048}, {P::expert_parallel, 64}});
    const LaunchText written = kMegatron.write(answer(scenario));
    for (const char* option :
         {"--rotary-base 10000 ", "--moe-router-score-function sigmoid ", "--moe-router-num-groups 8 ",
          "--moe-router-group-topk 4 ", "--moe-router-enable-expert-bias ",
          "--moe-router-topk-scaling-factor 2.5 ", "--moe-router-load-balancing-type seq_aux_loss ",
          "--moe-aux-loss-coeff 0.0001 "}) {
        INFO(option);
        CHECK(written.text.find(option) != std::string::npos);
    }
    const auto note_of = [&](std::string text, const std::string& before, const std::string& after) {
        const auto at = text.find(before);
        REQUIRE(at != std::string::npos);
        text.replace(at, before.size(), after);
        Problems problems;
        const LaunchRead read = kMegatron.read(text, Scenario::first_launch(), problems);
        REQUIRE(problems.empty());
        for (const std::string& note : read.notes) {
            if (note.find("Not used") != std::string::npos) return note;
        }
        return std::string();
    };
    CHECK(note_of(written.text, "--moe-aux-loss-coeff 0.0001", "--moe-aux-loss-coeff 1e-4").empty());
    CHECK(note_of(written.text, "--rotary-base 10000", "--rotary-base 50000").find("--rotary-base") !=
          std::string::npos);
}

TEST_CASE("router: Megatron-LM's script has squared ReLU, and a note says what has no option", "[presets]") {
    const LaunchText nemotron = kMegatron.write(answer(of_model("nemotron-4-15b", {})));
    CHECK(nemotron.text.find("--squared-relu ") != std::string::npos);
    const LaunchText gemma = kMegatron.write(answer(of_model("gemma-7b", {})));
    CHECK(gemma.text.find("--squared-relu") == std::string::npos);
    bool noted = false;
    for (const std::string& note : gemma.notes) noted = noted || note.find("GeGLU") != std::string::npos;
    CHECK(noted);
}

TEST_CASE("router: every shipped model with experts says how it chooses them", "[presets]") {
    for (const std::string& name : Catalogue::shipped().names(PresetKind::model)) {
        const Preset* model = Catalogue::shipped().find(PresetKind::model, name);
        Scenario scenario = Scenario::first_launch();
        scenario.model = model;
        INFO(name);
        CHECK((resolve(scenario)[P::experts] > 0) == model->router.has_value());
    }
}
