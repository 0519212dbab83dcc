#include "presets/hf_layers.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/hf_imported.h"

using namespace shardscope;
using namespace shardscope::testing;
using nlohmann::json;

TEST_CASE("config.json: the kinds of layers are read as they are written", "[hf]") {
    ImportedModel model;
    const auto pattern = [&](const char* config) {
        imported(config, model);
        return json::parse(model.preset)["values"].value("layer_pattern", json());
    };
    CHECK(pattern(R"({"model_type": "gemma3_text", "num_hidden_layers": 26, "sliding_window_pattern": 6})") ==
          json({"sliding", "sliding", "sliding", "sliding", "sliding", "full"}));
    CHECK(pattern(R"({"model_type": "gemma2"})") == json({"sliding", "full"}));
    CHECK(pattern(R"({"model_type": "cohere2"})") == json({"sliding", "sliding", "sliding", "full"}));
    CHECK(pattern(R"({"model_type": "qwen3_next"})") == json({"linear", "linear", "linear", "full"}));
    const std::string sizes = R"(, "hidden_size": 1024, "num_attention_heads": 8, "vocab_size": 1000,
        "intermediate_size": 512, "num_local_experts": 8, "num_experts_per_tok": 2)";
    const auto of_type = [&](const std::string& fields) {
        return pattern(("{" + fields + sizes + "}").c_str());
    };
    CHECK(of_type(R"("model_type": "minimax", "num_hidden_layers": 4)") == json({"full", "linear"}));
    // Version 5 of transformers names Mamba-2 linear attention.
    CHECK(of_type(R"("model_type": "granitemoehybrid", "num_hidden_layers": 2, "mamba_n_heads": 48,
        "mamba_d_head": 64, "mamba_d_state": 128, "layer_types": ["linear_attention", "full_attention"])") ==
          json({"mamba2", "full"}));
    CHECK(of_type(R"("model_type": "nemotron_h", "mamba_num_heads": 8, "mamba_head_dim": 64,
        "ssm_state_size": 16, "layers_block_type": ["mamba", "mlp", "attention"])") ==
          json({"mamba2/none", "none/dense", "full/none"}));
    CHECK(json::parse(model.preset)["values"]["layers"] == 3);
    // A stride whose dense layers come first needs no pattern, but a list in the middle does.
    CHECK(pattern(R"({"model_type": "qwen3_moe", "mlp_only_layers": [0, 1]})").is_null());
    CHECK(json::parse(model.preset)["values"]["dense_layers"] == 2);
    CHECK(pattern(R"({"model_type": "qwen3_moe", "num_hidden_layers": 4, "mlp_only_layers": [2]})") ==
          json({"full/experts", "full/experts", "full/dense"}));
    CHECK(pattern(R"({"model_type": "qwen2_moe", "decoder_sparse_step": 2})") ==
          json({"full/dense", "full/experts"}));
    // The layers with experts follow lists and strides together with the other kinds.
    CHECK(pattern(R"({"model_type": "qwen3_next", "num_hidden_layers": 4, "decoder_sparse_step": 2})") ==
          json({"linear/dense", "linear/experts", "linear/dense", "full/experts"}));
    CHECK(pattern(R"({"model_type": "deepseek_v3", "num_hidden_layers": 5, "first_k_dense_replace": 1,
        "moe_layer_freq": 2})") ==
          json({"full/dense", "full/dense", "full/experts", "full/dense", "full/experts"}));
    const auto other = [&](const std::string& fields) {
        return pattern((R"({"model_type": "new", "hidden_size": 1024, "num_hidden_layers": 4,
            "num_attention_heads": 8, "vocab_size": 1000, "rms_norm_eps": 1e-6, "intermediate_size": 4096,
            "num_experts": 16, "num_experts_per_tok": 2, "moe_intermediate_size": 512, )" +
                        fields + "}")
                           .c_str());
    };
    CHECK(other(R"("decoder_sparse_step": 2)") == json({"full/dense", "full/experts"}));
    CHECK(other(R"("mlp_only_layers": [1])") == json({"full/experts", "full/dense", "full/experts"}));
    CHECK(other(R"("moe_layer_freq": [0, 1, 0, 1])") == json({"full/dense", "full/experts"}));
    CHECK(other(R"("num_dense_layers": 2)").is_null());
    CHECK(json::parse(model.preset)["values"]["dense_layers"] == 2);
    // Unknown architectures: fields that mean the same everywhere are read.
    const char* const unknown = R"({"model_type": "new", "hidden_size": 1024, "num_hidden_layers": 6,
        "num_attention_heads": 8, "vocab_size": 1000, "rms_norm_eps": 1e-6, "intermediate_size": 4096,
        "n_routed_experts": 16, "num_experts_per_tok": 2, "moe_intermediate_size": 512, "n_shared_experts": 2,
        "first_k_dense_replace": 1, "sliding_window": 512, "layer_types": ["sliding_attention",
        "sliding_attention", "full_attention", "sliding_attention", "sliding_attention", "full_attention"]})";
    CHECK(pattern(unknown) == json({"sliding", "sliding", "full"}));
    const json values = json::parse(model.preset)["values"];
    CHECK(values["dense_layers"] == 1);
    CHECK(values["shared_expert_ffn_size"] == 1024);
    CHECK(values["attention_window"] == 512);
}

