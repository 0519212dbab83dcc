#include "presets/hf_config.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/hf_imported.h"

using namespace shardscope;
using namespace shardscope::testing;
using nlohmann::json;

TEST_CASE("config.json: a default replaces a missing field, but not a null", "[hf]") {
    ImportedModel model;
    const auto values = [&](const char* config) {
        imported(config, model);
        return json::parse(model.preset)["values"];
    };
    CHECK(values(R"({"model_type": "mistral"})")["kv_heads"] == 8);
    CHECK(values(R"({"model_type": "mistral"})")["attention_window"] == 4096);
    const json none =
        values(R"({"model_type": "mistral", "num_key_value_heads": null, "sliding_window": null})");
    CHECK(none["kv_heads"] == 32);
    CHECK_FALSE(none.contains("attention_window"));
    // Qwen's window is enabled by a separate field.
    CHECK_FALSE(values(R"({"model_type": "qwen2", "sliding_window": 32768})").contains("attention_window"));
    CHECK(values(R"({"model_type": "qwen2", "use_sliding_window": true})")["attention_window"] == 4096);
    // Alternative names of a field are accepted.
    CHECK(values(R"({"model_type": "qwen3_moe", "num_local_experts": 64})")["experts"] == 64);
    CHECK(defaults_in(model).find("num_experts =") == std::string::npos);
    // A part without a type of its own has the type of the whole.
    CHECK(values(R"({"model_type": "gemma3", "text_config": {"num_hidden_layers": 34}})")["head_size"] ==
          256);
    // The note is stored in the preset.
    CHECK(json::parse(model.preset)["source"].get<std::string>().find("head_dim = 256") != std::string::npos);
    // DeepSeek's own class and that of transformers have different defaults for V2, so none are assumed.
    Problems problems;
    import_hf_config(R"({"model_type": "deepseek_v2"})", "", problems);
    std::string missing;
    for (const Problem& problem : problems) missing += problem.where + " ";
    CHECK(missing == "/num_hidden_layers /vocab_size ");
}

TEST_CASE("config.json: an unknown file is read as far as possible, and the notes name the rest", "[hf]") {
    ImportedModel model;
    const Settings s = imported(R"({"architectures": ["NewForCausalLM"], "model_type": "new",
        "_name_or_path": "someone/New Model_1B", "hidden_size": 2048, "num_hidden_layers": 20,
        "num_attention_heads": 16, "num_key_value_heads": 4, "intermediate_size": 5504, "vocab_size": 32000,
        "hidden_act": "silu", "rms_norm_eps": 1e-6})",
                                model);
    CHECK(model.name == "new-model-1b");
    CHECK(s[P::kv_heads] == 4);
    CHECK(s.choice<Mlp>(P::mlp) == Mlp::gated);
    CHECK(s.choice<Norm>(P::norm) == Norm::rmsnorm);
    const std::string notes = json(model.notes).dump();
    for (const char* words : {"not known", "RMSNorm", "three matrices", "no biases", "two matrices"})
        CHECK(notes.find(words) != std::string::npos);
    // The notes are stored in the preset.
    CHECK(json::parse(model.preset)["source"].get<std::string>().find("RMSNorm") != std::string::npos);

    // The experts are of an unknown kind.
    const Settings sparse = imported(R"({"model_type": "other", "hidden_size": 1024, "num_hidden_layers": 4,
        "num_attention_heads": 8, "vocab_size": 1000, "rms_norm_eps": 1e-6, "num_experts": 8,
        "num_experts_per_tok": 2, "moe_intermediate_size": 512, "intermediate_size": 2048})",
                                     model);
    CHECK(sparse[P::experts] == 8);
    CHECK(sparse[P::expert_ffn_size] == 512);
}

TEST_CASE("config.json: embeddings of an unknown architecture are tied where transformers omits the field",
          "[hf]") {
    ImportedModel model;
    const auto tied = [&](const std::string& fields) {
        const std::string config = R"({"model_type": "new", "hidden_size": 1024, "num_hidden_layers": 2,
            "num_attention_heads": 8, "intermediate_size": 4096, "vocab_size": 1000)" +
                                   fields + "}";
        return imported(config.c_str(), model).on(P::tied_embeddings);
    };
    // transformers, configuration_utils.py: PretrainedConfig has the default true, and files omit defaults.
    CHECK(tied(R"(, "transformers_version": "4.41.0")"));
    CHECK(json(model.notes).dump().find("one matrix") != std::string::npos);
    CHECK_FALSE(tied(""));
    CHECK_FALSE(tied(R"(, "transformers_version": "4.41.0", "tie_word_embeddings": false)"));
    CHECK(tied(R"(, "weight_tying": true)"));
    CHECK_FALSE(tied(R"(, "transformers_version": "4.41.0", "weight_tying": false)"));
}

