// Text as each kind of output takes it: one function per output, and the only place where it is escaped.
// CSV has its own in files/csv.h, HTML and widgets theirs in widgets/encode.h.
//
// A title, a name or a file's name may hold anything. Every function takes any bytes; invalid UTF-8 is
// replaced by U+FFFD unless said otherwise. Unprintable here are control characters (C0, DEL, C1), the line
// and paragraph separators U+2028 and U+2029, the characters that reorder text (U+202A to U+202E, U+2066 to
// U+2069) and code points that are no characters (U+FFFE, U+FFFF and their like).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace shardscope {

// ---- Names as they are read
// ----------------------------------------------------------------------------------

inline constexpr std::size_t kLongestTitle = 200;      // code points
inline constexpr std::size_t kLongestPresetName = 64;  // bytes

// Returns the text on one line: every run of blanks and unprintable characters that holds one of the latter
// is one blank, and none at either end.
std::string one_line(std::string_view text);
// Returns one line of at most kLongestTitle code points; what is longer ends in "…".
std::string clean_title(std::string_view text);
// Returns the text with U+FFFD in place of every byte that is no UTF-8.
std::string valid_utf8(std::string_view text);
// Whether the text may be a preset's name: letters and digits of ASCII, and . _ + - after the first one; at
// most kLongestPresetName bytes.
bool is_preset_name(std::string_view text);

// ---- Terminal
// ------------------------------------------------------------------------------------------------

// Unprintable characters are written as \uNNNN, which means the same within JSON, and bytes that are no UTF-8
// as \xNN; line ends and tabs stay.
std::string terminal_text(std::string_view text);
// Line ends and tabs are written as \n and \t too: for one message, one name or one cell.
std::string terminal_line(std::string_view text);

// ---- Files
// ---------------------------------------------------------------------------------------------------

// A comment of one line for shell scripts, Python and TOML: the text behind "# ", with its line end.
std::string comment_line(std::string_view text);
// One word of a shell command on one line; a file name that begins with a dash begins with "./". Every byte
// is kept, whatever it is: Bash reads the same bytes back.
std::string shell_word(std::string_view text);
// A basic string of TOML, with its quotes.
std::string toml_string(std::string_view text);
// One line of GitHub's Markdown that shows the text as it is.
std::string markdown_text(std::string_view text);
// JSON on one line, or indented by so many blanks. Unprintable characters are escaped, so that it may be
// printed on a terminal.
std::string json_text(const nlohmann::json& value, int indent = -1);
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace shardscope
