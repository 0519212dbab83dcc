#include "presets/hf_config.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "presets/hf_families.h"
#include "presets/hf_reader.h"
#include "presets/hf_refusals.h"
#include "presets/router_json.h"
#include "scenario/preset.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope {
namespace {

using hf::Family;
using hf::Reader;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr auto kExpertCounts = {"num_experts", "num_local_experts", "n_routed_experts"};

bool has_experts(Reader& r) { return r.first(kExpertCounts) && r.number(kExpertCounts) > 0; }

// Reads experts of an unknown architecture.
void guessed_experts(Reader& r, const LayerWords& mixers) {
    const double width = r.number({"moe_intermediate_size", "intermediate_size"}, 0);
    hf::experts(
        r, r.number(kExpertCounts, 1),
        r.number({"num_experts_per_tok", "moe_top_k", "num_experts_per_token", "experts_per_token"}, 1),
        width);
    const bool shared =
        r.first({"shared_expert_intermediate_size", "n_shared_experts", "num_shared_experts"});
    if (shared) {
        const double all = r.number({"shared_expert_intermediate_size"},
                                    width * r.number({"n_shared_experts", "num_shared_experts"}));
        r.put("shared_expert_ffn_size", all);
        // Ling 2.0 gives the width of one of them, too.
        const char* one = "moe_shared_expert_intermediate_size";
        if (r.has(one) && r.whole()[one] == width) r.mark_read(one);
    }
    if (!hf::place_experts(r, mixers) && !shared)
        r.note(translate("Every layer is assumed to have experts, none of them shared."));
}

// Reads the fields whose meaning does not depend on the architecture wherever they stand.
void guessed_rest(Reader& r) {
    if (r.has("n_positions")) hf::learned_positions(r);
    if (r.number({"kv_lora_rank"}) > 0) {
        r.put("kv_lora_rank", r.number({"kv_lora_rank"}));
        r.put("q_lora_rank", r.number({"q_lora_rank"}));
        r.put("head_size",
              r.required(translatable("no other field gives a head's width"), {"qk_nope_head_dim"}));
        r.put("rope_head_size", r.number({"qk_rope_head_dim"}));
        r.put("value_head_size", r.number({"v_head_dim"}));
        r.put("kv_heads", r.number({"num_attention_heads"}));
    }
    if (r.has("mlp_bias") && !r.flag("mlp_bias") && r.flag("attention_bias")) r.values["qkv_bias"] = true;
    if (r.flag("use_qk_norm") || r.flag("qk_norm")) {
        r.values["qk_norm"] = "head";
        r.note(translate("Queries and keys are assumed to be normalized head by head."));
    }
    const auto listed = r.has("layer_types") ? layers_of_types(r["layer_types"]) : std::nullopt;
    if (r.has("layer_types") && !listed) {
        r.refuse("layer_types", translate("some of the layer types are not known"));
    } else if (listed) {
        if (std::ranges::find(*listed, "linear") != listed->end() ||
            std::ranges::find(*listed, "mamba2") != listed->end())
            r.refuse("layer_types", translate("the sizes of its linear layers are not known"));
        r.put_pattern(*listed);
        r.mark_read("sliding_window_pattern");  // it says the same
        for (const auto& [kind, field] :
             {std::pair{"sliding", "sliding_window"}, {"chunked", "attention_chunk_size"}})
            if (std::ranges::find(*listed, kind) != listed->end())
                r.put("attention_window", r.number({field}));
    } else {
        hf::attention_window(r);
    }
    if (has_experts(r)) guessed_experts(r, listed.value_or(LayerWords{}));
    hf::prediction_layers(r, {"num_nextn_predict_layers"});
}

// Guesses the properties of an unknown architecture from its fields and adds a note for each guess.
Family guessed(Reader& r) {
    Family out;
    const bool rms = r.has("rms_norm_eps");
    out.layernorm = !rms;
    r.note(rms ? translate("RMSNorm is assumed because the file has an rms_norm_eps.")
               : translate("LayerNorm is assumed."));
    const char* field =
        r.first({"hidden_act", "activation_function", "hidden_activation", "activation_type"});
    const std::string act = field ? r.text(field) : std::string();
    // Experts are gated in all published models but a few with ReLU.
    out.gated = act == "silu" || act == "swiglu" || act == "swish" || (act.empty() && rms) ||
                (has_experts(r) && !act.starts_with("relu"));
    r.note(out.gated ? translate("The feed-forward is assumed to have three matrices (gated).")
                     : translate("The feed-forward is assumed to have two matrices."));
    // A bias of attention alone does not mean that all matrices have one.
    const bool attention_bias = r.flag("attention_bias", !rms);
    out.bias = r.flag("use_bias", r.flag("bias", r.flag("mlp_bias", attention_bias)));
    r.note(out.bias ? translate("Matrices are assumed to have biases.")
                    : translate("Matrices are assumed to have no biases."));
    if (!r.has("tie_word_embeddings")) {
        // transformers writes no field that has its default, and that of this one is true
        // (configuration_utils.py). Other programs have names of their own.
        const char* own = r.first({"weight_tying", "tie_embeddings"});
        out.tied = own ? r.flag(own) : r.has("transformers_version");
        if (!own)
            r.note(out.tied ? translate("Embedding and LM head are assumed to be one matrix, the default of "
                                        "transformers.")
                            : translate("Embedding and LM head are assumed to be two matrices."));
    }
    if (r.has("n_positions")) r.note(translate("Positions are assumed to be learned."));
    out.rest = guessed_rest;
    return out;
}

void read_shape(Reader& r, const Family& family) {
    const double listed = hf::listed_layers(r);
    r.put("layers", listed > 0 ? listed
                               : r.required(translatable("no other field gives the number of layers"),
                                            {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}));
    const double hidden = r.required(translatable("no other field gives the width"),
                                     {"hidden_size", "n_embd", "n_embed", "d_model"});
    r.put("hidden_size", hidden);
    double ffn = r.number(
        {"intermediate_size", "ffn_hidden_size", "n_inner", "d_ff", "ffn_dim", "dff", "mlp_hidden_size"});
    if (ffn <= 0) ffn = r.number({"expansion_ratio", "mlp_ratio"}, 4) * hidden;
    // OLMo's own class (hf_olmo) counts both of the first two matrices.
    if (r.text("activation_type") == "swiglu") ffn /= 2;
    r.put("ffn_size", ffn);
    if (family.attention) {
        const double heads = r.required(translatable("no other field gives the number of heads"),
                                        {"num_attention_heads", "n_head", "n_heads", "num_heads"});
        r.put("heads", heads);
        r.put("kv_heads",
              r.number({"num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads"}, heads));
        if (heads > 0) r.put("head_size", r.number({"head_dim"}, hidden / heads));
    }
    r.put("vocab_size", r.required(translatable("no other field gives the vocabulary"), {"vocab_size"}));
    r.values["mlp"] = family.gated ? "gated" : "plain";
    r.values["norm"] = family.layernorm ? "layernorm" : "rmsnorm";
    r.values["tied_embeddings"] = r.flag("tie_word_embeddings", family.tied);
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

// Returns the longest sequence that the positions were made for, 0 if the file names none. Only what the file
// says counts, not a default of transformers. Learned positions are a parameter of their own; ALiBi (Press et
// al. 2022, arXiv 2108.12409) and attention without positions, as in Nemotron-H, have no such limit.
double context_of(Reader& r) {
    const auto& learned = r.values["learned_positions"];
    const bool none = r.text("position_embedding_type") == "nope" || r.type() == "nemotron_h";
    if (none || !r.has("max_position_embeddings") || r.flag("alibi") || !learned.is_number() || learned != 0)
        return 0;
    return std::max(0.0, std::floor(r.number({"max_position_embeddings"})));
}

// Returns the base of the rotary embeddings, 0 if the file has none. Newer files have it in an object, and
// those of models with windows once for each kind of layer.
double rotary_base_of(Reader& r) {
    double out = r.number({"rope_theta"});
    for (const char* field : {"rope_parameters", "rope_scaling"}) {
        Reader part = r.part(field);
        if (out <= 0) out = part.number({"rope_theta"});
        Reader full = part.part("full_attention");
        if (out <= 0) out = full.number({"rope_theta"});
    }
    return out >= 1 && out <= kLargestRotaryBase ? std::round(out) : 0;
}

// Returns the share of each head's width that rotary embeddings turn, 0 if the file gives none or all of it
// is turned. With a latent, the rotary width is a part of its own. The fields stand where the base does.
double rotary_share_of(Reader& r) {
    if (r.values.contains("kv_lora_rank")) return 0;
    double out = 0;
    for (const char* field : {"rope_parameters", "rope_scaling"}) {
        Reader part = r.part(field);
        if (out <= 0) out = part.number({"partial_rotary_factor"});
        Reader full = part.part("full_attention");
        if (out <= 0) out = full.number({"partial_rotary_factor"});
    }
    if (out <= 0) out = r.number({"partial_rotary_factor", "rotary_pct", "rope_pct"});
    const auto& head = r.values["head_size"];
    if (out <= 0 && head.is_number() && head > 0) out = r.number({"rotary_dim"}) / head.get<double>();
    return out > 0 && out < 1 ? out : 0;
}

// Returns one of kActivations, or an empty text for any other.
std::string activation_of(Reader& r) {
    const char* field =
        r.first({"mlp_hidden_act", "hidden_activation", "hidden_act", "activation_function", "activation"});
    const std::string name = field ? r.text(field) : std::string();
    if (name == "relu2" || name == "relu_squared" || name == "squared_relu") return "squared-relu";
    if (name.starts_with("gelu")) return "gelu";
    if (name == "silu" || name == "swish" || name == "swiglu") return "silu";
    return name == "relu" ? name : std::string();
}

// Returns how the router chooses experts, where the file or the architecture says so.
std::optional<Router> router_of(Reader& r) {
    static constexpr std::array<std::string_view, 5> kSigmoid{"glm4_moe", "llama4_text", "minimax_m2",
                                                              "nemotron_h", "llama4"};
    static constexpr std::array<std::string_view, 11> kSoftmax{
        "mixtral",    "qwen2_moe", "qwen3_moe",   "qwen3_next",       "deepseek_v2", "gpt_oss",
        "granitemoe", "dbrx",      "qwen3_5_moe", "qwen3_5_moe_text", "ernie4_5_moe"};
    if (!r.values.contains("experts")) return std::nullopt;
    Router out;
    const auto is_one_of = [&](const auto& types) {
        return std::ranges::find(types, r.type()) != types.end();
    };
    out.score = r.text("scoring_func");
    if (out.score.empty()) out.score = is_one_of(kSigmoid) ? "sigmoid" : is_one_of(kSoftmax) ? "softmax" : "";
    if (out.score != "sigmoid" && out.score != "softmax") return std::nullopt;
    out.scores_all_experts = out.score == "softmax" && r.has("norm_topk_prob") && !r.flag("norm_topk_prob");
    out.balancing_bias = r.text("topk_method") == "noaux_tc" || r.type() == "glm4_moe" ||
                         r.type() == "nemotron_h" || r.type() == "ernie4_5_moe" || r.flag("use_routing_bias");
    const double scaling = r.number({"routed_scaling_factor"});
    if (scaling > 0 && scaling != 1) out.scaling = scaling;
    // gpt-oss was not trained with the coefficient of 0.9 that its files have.
    if (r.type() != "gpt_oss" && r.first({"router_aux_loss_coef", "aux_loss_alpha"}))
        out.balancing_loss = std::max(0.0, r.number({"router_aux_loss_coef", "aux_loss_alpha"}));
    out.balances_each_sequence = out.balancing_loss > 0 && r.flag("seq_aux");
    // Numbers that no router has are left out with the rest.
    Problems none;
    return read_router(write_router(out), none);
}

// Returns whether the file is one of state-spaces/mamba2, which names neither a type nor an architecture.
// Those with attention in some layers list the layers and give its sizes.
bool is_mamba_ssm(const json& config) {
    const auto is_empty = [&](const char* field) { return !config.contains(field) || config[field].empty(); };
    return !config.contains("model_type") && config.contains("ssm_cfg") && config["ssm_cfg"].is_object() &&
           config["ssm_cfg"].value("layer", json()) == "Mamba2" && is_empty("attn_layer_idx") &&
           is_empty("attn_cfg");
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
    // Most other files contain none of these fields; the first check avoids parsing them.
    static constexpr std::array<std::string_view, 3> kFields{"model_type", "architectures", "ssm_cfg"};
    const auto any = [](const auto& has) { return std::ranges::any_of(kFields, has); };
    if (!any([&](std::string_view field) { return text.find('"' + std::string(field) + '"') != text.npos; }))
        return false;
    Problems none;
    const json config = parse_json(text, none);
    return config.is_object() && !config.contains("format") &&
           any([&](std::string_view field) { return config.contains(field); });
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
    for (const char* shared : {"tie_word_embeddings", "model_type", "transformers_version"}) {
        if (!part.contains(shared) && config.contains(shared)) part[shared] = config[shared];
    }
    if (is_mamba_ssm(part)) part["model_type"] = "mamba_ssm";
    const std::string type = text_at(part, "model_type");
    const Family* known = hf::family_of_type(type);
    const bool is_part = part != config;
    // A class of transformers under another type is read as that class, but no field may be left over.
    const bool has_own_type = known;
    std::string of_class;
    if (!known) {
        of_class = hf::type_of_classes(part.contains("architectures") ? part : config);
        known = hf::family_of_type(of_class);
        if (known) part["model_type"] = of_class;
    }
    const bool is_known = known;
    const hf::MovedFields moved = is_known ? hf::MovedFields{} : hf::move_fields_up(part);
    Reader reader(part, problems);
    if (is_part && config.contains("vision_config"))
        reader.note(translate("Only the language model is counted, not the vision model."));
    reader.mark_read("model_type");
    if (!is_known && hf::refuses_architecture(reader, config)) return out;
    if (reader.flag("add_cross_attention")) {
        reader.refuse("add_cross_attention", translate("its layers also attend to another model"));
        return out;
    }
    if (reader.flag("is_encoder_decoder")) {
        reader.refuse("is_encoder_decoder", translate("the model has an encoder and a decoder"));
        return out;
    }
    if (is_known && !has_own_type) {
        reader.note(type.empty()
                        ? translate("The file has no model_type; its class is that of {1}.", {of_class})
                        : translate("The model_type “{1}” is not known; its class is that of {2}.",
                                    {type, of_class}));
    } else if (!is_known) {
        reader.note(
            type.empty()
                ? translate("The file has no model_type; the usual fields were read.")
                : translate("The architecture “{1}” is not known; the usual fields were read.", {type}));
        known = hf::family_of_fields(reader);
    }
    const Family family = known ? *known : guessed(reader);
    read_shape(reader, family);
    const double context = context_of(reader);
    const double rotary_base = rotary_base_of(reader);
    const double rotary_share = rotary_share_of(reader);
    const std::optional<Router> router = router_of(reader);
    if (!has_own_type) hf::refuse_unread(reader, part, moved);
    if (!problems.empty()) return out;

    const std::string called = text_at(config, "_name_or_path");
    out.name = preset_name_of(!name.empty() ? name : !called.empty() ? called : type);
    if (out.name.empty()) out.name = "imported-model";
    ordered_json preset{
        {"format", "shardscope-preset"}, {"version", 1}, {"kind", "model"}, {"name", out.name}};
    const std::string& titled = name.empty() ? called : name;
    const std::string title = clean_title(titled.substr(titled.find_last_of('/') + 1));
    preset["title"] = title.empty() ? out.name : title;
    std::string source = type.empty() ? "config.json" : translate("config.json of model_type {1}", {type});
    for (const std::string& note : reader.notes)
        source += ". " + (note.ends_with('.') ? note.substr(0, note.size() - 1) : note);
    preset["source"] = source;
    if (context > 0) preset["context"] = static_cast<long long>(std::min(context, kLongestContext));
    if (rotary_base > 0) preset["rotary_base"] = static_cast<long long>(rotary_base);
    if (rotary_share > 0) preset["rotary_share"] = rotary_share;
    if (router) preset["router"] = write_router(*router);
    if (const std::string activation = activation_of(reader); !activation.empty())
        preset["activation"] = activation;
    preset["values"] = reader.values;
    out.preset = json_text(preset, 2) + "\n";
    out.notes = reader.notes;
    return out;
}

}  // namespace shardscope
