// Small helpers on text that several rooms share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

// The candidate with the smallest edit distance to `word`; empty when none is near enough to be meant.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

std::vector<std::string> split(std::string_view text, char separator);
std::string trim(std::string_view text);

// Filled up with spaces to `width` characters (code points); one space at least follows.
std::string padded(const std::string& text, std::size_t width);

using TextRows = std::vector<std::vector<std::string>>;
// One line each, columns two spaces apart and as wide as the widest cell of theirs.
std::string text_table(const TextRows& rows);

}  // namespace shardscope
