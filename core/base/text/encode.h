// Escapes text for each kind of output. There is one function per output, and text is escaped nowhere else,
// except for CSV (text/csv.h), HTML and widgets (widgets/encode.h).
//
// A title, a name or a file name may contain anything. Every function accepts any bytes and replaces invalid
// UTF-8 by U+FFFD unless its comment states otherwise. Unprintable characters are control characters (C0,
// DEL, C1), the line and paragraph separators U+2028 and U+2029, the byte order mark U+FEFF, the characters
// that reorder text (U+202A to U+202E, U+2066 to U+2069) and noncharacters (such as U+FFFE and U+FFFF).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace shardscope {

// ---- Names as they are read -------------------------------------------------------------------------------

inline constexpr std::size_t kLongestTitle = 200;      // code points
inline constexpr std::size_t kLongestPresetName = 64;  // bytes

// Returns the text on one line. Every run of blanks and unprintable characters that contains an unprintable
// one becomes one blank, or nothing at either end of the text.
std::string one_line(std::string_view text);
// Returns the text on one line of at most kLongestTitle code points; a longer text is cut and ends in "…".
std::string clean_title(std::string_view text);
// Returns the text with invalid UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);
// Returns whether the text is a valid preset name: ASCII letters and digits, also . _ + - after the first
// character, and at most kLongestPresetName bytes.
bool is_preset_name(std::string_view text);
// Returns the preset name for a title or the path of a model, "" if it has no letters or digits:
// "meta-llama/Meta-Llama-3-8B" becomes "meta-llama-3-8b".
std::string preset_name_of(std::string_view text);

// ---- Terminal ---------------------------------------------------------------------------------------------

// Returns text for a terminal. Unprintable characters are written as \uNNNN, which means the same in JSON,
// and bytes that are not UTF-8 as \xNN; line ends and tabs are kept.
std::string terminal_text(std::string_view text);
// Returns text for one line of a terminal (a message, a name or a cell): line ends and tabs are also escaped,
// as \n and \t.
std::string terminal_line(std::string_view text);

// ---- Files ------------------------------------------------------------------------------------------------

// Returns a comment line for shell scripts, Python and TOML: "# ", the text and a line end.
std::string comment_line(std::string_view text);
// Returns one word of a shell command, on one line. "./" is put in front of a word that begins with a dash.
// All bytes are preserved: Bash reads the same bytes back.
std::string shell_word(std::string_view text);
// Returns a TOML basic string with its quotes.
std::string toml_string(std::string_view text);
// Returns one line of GitHub Markdown that displays the text unchanged.
std::string markdown_text(std::string_view text);
// Returns JSON on one line, or indented by `indent` blanks per level. Unprintable characters are escaped, so
// that it can be printed on a terminal.
std::string json_text(const nlohmann::json& value, int indent = -1);
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace shardscope
