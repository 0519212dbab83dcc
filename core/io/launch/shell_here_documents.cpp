#include "launch/shell_here_documents.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "launch/shell_arithmetic.h"

namespace shardscope::launch {
namespace {

// Returns the position of the line that consists of a word.
std::optional<std::size_t> line_of(std::string_view text, const std::string& word) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        while (line.starts_with('\t')) line.remove_prefix(1);
        while (line.ends_with('\r')) line.remove_suffix(1);
        if (line == word) return begin;
        begin = end + 1;
    }
    return std::nullopt;
}

}  // namespace

void ShellHereDocuments::read_operator(ShellCursor& text) {
    text.step(2);
    if (text.here() == '<') {
        text.step();
        return;
    }
    if (text.here() == '-') text.step();
    text.skip_blanks(false);
    std::string end;
    const auto is_quote = [](char c) { return c == '\'' || c == '"' || c == '\\'; };
    for (; in_name(text.here()) || is_quote(text.here()); text.step())
        if (in_name(text.here())) end += text.here();
    constexpr int kMostUnterminated = 32;  // the search for each end word reads the rest of the text
    if (!end.empty() && unterminated_ < kMostUnterminated) ends_.push_back(std::move(end));
}

std::vector<ShellCursor> ShellHereDocuments::read_texts(ShellCursor& text) {
    std::vector<ShellCursor> out;
    for (const std::string& end : std::exchange(ends_, {})) {
        const std::optional<std::size_t> length = line_of(text.rest(), end);
        if (!length) {  // no here-document, but for instance a shift in arithmetic
            ++unterminated_;
            break;
        }
        out.push_back(text.part(*length));
        text.step(*length);
        while (!text.at_end() && text.here() != '\n') text.step();
    }
    return out;
}

}  // namespace shardscope::launch
