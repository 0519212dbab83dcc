#include "presets/hf_families.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/hf_imported.h"

using namespace shardscope;
using namespace shardscope::testing;
using nlohmann::json;

namespace {

// The part of a model's own file that affects its shape, and its published number of parameters.
struct Published {
    const char* name;
    const char* config;
    double parameters;
};

// Shapes are from the config.json beside each model's weights on huggingface.co; counts are those of its
// safetensors (only the language model's, if there is more), or those of transformers' `num_parameters`.
constexpr Published kPublished[] = {
    {"qwen-7b",
     R"({"architectures": ["QWenLMHeadModel"], "model_type": "qwen", "hidden_size": 4096,
        "intermediate_size": 22016, "kv_channels": 128, "layer_norm_epsilon": 1e-06, "no_bias": true,
        "num_attention_heads": 32, "num_hidden_layers": 32, "rotary_pct": 1.0, "seq_length": 8192,
        "tie_word_embeddings": false, "vocab_size": 151936})",
     7721324544},
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
        "n_group": 8, "topk_group": 4, "num_nextn_predict_layers": 1, "tie_word_embeddings": false})",
     // The checkpoint has 671026419200, less the 58 × 256 balancing biases of the routers
     // (e_score_correction_bias), which no gradient trains; the shipped preset notes this, too.
     671026404352},
    {"olmo-7b", R"({"model_type": "olmo", "hidden_size": 4096, "intermediate_size": 11008,
        "num_attention_heads": 32, "num_key_value_heads": 32, "num_hidden_layers": 32, "vocab_size": 50304,
        "attention_bias": false, "tie_word_embeddings": false})",
     6888095744},
    {"olmo-2-7b", R"({"model_type": "olmo2", "hidden_size": 4096, "intermediate_size": 11008,
        "num_attention_heads": 32, "num_key_value_heads": 32, "num_hidden_layers": 32, "vocab_size": 100352,
        "attention_bias": false, "tie_word_embeddings": false})",
     7298617344},
    {"gpt-oss-20b", R"({"model_type": "gpt_oss", "architectures": ["GptOssForCausalLM"], "hidden_size": 2880,
        "intermediate_size": 2880, "head_dim": 64, "num_attention_heads": 64, "num_key_value_heads": 8,
        "num_hidden_layers": 24, "vocab_size": 201088, "num_local_experts": 32, "num_experts_per_tok": 4,
        "attention_bias": true, "sliding_window": 128, "tie_word_embeddings": false})",
     20914757184},
    {"gpt-oss-120b", R"({"model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880,
        "num_hidden_layers": 36, "num_local_experts": 128, "experts_per_token": 4, "sliding_window": 128,
        "attention_bias": true, "layer_types": ["sliding_attention", "full_attention", "sliding_attention",
        "full_attention"]})",
     116829156672},
    // The class in its file is DeepSeek-V3's.
    {"kimi-k2", R"({"model_type": "kimi_k2", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 7168,
        "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 384,
        "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 1,
        "num_attention_heads": 64, "num_key_value_heads": 64, "num_hidden_layers": 61, "vocab_size": 163840,
        "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
        "v_head_dim": 128, "tie_word_embeddings": false})",
     1026408209408},
    {"glm-4.5-air", R"({"model_type": "glm4_moe", "hidden_size": 4096, "intermediate_size": 10944,
        "moe_intermediate_size": 1408, "n_routed_experts": 128, "n_shared_experts": 1,
        "num_experts_per_tok": 8, "first_k_dense_replace": 1, "num_attention_heads": 96,
        "num_key_value_heads": 8, "head_dim": 128, "num_hidden_layers": 46, "vocab_size": 151552,
        "attention_bias": true, "use_qk_norm": false, "num_nextn_predict_layers": 1,
        "tie_word_embeddings": false})",
     106852245504},
    {"glm-4.5", R"({"model_type": "glm4_moe", "hidden_size": 5120, "intermediate_size": 12288,
        "moe_intermediate_size": 1536, "n_routed_experts": 160, "n_shared_experts": 1,
        "num_experts_per_tok": 8, "first_k_dense_replace": 3, "num_attention_heads": 96,
        "num_key_value_heads": 8, "head_dim": 128, "num_hidden_layers": 92, "vocab_size": 151552,
        "attention_bias": true, "use_qk_norm": true, "num_nextn_predict_layers": 1,
        "tie_word_embeddings": false})",
     352797814784},
    {"qwen3-next-80b-a3b", R"({"model_type": "qwen3_next", "hidden_size": 2048, "intermediate_size": 5120,
        "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512, "num_experts": 512,
        "num_experts_per_tok": 10, "head_dim": 256, "num_attention_heads": 16, "num_key_value_heads": 2,
        "num_hidden_layers": 48, "vocab_size": 151936, "linear_num_key_heads": 16,
        "linear_num_value_heads": 32, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
        "linear_conv_kernel_dim": 4, "full_attention_interval": 4, "decoder_sparse_step": 1,
        "mlp_only_layers": [], "tie_word_embeddings": false})",
     79674391296},
    {"minimax-m2", R"({"model_type": "minimax_m2", "hidden_size": 3072, "intermediate_size": 1536,
        "num_local_experts": 256, "num_experts_per_tok": 8, "head_dim": 128, "num_attention_heads": 48,
        "num_key_value_heads": 8, "num_hidden_layers": 62, "vocab_size": 200064, "use_qk_norm": true,
        "qk_norm_type": "per_layer", "use_mtp": true, "num_mtp_modules": 3, "tie_word_embeddings": false})",
     228689748992},
    // 456 B, 45.9 B active (arXiv 2501.08313): seven layers of lightning attention and one of attention.
    {"minimax-text-01", R"({"model_type": "minimax_text_01", "hidden_size": 6144, "intermediate_size": 9216,
        "num_local_experts": 32, "num_experts_per_tok": 2, "head_dim": 128, "num_attention_heads": 64,
        "num_key_value_heads": 8, "num_hidden_layers": 80, "vocab_size": 200064, "shared_intermediate_size": 0,
        "attn_type_list": [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1], "tie_word_embeddings": false})",
     70 * (5.0 * 6144 * 8192 + 8192) + 10 * (2.0 * 6144 * 8192 + 2.0 * 6144 * 1024) +
         80.0 * (32 * 3.0 * 6144 * 9216 + 6144 * 32 + 2 * 6144) + 2.0 * 200064 * 6144 + 6144},
    // 8,170,848,256 published; embeddings are tied.
    {"granite-3.1-8b", R"({"model_type": "granite", "hidden_size": 4096, "intermediate_size": 12800,
        "num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 40, "vocab_size": 49155,
        "attention_bias": false, "mlp_bias": false, "tie_word_embeddings": true})",
     8170848256},
    {"smollm3-3b", R"({"model_type": "smollm3", "hidden_size": 2048, "intermediate_size": 11008,
        "num_attention_heads": 16, "num_key_value_heads": 4, "num_hidden_layers": 36, "vocab_size": 128256,
        "no_rope_layers": [1, 1, 1, 0], "use_sliding_window": false, "sliding_window": null})",
     3075098624},
    {"command-r", R"({"model_type": "cohere", "hidden_size": 8192, "intermediate_size": 22528,
        "num_attention_heads": 64, "num_key_value_heads": 64, "num_hidden_layers": 40, "vocab_size": 256000,
        "use_qk_norm": false})",
     34980831232},
    // The norm after the embedding (28,672) is not counted.
    {"bloom", R"({"model_type": "bloom", "n_embed": 14336, "n_layer": 70, "num_attention_heads": 112,
        "vocab_size": 250880, "hidden_dropout": 0.0})",
     176247271424.0 - 28672},
    {"opt-6.7b", R"({"model_type": "opt", "hidden_size": 4096, "ffn_dim": 16384, "num_attention_heads": 32,
        "num_hidden_layers": 32, "vocab_size": 50272, "max_position_embeddings": 2048,
        "word_embed_proj_dim": 4096, "do_layer_norm_before": true})",
     6658473984},
    // The embedding is half as wide as the layers. The last norm (2,048) is not in the model.
    {"opt-350m", R"({"model_type": "opt", "architectures": ["OPTForCausalLM"], "hidden_size": 1024,
        "ffn_dim": 4096, "num_attention_heads": 16, "num_hidden_layers": 24, "vocab_size": 50272,
        "max_position_embeddings": 2048, "word_embed_proj_dim": 512, "do_layer_norm_before": false})",
     331196416.0 + 2048},
    // 23 Mamba-2 layers, 23 of experts and 6 of attention.
    {"nemotron-3-nano", R"({"model_type": "nemotron_h", "hidden_size": 2688, "intermediate_size": 1856,
        "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128, "num_hidden_layers": 52,
        "vocab_size": 131072, "mamba_num_heads": 64, "mamba_head_dim": 64, "ssm_state_size": 128,
        "n_groups": 8, "conv_kernel": 4, "n_routed_experts": 128, "num_experts_per_tok": 6,
        "moe_intermediate_size": 1856, "moe_shared_expert_intermediate_size": 3712, "n_shared_experts": 1,
        "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME"})",
     31577937344},
    // The same model as version 5 of transformers writes it.
    {"nemotron-3-nano-v5", R"({"model_type": "nemotron_h", "hidden_size": 2688, "intermediate_size": 1856,
        "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128, "vocab_size": 131072,
        "mamba_num_heads": 64, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4,
        "n_routed_experts": 128, "num_experts_per_tok": 6, "moe_intermediate_size": 1856,
        "moe_shared_expert_intermediate_size": 3712, "n_shared_experts": 1, "layers_block_type": [
        "linear_attention", "moe", "linear_attention", "moe", "linear_attention", "full_attention", "moe",
        "linear_attention", "moe", "linear_attention", "moe", "linear_attention", "full_attention", "moe",
        "linear_attention", "moe", "linear_attention", "moe", "linear_attention", "full_attention", "moe",
        "mamba", "moe", "mamba", "moe", "mamba", "attention", "moe",
        "mamba", "moe", "mamba", "moe", "mamba", "attention", "moe", "mamba", "moe",
        "mamba", "moe", "mamba", "moe", "mamba", "attention", "moe", "mamba", "moe",
        "mamba", "moe", "mamba", "moe", "mamba", "moe"]})",
     31577937344},
    // 8.1 B (arXiv 2504.03624): 24 Mamba-2 layers, 24 feed-forwards and 4 of attention.
    {"nemotron-h-8b", R"({"model_type": "nemotron_h", "hidden_size": 4096, "intermediate_size": 21504,
        "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "num_hidden_layers": null,
        "vocab_size": 131072, "mamba_num_heads": 128, "mamba_head_dim": 64, "ssm_state_size": 128,
        "n_groups": 8, "conv_kernel": 4, "mlp_hidden_act": "relu2",
        "hybrid_override_pattern": "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-"})",
     24 * (4096.0 * (2 * 8192 + 2 * 1024 + 128) + (8192 + 2048) * 5.0 + 3 * 128 + 8192 + 8192.0 * 4096) +
         24 * 2.0 * 4096 * 21504 + 4 * (2.0 * 4096 * 4096 + 2.0 * 4096 * 1024) + 52.0 * 4096 +
         2.0 * 131072 * 4096 + 4096},
    // The whole file of state-spaces/mamba2-2.7b, which names neither type nor heads.
    {"mamba2-2.7b", R"({"d_model": 2560, "d_intermediate": 0, "n_layer": 64, "vocab_size": 50277,
        "ssm_cfg": {"layer": "Mamba2"}, "attn_layer_idx": [], "attn_cfg": {}, "rms_norm": true,
        "residual_in_fp32": true, "fused_add_norm": true, "pad_vocab_size_multiple": 16,
        "tie_embeddings": true})",
     2702599680},
    {"olmoe-1b-7b", R"({"model_type": "olmoe", "hidden_size": 2048, "intermediate_size": 1024,
        "num_attention_heads": 16, "num_key_value_heads": 16, "num_hidden_layers": 16, "vocab_size": 50304,
        "num_experts": 64, "num_experts_per_tok": 8, "tie_word_embeddings": false})",
     6919161856},
    // 131.6 B, 36 B active (databricks/dbrx-base).
    {"dbrx", R"({"model_type": "dbrx", "attn_config": {"clip_qkv": 8, "kv_n_heads": 8, "rope_theta": 500000},
        "d_model": 6144, "ffn_config": {"ffn_hidden_size": 10752, "moe_jitter_eps": 0.01,
        "moe_loss_weight": 0.05, "moe_num_experts": 16, "moe_top_k": 4}, "max_seq_len": 32768, "n_heads": 48,
        "n_layers": 40, "vocab_size": 100352, "tie_word_embeddings": false})",
     131596523520},
    {"starcoder", R"({"model_type": "gpt_bigcode", "n_embd": 6144, "n_head": 48, "n_inner": 24576,
        "n_layer": 40, "n_positions": 8192, "multi_query": true, "vocab_size": 49152})",
     15517456384},
    {"bert-base", R"({"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_act": "gelu",
        "hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12, "num_hidden_layers": 12,
        "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2,
        "hidden_dropout_prob": 0.1})",
     108890112},
};

