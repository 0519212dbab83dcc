#include "files/hf_config.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "estimate/compiled.h"
#include "model/operators.h"
#include "scenario/catalogue.h"
#include "scenario/scenario.h"

using namespace shardscope;
using nlohmann::json;

namespace {

// A model's own file, as far as it bears on its shape, and how many parameters it is published with.
struct Published {
    const char* name;
    const char* config;
    double parameters;
};

// Shapes from the config.json beside each model's weights on huggingface.co; counts are those of its
// safetensors (of the language model where there is more), or what transformers' `num_parameters` says.
constexpr Published kPublished[] = {
    {"gpt2", R"({"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024,
        "n_ctx": 1024, "vocab_size": 50257, "resid_pdrop": 0.1, "activation_function": "gelu_new"})",
     124439808},
    {"gpt-neox-20b", R"({"model_type": "gpt_neox", "hidden_size": 6144, "intermediate_size": 24576,
        "num_attention_heads": 64, "num_hidden_layers": 44, "vocab_size": 50432, "hidden_act": "gelu_fast",
        "max_position_embeddings": 2048, "tie_word_embeddings": false, "layer_norm_eps": 1e-05})",
     20554567680},
    {"mpt-7b", R"({"model_type": "mpt", "d_model": 4096, "n_heads": 32, "n_layers": 32, "expansion_ratio": 4,
        "vocab_size": 50432, "max_seq_len": 2048, "no_bias": true,
        "attn_config": {"alibi": true, "qk_ln": false, "attn_type": "multihead_attention"}})",
     6649286656},
    {"falcon-7b", R"({"model_type": "falcon", "hidden_size": 4544, "num_attention_heads": 71,
        "num_hidden_layers": 32, "vocab_size": 65024, "multi_query": true, "parallel_attn": true,
        "new_decoder_architecture": false, "bias": false, "alibi": false})",
     6921720704},
    {"falcon-40b", R"({"model_type": "falcon", "hidden_size": 8192, "num_attention_heads": 128,
        "num_hidden_layers": 60, "num_kv_heads": 8, "vocab_size": 65024, "multi_query": true,
        "parallel_attn": true, "new_decoder_architecture": true, "bias": false})",
     41303293952},
    {"llama-2-7b", R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008,
        "num_attention_heads": 32, "num_key_value_heads": 32, "num_hidden_layers": 32, "vocab_size": 32000,
        "hidden_act": "silu", "rms_norm_eps": 1e-05, "tie_word_embeddings": false})",
     6738415616},
    {"llama-3-8b", R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
        "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32, "vocab_size": 128256,
        "attention_bias": false, "rms_norm_eps": 1e-05, "tie_word_embeddings": false})",
     8030261248},
    {"llama-3.2-1b",
     R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "head_dim": 64,
        "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 16, "vocab_size": 128256,
        "attention_bias": false, "mlp_bias": false, "tie_word_embeddings": true})",
     1235814400},
    {"llama-4-scout", R"({"model_type": "llama4", "vision_config": {"hidden_size": 1408}, "text_config":
        {"model_type": "llama4_text", "hidden_size": 5120, "intermediate_size": 8192,
        "intermediate_size_mlp": 16384, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
        "num_hidden_layers": 48, "vocab_size": 202048, "num_local_experts": 16, "num_experts_per_tok": 1,
        "interleave_moe_layer_step": 1, "attention_chunk_size": 8192, "tie_word_embeddings": false}})",
     107769861120},
    {"llama-4-maverick", R"({"model_type": "llama4", "vision_config": {"hidden_size": 1408}, "text_config":
        {"model_type": "llama4_text", "hidden_size": 5120, "intermediate_size": 8192,
        "intermediate_size_mlp": 16384, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
        "num_hidden_layers": 48, "vocab_size": 202048, "num_local_experts": 128, "num_experts_per_tok": 1,
        "interleave_moe_layer_step": 2, "tie_word_embeddings": false}})",
     400711848960},
    {"mistral-7b", R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336,
        "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32, "vocab_size": 32000,
        "sliding_window": 4096, "tie_word_embeddings": false})",
     7241732096},
    {"mixtral-8x7b", R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
        "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 32, "vocab_size": 32000,
        "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": null,
        "tie_word_embeddings": false})",
     46702792704},
    {"qwen2-7b", R"({"model_type": "qwen2", "hidden_size": 3584, "intermediate_size": 18944,
        "num_attention_heads": 28, "num_key_value_heads": 4, "num_hidden_layers": 28, "vocab_size": 152064,
        "sliding_window": 131072, "use_sliding_window": false, "tie_word_embeddings": false})",
     7615616512},
    {"qwen1.5-moe-a2.7b", R"({"model_type": "qwen2_moe", "hidden_size": 2048, "intermediate_size": 5632,
        "moe_intermediate_size": 1408, "shared_expert_intermediate_size": 5632, "num_experts": 60,
        "num_experts_per_tok": 4, "num_attention_heads": 16, "num_key_value_heads": 16,
        "num_hidden_layers": 24, "vocab_size": 151936, "decoder_sparse_step": 1,
        "use_sliding_window": false, "sliding_window": 32768, "tie_word_embeddings": false})",
     14315784192},
    {"qwen3-8b", R"({"model_type": "qwen3", "hidden_size": 4096, "intermediate_size": 12288, "head_dim": 128,
        "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 36, "vocab_size": 151936,
        "attention_bias": false, "use_sliding_window": false, "sliding_window": null,
        "tie_word_embeddings": false})",
     8190735360},
    {"qwen3-30b-a3b", R"({"model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144,
        "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "head_dim": 128,
        "num_attention_heads": 32, "num_key_value_heads": 4, "num_hidden_layers": 48, "vocab_size": 151936,
        "decoder_sparse_step": 1, "mlp_only_layers": [], "use_sliding_window": false,
        "tie_word_embeddings": false})",
     30532122624},
    {"gemma-7b", R"({"model_type": "gemma", "hidden_size": 3072, "intermediate_size": 24576, "head_dim": 256,
        "num_attention_heads": 16, "num_key_value_heads": 16, "num_hidden_layers": 28, "vocab_size": 256000,
        "hidden_act": "gelu", "rms_norm_eps": 1e-06})",
     8537680896},
    {"gemma-2-9b", R"({"model_type": "gemma2", "hidden_size": 3584, "intermediate_size": 14336,
        "head_dim": 256, "num_attention_heads": 16, "num_key_value_heads": 8, "num_hidden_layers": 42,
        "vocab_size": 256000, "sliding_window": 4096})",
     9241705984},
    {"gemma-3-1b", R"({"model_type": "gemma3_text", "hidden_size": 1152, "intermediate_size": 6912,
        "head_dim": 256, "num_attention_heads": 4, "num_key_value_heads": 1, "num_hidden_layers": 26,
        "vocab_size": 262144, "sliding_window": 512, "sliding_window_pattern": 6})",
     999885952},
    {"phi-2", R"({"model_type": "phi", "hidden_size": 2560, "intermediate_size": 10240,
        "num_attention_heads": 32, "num_key_value_heads": 32, "num_hidden_layers": 32, "vocab_size": 51200,
        "resid_pdrop": 0.1, "hidden_act": "gelu_new", "tie_word_embeddings": false})",
     2779683840},
    {"phi-3-mini", R"({"model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192,
        "num_attention_heads": 32, "num_key_value_heads": 32, "num_hidden_layers": 32, "vocab_size": 32064,
        "sliding_window": 2047, "tie_word_embeddings": false})",
     3821079552},
    {"phi-4", R"({"model_type": "phi3", "hidden_size": 5120, "intermediate_size": 17920,
        "num_attention_heads": 40, "num_key_value_heads": 10, "num_hidden_layers": 40, "vocab_size": 100352,
        "sliding_window": null, "tie_word_embeddings": false})",
     14659507200},
    {"deepseek-v2-lite", R"({"model_type": "deepseek_v2", "hidden_size": 2048, "intermediate_size": 10944,
        "moe_intermediate_size": 1408, "n_routed_experts": 64, "n_shared_experts": 2,
        "num_experts_per_tok": 6, "first_k_dense_replace": 1, "num_attention_heads": 16,
        "num_key_value_heads": 16, "num_hidden_layers": 27, "vocab_size": 102400, "q_lora_rank": null,
        "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "tie_word_embeddings": false})",
     15706484224},
    {"deepseek-v3", R"({"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432,
        "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1,
        "num_experts_per_tok": 8, "first_k_dense_replace": 3, "num_attention_heads": 128,
        "num_key_value_heads": 128, "num_hidden_layers": 61, "vocab_size": 129280, "q_lora_rank": 1536,
        "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "num_nextn_predict_layers": 1, "tie_word_embeddings": false})",
     // The checkpoint's 671026419200 less the 58 × 256 balancing biases of the routers
     // (e_score_correction_bias), which no gradient trains; the shipped preset says so, too.
     671026404352},
    {"olmo-7b", R"({"model_type": "olmo", "hidden_size": 4096, "intermediate_size": 11008,
        "num_attention_heads": 32, "num_key_value_heads": 32, "num_hidden_layers": 32, "vocab_size": 50304,
        "attention_bias": false, "tie_word_embeddings": false})",
     6888095744},
    {"olmo-2-7b", R"({"model_type": "olmo2", "hidden_size": 4096, "intermediate_size": 11008,
        "num_attention_heads": 32, "num_key_value_heads": 32, "num_hidden_layers": 32, "vocab_size": 100352,
        "attention_bias": false, "tie_word_embeddings": false})",
     7298617344},
    {"olmoe-1b-7b", R"({"model_type": "olmoe", "hidden_size": 2048, "intermediate_size": 1024,
        "num_attention_heads": 16, "num_key_value_heads": 16, "num_hidden_layers": 16, "vocab_size": 50304,
        "num_experts": 64, "num_experts_per_tok": 8, "tie_word_embeddings": false})",
     6919161856},
};

