#include "presets/hf_config.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "presets/hf_defaults.h"
#include "presets/json_values.h"
#include "text/encode.h"
#include "text/text.h"
#include "text/translate.h"
#include "text/units.h"

namespace shardscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Reads fields of the config and collects the values and notes of the preset.
class Reader {
  public:
    Reader(const json& config, Problems& problems)
        : config_(config), problems_(problems), type_(text("model_type")) {}

    ordered_json values;
    std::vector<std::string> notes;

    [[nodiscard]] bool has(const char* field) const {
        return config_.contains(field) && !config_[field].is_null();
    }
    [[nodiscard]] const json& operator[](const char* field) const { return config_[field]; }
    // Returns the first of the fields that is present, or nullptr.
    [[nodiscard]] const char* first(std::initializer_list<const char*> fields) const {
        for (const char* field : fields) {
            if (has(field)) return field;
        }
        return nullptr;
    }
    // Returns the default of the configuration class if the file has none of the fields, and `otherwise` if
    // the class has no default.
    double number(std::initializer_list<const char*> fields, double otherwise = 0) {
        const char* field = first(fields);
        if (!field) return default_of(fields).value_or(otherwise);
        if (config_[field].is_number()) return config_[field].get<double>();
        problems_.push_back({std::string("/") + field, translate("is not a number"), "",
                             translate("give the file as it was published")});
        return otherwise;
    }
    [[nodiscard]] bool flag(const char* field, bool otherwise = false) const {
        if (!has(field)) return usual_flag(field, otherwise);
        if (config_[field].is_boolean()) return config_[field].get<bool>();
        problems_.push_back({std::string("/") + field, translate("is neither true nor false"), "",
                             translate("give the file as it was published")});
        return otherwise;
    }
    [[nodiscard]] std::string text(const char* field) const { return text_at(config_, field); }
    // Returns a number for which only the default of the class can be substituted; `why` is the explanation
    // in the message if there is neither.
    double required(const char* why, std::initializer_list<const char*> fields) {
        if (first(fields)) return number(fields);
        if (const auto usual = default_of(fields)) return *usual;
        problems_.push_back({std::string("/") + *fields.begin(), translate("is missing"), translate(why),
                             translate("give a model's whole config.json")});
        return 0;
    }
    [[nodiscard]] bool usual_flag(const char* field, bool otherwise = false) const {
        const auto usual = hf_default(type_, field);
        return usual ? *usual != 0 : otherwise;
    }
    void note(std::string sentence) { notes.push_back(std::move(sentence)); }
    // Adds a note with the defaults that were used. Flags are not listed, because every file omits some of
    // them.
    void note_defaults() {
        std::string all;
        for (const std::string& one : defaults_used_) all += (all.empty() ? "" : ", ") + one;
        if (!all.empty())
            note(translate("Fields that the file omits have the defaults of transformers: {1}.", {all}));
    }
    void put(const char* field, double value) {
        if (value == std::floor(value) && std::fabs(value) < 1e15)
            values[field] = static_cast<long long>(value);
        else values[field] = value;
    }

  private:
    // Returns the default of the class if none of the fields is present. A field that is null counts as
    // present, because the class then computes its value.
    std::optional<double> default_of(std::initializer_list<const char*> fields) {
        if (std::ranges::any_of(fields, [&](const char* field) { return config_.contains(field); }))
            return std::nullopt;
        for (const char* field : fields) {
            const auto usual = hf_default(type_, field);
            if (!usual) continue;
            const std::string used = std::string(field) + " = " + exact(*usual);
            if (std::ranges::find(defaults_used_, used) == defaults_used_.end())
                defaults_used_.push_back(used);
            return usual;
        }
        return std::nullopt;
    }

    const json& config_;
    Problems& problems_;
    std::string type_;
    std::vector<std::string> defaults_used_;
};

// The properties of a family that its files do not contain.
struct Family {
    std::vector<std::string_view> types;  // `model_type`
    bool gated = false;
    bool layernorm = false;
    bool bias = false;                   // all matrices have biases
    bool qkv_bias = false;               // only query, key and value have biases
    const char* norm_weights = nullptr;  // null: derived from the biases
    int layer_norms = 2;
    const char* qk_norm = "none";
    void (*rest)(Reader&) = nullptr;
};