// A whole file, the defaults of transformers that it relies on, and the number of parameters of its language
// model.
struct WholeFile {
    const char* name;
    const char* config;
    const char* defaults;  // as listed in the note; "": none
    double parameters;
};

// The files are as published, except for lists of numbers that do not affect a size. Sources:
// google/gemma-3-12b-it as quoted by others (text_config of 4b: ddalcu/mlx-serve#46; of 27b: TensorRT-LLM's
// test, its two reduced fields restored), the others' config.json on huggingface.co or in mlc-llm's
// model_preset.py.
constexpr WholeFile kWhole[] = {
    // A layer: q, k and v, o 2560 × 2048 each (k and v 1024 wide each), norms of a head 2 × 256, feed-forward
    // 3 × 2560 × 10240, norms 4 × 2560 = 94382592. With 34 of them, 262208 × 2560 of embedding and a norm of
    // 2560. The published file has 4300079472 parameters: 416866032 more of the SigLIP tower (27 layers of
    // 15239504, patches 678528, positions 4096 × 1152, norm 2304) and 1152 × 2560 + 1152 that project its
    // output.
    {"gemma-3-4b-it",
     R"({"architectures": ["Gemma3ForConditionalGeneration"], "boi_token_index": 255999,
        "eoi_token_index": 256000, "eos_token_id": [1, 106], "image_token_index": 262144,
        "initializer_range": 0.02, "mm_tokens_per_image": 256, "model_type": "gemma3", "text_config": {
        "hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text",
        "num_hidden_layers": 34, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
        "sliding_window": 1024}, "torch_dtype": "bfloat16", "transformers_version": "4.50.0.dev0",
        "vision_config": {"hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
        "model_type": "siglip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 27,
        "patch_size": 14, "vision_use_head": false}})",
     "num_attention_heads = 8, num_key_value_heads = 4, head_dim = 256, vocab_size = 262208",
     4300079472.0 - 416866032 - (1152 * 2560 + 1152)},
    // 48 layers of 3 × 3840 × 4096 (k and v 2048 wide each), 2 × 256, 3 × 3840 × 15360 and 4 × 3840, that is
    // 224148992, 262208 × 3840 and 3840: 12187325040 published.
    {"gemma-3-12b-it",
     R"({"architectures": ["Gemma3ForConditionalGeneration"], "boi_token_index": 255999,
        "eoi_token_index": 256000, "eos_token_id": [1, 106], "image_token_index": 262144,
        "initializer_range": 0.02, "mm_tokens_per_image": 256, "model_type": "gemma3", "text_config": {
        "hidden_size": 3840, "intermediate_size": 15360, "model_type": "gemma3_text",
        "num_attention_heads": 16, "num_hidden_layers": 48, "num_key_value_heads": 8,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024},
        "torch_dtype": "bfloat16", "transformers_version": "4.50.0.dev0", "vision_config": {
        "hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
        "model_type": "siglip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 27,
        "patch_size": 14, "vision_use_head": false}})",
     "head_dim = 256, vocab_size = 262208", 12187325040.0 - 416866032 - (1152 * 3840 + 1152)},
    // 62 layers of 3 × 5376 × 4096, 2 × 128, 3 × 5376 × 21504 and 4 × 5376, that is 412898560, 262208 × 5376
    // and 5376: 27432406640 published.
    {"gemma-3-27b-it",
     R"({"architectures": ["Gemma3ForConditionalGeneration"], "boi_token_index": 255999,
        "eoi_token_index": 256000, "eos_token_id": [1, 106], "image_token_index": 262144,
        "initializer_range": 0.02, "mm_tokens_per_image": 256, "model_type": "gemma3", "text_config": {
        "head_dim": 128, "hidden_size": 5376, "intermediate_size": 21504, "model_type": "gemma3_text",
        "num_attention_heads": 32, "num_hidden_layers": 62, "num_key_value_heads": 16,
        "query_pre_attn_scalar": 168, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
        "sliding_window": 1024}, "torch_dtype": "bfloat16", "transformers_version": "4.50.0.dev0",
        "vision_config": {"hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
        "model_type": "siglip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 27,
        "patch_size": 14, "vision_use_head": false}})",
     "vocab_size = 262208", 27432406640.0 - 416866032 - (1152 * 5376 + 1152)},
    // Gemma 2B with 257216 tokens: 18 layers of 2 × 2048 × 2048, 2 × 2048 × 256, 3 × 2048 × 16384 and 2 ×
    // 2048, that is 110104576, 257216 × 2048 and 2048. 2923466480 with a tower of 412442352 (positions 256 ×
    // 1152) and 1152 × 2048 + 2048 at 224 pixels.
    {"paligemma-3b",
     R"({"architectures": ["PaliGemmaForConditionalGeneration"], "bos_token_id": 2, "eos_token_id": 1,
        "hidden_size": 2048, "ignore_index": -100, "image_token_index": 257152, "model_type": "paligemma",
        "pad_token_id": 0, "projection_dim": 2048, "text_config": {"hidden_size": 2048,
        "intermediate_size": 16384, "model_type": "gemma", "num_attention_heads": 8,
        "num_hidden_layers": 18, "num_image_tokens": 1024, "num_key_value_heads": 1,
        "torch_dtype": "bfloat16", "vocab_size": 257216}, "torch_dtype": "bfloat16",
        "transformers_version": "4.41.1", "use_cache": true, "vision_config": {"hidden_size": 1152,
        "image_size": 448, "intermediate_size": 4304, "model_type": "siglip_vision_model",
        "num_attention_heads": 16, "num_hidden_layers": 27, "num_image_tokens": 1024, "patch_size": 14,
        "projection_dim": 2048, "projector_hidden_act": "gelu_fast", "vision_use_head": false},
        "vocab_size": 257216})",
     "head_dim = 256", 2923466480.0 - 412442352 - (1152 * 2048 + 2048)},
    // Llama 2 7B (6738415616) with 64 tokens more on both sides. 7063427072 published, with CLIP's tower of
    // 303507456 and a projection of 1024 × 4096 + 4096 and 4096 × 4096 + 4096.
    {"llava-1.5-7b-hf",
     R"({"architectures": ["LlavaForConditionalGeneration"], "ignore_index": -100,
        "image_token_index": 32000, "model_type": "llava", "pad_token_id": 32001,
        "projector_hidden_act": "gelu", "text_config": {"_name_or_path": "lmsys/vicuna-7b-v1.5",
        "architectures": ["LlamaForCausalLM"], "max_position_embeddings": 4096, "model_type": "llama",
        "rms_norm_eps": 1e-05, "torch_dtype": "float16", "vocab_size": 32064}, "tie_word_embeddings": false,
        "torch_dtype": "float16", "transformers_version": "4.36.0.dev0", "vision_config": {
        "hidden_size": 1024, "image_size": 336, "intermediate_size": 4096,
        "model_type": "clip_vision_model", "num_attention_heads": 16, "num_hidden_layers": 24,
        "patch_size": 14, "projection_dim": 768, "vocab_size": 32000}, "vision_feature_layer": -2,
        "vision_feature_select_strategy": "default", "vocab_size": 32064})",
     "num_hidden_layers = 32, hidden_size = 4096, intermediate_size = 11008, num_attention_heads = 32",
     7063427072.0 - 303507456 - (1024 * 4096 + 4096) - (4096 * 4096 + 4096)},
    // Mistral 7B (7241732096) with 64 tokens more.
    {"llava-v1.6-mistral-7b-hf",
     R"({"architectures": ["LlavaNextForConditionalGeneration"], "ignore_index": -100,
        "image_grid_pinpoints": [[336, 672], [672, 336], [672, 672], [1008, 336], [336, 1008]],
        "image_token_index": 32000, "model_type": "llava_next", "projector_hidden_act": "gelu",
        "text_config": {"_name_or_path": "mistralai/Mistral-7B-Instruct-v0.2",
        "architectures": ["MistralForCausalLM"], "intermediate_size": 14336,
        "max_position_embeddings": 32768, "model_type": "mistral", "num_key_value_heads": 8,
        "rms_norm_eps": 1e-05, "rope_theta": 1000000.0, "sliding_window": null, "torch_dtype": "bfloat16",
        "vocab_size": 32064}, "torch_dtype": "float16", "transformers_version": "4.39.0.dev0",
        "use_image_newline_parameter": true, "vision_config": {"hidden_size": 1024, "image_size": 336,
        "intermediate_size": 4096, "model_type": "clip_vision_model", "num_attention_heads": 16,
        "num_hidden_layers": 24, "patch_size": 14, "projection_dim": 768, "vocab_size": 32000},
        "vision_feature_layer": -2, "vision_feature_select_strategy": "default", "vocab_size": 32064})",
     "num_hidden_layers = 32, hidden_size = 4096, num_attention_heads = 32", 7241732096.0 + 2 * 64 * 4096},
    // Mistral 7B with three tokens more and with its window.
    {"idefics2-8b",
     R"({"architectures": ["Idefics2ForConditionalGeneration"], "image_token_id": 32001,
        "model_type": "idefics2", "perceiver_config": {"model_type": "idefics2"}, "text_config": {
        "max_position_embeddings": 32768, "model_type": "mistral", "pad_token_id": 0, "rms_norm_eps": 1e-05,
        "vocab_size": 32003}, "tie_word_embeddings": false, "torch_dtype": "float32",
        "transformers_version": "4.39.0.dev0", "use_cache": true, "vision_config": {"hidden_size": 1152,
        "image_size": 980, "intermediate_size": 4304, "model_type": "idefics2", "num_attention_heads": 16,
        "num_hidden_layers": 27, "patch_size": 14}})",
     "num_hidden_layers = 32, hidden_size = 4096, intermediate_size = 14336, num_attention_heads = 32, "
     "num_key_value_heads = 8, sliding_window = 4096",
     7241732096.0 + 2 * 3 * 4096},
    // Mistral Nemo 12B, with its published count.
    {"pixtral-12b",
     R"({"_commit_hash": null, "_name_or_path": "../pixtral",
        "architectures": ["LlavaForConditionalGeneration"], "ignore_index": -100, "image_seq_length": 1,
        "image_token_index": 10, "model_type": "llava", "projector_hidden_act": "gelu", "text_config": {
        "hidden_size": 5120, "head_dim": 128, "intermediate_size": 14336, "is_composition": true,
        "max_position_embeddings": 1024000, "model_type": "mistral", "num_hidden_layers": 40,
        "num_key_value_heads": 8, "rms_norm_eps": 1e-05, "rope_theta": 1000000000.0, "sliding_window": null,
        "vocab_size": 131072}, "torch_dtype": "bfloat16", "transformers_version": null, "vision_config": {
        "head_dim": 64, "hidden_act": "silu", "image_size": 1024, "is_composition": true,
        "model_type": "pixtral", "patch_size": 16, "rope_theta": 10000.0, "tie_word_embeddings": false},
        "vision_feature_layer": -1, "vision_feature_select_strategy": "full"})",
     "num_attention_heads = 32", 12247782400},
    // DeepSeek LLM 7B, with its published count. The parts for image input and output are shortened here.
    {"janus-pro-7b",
     R"({"architectures": ["MultiModalityCausalLM"], "language_config": {"max_position_embeddings": 16384,
        "model_type": "llama", "num_hidden_layers": 30, "torch_dtype": "bfloat16", "vocab_size": 102400},
        "model_type": "multi_modality", "torch_dtype": "bfloat16", "transformers_version": "4.33.1",
        "vision_config": {"cls": "CLIPVisionTower", "model_type": "vision"}})",
     "hidden_size = 4096, intermediate_size = 11008, num_attention_heads = 32", 6910365696},
    // 32 layers of 4 × 4096 × 4096, biases of 3 × 4096, 3 × 4096 × 11008 and 2 × 4096, that is 202395648, 2 ×
    // 156032 × 4096 and 4096. No field enables its window.
    {"qwen2-audio-7b-instruct",
     R"({"architectures": ["Qwen2AudioForConditionalGeneration"], "audio_config": {
        "model_type": "qwen2_audio_encoder", "num_mel_bins": 128, "encoder_layers": 32,
        "encoder_attention_heads": 20, "encoder_ffn_dim": 5120, "d_model": 1280,
        "activation_function": "gelu", "scale_embedding": false, "max_source_positions": 1500},
        "audio_token_index": 151646, "ignore_index": -100, "model_type": "qwen2_audio", "text_config": {
        "bos_token_id": 151643, "eos_token_id": 151645, "intermediate_size": 11008,
        "max_position_embeddings": 8192, "model_type": "qwen2", "rope_theta": 10000, "rms_norm_eps": 1e-5,
        "sliding_window": 32768, "torch_dtype": "bfloat16", "use_mrope": false, "vocab_size": 156032},
        "transformers_version": "4.38.1", "vocab_size": 156032})",
     "num_hidden_layers = 32, hidden_size = 4096, num_attention_heads = 32, num_key_value_heads = 32",
     32.0 * 202395648 + 2.0 * 156032 * 4096 + 4096},
    // This file is older than Falcon in transformers, so no field states that these layers are of the new
    // kind.
    {"falcon-40b",
     R"({"alibi": false, "apply_residual_connection_post_layernorm": false,
        "architectures": ["RWForCausalLM"], "attention_dropout": 0.0, "auto_map": {
        "AutoConfig": "configuration_RW.RWConfig", "AutoModel": "modelling_RW.RWModel",
        "AutoModelForSequenceClassification": "modelling_RW.RWForSequenceClassification",
        "AutoModelForTokenClassification": "modelling_RW.RWForTokenClassification",
        "AutoModelForQuestionAnswering": "modelling_RW.RWForQuestionAnswering",
        "AutoModelForCausalLM": "modelling_RW.RWForCausalLM"}, "bias": false, "bos_token_id": 11,
        "eos_token_id": 11, "hidden_dropout": 0.0, "hidden_size": 8192, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-05, "model_type": "RefinedWeb", "n_head": 128, "n_head_kv": 8,
        "n_layer": 60, "parallel_attn": true, "torch_dtype": "bfloat16", "transformers_version": "4.27.4",
        "use_cache": true, "vocab_size": 65024})",
     "", 41303293952},
    // 24 layers of 12 × 2048 × 2048, biases 3 × 2048, 2048, 8192 and 2048, two LayerNorms, 50304 × 2048 and
    // one LayerNorm more.
    {"falcon-rw-1b",
     R"({"_name_or_path": "./converted_repos/falcon-rw-1b", "alibi": true,
        "apply_residual_connection_post_layernorm": false, "architectures": ["FalconForCausalLM"],
        "attention_dropout": 0.0, "bias": true, "bos_token_id": 1, "eos_token_id": 2, "hidden_dropout": 0.0,
        "hidden_size": 2048, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "model_type": "falcon",
        "multi_query": false, "num_attention_heads": 32, "num_kv_heads": 32, "num_hidden_layers": 24,
        "new_decoder_architecture": false, "parallel_attn": false, "torch_dtype": "bfloat16",
        "transformers_version": "4.31.0.dev0", "use_cache": true, "vocab_size": 50304})",
     "", 1311625216},
    // 32 layers of 3072 × 5120, 3072 × 3072, 2 × 3072 × 12288 and two norms without biases, that is
    // 100669440, 32768 × 3072 and 3072.
    {"replit-code-v1_5-3b",
     R"({"architectures": ["MPTForCausalLM"], "attn_config": {"alibi": true, "alibi_bias_max": 8,
        "attn_impl": "torch", "attn_pdrop": 0.0, "attn_type": "grouped_query_attention",
        "attn_uses_sequence_id": false, "clip_qkv": null, "kv_n_heads": 8, "prefix_lm": false,
        "qk_ln": false, "softmax_scale": null}, "auto_map": {"AutoConfig": "configuration_mpt.MPTConfig",
        "AutoModelForCausalLM": "modeling_mpt.MPTForCausalLM"}, "d_model": 3072, "emb_pdrop": 0.0,
        "embedding_fraction": 1.0, "expansion_ratio": 4, "fc_type": "torch", "ffn_config": {
        "fc_type": "torch", "ffn_type": "mptmlp"}, "init_config": {"emb_init_std": null,
        "emb_init_uniform_lim": null, "fan_mode": "fan_in", "init_div_is_residual": true, "init_gain": 0.0,
        "init_nonlinearity": "relu", "init_std": null, "name": "kaiming_normal_"}, "init_device": "cpu",
        "learned_pos_emb": false, "logit_scale": null, "max_seq_len": 4096, "model_type": "mpt",
        "n_heads": 24, "n_layers": 32, "no_bias": true, "norm_type": "low_precision_layernorm",
        "resid_pdrop": 0.0, "torch_dtype": "bfloat16", "transformers_version": "4.33.3", "use_cache": false,
        "vocab_size": 32768})",
     "", 32.0 * 100669440 + 32768.0 * 3072 + 3072},
    {"gpt2-medium",
     R"({"activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
        "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 1024, "n_embd": 1024, "n_head": 16,
        "n_layer": 24, "n_positions": 1024, "n_special": 0, "predict_special_tokens": true,
        "resid_pdrop": 0.1, "summary_activation": null, "summary_first_dropout": 0.1,
        "summary_proj_to_labels": true, "summary_type": "cls_index", "summary_use_proj": true,
        "task_specific_params": {"text-generation": {"do_sample": true, "max_length": 50}},
        "vocab_size": 50257})",
     "", 354823168},
    {"gemma-2-2b",
     R"({"architectures": ["Gemma2ForCausalLM"], "attention_bias": false, "attention_dropout": 0.0,
        "attn_logit_softcapping": 50.0, "bos_token_id": 2, "cache_implementation": "hybrid",
        "eos_token_id": [1, 107], "final_logit_softcapping": 30.0, "head_dim": 256,
        "hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 2304,
        "initializer_range": 0.02, "intermediate_size": 9216, "max_position_embeddings": 8192,
        "model_type": "gemma2", "num_attention_heads": 8, "num_hidden_layers": 26, "num_key_value_heads": 4,
        "pad_token_id": 0, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_theta": 10000.0,
        "sliding_window": 4096, "torch_dtype": "bfloat16", "transformers_version": "4.42.4",
        "use_cache": true, "vocab_size": 256000})",
     "", 2614341888},
    // 32 layers of 2 × (4608 × 4608 + 4608), 2 × (4608 × 512 + 512), 2 × 4608 × 18432 + 18432 + 4608 and
    // 4 × 4608, that is 217106944, 49152 × 4608 and 2 × 4608.
    {"starcoder2-7b",
     R"({"activation_function": "gelu", "architectures": ["Starcoder2ForCausalLM"],
        "attention_dropout": 0.1, "residual_dropout": 0.1, "embedding_dropout": 0.1,
        "attention_softmax_in_fp32": true, "bos_token_id": 0, "eos_token_id": 0,
        "hidden_act": "gelu_pytorch_tanh", "hidden_size": 4608, "initializer_range": 0.018042,
        "intermediate_size": 18432, "layer_norm_epsilon": 1e-05, "max_position_embeddings": 16384,
        "mlp_type": "default", "model_type": "starcoder2", "norm_epsilon": 1e-05, "norm_type": "layer_norm",
        "num_attention_heads": 36, "num_hidden_layers": 32, "num_key_value_heads": 4,
        "rope_theta": 1000000, "scale_attention_softmax_in_fp32": true, "scale_attn_weights": true,
        "sliding_window": 4096, "torch_dtype": "bfloat16", "transformers_version": "4.37.0.dev0",
        "use_bias": true, "use_cache": true, "vocab_size": 49152})",
     "", 7173923840},
};