TEST_CASE("config.json: the names of OLMo's own class are read in its descendants", "[hf]") {
    ImportedModel model;
    // LLaDA 8B, with its published count.
    CHECK(parameters_of(imported(R"({"architectures": ["LLaDAModelLM"], "model_type": "llada",
        "activation_type": "silu", "block_type": "llama", "d_model": 4096, "n_heads": 32, "n_kv_heads": 32,
        "n_layers": 32, "mlp_hidden_size": 12288, "mlp_ratio": 4, "vocab_size": 126464,
        "include_bias": false, "weight_tying": false, "rope": true, "max_sequence_length": 4096,
        "layer_norm_type": "rms", "rms_norm_eps": 1e-05})",
                                 model)) == 8015581184);
    // With SwiGLU the width is that of both matrices together.
    CHECK(imported(R"({"model_type": "hf_olmo", "activation_type": "swiglu", "d_model": 4096, "n_heads": 32,
        "n_layers": 32, "mlp_hidden_size": 22016, "vocab_size": 50280})",
                   model)[P::ffn_size] == 11008);
}

TEST_CASE("config.json: unreadable fields are reported, each by its name", "[hf]") {
    const auto problems_of = [](const char* text) {
        Problems problems;
        const ImportedModel model = import_hf_config(text, "", problems);
        CHECK(model.preset.empty());
        std::string out;
        for (const Problem& problem : problems) out += problem.text() + "\n";
        return out;
    };
    CHECK(problems_of("{").find('1') != std::string::npos);
    CHECK(problems_of("[]").find("is not a config.json") != std::string::npos);
    const std::string missing = problems_of(R"({"model_type": "new", "hidden_size": 4096})");
    for (const char* field : {"/num_hidden_layers", "/num_attention_heads", "/vocab_size"})
        CHECK(missing.find(field) != std::string::npos);
    CHECK(problems_of(R"({"model_type": "llama", "hidden_size": "wide", "num_hidden_layers": 2,
        "num_attention_heads": 2, "vocab_size": 10})")
              .find("/hidden_size: is not a number") != std::string::npos);
    CHECK(problems_of(R"({"model_type": "deepseek_v3", "hidden_size": 128, "num_hidden_layers": 2,
        "num_attention_heads": 2, "vocab_size": 10, "kv_lora_rank": null})")
              .find("/kv_lora_rank") != std::string::npos);
    CHECK(is_hf_config(R"({"model_type": "llama"})"));
    CHECK_FALSE(is_hf_config(R"({"format": "shardscope-scenario", "version": 1})"));
    CHECK_FALSE(is_hf_config("nonsense"));
}

TEST_CASE("import: a negative number of positions counts as none", "[hf]") {
    Problems problems;
    const ImportedModel model = import_hf_config(
        R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": -1,
            "vocab_size": 50257})",
        "config.json", problems);
    REQUIRE(problems.empty());
    CHECK(json::parse(model.preset).at("values").at("learned_positions") == 0);
}

TEST_CASE("config.json: latent attention and normalized queries are read in an unknown architecture",
          "[hf]") {
    ImportedModel model;
    const Settings read = imported(
        R"({"model_type": "nobody_knows", "architectures": ["NobodyKnowsForCausalLM"], "hidden_size": 2048,
            "num_hidden_layers": 27, "num_attention_heads": 16, "num_key_value_heads": 16,
            "intermediate_size": 10944, "vocab_size": 102400, "hidden_act": "silu", "kv_lora_rank": 512,
            "q_lora_rank": null, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
            "use_qk_norm": true})",
        model);
    CHECK(read[P::kv_lora_rank] == 512);
    CHECK(read[P::head_size] == 128);
    CHECK(read[P::rope_head_size] == 64);
    CHECK(read[P::value_head_size] == 128);
    CHECK(read[P::kv_heads] == 16);
    CHECK(read.choice<QkNorm>(P::qk_norm) == QkNorm::head);
    CHECK(model.preset.find("normalized head by head") != std::string::npos);
}
