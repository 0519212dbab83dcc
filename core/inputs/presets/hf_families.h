// The families of models whose config.json files are known by their `model_type`.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "presets/hf_reader.h"

namespace shardscope::hf {

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
    bool attention = true;  // its files give heads
    bool tied = false;      // embedding and LM head are one matrix if the file does not say it
};
const std::vector<Family>& families();
// Returns the family with this `model_type`; nullptr if there is none.
const Family* family_of_type(std::string_view type);
// Returns the `model_type` of the class that a file names in `architectures`, such as "gpt_oss" for
// GptOssForCausalLM; "" if it is none of the known families.
std::string type_of_classes(const json& config);
// Returns the family whose own fields an unknown architecture has, and adds a note: gpt-oss with its limited
// activation, or Qwen3-Next with its linear layers. Returns nullptr if it has neither's.
const Family* family_of_fields(Reader& reader);

// Parts of families that unknown architectures share.
void learned_positions(Reader& reader);
void attention_window(Reader& reader);
void experts(Reader& reader, double count, double top, double width);
// Reads which layers have experts and adds the layers' kinds, whose mixers (empty: attention) are repeated.
// Returns whether the file says which.
bool place_experts(Reader& reader, const LayerWords& mixers);
// Returns the number of layers that a hybrid model lists one by one; 0 if it does not.
double listed_layers(const Reader& reader);
// Adds a note if the model has layers for multi-token prediction.
void prediction_layers(Reader& reader, std::initializer_list<const char*> fields);

}  // namespace shardscope::hf
