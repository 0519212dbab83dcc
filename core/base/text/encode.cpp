#include "text/encode.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "text/text.h"

namespace shardscope {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

// A code point with its bytes, or bytes that are not valid UTF-8.
struct Symbol {
    std::string_view bytes;
    std::uint32_t code = 0;
    bool valid = true;
};

// Returns the symbol at the start of `text`, which must not be empty. An invalid symbol consists of as many
// bytes as could begin a character, so that each one becomes a single U+FFFD, as other programs do (Unicode
// 15, sections 3.9 and 5.22).
Symbol first_symbol(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return {text.substr(0, 1), lead};
    const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                               : lead >= 0xE0 && lead <= 0xEF ? 3
                               : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                              : 1;
    std::uint32_t code = lead & (0x7FU >> length);
    std::size_t good = 1;
    for (; good < length && good < text.size(); ++good) {
        const auto byte = static_cast<unsigned char>(text[good]);
        // Overlong forms, surrogates and code points beyond U+10FFFF are invalid (table 3-7).
        const bool second = good == 1;
        const unsigned low = second && lead == 0xE0 ? 0xA0 : second && lead == 0xF0 ? 0x90 : 0x80;
        const unsigned high = second && lead == 0xED ? 0x9F : second && lead == 0xF4 ? 0x8F : 0xBF;
        if (byte < low || byte > high) break;
        code = code << 6U | (byte & 0x3FU);
    }
    if (length == 1 || good < length) return {text.substr(0, good), 0, false};
    return {text.substr(0, length), code};
}

bool is_unprintable(std::uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || (c & 0xFFFEU) == 0xFFFE ||
           (c >= 0xFDD0 && c <= 0xFDEF);
}

template <typename Visit>
void for_each_symbol(std::string_view text, Visit&& visit) {
    while (!text.empty()) {
        const Symbol symbol = first_symbol(text);
        visit(symbol);
        text.remove_prefix(symbol.bytes.size());
    }
}

std::string hex(std::uint32_t value, int digits) {
    std::string out;
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
        out += "0123456789abcdef"[value >> static_cast<unsigned>(shift) & 0xFU];
    return out;
}

// Returns the escape of a code point as Python, TOML and C++ write it: "\u009b", "\U0001fffe".
std::string escape_of(std::uint32_t code) {
    return code > 0xFFFF ? "\\U" + hex(code, 8) : "\\u" + hex(code, 4);
}

// Escapes unprintable characters; `single_line` also escapes line ends and tabs.
std::string escape_unprintable(std::string_view text, bool single_line) {
    const std::string_view::iterator end = text.end();
    std::string out;
    out.reserve(text.size());
    for_each_symbol(text, [&](const Symbol& symbol) {
        // A carriage return without a line feed is escaped, because it would let later text overwrite the
        // line.
        const bool ends_line =
            symbol.code == '\r' && symbol.bytes.end() != end && *symbol.bytes.end() == '\n';
        const bool kept = !single_line && (symbol.code == '\n' || symbol.code == '\t' || ends_line);
        if (!symbol.valid) {
            for (const char c : symbol.bytes) out += "\\x" + hex(static_cast<unsigned char>(c), 2);
        } else if (kept || !is_unprintable(symbol.code)) {
            out += symbol.bytes;
        } else if (symbol.code == '\n') {
            out += "\\n";
        } else if (symbol.code == '\t') {
            out += "\\t";
        } else {
            out += escape_of(symbol.code);
        }
    });
    return out;
}

// Escapes the unprintable characters from U+007F on; the JSON library escapes those below U+0020.
std::string escaped_json(const std::string& json) {
    std::string out;
    out.reserve(json.size());
    for_each_symbol(json, [&](const Symbol& symbol) {
        if (symbol.code < 0x7F || !is_unprintable(symbol.code)) {
            out += symbol.bytes;
        } else if (symbol.code <= 0xFFFF) {
            out += escape_of(symbol.code);
        } else {  // JSON writes a surrogate pair
            const std::uint32_t rest = symbol.code - 0x10000;
            out += escape_of(0xD800 + (rest >> 10U)) + escape_of(0xDC00 + (rest & 0x3FFU));
        }
    });
    return out;
}

}  // namespace

std::string one_line(std::string_view text) {
    std::string out;
    std::string blanks;
    bool joins = false;  // whether the run of blanks contains an unprintable character
    for_each_symbol(text, [&](const Symbol& symbol) {
        if (symbol.valid && (symbol.code == ' ' || is_unprintable(symbol.code))) {
            joins = joins || symbol.code != ' ';
            blanks += ' ';
            return;
        }
        if (joins) blanks = out.empty() ? "" : " ";
        out += blanks;
        out += symbol.valid ? symbol.bytes : kReplacement;
        blanks.clear();
        joins = false;
    });
    return joins ? out : out + blanks;
}

