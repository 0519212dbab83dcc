// Texts as values of parameters. Settings store numbers only, so a text is stored as its number in a list of
// all texts of the process. Equal texts have equal numbers; the empty text has number 0.
#pragma once

#include <string>
#include <string_view>

namespace shardscope {

// Returns the number of the text. The list keeps at most a million texts; any further one counts as empty.
double intern_text(std::string_view text);
// Returns the text of a number; empty if there is none. The reference stays valid.
const std::string& interned_text(double number);

}  // namespace shardscope