// A number below zero counts as none.
void put_positions(Reader& r, std::initializer_list<const char*> fields) {
    r.put("learned_positions", std::max(0.0, r.number(fields)));
}

void learned_positions(Reader& r) { put_positions(r, {"n_positions", "max_position_embeddings"}); }

void attention_window(Reader& r) {
    if (!r.flag("use_sliding_window", true)) return;
    const double window = r.number({"sliding_window"});
    if (window > 0) r.put("attention_window", window);
}

void some_layers_windowed(Reader& r) {
    if (r.number({"sliding_window"}) > 0)
        r.note(translate("Some layers use sliding-window attention; all are counted with full attention."));
}

void experts(Reader& r, double count, double top, double width) {
    r.put("experts", count);
    r.put("experts_per_token", top);
    r.put("expert_ffn_size", width);
    r.put("dense_layers", 0);
}

void gpt2(Reader& r) {
    learned_positions(r);
    r.values["dropout"] = r.number({"resid_pdrop"}) > 0;
}

void gpt_neox(Reader& r) {
    r.values["bias"] = r.flag("attention_bias");
    r.values["dropout"] = r.number({"hidden_dropout"}) > 0;
    if (r.flag("use_parallel_residual"))
        r.note(translate("Attention and feed-forward run in parallel; they are counted as sequential."));
}

void mpt(Reader& r) {
    r.values["bias"] = !r.flag("no_bias");
    const json attention = r.has("attn_config") ? r["attn_config"] : json::object();
    const auto on = [&](const char* field) {
        if (attention.is_object() && attention.contains(field)) return attention[field] == true;
        return r.usual_flag(field);
    };
    if (on("qk_ln")) r.values["qk_norm"] = "whole";
    if (!on("alibi") && !on("rope") && r.flag("learned_pos_emb")) put_positions(r, {"max_seq_len"});
    if (attention.is_object() && attention.value("kv_n_heads", json()).is_number())
        r.put("kv_heads", attention["kv_n_heads"].get<double>());
}

void falcon(Reader& r) {
    r.values["bias"] = r.flag("bias");
    const bool parallel = r.flag("parallel_attn");
    if (r.flag("new_decoder_architecture")) {
        r.put("layer_norms", r.number({"num_ln_in_parallel_attn"}, 2));
    } else {
        if (r.flag("multi_query")) r.put("kv_heads", 1);
        r.put("layer_norms", parallel ? 1 : 2);
    }
    if (parallel)
        r.note(translate("Attention and feed-forward run in parallel; they are counted as sequential."));
}

void llama(Reader& r) {
    const bool attention = r.flag("attention_bias");
    const bool feed_forward = r.flag("mlp_bias");
    if (attention && feed_forward) {
        r.values["bias"] = true;
        r.values["norm_weights"] = "scale";
    } else if (attention || feed_forward) {
        r.values["qkv_bias"] = attention;
        r.note(attention ? translate("The bias of attention's output is not counted.")
                         : translate("The biases of the feed-forward are not counted."));
    }
    attention_window(r);
}

void llama4(Reader& r) {
    const double layers = r.number({"num_hidden_layers"});
    const double step = r.number({"interleave_moe_layer_step"});
    const double width =
        r.required(translatable("no other field gives the experts' width"), {"intermediate_size"});
    experts(r, r.number({"num_local_experts"}), r.number({"num_experts_per_tok"}), width);
    r.put("shared_expert_ffn_size", width);
    r.put("ffn_size", r.number({"intermediate_size_mlp"}));
    if (step > 1) {
        r.put("dense_layers", layers - std::floor(layers / step));
        r.note(translate("Dense and expert layers alternate; the dense ones are assumed to come first."));
    }
    if (r.number({"attention_chunk_size"}) > 0)
        r.note(translate("Most layers use chunked attention; all are counted with full attention."));
}

void mixtral(Reader& r) {
    experts(r, r.number({"num_local_experts"}), r.number({"num_experts_per_tok"}),
            r.number({"intermediate_size"}));
    attention_window(r);
}

