// Imports a model's config.json, as Hugging Face's transformers writes it, as a model preset. Nothing is
// downloaded.
//
// The families known by their `model_type` are GPT-2, GPT-NeoX, MPT, Falcon, Llama (1 to 3), Llama 4,
// Mistral, Mixtral, Qwen2 and 3 (dense and mixtures of experts), Qwen3-Next, Gemma 1 to 3, Phi 1 to 4,
// DeepSeek V2 and V3, Kimi-K2, GLM-4.5, gpt-oss, MiniMax 01 to M2, OLMo 1 and 2, OLMoE, StarCoder2, Granite 3
// and 4, SmolLM3, Command-R, BLOOM, OPT, Nemotron-H and Mamba-2. Missing fields get the defaults of
// transformers, and a note lists them. For other families the usual fields are read, and notes list the
// assumptions; a recurrent model is then refused, because it is not a transformer. Sources: the
// configuration classes of transformers, and where they are not sufficient the published parameter counts,
// which the imported models match (tests). The biases that routers add to their choice are not counted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/problem.h"

namespace shardscope {

struct ImportedModel {
    std::string preset;              // JSON text of a model preset; empty if there is a problem
    std::string name;                // name of the preset
    std::vector<std::string> notes;  // assumptions and omissions, one sentence each
};

// Returns whether a text looks like a config.json.
bool is_hf_config(std::string_view text);
// Imports a config.json. `name` becomes the name of the preset, in lower case; if it is empty, the name in
// the file is used.
ImportedModel import_hf_config(std::string_view text, const std::string& name, Problems& problems);

}  // namespace shardscope
