#include "launch/shell_variables.h"

#include "launch/shell_arithmetic.h"

namespace shardscope::launch {

const Words* ShellVariables::find(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second.words;
}

const std::vector<int>& ShellVariables::sourced_since_set(const std::string& name) const {
    static const std::vector<int> kNone;
    // The arguments and the variables of SLURM are not for such files to set.
    if (name == "@" || name.starts_with("SLURM_")) return kNone;
    const auto found = values_.find(name);
    return found == values_.end() ? sourced_ : found->second.sourced;
}

std::size_t ShellVariables::bytes() const {
    std::size_t out = 0;
    for (const auto& [name, value] : values_) out += name.size() + 1 + bytes_of(value.words);
    return out;
}

void ShellVariables::add(const std::string& name, const Words& words) {
    Words& value = values_.try_emplace(name, Variable{{}, sourced_}).first->second.words;
    value.insert(value.end(), words.begin(), words.end());
}

void ShellVariables::append(const std::string& name, const Word& value) {
    Words& words = values_.try_emplace(name, Variable{{}, sourced_}).first->second.words;
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

void ShellVariables::mark_sourced(int line) {
    constexpr std::size_t kMost = 16;  // lines that are named
    const auto mark = [&](std::vector<int>& lines) {
        if (lines.size() < kMost) lines.push_back(line);
    };
    mark(sourced_);
    for (auto& [name, value] : values_) mark(value.sourced);
}

void ShellVariables::save(const std::string& name, Saved& saved) const {
    const auto found = values_.find(name);
    saved.emplace_back(name, found == values_.end() ? std::nullopt : std::optional(found->second));
}

void ShellVariables::restore(Saved& saved) {
    for (; !saved.empty(); saved.pop_back()) {
        if (saved.back().second) values_[saved.back().first] = *saved.back().second;
        else forget(saved.back().first);
    }
}

}  // namespace shardscope::launch
