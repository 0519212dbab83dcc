#include "presets/hf_refusals.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "presets/hf_layers.h"
#include "text/translate.h"

namespace shardscope::hf {
namespace {

// `model_type` of encoders, without what follows, such as "-v2", "_text_model" or "2". BERT and RoBERTa are
// known families.
constexpr auto kEncoders = std::to_array<std::string_view>({"albert",        "align",
                                                            "altclip",       "beit",
                                                            "big_bird",      "canine",
                                                            "chinese_clip",  "clap",
                                                            "clip",          "convbert",
                                                            "data2vec",      "deberta",
                                                            "deit",          "dinov",
                                                            "distilbert",    "electra",
                                                            "ernie_m",       "esm",
                                                            "eurobert",      "flaubert",
                                                            "fnet",          "funnel",
                                                            "groupvit",      "hubert",
                                                            "ibert",         "layoutlm",
                                                            "longformer",    "luke",
                                                            "mobilebert",    "modernbert",
                                                            "mpnet",         "mra",
                                                            "nezha",         "nomic_bert",
                                                            "nystromformer", "owlv",
                                                            "rembert",       "roberta-prelayernorm",
                                                            "roformer",      "sew",
                                                            "siglip",        "splinter",
                                                            "squeezebert",   "unispeech",
                                                            "vit",           "wav2vec",
                                                            "wavlm",         "xlm",
                                                            "xlnet",         "xmod",
                                                            "yoso"});
constexpr auto kEncoderClasses = std::to_array<std::string_view>(
    {"MaskedLM", "ForCTC", "ForImageClassification", "ForAudioClassification", "EncoderModel"});

// Fields with one of these words change sizes, unless they have one of `kHarmless`.
constexpr auto kSizes = std::to_array<std::string_view>({"moe",
                                                         "expert",
                                                         "ffn_config",
                                                         "attn_config",
                                                         "cross_attention",
                                                         "block_configs",
                                                         "hybrid_layer_pattern",
                                                         "mlp_only_layers",
                                                         "sparse_step",
                                                         "dense_layers",
                                                         "dense_replace",
                                                         "global_head",
                                                         "swa_",
                                                         "index_",
                                                         "sliding_window_pattern",
                                                         "ut_steps",
                                                         "attn_layers",
                                                         "feed_forward_size",
                                                         "hyena",
                                                         "layer_idxs",
                                                         "per_layer_input",  // Gemma 3n
                                                         "altup",            // Gemma 3n
                                                         "laurel",           // Gemma 3n
                                                         "kv_shared",        // Gemma 3n
                                                         "cutoffs",          // Transformer-XL
                                                         "codebook",         // MusicGen
                                                         "recurrence",
                                                         "state_dim"});  // Decision Transformer
constexpr auto kHarmless =
    std::to_array<std::string_view>({"loss", "aux", "jitter", "dtype", "router_logits", "capacity", "scaling",
                                     "scale", "dropout", "norm", "bias", "grouped_gemm", "group", "use_moe"});
// Parts that are not of the language model, or that have names of weights.
constexpr auto kOtherParts = std::to_array<std::string_view>(
    {"vision_config", "audio_config", "quantization_config", "auto_map", "task_specific_params"});

bool has_word(const auto& words, std::string_view name) {
    return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != name.npos; });
}

// Returns whether a field says that there is nothing of its kind. Texts are names, unless they list numbers
// or are the pattern of the layers.
bool says_nothing(std::string_view name, const json& value) {
    if (value.is_number()) return value == 0;
    if (value.is_boolean()) return !value.get<bool>();
    if (!value.is_string()) return value.empty();
    const auto& text = value.get_ref<const std::string&>();
    const bool is_pattern = name.find("pattern") != name.npos;
    return text.empty() || (!is_pattern && (text[0] < '0' || text[0] > '9'));
}

void refuse_unread_in(Reader& r, const json& object, const std::string& where, const MovedFields& moved) {
    for (const auto& [name, value] : object.items()) {
        if (std::ranges::find(kOtherParts, name) != kOtherParts.end()) continue;
        const auto found = moved.find(name);
        const std::string place = where.empty() && found != moved.end() ? found->second : where + name;
        const bool read = r.was_read(value);
        if (!read && has_word(kSizes, place) && !has_word(kHarmless, name) && !says_nothing(name, value)) {
            r.refuse(place,
                     translate("the architecture “{1}” is not known, nor what this field means", {r.type()}),
                     translate("without it the sizes could be wrong"));
        } else if (value.is_object()) {
            refuse_unread_in(r, value, where + name + "/", moved);
        }
    }
}

}  // namespace

MovedFields move_fields_up(json& config) {
    const char* width = "hidden_size";
    MovedFields moved;
    // Objects in nested objects are moved first, and their fields then.
    constexpr int kDepth = 3;
    for (int depth = 0; depth < kDepth; ++depth) {
        // An object with a width of its own is another model, unless the width is stated nowhere else.
        const bool has_width = config.contains(width);
        std::map<std::string, std::vector<std::string>> stated;  // the objects that state each field
        for (const auto& [name, value] : config.items()) {
            const bool is_other =
                std::ranges::find(kOtherParts, name) != kOtherParts.end() || name.find("rope") != name.npos;
            if (!value.is_object() || is_other || (has_width && value.contains(width))) continue;
            for (const auto& [field, ignored] : value.items()) stated[field].push_back(name);
        }
        for (const auto& one : stated) {
            const std::string& field = one.first;
            const std::vector<std::string>& objects = one.second;
            const json value = config[objects.front()][field];
            const auto agrees = [&](const std::string& name) { return config[name][field] == value; };
            if (config.contains(field) || !std::ranges::all_of(objects, agrees)) continue;
            for (const std::string& name : objects) config[name].erase(field);
            config[field] = value;
            const auto above = moved.find(objects.front());
            moved[field] = (above == moved.end() ? objects.front() : above->second) + '/' + field;
        }
    }
    return moved;
}

bool refuses_architecture(Reader& r, const json& config) {
    const std::string& type = r.type();
    const auto starts = [&](std::string_view encoder) { return type.starts_with(encoder); };
    if (std::ranges::any_of(kEncoders, starts)) {
        r.refuse("model_type", translate("“{1}” is an encoder and is not known", {type}));
        return true;
    }
    const json classes = config.value("architectures", json());
    for (const json& one : classes.is_array() ? classes : json::array()) {
        const std::string name = one.is_string() ? one.get<std::string>() : std::string();
        if (std::ranges::none_of(kEncoderClasses, [&](std::string_view end) { return name.ends_with(end); }))
            continue;
        r.refuse("architectures", translate("“{1}” is an encoder and is not known", {name}));
        return true;
    }
    if (const std::string field = state_field(r.whole()); !field.empty()) {
        r.refuse(field, translate("the recurrent architecture “{1}” is not supported", {type}));
        return true;
    }
    if (const char* field = r.first({"num_decoder_layers", "decoder_layers"})) {
        r.refuse(field, translate("the model has an encoder and a decoder"));
        return true;
    }
    return false;
}

void refuse_unread(Reader& r, const json& config, const MovedFields& moved) {
    refuse_unread_in(r, config, "", moved);
}

}  // namespace shardscope::hf