// The number of parameters with a class's defaults alone. Most are those of a published model; the others are
// counted by hand, layers × (attention + feed-forward + norms) + embeddings + last norm.
struct ByDefault {
    const char* type;
    double parameters;
};
constexpr ByDefault kByDefault[] = {
    {"gpt2", 124439808},            // GPT-2
    {"gpt_neox", 20554567680},      // GPT-NeoX 20B
    {"falcon", 6921720704},         // Falcon 7B
    {"llama", 6738415616},          // Llama 2 7B
    {"llama4", 107769861120},       // Llama 4 Scout
    {"mistral", 7241732096},        // Mistral 7B
    {"mixtral", 46702792704},       // Mixtral 8x7B
    {"qwen2_moe", 14315784192},     // Qwen1.5-MoE-A2.7B
    {"gemma", 8537680896},          // Gemma 7B
    {"gemma2", 2614341888},         // Gemma 2 2B
    {"phi", 1418270720},            // Phi-1.5
    {"phi3", 3821079552},           // Phi-3 mini
    {"deepseek_v3", 671026404352},  // as above
    {"olmo", 6888095744},           // OLMo 7B
    {"starcoder2", 3030371328},     // StarCoder2 3B
    {"mpt", 24.0 * (12.0 * 2048 * 2048 + 2 * 2048) + 50368.0 * 2048 + 2048},
    {"qwen2",
     32.0 * (4.0 * 4096 * 4096 + 3 * 4096 + 3.0 * 4096 * 22016 + 2 * 4096) + 2.0 * 151936 * 4096 + 4096},
    {"qwen3",
     32.0 * (4.0 * 4096 * 4096 + 2 * 128 + 3.0 * 4096 * 22016 + 2 * 4096) + 2.0 * 151936 * 4096 + 4096},
    // Heads of 2048 / 32, keys and values of 4 × 64, a router and 128 experts.
    {"qwen3_moe", 24.0 * (2.0 * 2048 * 2048 + 2.0 * 2048 * 256 + 2 * 64 + 128.0 * 2048 +
                          128.0 * 3 * 2048 * 768 + 2 * 2048) +
                      2.0 * 151936 * 2048 + 2048},
    {"gemma3_text",
     26.0 * (3.0 * 2304 * 2048 + 2 * 256 + 3.0 * 2304 * 9216 + 4 * 2304) + 262208.0 * 2304 + 2304},
    {"olmo2",
     32.0 * (4.0 * 4096 * 4096 + 2 * 4096 + 3.0 * 4096 * 11008 + 2 * 4096) + 2.0 * 50304 * 4096 + 4096},
    {"olmoe", 16.0 * (4.0 * 2048 * 2048 + 2 * 2048 + 64.0 * 2048 + 64.0 * 3 * 2048 * 2048 + 2 * 2048) +
                  2.0 * 50304 * 2048 + 2048},
};

}  // namespace

