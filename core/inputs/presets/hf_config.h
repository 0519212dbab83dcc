// A model's config.json as Hugging Face's transformers writes it, as a model preset. Nothing is downloaded.
//
// Families known by their `model_type`: GPT-2, GPT-NeoX, MPT, Falcon, Llama (1 to 3), Llama 4, Mistral,
// Mixtral, Qwen2 and 3 (dense and mixtures of experts), Gemma 1 to 3, Phi 1 to 4, DeepSeek V2 and V3, OLMo 1
// and 2, OLMoE, StarCoder2. What their files leave out is taken as transformers takes it, and said. Of others
// the usual fields are read as far as they go, and what was assumed is said. Source: the configuration
// classes of transformers, and for what they leave open the published parameter counts, which the imported
// models have to the last digit (tests).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/problem.h"

namespace shardscope {

struct ImportedModel {
    std::string preset;              // JSON text of a model preset; empty where there is a problem
    std::string name;                // of the preset
    std::vector<std::string> notes;  // what was assumed or left out, a sentence each
};

// Whether a text looks like a config.json.
bool is_hf_config(std::string_view text);
// `name` of the preset, lower case; empty: what the file calls itself.
ImportedModel import_hf_config(std::string_view text, const std::string& name, Problems& problems);

}  // namespace shardscope
