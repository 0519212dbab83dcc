#include "text/said.h"

#include <utility>

namespace shardscope {
namespace {

Language& language() {
    static Language spoken;
    return spoken;
}

thread_local int in_english = 0;

}  // namespace

InEnglish::InEnglish() { ++in_english; }
InEnglish::~InEnglish() { --in_english; }

std::string said(std::string_view phrase, std::initializer_list<std::string_view> parts) {
    std::string text = !speaks_english() && !phrase.empty() ? language()(phrase) : std::string();
    if (text.empty()) text = phrase;
    if (parts.size() == 0) return text;
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_place = text[i] == '{' && i + 2 < text.size() && text[i + 2] == '}';
        const auto place = is_place ? static_cast<std::size_t>(text[i + 1] - '1') : parts.size();
        if (place < parts.size()) {
            out += parts.begin()[place];
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

void speak(Language spoken) { language() = std::move(spoken); }
bool speaks_english() { return in_english > 0 || !language(); }

}  // namespace shardscope