TEST_CASE("config.json: every family has its published number of parameters", "[hf]") {
    for (const Published& published : kPublished) {
        INFO(published.name);
        ImportedModel model;
        CHECK(parameters_of(imported(published.config, model)) == published.parameters);
    }
}

// Counts that are only published as rounded numbers.
TEST_CASE("config.json: ERNIE 4.5, Qwen3.5 and RoBERTa have about their published sizes", "[hf]") {
    const auto parameters = [](const char* config) {
        ImportedModel model;
        return parameters_of(imported(config, model));
    };
    CHECK(parameters(R"({"model_type": "ernie4_5_moe", "hidden_size": 2560, "intermediate_size": 12288,
        "moe_capacity": [64, 64, 64], "moe_gate": "topk", "moe_intermediate_size": 1536, "moe_k": 6,
        "moe_layer_interval": 1, "moe_layer_start_index": 1, "moe_layer_end_index": 27, "moe_num_experts": 64,
        "moe_num_shared_experts": 2, "num_attention_heads": 20, "num_hidden_layers": 28,
        "num_key_value_heads": 4, "vocab_size": 103424, "use_bias": false, "tie_word_embeddings": true})") ==
          Approx(21.8e9).epsilon(0.005));
    const char* const qwen = R"({"model_type": "qwen3_5_moe", "text_config": {"model_type":
        "qwen3_5_moe_text", "hidden_size": 4096, "head_dim": 256, "num_attention_heads": 32,
        "num_key_value_heads": 2, "num_hidden_layers": 60, "full_attention_interval": 4,
        "linear_num_value_heads": 64, "moe_intermediate_size": 1024, "shared_expert_intermediate_size": 1024,
        "num_experts": 512, "num_experts_per_tok": 10, "vocab_size": 248320}})";
    CHECK(parameters(qwen) == Approx(397e9).epsilon(0.005));
    // Qwen3.5-35B-A3B has the defaults of its class.
    CHECK(parameters(R"({"model_type": "qwen3_5_moe"})") == Approx(35e9).epsilon(0.015));
    CHECK(parameters(R"({"model_type": "qwen3_5"})") == Approx(9e9).epsilon(0.015));
    // Trinity Nano: attention with a gate, two dense layers, 54 with a router, 128 experts and a shared one.
    constexpr double kAttention = 3.0 * 1024 * 1024 + 2.0 * 1024 * 256 + 2 * 128;
    constexpr double kExperts = 129.0 * 3 * 1024 * 256 + 128.0 * 1024;
    CHECK(parameters(R"({"model_type": "afmoe", "global_attn_every_n_layers": 4, "head_dim": 128,
        "hidden_size": 1024, "intermediate_size": 3072, "moe_intermediate_size": 256, "num_attention_heads": 8,
        "num_dense_layers": 2, "num_experts": 128, "num_experts_per_tok": 8, "num_hidden_layers": 56,
        "num_key_value_heads": 2, "num_shared_experts": 1, "sliding_window": 2048,
        "tie_word_embeddings": false, "vocab_size": 200192})") ==
          56 * (kAttention + 4 * 1024) + 54 * kExperts + 2 * 3.0 * 1024 * 3072 + 2 * 200192.0 * 1024 + 1024);
    // The 124,645,632 of RobertaModel without its pooler and segment embedding.
    CHECK(parameters(R"({"model_type": "roberta", "hidden_act": "gelu", "hidden_size": 768,
        "intermediate_size": 3072, "num_attention_heads": 12, "num_hidden_layers": 12, "vocab_size": 50265,
        "max_position_embeddings": 514})") == 124645632.0 - 590592 - 768);
}

