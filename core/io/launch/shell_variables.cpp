#include "launch/shell_variables.h"

#include "launch/shell_arithmetic.h"

namespace shardscope::launch {

const Words* ShellVariables::find(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
}

std::size_t ShellVariables::bytes() const {
    std::size_t out = 0;
    for (const auto& [name, words] : values_) out += name.size() + 1 + bytes_of(words);
    return out;
}

void ShellVariables::add(const std::string& name, const Words& words) {
    Words& value = values_[name];
    value.insert(value.end(), words.begin(), words.end());
}

void ShellVariables::append(const std::string& name, const Word& value) {
    Words& words = values_[name];
    if (words.empty()) words.push_back(value);
    else launch::append(words.front(), value);
}

void ShellVariables::forget_at_start(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && in_name(text[length])) ++length;
    forget(std::string(text.substr(0, length)));
}

void ShellVariables::forget_named(std::string_view text, bool only_assigned) {
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        if (at < text.size() && in_name(text[at])) continue;
        if (!only_assigned || text.substr(at).starts_with('='))
            forget(std::string(text.substr(begin, at - begin)));
        begin = at + 1;
    }
}

void ShellVariables::save(const std::string& name, Saved& saved) const {
    const Words* words = find(name);
    saved.emplace_back(name, words ? std::optional(*words) : std::nullopt);
}

void ShellVariables::restore(Saved& saved) {
    for (; !saved.empty(); saved.pop_back()) {
        if (saved.back().second) set(saved.back().first, *saved.back().second);
        else forget(saved.back().first);
    }
}

}  // namespace shardscope::launch
