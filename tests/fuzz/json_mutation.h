// Changes JSON as a tree, so that most changed inputs are still JSON and get past the parser.
#pragma once

#include <string>
#include <string_view>

namespace shardscope::fuzz {

// Each function returns a changed copy of an input of at most `limit` bytes, or "" if the input cannot be
// changed this way. The same seed makes the same change.

// Changes any JSON: values become others of the same or another type; fields are removed, doubled, renamed,
// moved, exchanged and nested.
std::string mutate_json(std::string_view text, std::size_t limit, unsigned seed);
// Changes JSON with scenarios: in addition, parameters of the table get values at random, at the ends of
// their ranges and beyond, by name and with units; presets are exchanged; the plan becomes automatic; views
// change.
std::string mutate_scenarios(std::string_view text, std::size_t limit, unsigned seed);
// Changes JSON Lines: lines are changed, doubled, dropped and exchanged.
std::string mutate_lines(std::string_view text, std::size_t limit, unsigned seed);

}  // namespace shardscope::fuzz
