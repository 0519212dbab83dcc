#include "presets/hf_layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace shardscope {
namespace {

using nlohmann::json;
using Name = std::pair<std::string_view, std::string_view>;

// The names of transformers' `layer_types`.
constexpr std::array kTypes{Name{"full_attention", "full"},
                            Name{"attention", "full"},
                            Name{"sliding_attention", "sliding"},
                            Name{"chunked_attention", "chunked"},
                            Name{"linear_attention", "linear"},
                            Name{"mamba", "mamba2"},
                            Name{"mamba2", "mamba2"}};
// The names in Nemotron-H's `layers_block_type`, in files of this and of earlier versions of transformers. A
// layer is a mixer or a feed-forward alone, and its only mixer with a state is Mamba-2.
constexpr std::array kBlocks{Name{"mamba", "mamba2/none"},   Name{"linear_attention", "mamba2/none"},
                             Name{"attention", "full/none"}, Name{"full_attention", "full/none"},
                             Name{"mlp", "none/dense"},      Name{"moe", "none/experts"}};
constexpr std::array kLetters{Name{"M", "mamba2/none"}, Name{"G", "linear/none"}, Name{"*", "full/none"},
                              Name{"-", "none/dense"}, Name{"E", "none/experts"}};

std::optional<std::string> found(const auto& names, std::string_view name) {
    const auto it = std::ranges::find(names, name, &Name::first);
    if (it == names.end()) return std::nullopt;
    return std::string(it->second);
}

std::optional<LayerWords> words_of(const auto& names, const json& list) {
    if (!list.is_array() || list.empty()) return std::nullopt;
    LayerWords out;
    for (const json& name : list) {
        const auto word = name.is_string() ? found(names, name.get<std::string>()) : std::nullopt;
        if (!word) return std::nullopt;
        out.push_back(*word);
    }
    return out;
}

}  // namespace

LayerWords shortest_period(const LayerWords& layers) {
    for (std::size_t period = 1; period < layers.size(); ++period) {
        bool repeats = true;
        for (std::size_t i = period; i < layers.size() && repeats; ++i)
            repeats = layers[i] == layers[i - period];
        if (repeats) return {layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(period)};
    }
    return layers;
}

std::optional<LayerWords> layers_of_types(const json& types) { return words_of(kTypes, types); }
std::optional<LayerWords> layers_of_blocks(const json& blocks) { return words_of(kBlocks, blocks); }

std::optional<LayerWords> layers_of_letters(std::string_view letters) {
    LayerWords out;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const auto word = found(kLetters, letters.substr(i, 1));
        if (!word) return std::nullopt;
        out.push_back(*word);
    }
    if (out.empty()) return std::nullopt;
    return out;
}

LayerWords strided_layers(double count, double stride, const char* usual, const char* special) {
    LayerWords out;
    for (double i = 1; i <= std::min(count, 10'000.0); ++i)
        out.emplace_back(stride > 0 && std::fmod(i, stride) == 0 ? special : usual);
    return out;
}

namespace {

constexpr std::array<std::string_view, 4> kDeltaNet{"linear_num_key_heads", "linear_num_value_heads",
                                                    "linear_key_head_dim", "linear_value_head_dim"};
constexpr std::string_view kInterval = "full_attention_interval";

}  // namespace

bool has_delta_net(const json& config) {
    const auto is_size = [&](std::string_view field) {
        const auto found = config.find(field);
        return found != config.end() && found->is_number() && *found > 0;
    };
    if (!std::ranges::all_of(kDeltaNet, is_size)) return false;
    const auto types = config.find("layer_types");
    return is_size(kInterval) || (types != config.end() && layers_of_types(*types));
}

std::string state_field(const json& config) {
    const bool delta_net = has_delta_net(config);
    static constexpr auto kNames = std::to_array<std::string_view>({
        "state_size",
        "d_state",
        "ssm_cfg",
        "time_step_rank",
        "attention_hidden_size",
        "lru_width",
        "hybrid_override_pattern",
        "rwkv_head_size",
        "expand_v",
        "linear_attn_config",       // Kimi Linear
        "layer_group_size",         // Ring and Ling with lightning attention
        "full_attention_interval",  // Qwen3-Next and later
        "attn_type_list",           // MiniMax
        "conv_L_cache",
        "full_attn_idxs",  // LFM2
        "decay_low_rank_dim",
        "gate_low_rank_dim",  // RWKV-7
        "qk_dim_factor",      // xLSTM
        "use_short_conv",     // flash-linear-attention
    });
    for (const auto& [field, value] : config.items()) {
        const bool named = std::ranges::find(kNames, field) != kNames.end();
        const bool linear = field.starts_with("linear_") && value.is_number();
        if (delta_net && (std::ranges::find(kDeltaNet, field) != kDeltaNet.end() || field == kInterval ||
                          field == "linear_conv_kernel_dim"))
            continue;
        if (!value.is_null() && (named || linear || field.starts_with("mamba_") || field.starts_with("ssm_")))
            return field;
    }
    return {};
}

}  // namespace shardscope