// Counts the layers without experts that a list or a stride defines.
void sparse_from(Reader& r, const char* step_field) {
    const double step = r.number({step_field});
    const double layers = r.number({"num_hidden_layers"});
    double dense = step > 1 ? layers - std::floor(layers / step) : 0;
    if (r.has("mlp_only_layers") && r["mlp_only_layers"].is_array())
        dense += static_cast<double>(r["mlp_only_layers"].size());
    if (dense > 0) {
        r.put("dense_layers", dense);
        r.note(translate("All layers without experts are assumed to come first."));
    }
}

void qwen2_moe(Reader& r) {
    experts(r, r.number({"num_experts"}), r.number({"num_experts_per_tok"}),
            r.number({"moe_intermediate_size"}));
    r.put("shared_expert_ffn_size", r.number({"shared_expert_intermediate_size"}));
    r.values["shared_expert_gate"] = true;
    sparse_from(r, "decoder_sparse_step");
    attention_window(r);
}

void qwen3_moe(Reader& r) {
    // Version 5 of transformers writes num_experts under the name num_local_experts.
    experts(r, r.number({"num_experts", "num_local_experts"}), r.number({"num_experts_per_tok"}),
            r.number({"moe_intermediate_size"}));
    sparse_from(r, "decoder_sparse_step");
    attention_window(r);
}

void phi(Reader& r) {
    r.values["head_bias"] = true;
    r.values["dropout"] = r.number({"resid_pdrop"}) > 0;
    r.note(translate("Attention and feed-forward run in parallel; they are counted as sequential."));
}

void deepseek(Reader& r) {
    const double rank =
        r.required(translatable("no other field gives the rank of keys and values"), {"kv_lora_rank"});
    r.put("kv_lora_rank", rank);
    r.put("q_lora_rank", r.number({"q_lora_rank"}));
    r.put("head_size", r.required(translatable("no other field gives a head's width"), {"qk_nope_head_dim"}));
    r.put("rope_head_size",
          r.required(translatable("no other field gives a head's rotary width"), {"qk_rope_head_dim"}));
    r.put("value_head_size", r.required(translatable("no other field gives a head's width"), {"v_head_dim"}));
    r.put("kv_heads", r.number({"num_attention_heads"}));
    if (r.number({"n_routed_experts"}) > 0) {
        const double width =
            r.required(translatable("no other field gives the experts' width"), {"moe_intermediate_size"});
        experts(r, r.number({"n_routed_experts"}), r.number({"num_experts_per_tok"}, 1), width);
        r.put("shared_expert_ffn_size", r.number({"n_shared_experts"}) * width);
        r.put("dense_layers", r.number({"first_k_dense_replace"}));
    }
    if (r.number({"num_nextn_predict_layers"}) > 0)
        r.note(translate("The multi-token prediction module is not counted."));
}

void olmoe(Reader& r) {
    experts(r, r.number({"num_experts"}), r.number({"num_experts_per_tok"}), r.number({"intermediate_size"}));
}

void starcoder2(Reader& r) {
    r.values["bias"] = r.flag("use_bias");
    attention_window(r);
}

void gemma3(Reader& r) { some_layers_windowed(r); }