TEST_CASE("config.json: of Qwen2-MoE every other layer below the border has a window", "[hf]") {
    ImportedModel model;
    imported(
        R"({"model_type": "qwen2_moe", "num_hidden_layers": 6, "use_sliding_window": true,
            "sliding_window": 512, "max_window_layers": 3})",
        model);
    const json values = json::parse(model.preset)["values"];
    CHECK(values["attention_window"] == 512);
    CHECK(values["layer_pattern"] == json({"sliding", "full", "sliding", "full", "full", "full"}));
}

TEST_CASE("config.json: Qwen's windows apply to the layers that its fields name", "[hf]") {
    ImportedModel model;
    const auto values = [&](const std::string& fields) {
        imported((R"({"model_type": "qwen2", "num_hidden_layers": 4, "sliding_window": 512)" + fields + "}")
                     .c_str(),
                 model);
        return json::parse(model.preset)["values"];
    };
    const auto layers = [&](const std::string& fields) {
        return values(fields).value("layer_pattern", json());
    };
    CHECK(layers("").is_null());
    CHECK_FALSE(values("").contains("attention_window"));
    CHECK(layers(R"(, "use_sliding_window": true, "max_window_layers": 3)") ==
          json({"full", "full", "full", "sliding"}));
    CHECK(values(R"(, "use_sliding_window": true, "max_window_layers": 3)")["attention_window"] == 512);
    CHECK(layers(R"(, "use_sliding_window": true, "max_window_layers": 3, "layer_types": ["full_attention",
        "sliding_attention", "full_attention", "sliding_attention"])") == json({"full", "sliding"}));
    // The first 28 layers have none by default, and with 0 all have one.
    CHECK_FALSE(values(R"(, "use_sliding_window": true)").contains("attention_window"));
    CHECK(layers(R"(, "use_sliding_window": true, "max_window_layers": 0)").is_null());
    CHECK(values(R"(, "use_sliding_window": true, "max_window_layers": 0)")["attention_window"] == 512);
}

TEST_CASE("config.json: the sizes of state-spaces/mamba2 are read where they are given", "[hf]") {
    const char* const config =
        R"({"d_model": 1024, "n_layer": 2, "vocab_size": 100, "ssm_cfg": {"layer": "Mamba2",
        "d_state": 64, "headdim": 32, "expand": 3, "ngroups": 8, "d_conv": 3}, "attn_layer_idx": [],
        "attn_cfg": {}})";
    CHECK(is_hf_config(config));
    ImportedModel model;
    const Settings s = imported(config, model);
    CHECK(s[P::ssm_heads] == 96);
    CHECK(s[P::ssm_head_size] == 32);
    CHECK(s[P::ssm_state_size] == 64);
    CHECK(s[P::ssm_groups] == 8);
    CHECK(s[P::convolution_kernel] == 3);
    CHECK_FALSE(is_hf_config(R"({"format": "shardscope-preset", "values": {"ssm_cfg": {}}})"));
}

