// Small text helpers that several layers share.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

// Returns the candidate with the smallest edit distance to `word`, or an empty text if none is close enough
// to be a likely correction.
std::string nearest(std::string_view word, std::span<const std::string> candidates);
// Returns the question whether the nearest candidate was meant, or `otherwise` if there is none.
std::string suggestion(std::string_view word, std::span<const std::string> candidates,
                       std::string otherwise = {});

// Returns the texts of all items with the separator between them.
template <typename Range, typename TextOf = std::identity>
std::string joined(const Range& items, std::string_view separator, const TextOf& text_of = {}) {
    std::string out;
    bool first = true;
    for (const auto& item : items) {
        if (!first) out += separator;
        first = false;
        out += std::invoke(text_of, item);
    }
    return out;
}

std::vector<std::string> split(std::string_view text, char separator);
std::string trim(std::string_view text);
// Returns the text with the letters A to Z in lower case.
std::string lower(std::string_view text);

// Returns the text padded with spaces to `width` characters (code points); at least one space follows it.
std::string padded(const std::string& text, std::size_t width);

using TextRows = std::vector<std::vector<std::string>>;
// Returns one line per row; each column is as wide as its widest cell, and two spaces separate the columns.
std::string text_table(const TextRows& rows);

}  // namespace shardscope