const std::vector<Family>& families() {
    static const std::vector<Family> all{
        {.types = {"gpt2"}, .layernorm = true, .bias = true, .rest = gpt2},
        {.types = {"gpt_neox"}, .layernorm = true, .bias = true, .rest = gpt_neox},
        {.types = {"mpt"}, .layernorm = true, .rest = mpt},
        {.types = {"falcon", "RefinedWeb", "RefinedWebModel"},
         .layernorm = true,
         .norm_weights = "scale-and-bias",
         .rest = falcon},
        {.types = {"llama", "mistral"}, .gated = true, .rest = llama},
        {.types = {"llama4", "llama4_text"}, .gated = true, .rest = llama4},
        {.types = {"mixtral"}, .gated = true, .rest = mixtral},
        {.types = {"qwen2"}, .gated = true, .qkv_bias = true, .rest = attention_window},
        {.types = {"qwen2_moe"}, .gated = true, .qkv_bias = true, .rest = qwen2_moe},
        {.types = {"qwen3"}, .gated = true, .qk_norm = "head", .rest = attention_window},
        {.types = {"qwen3_moe"}, .gated = true, .qk_norm = "head", .rest = qwen3_moe},
        {.types = {"gemma"}, .gated = true},
        {.types = {"gemma2"}, .gated = true, .layer_norms = 4, .rest = some_layers_windowed},
        {.types = {"gemma3", "gemma3_text"},
         .gated = true,
         .layer_norms = 4,
         .qk_norm = "head",
         .rest = gemma3},
        {.types = {"phi"}, .layernorm = true, .bias = true, .layer_norms = 1, .rest = phi},
        {.types = {"phi3"}, .gated = true, .rest = attention_window},
        {.types = {"deepseek_v2", "deepseek_v3"}, .gated = true, .rest = deepseek},
        {.types = {"olmo"}, .gated = true, .layernorm = true, .norm_weights = "none"},
        {.types = {"olmo2"}, .gated = true, .qk_norm = "whole"},
        {.types = {"olmoe"}, .gated = true, .qk_norm = "whole", .rest = olmoe},
        {.types = {"starcoder2"}, .layernorm = true, .bias = true, .rest = starcoder2},
    };
    return all;
}

// Guesses the properties of an unknown architecture from its fields and adds a note for each guess.
Family guessed(Reader& r) {
    Family out;
    const bool rms = r.has("rms_norm_eps");
    out.layernorm = !rms;
    r.note(rms ? translate("RMSNorm is assumed because the file has an rms_norm_eps.")
               : translate("LayerNorm is assumed."));
    const char* field = r.first({"hidden_act", "activation_function", "hidden_activation"});
    const std::string act = field ? r.text(field) : std::string();
    out.gated = act == "silu" || act == "swiglu" || act == "swish" || (act.empty() && rms);
    r.note(out.gated ? translate("The feed-forward is assumed to have three matrices (gated).")
                     : translate("The feed-forward is assumed to have two matrices."));
    out.bias = r.flag("use_bias", r.flag("bias", r.flag("attention_bias", !rms)));
    r.note(out.bias ? translate("Matrices are assumed to have biases.")
                    : translate("Matrices are assumed to have no biases."));
    if (!r.has("tie_word_embeddings"))
        r.note(translate("Embedding and LM head are assumed to be two matrices."));
    if (r.first({"num_experts", "num_local_experts", "n_routed_experts"})) {
        out.rest = [](Reader& reader) {
            experts(reader, reader.number({"num_experts", "num_local_experts", "n_routed_experts"}, 1),
                    reader.number({"num_experts_per_tok", "moe_top_k", "num_experts_per_token"}, 1),
                    reader.number({"moe_intermediate_size", "intermediate_size"}, 0));
            reader.note(translate("Every layer is assumed to have experts, none of them shared."));
        };
    } else if (r.has("n_positions")) {
        out.rest = learned_positions;
        r.note(translate("Positions are assumed to be learned."));
    }
    return out;
}

void read_shape(Reader& r, const Family& family) {
    r.put("layers", r.required(translatable("no other field gives the number of layers"),
                               {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}));
    const double hidden = r.required(translatable("no other field gives the width"),
                                     {"hidden_size", "n_embd", "n_embed", "d_model"});
    r.put("hidden_size", hidden);
    double ffn = r.number({"intermediate_size", "ffn_hidden_size", "n_inner", "d_ff"});
    if (ffn <= 0) ffn = r.number({"expansion_ratio"}, 4) * hidden;
    r.put("ffn_size", ffn);
    const double heads = r.required(translatable("no other field gives the number of heads"),
                                    {"num_attention_heads", "n_head", "n_heads", "num_heads"});
    r.put("heads", heads);
    r.put("kv_heads", r.number({"num_key_value_heads", "num_kv_heads", "n_head_kv"}, heads));
    if (heads > 0) r.put("head_size", r.number({"head_dim"}, hidden / heads));
    r.put("vocab_size", r.required(translatable("no other field gives the vocabulary"), {"vocab_size"}));
    r.values["mlp"] = family.gated ? "gated" : "plain";
    r.values["norm"] = family.layernorm ? "layernorm" : "rmsnorm";
    r.values["tied_embeddings"] = r.flag("tie_word_embeddings");
    r.put("learned_positions", 0);
    r.values["bias"] = family.bias;
    if (family.qkv_bias) r.values["qkv_bias"] = true;
    if (std::string_view(family.qk_norm) != "none") r.values["qk_norm"] = family.qk_norm;
    if (family.norm_weights) r.values["norm_weights"] = family.norm_weights;
    if (family.layer_norms != 2) r.put("layer_norms", family.layer_norms);
    r.values["dropout"] = false;
    r.values["causal"] = true;
    if (family.rest) family.rest(r);
    r.note_defaults();
}

