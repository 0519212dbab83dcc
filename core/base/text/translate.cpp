#include "text/translate.h"

#include <utility>

namespace shardscope {
namespace {

Translation& language() {
    static Translation current;
    return current;
}

thread_local int english_scopes = 0;

}  // namespace

EnglishScope::EnglishScope() { ++english_scopes; }
EnglishScope::~EnglishScope() { --english_scopes; }

std::string translate(std::string_view phrase, std::initializer_list<std::string_view> parts) {
    std::string text = !is_english() && !phrase.empty() ? language()(phrase) : std::string();
    if (text.empty()) text = phrase;
    if (parts.size() == 0) return text;
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_placeholder = text[i] == '{' && i + 2 < text.size() && text[i + 2] == '}';
        const auto number = is_placeholder ? static_cast<std::size_t>(text[i + 1] - '1') : parts.size();
        if (number < parts.size()) {
            out += parts.begin()[number];
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

void set_translation(Translation translation) { language() = std::move(translation); }
bool is_english() { return english_scopes > 0 || !language(); }

}  // namespace shardscope