TEST_CASE("config.json: a recurrent model is refused unless it is known", "[hf]") {
    const auto reason = [](const char* text) {
        Problems problems;
        const ImportedModel model = import_hf_config(text, "", problems);
        CHECK(model.preset.empty());
        REQUIRE_FALSE(problems.empty());
        return problems.front().text();
    };
    // Mamba-1, Jamba and RWKV: their fields would otherwise be read as those of a transformer.
    const std::string mamba = reason(R"({"model_type": "mamba", "hidden_size": 2560, "state_size": 16,
        "num_hidden_layers": 64, "vocab_size": 50280, "intermediate_size": 5120, "time_step_rank": 160})");
    CHECK(mamba.find("recurrent architecture") != std::string::npos);
    CHECK(mamba.find("transformer") != std::string::npos);
    CHECK(reason(R"({"model_type": "jamba", "hidden_size": 4096, "num_attention_heads": 32,
        "num_hidden_layers": 32, "vocab_size": 65536, "mamba_d_state": 16, "intermediate_size": 14336})")
              .find("/mamba_d_state") != std::string::npos);
    CHECK(reason(R"({"model_type": "rwkv", "hidden_size": 4096, "attention_hidden_size": 4096,
        "num_hidden_layers": 32, "vocab_size": 50277})")
              .find("/attention_hidden_size") != std::string::npos);
    // Kimi Linear, Ring with lightning attention, LFM2, RWKV-7 and xLSTM; T5 has an encoder and a decoder.
    for (const char* field :
         {R"("linear_attn_config": {"kda_layers": [1]})", R"("layer_group_size": 8)", R"("conv_L_cache": 3)",
          R"("decay_low_rank_dim": 64)", R"("qk_dim_factor": 0.5)", R"("is_encoder_decoder": true)"}) {
        INFO(field);
        CHECK(reason((R"({"model_type": "new", "hidden_size": 1024, "num_hidden_layers": 2, "vocab_size": 10,
            "intermediate_size": 4096, "num_attention_heads": 8, )" +
                      std::string(field) + "}")
                         .c_str())
                  .find("transformer") != std::string::npos);
    }
    // Mamba-2 with attention in some layers.
    CHECK(reason(R"({"d_model": 2560, "n_layer": 64, "vocab_size": 50277, "ssm_cfg": {"layer": "Mamba2"},
        "attn_layer_idx": [9, 18], "attn_cfg": {"num_heads": 30}})")
              .find("/ssm_cfg") != std::string::npos);
    // Layers of an unknown kind, and linear layers of unknown sizes.
    CHECK(reason(R"({"model_type": "new", "hidden_size": 1024, "num_hidden_layers": 2, "vocab_size": 10,
        "num_attention_heads": 8, "layer_types": ["hyena", "full_attention"]})")
              .find("/layer_types") != std::string::npos);
    CHECK(reason(R"({"model_type": "new", "hidden_size": 1024, "num_hidden_layers": 2, "vocab_size": 10,
        "num_attention_heads": 8, "layer_types": ["linear_attention", "full_attention"]})")
              .find("/layer_types") != std::string::npos);
    CHECK(
        reason(R"({"model_type": "nemotron_h", "hidden_size": 1024, "vocab_size": 10, "num_hidden_layers": 2,
        "num_attention_heads": 8, "mamba_num_heads": 8, "mamba_head_dim": 64, "ssm_state_size": 16,
        "hybrid_override_pattern": "MX"})")
            .find("/hybrid_override_pattern") != std::string::npos);
}