// Returns the name of the preset: "meta-llama/Meta-Llama-3-8B" → "meta-llama-3-8b".
std::string preset_name(const std::string& text) {
    std::string out;
    for (const char letter : text.substr(text.find_last_of('/') + 1)) {
        const auto c = static_cast<unsigned char>(letter);
        if (std::isalnum(c) || (letter == '.' && !out.empty())) out += static_cast<char>(std::tolower(c));
        else if (!out.empty() && out.back() != '-') out += '-';
    }
    out.resize(std::min(out.size(), kLongestPresetName));
    while (!out.empty() && out.back() == '-') out.pop_back();
    return out;
}

// Returns the config of the language model, which a multimodal model has in one of these fields.
const json& language_part(const json& config) {
    for (const char* part : {"text_config", "llm_config", "language_config"}) {
        if (config.contains(part) && config[part].is_object()) return config[part];
    }
    return config;
}

}  // namespace

bool is_hf_config(std::string_view text) {
    // Most other files contain neither field name; this check avoids parsing them.
    if (text.find("\"model_type\"") == text.npos && text.find("\"architectures\"") == text.npos) return false;
    Problems none;
    const json config = parse_json(text, none);
    return config.is_object() && !config.contains("format") &&
           (config.contains("model_type") || config.contains("architectures"));
}

ImportedModel import_hf_config(std::string_view text, const std::string& name, Problems& problems) {
    ImportedModel out;
    const json config = parse_json(text, problems);
    if (!problems.empty()) return out;
    if (!config.is_object()) {
        problems.push_back({"", translate("is not a config.json"), translate("a JSON object is expected"),
                            translate("give the file next to a model's weights")});
        return out;
    }
    json part = language_part(config);
    // These fields of the whole config also apply to the part.
    for (const char* shared : {"tie_word_embeddings", "model_type"}) {
        if (!part.contains(shared) && config.contains(shared)) part[shared] = config[shared];
    }
    Reader reader(part, problems);
    if (part != config && config.contains("vision_config"))
        reader.note(translate("Only the language model is counted, not the vision model."));
    const std::string type = reader.text("model_type");
    const auto known = std::ranges::find_if(
        families(), [&](const Family& one) { return std::ranges::find(one.types, type) != one.types.end(); });
    if (known == families().end()) {
        reader.note(
            type.empty()
                ? translate("The file has no model_type; the usual fields were read.")
                : translate("The architecture “{1}” is not known; the usual fields were read.", {type}));
    }
    const Family family = known == families().end() ? guessed(reader) : *known;
    read_shape(reader, family);
    if (!problems.empty()) return out;

    const std::string called = text_at(config, "_name_or_path");
    out.name = preset_name(!name.empty() ? name : !called.empty() ? called : type);
    if (out.name.empty()) out.name = "imported-model";
    ordered_json preset{
        {"format", "shardscope-preset"}, {"version", 1}, {"kind", "model"}, {"name", out.name}};
    const std::string title = clean_title(called.substr(called.find_last_of('/') + 1));
    preset["title"] = title.empty() ? out.name : title;
    std::string source = type.empty() ? "config.json" : translate("config.json of model_type {1}", {type});
    for (const std::string& note : reader.notes)
        source += ". " + (note.ends_with('.') ? note.substr(0, note.size() - 1) : note);
    preset["source"] = source;
    preset["values"] = reader.values;
    out.preset = json_text(preset, 2) + "\n";
    out.notes = reader.notes;
    return out;
}

}  // namespace shardscope
