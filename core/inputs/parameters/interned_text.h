// Texts as values of parameters. Settings store numbers only, so a text is stored as its number in a list of
// all texts of the process. Equal texts have equal numbers; the empty text has number 0.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace shardscope {

// Returns the number of the text. The list keeps at most a million texts; any further one counts as empty.
double intern_text(std::string_view text);
// Returns the text of a number; empty if there is none. The reference stays valid.
const std::string& interned_text(double number);

// Returns what `parse` makes of an interned text. Every text is parsed once, and the result lives as long as
// the process. A thread that asks for the same text again, as searches do, takes no lock.
template <typename Parsed>
const Parsed& parsed_once(double number, Parsed (*parse)(std::string_view)) {
    struct Last {
        double number = 0;
        const Parsed* parsed = nullptr;
    };
    static thread_local Last last;
    if (last.parsed != nullptr && last.number == number) return *last.parsed;
    static std::mutex mutex;
    static std::map<double, Parsed> all;
    const std::lock_guard lock(mutex);
    auto found = all.find(number);
    if (found == all.end()) found = all.emplace(number, parse(interned_text(number))).first;
    last = {number, &found->second};
    return found->second;
}

}  // namespace shardscope
