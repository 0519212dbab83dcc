#include "presets/hf_families.h"

#include <algorithm>
#include <cmath>

namespace shardscope::hf {
namespace {

// A number below zero counts as none.
void put_positions(Reader& r, std::initializer_list<const char*> fields) {
    r.put("learned_positions", std::max(0.0, r.number(fields)));
}

// Adds the layers' kinds. Layers without experts have their own words, unless they are the first ones.
void put_experts(Reader& r, const std::vector<bool>& sparse, const LayerWords& mixers) {
    LayerWords kinds;
    for (std::size_t i = 0; i < sparse.size(); ++i)
        kinds.push_back(mixers.empty() ? "full" : mixers[i % mixers.size()]);
    const auto leading = std::ranges::find(sparse, true) - sparse.begin();
    if (std::ranges::count(sparse, false) == leading) {
        r.put("dense_layers", static_cast<double>(leading));
    } else {
        for (std::size_t i = 0; i < sparse.size(); ++i) kinds[i] += sparse[i] ? "/experts" : "/dense";
    }
    r.put_pattern(kinds);
}

}  // namespace

void learned_positions(Reader& r) { put_positions(r, {"n_positions", "max_position_embeddings"}); }

void attention_window(Reader& r) {
    if (!r.flag("use_sliding_window", true)) return;
    const double window = r.number({"sliding_window"});
    if (window > 0) r.put("attention_window", window);
}

double listed_layers(const Reader& r) {
    if (const std::string letters = r.text("hybrid_override_pattern"); !letters.empty())
        return static_cast<double>(letters.size());
    const bool blocks = r.has("layers_block_type") && r["layers_block_type"].is_array();
    return blocks ? static_cast<double>(r["layers_block_type"].size()) : 0;
}

void experts(Reader& r, double count, double top, double width) {
    r.put("experts", count);
    r.put("experts_per_token", top);
    const double groups = r.number({"n_group"}), chosen = r.number({"topk_group"});
    if (groups > 1 && groups <= count && chosen >= 1 && chosen <= groups) {
        r.put("expert_groups", groups);
        r.put("chosen_expert_groups", chosen);
    }
    r.put("expert_ffn_size", width);
    r.put("dense_layers", 0);
}

bool place_experts(Reader& r, const LayerWords& mixers) {
    const double layers = std::min(r.values["layers"].get<double>(), 10'000.0);
    // Qwen's stride starts with the layers without experts, DeepSeek's with those that have them.
    const double step = std::max(1.0, r.number({"decoder_sparse_step"}));
    const bool listed = r.has("moe_layer_freq") && r["moe_layer_freq"].is_array();
    const double frequency = listed ? 1 : std::max(1.0, r.number({"moe_layer_freq"}));
    const double first = r.number({"first_k_dense_replace", "num_dense_layers"});
    std::vector<bool> sparse;
    for (double i = 0; i < layers; ++i)
        sparse.push_back(i >= first && std::fmod(i + 1, step) == 0 && std::fmod(i, frequency) == 0);
    for (std::size_t i = 0; listed && i < sparse.size(); ++i) {
        const json& list = r["moe_layer_freq"];
        sparse[i] = sparse[i] && !list.empty() && list[i % list.size()] != 0;
    }
    if (r.has("mlp_only_layers") && r["mlp_only_layers"].is_array()) {
        for (const json& layer : r["mlp_only_layers"]) {
            if (layer.is_number_unsigned() && layer.get<std::size_t>() < sparse.size())
                sparse[layer.get<std::size_t>()] = false;
        }
    }
    put_experts(r, sparse, mixers);
    return r.first({"decoder_sparse_step", "moe_layer_freq", "first_k_dense_replace", "num_dense_layers",
                    "mlp_only_layers"});
}

void prediction_layers(Reader& r, std::initializer_list<const char*> fields) {
    if (r.number(fields) > 0) r.note(translate("The multi-token prediction module is not counted."));
}

namespace {

// Reads which layers have a window from `layer_types`; without it, every `stride`-th has none.
void windowed_layers(Reader& r, double stride) {
    const double window = r.number({"sliding_window"});
    if (window <= 0) return;
    const auto listed = r.has("layer_types") ? layers_of_types(r["layer_types"]) : std::nullopt;
    if (r.has("layer_types") && !listed)
        r.note(translate("Some layer types are not known; their places follow the usual stride."));
    r.put_pattern(listed ? *listed
                         : strided_layers(r.number({"num_hidden_layers"}), stride, "sliding", "full"));
    if (r.values.contains("layer_pattern")) r.put("attention_window", window);
}

// Reads which layers have a sliding window, if the model uses windows. `layer_types` lists them; without that
// list, they are the layers for which `slides(layer, border)` is true, with `max_window_layers` as the
// border.
template <typename Slides>
void qwen_windows(Reader& r, Slides slides) {
    if (!r.flag("use_sliding_window")) return;
    const double window = r.number({"sliding_window"});
    auto layers = r.has("layer_types") ? layers_of_types(r["layer_types"]) : std::nullopt;
    if (!layers) {
        const double border = r.number({"max_window_layers"}, 28);
        layers = LayerWords{};
        for (double i = 0; i < std::min(r.number({"num_hidden_layers"}), 10'000.0); ++i)
            layers->emplace_back(slides(i, border) ? "sliding" : "full");
    }
    if (window <= 0 || std::ranges::find(*layers, "sliding") == layers->end()) return;
    r.put("attention_window", window);
    if (std::ranges::find(*layers, "full") != layers->end()) r.put_pattern(*layers);
}

// Qwen2 and Qwen3: the layers below the border have no window.
void qwen(Reader& r) {
    qwen_windows(r, [](double layer, double border) { return layer >= border; });
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
    // Every fourth layer has neither rotary embeddings nor chunks.
    const double chunk = r.number({"attention_chunk_size"});
    LayerWords kinds = strided_layers(layers, 4, chunk > 0 ? "chunked" : "full", "full");
    const LayerWords after = strided_layers(layers, std::max(1.0, step), "/dense", "/experts");
    for (std::size_t i = 0; i < kinds.size() && step > 1; ++i) kinds[i] += after[i];
    r.put_pattern(kinds);
    if (chunk > 0) r.put("attention_window", chunk);
}

void mixtral(Reader& r) {
    experts(r, r.number({"num_local_experts"}), r.number({"num_experts_per_tok"}),
            r.number({"intermediate_size"}));
    attention_window(r);
}

void qwen2_moe(Reader& r) {
    experts(r, r.number({"num_experts"}), r.number({"num_experts_per_tok"}),
            r.number({"moe_intermediate_size"}));
    r.put("shared_expert_ffn_size", r.number({"shared_expert_intermediate_size"}));
    r.values["shared_expert_gate"] = true;
    place_experts(r, {});
    // transformers, configuration_qwen2_moe.py: every other layer below the border has a window.
    if (r.flag("use_sliding_window") && r.values.contains("layer_pattern")) {
        attention_window(r);
        return;
    }
    qwen_windows(r, [](double layer, double border) { return layer < border && std::fmod(layer, 2) == 0; });
}

void qwen3_moe(Reader& r) {
    // Version 5 of transformers writes num_experts under the name num_local_experts.
    experts(r, r.number({"num_experts", "num_local_experts"}), r.number({"num_experts_per_tok"}),
            r.number({"moe_intermediate_size"}));
    place_experts(r, {});
    attention_window(r);
}

// The first Qwen, whose field is the sum of the widths of its two first matrices (modeling_qwen.py).
void qwen1(Reader& r) { r.put("ffn_size", std::floor(r.number({"intermediate_size"}) / 2)); }

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
        place_experts(r, {});
    }
    prediction_layers(r, {"num_nextn_predict_layers"});
}

void gpt_oss(Reader& r) {
    r.values["bias"] = r.flag("attention_bias", true);
    r.values["attention_sinks"] = true;
    experts(r, r.number({"num_local_experts"}), r.number({"num_experts_per_tok", "experts_per_token"}),
            r.number({"intermediate_size"}));
    windowed_layers(r, 2);
}

void glm4_moe(Reader& r) {
    const double width = r.number({"moe_intermediate_size"});
    if (r.flag("attention_bias")) r.values["qkv_bias"] = true;
    if (r.flag("use_qk_norm")) r.values["qk_norm"] = "head";
    experts(r, r.number({"n_routed_experts"}), r.number({"num_experts_per_tok"}), width);
    r.put("shared_expert_ffn_size", r.number({"n_shared_experts"}) * width);
    place_experts(r, {});
    prediction_layers(r, {"num_nextn_predict_layers"});
}

// Trinity: attention with a gate, of which every fourth layer has no window.
void afmoe(Reader& r) {
    const double width = r.number({"moe_intermediate_size"});
    experts(r, r.number({"num_experts", "num_local_experts"}), r.number({"num_experts_per_tok"}), width);
    r.put("shared_expert_ffn_size", r.number({"num_shared_experts"}) * width);
    r.values["attention_gate"] = true;
    const auto listed = r.has("layer_types") ? layers_of_types(r["layer_types"]) : std::nullopt;
    r.put("attention_window", r.number({"sliding_window"}));
    place_experts(r, listed ? *listed
                            : strided_layers(r.number({"num_hidden_layers"}),
                                             r.number({"global_attn_every_n_layers"}), "sliding", "full"));
}

// The layers of Qwen3-Next and Qwen3.5: of four, three have gated DeltaNet and one has gated attention.
LayerWords linear_layers(Reader& r) {
    r.values["attention_gate"] = r.flag("attn_output_gate", true);
    r.put("linear_key_heads", r.number({"linear_num_key_heads"}));
    r.put("linear_value_heads", r.number({"linear_num_value_heads"}));
    r.put("linear_key_head_size", r.number({"linear_key_head_dim"}));
    r.put("linear_value_head_size", r.number({"linear_value_head_dim"}));
    r.put("convolution_kernel", r.number({"linear_conv_kernel_dim"}));
    const auto listed = r.has("layer_types") ? layers_of_types(r["layer_types"]) : std::nullopt;
    return listed ? *listed
                  : strided_layers(r.number({"num_hidden_layers"}), r.number({"full_attention_interval"}, 4),
                                   "linear", "full");
}

void qwen3_next(Reader& r) {
    experts(r, r.number({"num_experts", "num_local_experts"}), r.number({"num_experts_per_tok"}),
            r.number({"moe_intermediate_size"}));
    r.put("shared_expert_ffn_size", r.number({"shared_expert_intermediate_size"}));
    r.values["shared_expert_gate"] = true;
    place_experts(r, linear_layers(r));
    prediction_layers(r, {"mtp_num_hidden_layers"});
}

void qwen3_5(Reader& r) {
    r.put_pattern(linear_layers(r));
    prediction_layers(r, {"mtp_num_hidden_layers"});
}

// The sizes of the experts and the key heads of DBRX are in parts of the file.
void dbrx(Reader& r) {
    Reader feed_forward = r.part("ffn_config");
    Reader attention = r.part("attn_config");
    const double width =
        feed_forward.required(translatable("no other field gives the experts' width"), {"ffn_hidden_size"});
    r.put("ffn_size", width);
    experts(r,
            feed_forward.required(translatable("no other field gives the number of experts"),
                                  {"moe_num_experts"}),
            feed_forward.required(translatable("no other field gives a token's experts"), {"moe_top_k"}),
            width);
    r.put("kv_heads", attention.number({"kv_n_heads"}, 1));
}

void ernie_moe(Reader& r) {
    const double width = r.number({"moe_intermediate_size"});
    experts(r, r.number({"moe_num_experts", "num_experts"}), r.number({"moe_k", "num_experts_per_tok"}),
            width);
    r.put("shared_expert_ffn_size", r.number({"moe_num_shared_experts"}) * width);
    r.values["bias"] = r.flag("use_bias");
    const double layers = std::min(r.values["layers"].get<double>(), 10'000.0);
    const double end = r.number({"moe_layer_end_index"}, -1);
    const double interval = std::max(1.0, r.number({"moe_layer_interval"}));
    const double start = r.number({"moe_layer_start_index"});
    std::vector<bool> sparse;
    for (double i = 0; i < layers; ++i)
        sparse.push_back(i >= start && (end < 0 || i <= end) && std::fmod(i + 1, interval) == 0);
    put_experts(r, sparse, {});
}

// BERT and RoBERTa. As in the preset of BERT Base, the norm of the embeddings stands for the final one.
void bert(Reader& r) {
    if (const std::string kind = r.text("position_embedding_type"); !kind.empty() && kind != "absolute")
        r.refuse("position_embedding_type", translate("its relative positions are not known"));
    put_positions(r, {"max_position_embeddings"});
    r.values["causal"] = r.flag("is_decoder");
    r.values["dropout"] = r.number({"hidden_dropout_prob"}) > 0;
    r.note(
        translate("The pooler, the segment embeddings and the matrix before the LM head are not counted."));
}

void gpt_bigcode(Reader& r) {
    gpt2(r);
    if (r.flag("multi_query")) r.put("kv_heads", 1);
}

void minimax_m2(Reader& r) {
    if (r.flag("use_qk_norm")) r.values["qk_norm"] = "whole";
    mixtral(r);
    if (r.flag("use_mtp")) prediction_layers(r, {"num_mtp_modules"});
}

// MiniMax-01 and M1: `attn_type_list` has 0 for lightning attention and 1 for full attention.
void minimax(Reader& r) {
    mixtral(r);
    if (const double shared = r.number({"shared_intermediate_size"}); shared > 0)
        r.put("shared_expert_ffn_size", shared);
    const double heads = r.number({"num_attention_heads"});
    r.put("linear_key_heads", heads);
    r.put("linear_key_head_size", r.number({"head_dim"}, r.number({"hidden_size"}) / std::max(1.0, heads)));
    r.put("convolution_kernel", 0);
    LayerWords kinds;
    if (r.has("attn_type_list") && r["attn_type_list"].is_array()) {
        for (const json& full : r["attn_type_list"]) kinds.emplace_back(full == 1 ? "full" : "linear");
    }
    const auto listed = r.has("layer_types") ? layers_of_types(r["layer_types"]) : std::nullopt;
    if (listed) kinds = *listed;
    // The class alternates, with full attention first.
    if (kinds.empty()) {
        kinds = strided_layers(r.number({"num_hidden_layers"}), 2, "full", "linear");
        r.note(
            translate("The file lists no kinds of layers; as in transformers, every other one is linear."));
    }
    r.put_pattern(kinds);
}

void granite_moe(Reader& r) {
    experts(r, r.number({"num_local_experts"}), r.number({"num_experts_per_tok"}),
            r.number({"intermediate_size"}));
}

// The sizes of Mamba-2 layers, under the names of transformers' hybrid models.
void state_space(Reader& r, std::initializer_list<const char*> heads, std::initializer_list<const char*> size,
                 std::initializer_list<const char*> state, std::initializer_list<const char*> groups,
                 std::initializer_list<const char*> kernel) {
    r.put("ssm_heads", r.required(translatable("no other field gives the number of heads"), heads));
    r.put("ssm_head_size", r.required(translatable("no other field gives a head's width"), size));
    r.put("ssm_state_size", r.required(translatable("no other field gives the size of the state"), state));
    r.put("ssm_groups", r.number(groups, 1));
    r.put("convolution_kernel", r.number(kernel, 4));
}

void granite_hybrid(Reader& r) {
    if (r.number({"num_local_experts"}) > 0) {
        granite_moe(r);
        r.put("shared_expert_ffn_size", r.number({"shared_intermediate_size"}));
    } else {
        r.put("ffn_size", r.number({"shared_intermediate_size"}));
    }
    state_space(r, {"mamba_n_heads"}, {"mamba_d_head"}, {"mamba_d_state"}, {"mamba_n_groups"},
                {"mamba_d_conv"});
    if (auto listed = r.has("layer_types") ? layers_of_types(r["layer_types"]) : std::nullopt) {
        // Version 5 of transformers writes linear_attention for Mamba-2.
        std::ranges::replace(*listed, std::string("linear"), std::string("mamba2"));
        r.put_pattern(*listed);
    } else r.refuse("layer_types", translate("the kinds of the layers are missing or not known"));
}

void cohere(Reader& r) {
    if (r.flag("use_qk_norm")) r.values["qk_norm"] = "whole";
    r.note(translate("Attention and feed-forward run in parallel; they are counted as sequential."));
    if (r.type() == "cohere2")
        windowed_layers(r, r.number({"sliding_window_pattern", "_sliding_window_pattern"}, 4));
}

void bloom(Reader& r) {
    r.put("ffn_size", r.number({"n_inner"}, 4 * r.number({"hidden_size", "n_embed"})));
    r.note(translate("The norm after the embedding is not counted."));
}

void opt(Reader& r) {
    // The table starts with two rows for padding.
    put_positions(r, {"max_position_embeddings"});
    r.put("learned_positions", r.values["learned_positions"].get<double>() + 2);
    r.values["dropout"] = r.number({"dropout"}) > 0;
    // OPT 350M: a narrower embedding, and layers that end with their norms.
    const double hidden = r.number({"hidden_size"});
    if (const double width = r.number({"word_embed_proj_dim"}, hidden); width > 0 && width != hidden)
        r.put("embedding_size", width);
    if (!r.flag("do_layer_norm_before", true))
        r.note(translate(
            "Its layers end with their norms, and no norm follows the last layer; one is counted."));
}

void nemotron_h(Reader& r) {
    state_space(r, {"mamba_num_heads"}, {"mamba_head_dim"}, {"ssm_state_size"},
                {"n_groups", "mamba_n_groups"}, {"conv_kernel"});
    auto listed = layers_of_letters(r.text("hybrid_override_pattern"));
    if (!listed && r.has("layers_block_type")) listed = layers_of_blocks(r["layers_block_type"]);
    if (!listed) {
        r.refuse(r.has("layers_block_type") ? "layers_block_type" : "hybrid_override_pattern",
                 translate("the kinds of the layers are missing or not known"));
        return;
    }
    r.put_pattern(*listed);
    if (std::ranges::find(*listed, "none/experts") == listed->end()) return;
    experts(r, r.number({"n_routed_experts"}), r.number({"num_experts_per_tok"}, 1),
            r.number({"moe_intermediate_size"}));
    r.put("shared_expert_ffn_size", r.number({"moe_shared_expert_intermediate_size"}) *
                                        std::max(1.0, r.number({"n_shared_experts"}, 1)));
    if (const double latent = r.number({"moe_latent_size"}); latent > 0) r.put("latent_expert_size", latent);
    prediction_layers(r, {"num_nextn_predict_layers"});
}

// A model of Mamba-2 layers alone. It has no attention, whose sizes are those of the state-space heads.
void put_mamba2(Reader& r, double hidden, double heads, double head_size) {
    r.put("heads", heads);
    r.put("kv_heads", heads);
    r.put("head_size", hidden / std::max(1.0, heads));
    r.put("ffn_size", hidden);
    r.put("ssm_heads", heads);
    r.put("ssm_head_size", head_size);
    r.put_pattern({"mamba2/none"});
}

void mamba2(Reader& r) {
    put_mamba2(r, r.number({"hidden_size"}), r.number({"num_heads"}), r.number({"head_dim"}));
    r.put("ssm_state_size", r.number({"state_size"}));
    r.put("ssm_groups", r.number({"n_groups"}));
    r.put("convolution_kernel", r.number({"conv_kernel"}));
}

// The files of state-spaces/mamba2 give the width, and most of them leave the other sizes to the defaults of
// the layer (mamba_ssm/modules/mamba2.py).
void mamba_ssm(Reader& r) {
    const double hidden = r.number({"d_model"});
    Reader layer = r.part("ssm_cfg");
    const double head = std::max(1.0, layer.number({"headdim"}, 64));
    put_mamba2(r, hidden, std::floor(layer.number({"expand"}, 2) * hidden / head), head);
    r.put("ssm_state_size", layer.number({"d_state"}, 128));
    r.put("ssm_groups", layer.number({"ngroups"}, 1));
    r.put("convolution_kernel", layer.number({"d_conv"}, 4));
    if (r.number({"d_intermediate"}) > 0)
        r.refuse("d_intermediate", translate("its layers also have a feed-forward, whose kind is not known"));
    const double multiple = std::max(1.0, r.number({"pad_vocab_size_multiple"}, 1));
    r.put("vocab_size", std::ceil(r.number({"vocab_size"}) / multiple) * multiple);
    r.values["tied_embeddings"] = r.flag("tie_embeddings", true);
    if (!layer.first({"headdim", "expand", "d_state"}))
        r.note(translate(
            "The state of 128, the heads of 64 and the expansion of 2 are the defaults of Mamba-2."));
}

void olmoe(Reader& r) {
    experts(r, r.number({"num_experts"}), r.number({"num_experts_per_tok"}), r.number({"intermediate_size"}));
}

void starcoder2(Reader& r) {
    r.values["bias"] = r.flag("use_bias");
    attention_window(r);
}

void gemma2(Reader& r) { windowed_layers(r, 2); }
void gemma3(Reader& r) {
    windowed_layers(r, r.number({"sliding_window_pattern", "_sliding_window_pattern"}, 6));
}

}  // namespace

const std::vector<Family>& families() {
    static const std::vector<Family> all{
        {.types = {"gpt2"}, .layernorm = true, .bias = true, .rest = gpt2},
        {.types = {"gpt_bigcode"}, .layernorm = true, .bias = true, .rest = gpt_bigcode},
        {.types = {"bert", "roberta", "xlm-roberta", "camembert"},
         .layernorm = true,
         .bias = true,
         .rest = bert},
        {.types = {"dbrx"}, .gated = true, .layernorm = true, .norm_weights = "scale", .rest = dbrx},
        {.types = {"ernie4_5_moe"}, .gated = true, .rest = ernie_moe},
        {.types = {"gpt_neox"}, .layernorm = true, .bias = true, .rest = gpt_neox},
        {.types = {"mpt"}, .layernorm = true, .rest = mpt},
        {.types = {"falcon", "RefinedWeb", "RefinedWebModel"},
         .layernorm = true,
         .norm_weights = "scale-and-bias",
         .rest = falcon},
        {.types = {"llama", "mistral", "granite", "smollm3"}, .gated = true, .rest = llama},
        {.types = {"granitemoe"}, .gated = true, .rest = granite_moe},
        {.types = {"granitemoehybrid"}, .gated = true, .rest = granite_hybrid},
        {.types = {"gpt_oss"}, .gated = true, .rest = gpt_oss},
        {.types = {"glm4_moe"}, .gated = true, .rest = glm4_moe},
        {.types = {"qwen3_next"}, .gated = true, .qk_norm = "head", .rest = qwen3_next},
        {.types = {"qwen3_5_moe", "qwen3_5_moe_text"}, .gated = true, .qk_norm = "head", .rest = qwen3_next},
        {.types = {"qwen3_5", "qwen3_5_text"}, .gated = true, .qk_norm = "head", .rest = qwen3_5},
        {.types = {"afmoe"}, .gated = true, .layer_norms = 4, .qk_norm = "head", .rest = afmoe},
        {.types = {"minimax_m2"}, .gated = true, .rest = minimax_m2},
        {.types = {"minimax", "minimax_text_01", "minimax_m1"}, .gated = true, .rest = minimax},
        {.types = {"cohere", "cohere2"},
         .gated = true,
         .layernorm = true,
         .norm_weights = "scale",
         .layer_norms = 1,
         .rest = cohere},
        {.types = {"bloom"}, .layernorm = true, .bias = true, .rest = bloom},
        {.types = {"opt"}, .layernorm = true, .bias = true, .rest = opt},
        {.types = {"nemotron_h"}, .rest = nemotron_h},
        {.types = {"mamba2"}, .rest = mamba2, .attention = false},
        {.types = {"mamba_ssm"}, .gated = true, .rest = mamba_ssm, .attention = false},
        {.types = {"llama4", "llama4_text"}, .gated = true, .rest = llama4},
        {.types = {"mixtral"}, .gated = true, .rest = mixtral},
        {.types = {"qwen"}, .gated = true, .qkv_bias = true, .rest = qwen1},
        {.types = {"qwen2"}, .gated = true, .qkv_bias = true, .rest = qwen},
        {.types = {"qwen2_moe"}, .gated = true, .qkv_bias = true, .rest = qwen2_moe},
        {.types = {"qwen3"}, .gated = true, .qk_norm = "head", .rest = qwen},
        {.types = {"qwen3_moe"}, .gated = true, .qk_norm = "head", .rest = qwen3_moe},
        {.types = {"gemma"}, .gated = true},
        {.types = {"gemma2"}, .gated = true, .layer_norms = 4, .rest = gemma2},
        {.types = {"gemma3", "gemma3_text"},
         .gated = true,
         .layer_norms = 4,
         .qk_norm = "head",
         .rest = gemma3},
        {.types = {"phi"}, .layernorm = true, .bias = true, .layer_norms = 1, .rest = phi},
        {.types = {"phi3"}, .gated = true, .rest = attention_window},
        {.types = {"deepseek_v2", "deepseek_v3", "kimi_k2"}, .gated = true, .rest = deepseek},
        {.types = {"olmo"}, .gated = true, .layernorm = true, .norm_weights = "none"},
        {.types = {"olmo2"}, .gated = true, .qk_norm = "whole"},
        {.types = {"olmoe"}, .gated = true, .qk_norm = "whole", .rest = olmoe},
        {.types = {"starcoder2"}, .layernorm = true, .bias = true, .rest = starcoder2},
    };
    return all;
}

const Family* family_of_type(std::string_view type) {
    const auto known = std::ranges::find_if(
        families(), [&](const Family& one) { return std::ranges::find(one.types, type) != one.types.end(); });
    return known == families().end() ? nullptr : &*known;
}

std::string type_of_classes(const json& config) {
    const auto plain = [](std::string_view name) {
        std::string out;
        for (const char c : name) {
            if (c != '_' && c != '-') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
        return out;
    };
    const json names = config.value("architectures", json());
    if (!names.is_array() || names.size() != 1 || !names.front().is_string()) return {};
    const auto& name = names.front().get_ref<const std::string&>();
    for (const std::string_view end : {"ForCausalLM", "LMHeadModel"}) {
        if (!name.ends_with(end)) continue;
        const std::string model = plain(std::string_view(name).substr(0, name.size() - end.size()));
        for (const Family& family : families()) {
            for (const std::string_view type : family.types) {
                if (plain(type) == model) return std::string(type);
            }
        }
    }
    return {};
}

const Family* family_of_fields(Reader& r) {
    if (has_delta_net(r.whole()) && !r.first({"n_routed_experts"})) {
        r.note(
            translate("Its linear layers are those of Qwen3-Next: gated DeltaNet, and attention with a gate "
                      "and a norm of "
                      "each head. Shared experts are assumed to have a gate."));
        return family_of_type(r.number({"num_experts", "num_local_experts"}) > 0 ? "qwen3_next" : "qwen3_5");
    }
    const auto listed = r.has("layer_types") ? layers_of_types(r["layer_types"]) : std::nullopt;
    const bool slides = listed && std::ranges::find(*listed, "sliding") != listed->end();
    if (slides && r.number({"swiglu_limit"}) > 0 && r.number({"num_local_experts"}) > 0 &&
        !r.first({"moe_intermediate_size", "n_shared_experts", "num_shared_experts"})) {
        r.note(translate("Its experts are those of gpt-oss, so that attention sinks are assumed."));
        return family_of_type("gpt_oss");
    }
    return nullptr;
}

}  // namespace shardscope::hf