namespace {

// The sizes of gpt-oss and of Qwen3-Next, but for the type.
const char* const kOss = R"("hidden_size": 2880, "intermediate_size": 2880, "num_hidden_layers": 4,
    "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "num_local_experts": 32,
    "num_experts_per_tok": 4, "experts_per_token": 4, "vocab_size": 201088, "rms_norm_eps": 1e-5,
    "hidden_act": "silu", "attention_bias": true, "sliding_window": 128, "tie_word_embeddings": false,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"])";
const char* const kNext = R"("hidden_size": 2048, "intermediate_size": 5120, "num_hidden_layers": 8,
    "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256, "vocab_size": 151936,
    "rms_norm_eps": 1e-6, "hidden_act": "silu", "linear_num_key_heads": 16, "linear_num_value_heads": 32,
    "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4,
    "full_attention_interval": 4, "tie_word_embeddings": false)";
const char* const kNextExperts =
    R"(, "num_experts": 512, "num_experts_per_tok": 10, "moe_intermediate_size": 512,
    "shared_expert_intermediate_size": 512, "decoder_sparse_step": 1, "mlp_only_layers": [])";

json values_of_config(const std::string& fields) {
    Problems problems;
    const ImportedModel model = import_hf_config("{" + fields + "}", "m", problems);
    CAPTURE(fields);
    CAPTURE(problems.empty() ? "" : problems.front().text());
    REQUIRE(problems.empty());
    return json::parse(model.preset)["values"];
}

}  // namespace

TEST_CASE("config.json: an unknown architecture with the fields of gpt-oss or Qwen3-Next is read as they are",
          "[hf]") {
    const std::string oss(kOss), next(kNext), experts(kNextExperts);
    const auto typed = [](const char* type) { return R"("model_type": ")" + std::string(type) + "\", "; };
    // With the limit of its activation it is gpt-oss's layer; without it the fields are the usual ones.
    const json known = values_of_config(typed("gpt_oss") + oss);
    CHECK(values_of_config(typed("new") + oss + R"(, "swiglu_limit": 7.0)") == known);
    json guessed = values_of_config(typed("new") + oss);
    CHECK(guessed["layer_pattern"] == json({"sliding", "full"}));
    CHECK(guessed["attention_window"] == 128);
    CHECK(guessed["experts"] == 32);
    CHECK(guessed["experts_per_token"] == 4);
    CHECK(guessed["expert_ffn_size"] == 2880);
    CHECK_FALSE(guessed.contains("attention_sinks"));
    guessed["attention_sinks"] = true;
    CHECK(guessed == known);
    CHECK(values_of_config(typed("new") + next + experts) ==
          values_of_config(typed("qwen3_next") + next + experts));
    CHECK(values_of_config(typed("new") + next) == values_of_config(typed("qwen3_5") + next));
    CHECK(values_of_config(typed("new") + next)["layer_pattern"] ==
          json({"linear", "linear", "linear", "full"}));

    // What is not understood is refused with its name: another linear layer, a size that is missing, and
    // experts under other names.
    const auto refused = [](const std::string& fields) {
        Problems problems;
        const ImportedModel model = import_hf_config("{" + fields + "}", "m", problems);
        CHECK(model.preset.empty());
        REQUIRE_FALSE(problems.empty());
        return problems.front().where;
    };
    CHECK(refused(typed("new") + next + R"(, "linear_rank": 8)") == "/linear_rank");
    CHECK(refused(typed("new") + next + R"(, "mamba_d_state": 8)") == "/mamba_d_state");
    std::string no_values = next;
    no_values.replace(no_values.find("linear_num_value_heads"), 22, "renamed_value_heads___");
    CHECK(refused(typed("new") + no_values).starts_with("/full_attention_interval"));
    CHECK(refused(typed("new") + oss + R"(, "swiglu_limit": 7.0, "moe_every": 2)") == "/moe_every");
}