Settings imported(const char* config, ImportedModel& model) {
    Problems problems;
    model = import_hf_config(config, "", problems);
    CAPTURE(problems.empty() ? "" : problems.front().text());
    REQUIRE(problems.empty());
    Catalogue catalogue = Catalogue::with_folder({}, problems);
    const Preset* preset = catalogue.add(model.preset, "config.json", problems);
    CAPTURE(problems.empty() ? "" : problems.front().text());
    REQUIRE(preset);
    return resolve(with_model(Scenario::first_launch(catalogue), *preset));
}

double parameters_of(const Settings& settings) {
    OperatorList operators;
    build_transformer(settings, operators);
    return operators.parameters();
}

}  // namespace

TEST_CASE("config.json: every family has its published number of parameters", "[hf]") {
    for (const Published& published : kPublished) {
        INFO(published.name);
        ImportedModel model;
        CHECK(parameters_of(imported(published.config, model)) == published.parameters);
    }
}

TEST_CASE("config.json: a shipped model's file becomes the shipped model", "[hf]") {
    for (const char* name : {"llama-3-8b", "mixtral-8x7b", "qwen2-7b", "qwen3-8b", "qwen3-30b-a3b",
                             "gemma-7b", "deepseek-v3", "llama-2-7b"}) {
        INFO(name);
        const auto published =
            std::find_if(std::begin(kPublished), std::end(kPublished),
                         [&](const Published& one) { return std::string_view(one.name) == name; });
        REQUIRE(published != std::end(kPublished));
        const Preset* shipped = Catalogue::shipped().find(PresetKind::model, name);
        REQUIRE(shipped);
        ImportedModel model;
        const Settings mine = imported(published->config, model);
        const Settings theirs = resolve(with_model(Scenario::first_launch(Catalogue::shipped()), *shipped));
        for (std::size_t i = 0; i < kParameters; ++i) {
            const P id = static_cast<P>(i);
            if (parameter(id).group != Group::model) continue;
            INFO(parameter(id).key);
            CHECK(mine[id] == theirs[id]);
        }
    }
}