std::string clean_title(std::string_view text) {
    std::string line = one_line(text);
    std::size_t count = 0;
    std::size_t end = 0;  // bytes that are kept of a line that is too long
    for_each_symbol(line, [&](const Symbol& symbol) {
        if (++count < kLongestTitle) end += symbol.bytes.size();
    });
    if (count > kLongestTitle) line = line.substr(0, end) + std::string(kEllipsis);
    return line;
}

bool is_preset_name(std::string_view text) {
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    const auto allowed = [&](char c) { return letter(c) || c == '.' || c == '_' || c == '+' || c == '-'; };
    return !text.empty() && text.size() <= kLongestPresetName && letter(text.front()) &&
           std::ranges::all_of(text, allowed);
}

std::string preset_name_of(std::string_view text) {
    std::string out;
    for (const char letter : text.substr(text.find_last_of('/') + 1)) {
        const bool alphanumeric = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
        if (letter >= 'A' && letter <= 'Z') out += static_cast<char>(letter - 'A' + 'a');
        else if (alphanumeric || (letter == '.' && !out.empty())) out += letter;
        else if (!out.empty() && out.back() != '-') out += '-';
    }
    out.resize(std::min(out.size(), kLongestPresetName));
    while (!out.empty() && out.back() == '-') out.pop_back();
    return out;
}

std::string terminal_text(std::string_view text) { return escape_unprintable(text, false); }
std::string terminal_line(std::string_view text) { return escape_unprintable(text, true); }

std::string comment_line(std::string_view text) { return "# " + escape_unprintable(text, true) + "\n"; }

std::string shell_word(std::string_view text) {
    std::string word = (text.starts_with('-') ? "./" : "") + std::string(text);
    const auto plain = [](const Symbol& symbol) {
        const auto c = static_cast<char>(symbol.code);
        return symbol.code >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               (c >= '0' && c <= '9') || std::string_view("_./-+@%:,=").find(c) != std::string_view::npos;
    };
    const auto unprintable = [](const Symbol& symbol) {
        return !symbol.valid || is_unprintable(symbol.code);
    };
    bool is_plain = !word.empty();
    bool escaped = false;  // whether the word needs Bash's $'…' quotes
    for_each_symbol(word, [&](const Symbol& symbol) {
        is_plain = is_plain && plain(symbol) && !unprintable(symbol);
        escaped = escaped || unprintable(symbol);
    });
    if (is_plain) return word;
    std::string out = escaped ? "$'" : "'";
    for_each_symbol(word, [&](const Symbol& symbol) {
        if (unprintable(symbol)) {
            for (const char c : symbol.bytes) {
                const auto byte = static_cast<unsigned char>(c);
                out += '\\';
                for (const unsigned shift : {6U, 3U, 0U})
                    out += static_cast<char>('0' + (byte >> shift & 7U));
            }
        } else if (escaped && (symbol.code == '\'' || symbol.code == '\\')) {
            out += '\\';
            out += symbol.bytes;
        } else if (symbol.code == '\'') {
            out += "'\\''";
        } else {
            out += symbol.bytes;
        }
    });
    return out + "'";
}

std::string toml_string(std::string_view text) {
    std::string out = "\"";
    for_each_symbol(text, [&](const Symbol& symbol) {
        if (!symbol.valid) out += kReplacement;
        else if (symbol.code == '"' || symbol.code == '\\') (out += '\\') += symbol.bytes;
        else if (is_unprintable(symbol.code)) out += escape_of(symbol.code);
        else out += symbol.bytes;
    });
    return out + '"';
}

std::string markdown_text(std::string_view text) {
    std::string out;
    const std::string line = trim(one_line(text));
    // A list begins with "-", "+" or a number with a dot or a bracket, followed by a blank or nothing.
    std::size_t mark = std::min(line.find_first_not_of("0123456789"), line.size());
    const std::string_view marks = mark == 0 ? "-+" : ".)";
    const bool list = mark < line.size() && marks.find(line[mark]) != std::string_view::npos &&
                      (mark + 1 == line.size() || line[mark + 1] == ' ');
    // A line of "=" or "--" makes the line before it a heading, or is a horizontal rule.
    const bool rule = line.starts_with('=') || line.starts_with("--");
    if (!list) mark = rule ? 0 : line.size();
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (i == mark || std::string_view("\\`*_[]<>|#&~$").find(line[i]) != std::string_view::npos)
            out += '\\';
        out += line[i];
    }
    return out;
}

std::string valid_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for_each_symbol(text, [&](const Symbol& symbol) { out += symbol.valid ? symbol.bytes : kReplacement; });
    return out;
}

std::string json_text(const nlohmann::json& value, int indent) {
    return escaped_json(value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
    return escaped_json(value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace shardscope
