// The vocabularies of tokenizers that scripts name.
#pragma once

#include <string_view>

namespace shardscope::launch {

struct Tokenizer {
    std::string_view name;  // a part of the names that scripts use, in lower case: "llama-3"
    double vocabulary;      // entries, before padding
};

// Returns the tokenizer whose name is a part of `text`, such as "meta-llama/Llama-3.1-8B"; nullptr if none is
// known. The vocabulary is that of the model's published config.json, which may be larger than the
// tokenizer's.
const Tokenizer* find_tokenizer(std::string_view text);

}  // namespace shardscope::launch