TEST_CASE("config.json: what is not known is read as far as it goes, and said", "[hf]") {
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
    for (const char* said : {"not known", "RMSNorm", "three matrices", "no biases", "two matrices"})
        CHECK(notes.find(said) != std::string::npos);
    // They stay with the preset.
    CHECK(json::parse(model.preset)["source"].get<std::string>().find("RMSNorm") != std::string::npos);

    // Experts of an unknown kind.
    const Settings sparse = imported(R"({"model_type": "other", "hidden_size": 1024, "num_hidden_layers": 4,
        "num_attention_heads": 8, "vocab_size": 1000, "rms_norm_eps": 1e-6, "num_experts": 8,
        "num_experts_per_tok": 2, "moe_intermediate_size": 512, "intermediate_size": 2048})",
                                     model);
    CHECK(sparse[P::experts] == 8);
    CHECK(sparse[P::expert_ffn_size] == 512);
}

TEST_CASE("config.json: what cannot be read is said, each field by its name", "[hf]") {
    const auto problems_of = [](const char* text) {
        Problems problems;
        const ImportedModel model = import_hf_config(text, "", problems);
        CHECK(model.preset.empty());
        std::string out;
        for (const Problem& problem : problems) out += problem.text() + "\n";
        return out;
    };
    CHECK(problems_of("{").find("1") != std::string::npos);
    CHECK(problems_of("[]").find("no config.json") != std::string::npos);
    const std::string missing = problems_of(R"({"model_type": "llama", "hidden_size": 4096})");
    for (const char* field : {"/num_hidden_layers", "/num_attention_heads", "/vocab_size"})
        CHECK(missing.find(field) != std::string::npos);
    CHECK(problems_of(R"({"model_type": "llama", "hidden_size": "wide", "num_hidden_layers": 2,
        "num_attention_heads": 2, "vocab_size": 10})")
              .find("/hidden_size: is no number") != std::string::npos);
    CHECK(problems_of(R"({"model_type": "deepseek_v3", "hidden_size": 128, "num_hidden_layers": 2,
        "num_attention_heads": 2, "vocab_size": 10})")
              .find("/kv_lora_rank") != std::string::npos);
    CHECK(is_hf_config(R"({"model_type": "llama"})"));
    CHECK_FALSE(is_hf_config(R"({"format": "shardscope-scenario", "version": 1})"));
    CHECK_FALSE(is_hf_config("nonsense"));
}