TEST_CASE("config.json: whole published files are read, and missing fields get their defaults", "[hf]") {
    for (const WholeFile& whole : kWhole) {
        INFO(whole.name);
        ImportedModel model;
        CHECK(parameters_of(imported(whole.config, model)) == whole.parameters);
        CHECK(defaults_in(model) == whole.defaults);
    }
}

TEST_CASE("config.json: a class's defaults give its model", "[hf]") {
    for (const ByDefault& one : kByDefault) {
        INFO(one.type);
        const std::string config = json{{"model_type", one.type}}.dump();
        ImportedModel model;
        CHECK(parameters_of(imported(config.c_str(), model)) == one.parameters);
        CHECK(defaults_in(model).find("vocab_size = ") != std::string::npos);
    }
}

TEST_CASE("config.json: the file of a shipped model becomes the shipped model", "[hf]") {
    for (const char* name :
         {"llama-3-8b",    "mixtral-8x7b",     "qwen2-7b",    "qwen3-8b",           "qwen3-30b-a3b",
          "gemma-7b",      "deepseek-v3",      "llama-2-7b",  "gpt-oss-20b",        "gpt-oss-120b",
          "kimi-k2",       "glm-4.5",          "glm-4.5-air", "qwen3-next-80b-a3b", "minimax-m2",
          "llama-4-scout", "llama-4-maverick", "phi-4",       "mamba2-2.7b",        "bert-base"}) {
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
