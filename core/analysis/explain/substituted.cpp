#include "explain/substituted.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace shardscope {
namespace {

// Bytes of the character that begins at `at`, in UTF-8.
std::size_t length_at(std::string_view text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return std::min(length, text.size() - at);
}

// Returns whether a character can be part of a symbol: letters, digits, Greek letters and the marks *, ½ and
// ₀ can, operators cannot.
bool is_of_symbol(std::string_view character) {
    if (character.size() == 1) {
        const auto c = static_cast<unsigned char>(character[0]);
        return std::isalnum(c) != 0 || c == '_' || c == '*';
    }
    const auto lead = static_cast<unsigned char>(character[0]);
    return lead == 0xCE || lead == 0xCF || character == "½" || character == "₀";
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string substituted(std::string_view formula,
                        const std::function<std::string(std::string_view symbol)>& value) {
    if (const auto equals = formula.find('='); equals != std::string_view::npos)
        formula.remove_prefix(equals + 1);
    while (formula.starts_with(' ')) formula.remove_prefix(1);
    for (const std::string_view mark : std::array<std::string_view, 4>{"=", ";", "≈", "∂"}) {
        if (formula.find(mark) != std::string_view::npos) return {};
    }
    std::string out;
    bool any = false;
    for (std::size_t at = 0; at < formula.size();) {
        std::size_t end = at;
        // A number before a symbol multiplies it: "2ψ".
        if (is_digit(formula[at])) {
            while (end < formula.size() &&
                   (is_digit(formula[end]) || formula[end] == '.' || formula[end] == ','))
                ++end;
            out += formula.substr(at, end - at);
            at = end;
            if (at == formula.size()) break;
            const std::string_view next = formula.substr(at, length_at(formula, at));
            if (!is_of_symbol(next) || next == "½") continue;
            out += "·";
        }
        end = at;
        while (end < formula.size()) {
            const std::size_t length = length_at(formula, end);
            if (!is_of_symbol(formula.substr(end, length))) break;
            end += length;
        }
        if (end == at) {
            end += length_at(formula, at);
            out += formula.substr(at, end - at);
        } else {
            const std::string_view symbol = formula.substr(at, end - at);
            const std::string known = value(symbol);
            any = any || !known.empty();
            out += known.empty() ? std::string(symbol) : known;
        }
        at = end;
    }
    return any ? out : std::string();
}

}  // namespace shardscope