TEST_CASE("config.json: a class of transformers under another type is read as the class", "[hf]") {
    const std::string oss(kOss);
    const json known = values_of_config(R"("model_type": "gpt_oss", )" + oss);
    CHECK(values_of_config(R"("model_type": "my_oss", "architectures": ["GptOssForCausalLM"], )" + oss) ==
          known);
    CHECK(values_of_config(R"("architectures": ["GptOssForCausalLM"], )" + oss) == known);
    CHECK(values_of_config(R"("model_type": "mine", "architectures": ["Qwen3NextForCausalLM"], )" +
                           std::string(kNext) + kNextExperts)["layer_pattern"] ==
          json({"linear", "linear", "linear", "full"}));
    // A field that its class does not have may change sizes.
    Problems problems;
    import_hf_config(R"({"model_type": "mine", "architectures": ["LlamaForCausalLM"], "hidden_size": 1024,
        "num_hidden_layers": 2, "num_attention_heads": 8, "intermediate_size": 4096, "vocab_size": 1000,
        "num_experts": 8})",
                     "m", problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().where == "/num_experts");
}

TEST_CASE("config.json: the fields of an unknown architecture are used wherever they stand", "[hf]") {
    const json flat = json::parse(R"({"model_type": "foo_moe", "hidden_size": 1024, "num_hidden_layers": 4,
        "num_attention_heads": 8, "intermediate_size": 4096, "vocab_size": 32000, "n_routed_experts": 16,
        "num_experts_per_tok": 2, "moe_intermediate_size": 512, "first_k_dense_replace": 1, "n_shared_experts": 1})");
    const auto values = [](const json& config) {
        Problems problems;
        const ImportedModel model = import_hf_config(config.dump(), "foo", problems);
        CAPTURE(config.dump());
        REQUIRE(problems.empty());
        return json::parse(model.preset)["values"];
    };
    json nested = flat;
    for (const char* field : {"n_routed_experts", "num_experts_per_tok", "moe_intermediate_size",
                              "first_k_dense_replace", "n_shared_experts"}) {
        nested["moe"][field] = nested[field];
        nested.erase(field);
    }
    CHECK(values(nested) == values(flat));
    CHECK(values(json{{"model_type", "foo_moe"}, {"wrapper", json{{"inner", nested}}}}) == values(flat));
    // A draft model does not change the model.
    json draft = flat;
    draft["draft"] = json{{"hidden_size", 64}, {"num_hidden_layers", 1}, {"sliding_window", 128}};
    CHECK(values(draft) == values(flat));
    // Two objects that differ are refused, as it is not known which one counts.
    json twice = nested;
    twice["other_moe"] = json{{"n_routed_experts", 64}};
    Problems problems;
    import_hf_config(twice.dump(), "foo", problems);
    CHECK_FALSE(problems.empty());
}

