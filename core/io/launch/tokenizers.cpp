#include "launch/tokenizers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace shardscope::launch {

const Tokenizer* find_tokenizer(std::string_view text) {
    // The values of vocab_size in each model's config.json on huggingface.co.
    static constexpr auto kTokenizers = std::to_array<Tokenizer>({
        {"gpt2", 50257},
        {"llama2", 32000},
        {"llama-2", 32000},
        {"llama3", 128256},
        {"llama-3", 128256},
        {"llama-4", 202048},
        {"mixtral", 32000},
        {"mistral-7b", 32000},
        {"deepseek-v2", 102400},
        {"deepseek-v3", 129280},
        {"deepseek-r1", 129280},
        {"kimi-k2", 163840},
        {"qwen2", 151936},
        {"qwen3", 151936},
        {"glm-4.5", 151552},
        {"gpt-oss", 201088},
    });
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto* const known = std::ranges::find_if(
        kTokenizers, [&](const Tokenizer& one) { return lower.find(one.name) != std::string::npos; });
    return known == kTokenizers.end() ? nullptr : known;
}

}  // namespace shardscope::launch