TEST_CASE("config.json: an unknown architecture is refused if a field that changes sizes is not read",
          "[hf]") {
    const auto reason = [](const std::string& fields) {
        Problems problems;
        const std::string config = R"({"hidden_size": 1024, "num_hidden_layers": 4, "vocab_size": 1000,
            "intermediate_size": 4096, "num_attention_heads": 8, )" +
                                   fields + "}";
        const ImportedModel model = import_hf_config(config, "", problems);
        CHECK(model.preset.empty() != problems.empty());
        return problems.empty() ? std::string() : problems.front().text();
    };
    const auto names = [&](const std::string& fields, const char* text) {
        INFO(fields);
        CHECK(reason(fields).find(text) != std::string::npos);
    };
    // Step 3, LongCat, Llama 3.2 Vision, Nemotron NAS, MiMo V2 and Gemma 4; a part of a part is read, too.
    names(R"("model_type": "step3_text", "moe_num_experts": 48, "moe_layers_enum": "4,5,6")",
          "/moe_layers_enum: the architecture “step3_text” is not known");
    names(R"("model_type": "longcat_flash", "n_routed_experts": 512, "expert_ffn_hidden_size": 2048)",
          "/expert_ffn_hidden_size");
    names(R"("model_type": "mllama_text_model", "cross_attention_layers": [3, 8])",
          "/cross_attention_layers");
    names(R"("model_type": "nemotron-nas", "block_configs": [{"ffn": {}}])", "/block_configs");
    names(R"("model_type": "mimo_v2_flash", "hybrid_layer_pattern": [0, 1])", "/hybrid_layer_pattern");
    names(R"("model_type": "new", "global_head_dim": 512)", "/global_head_dim");
    names(R"("model_type": "new", "ffn_config": {"ffn_hidden_size": 512})", "/ffn_config");
    names(R"("model_type": "new", "inner": {"moe_every": 2})", "/inner/moe_every");
    // EXAONE 4's pattern of windows, Ouro's repeated layers and Reformer's attention.
    names(R"("model_type": "exaone4", "sliding_window": 4096, "sliding_window_pattern": "LLLG")",
          "/sliding_window_pattern");
    CHECK(reason(R"("model_type": "exaone4", "sliding_window": 4096, "sliding_window_pattern": "LLLG",
        "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"])")
              .empty());
    // StripedHyena has attention in some layers only.
    names(R"("model_type": "stripedhyena", "attn_layer_idxs": [1, 3], "hyena_filter_groups": 1)",
          "/attn_layer_idxs");
    names(R"("model_type": "ouro", "total_ut_steps": 4)", "/total_ut_steps");
    names(R"("model_type": "reformer", "attn_layers": ["local", "lsh"])", "/attn_layers");
    // Gemma 3n's embeddings of every layer, Transformer-XL's classes of words, MusicGen's codes and Decision
    // Transformer's states; flash-linear-attention's layers with a state.
    names(R"("model_type": "gemma3n_text", "hidden_size_per_layer_input": 256)",
          "/hidden_size_per_layer_input");
    names(R"("model_type": "gemma3n_text", "num_kv_shared_layers": 15)", "/num_kv_shared_layers");
    names(R"("model_type": "transfo-xl", "cutoffs": [20000])", "/cutoffs");
    names(R"("model_type": "musicgen_decoder", "num_codebooks": 4)", "/num_codebooks");
    names(R"("model_type": "decision_transformer", "state_dim": 11)", "/state_dim");
    names(R"("model_type": "gsa", "use_short_conv": false)", "recurrent architecture");
    // Linear layers of unknown sizes.
    for (const char* field : {"linear_num_key_heads", "full_attention_interval"})
        names(std::string(R"("model_type": "new", ")") + field + "\": 4", "recurrent architecture");
    names(R"("model_type": "new", "attn_type_list": [0, 1])", "recurrent architecture");
    // Encoders.
    names(R"("model_type": "albert")", "“albert” is an encoder");
    names(R"("model_type": "deberta-v2")", "/model_type");
    names(R"("model_type": "new", "architectures": ["NewForMaskedLM"])", "“NewForMaskedLM” is an encoder");
    names(R"("model_type": "new", "architectures": ["NewForCTC"])", "/architectures");
    names(R"("model_type": "t5", "num_decoder_layers": 4)", "encoder and a decoder");
    names(
        R"("model_type": "bert", "max_position_embeddings": 512, "position_embedding_type": "relative_key")",
        "/position_embedding_type");
    names(R"("model_type": "gpt2", "n_positions": 8, "add_cross_attention": true)", "/add_cross_attention");
    // What says nothing about sizes is no reason.
    CHECK(reason(R"("model_type": "new", "moe_loss_coef": 0.1, "expert_dtype": "fp8", "moe_capacity": 2,
        "use_moe": false, "num_experts_per_tok": null, "vision_config": {"moe": 1}, "moe_gate": "topk",
        "add_cross_attention": false, "router_aux_loss_coef": 0.001, "inner": {"moe": []})")
              .empty());
    CHECK(reason(R"("model_type": "new", "num_experts": 8, "num_local_experts": 8, "num_shared_experts": 1,
        "moe_intermediate_size": 64, "moe_shared_expert_intermediate_size": 64, "num_experts_per_tok": 2)")
              .empty());
    // Two numbers of experts that differ.
    names(R"("model_type": "new", "num_experts": 8, "num_local_experts": 4, "num_experts_per_tok": 2)",
          "/num_local_experts");
}
