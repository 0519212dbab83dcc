// Collects the options of a training command of Megatron-LM.
#include "launch/megatron_command.h"

#include <algorithm>
#include <cstring>

#include "parameters/parameter.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope::launch {
namespace {

// Returns whether the option belongs to torchrun, by which the processes find each other.
bool is_launcher_option(std::string_view option) {
    return option.starts_with("--rdzv") || option.starts_with("--master") || option.starts_with("--node");
}

// Returns the options below "MODEL_ARGS:" in a YAML file, as Megatron-LM's tests and recipes have them:
// "--num-layers: 32", "--bf16: true". None if there is no such section.
std::vector<MegatronArgument> options_of_yaml(std::string_view text) {
    std::vector<MegatronArgument> out;
    bool inside = false;
    int number = 0;
    for (const std::string& line : split(text, '\n')) {
        ++number;
        const std::size_t start = line.find_first_not_of(" \t");
        if (start == std::string::npos || line[start] == '#') continue;
        if (start == 0) inside = line.starts_with("MODEL_ARGS:");
        const std::size_t colon = line.find(':', start);
        if (!inside || line.compare(start, 2, "--") != 0 || colon == std::string::npos) continue;
        std::string value = line.substr(colon + 1);
        value = value.substr(0, value.find(" #"));
        const std::size_t first = value.find_first_not_of(" \t\r'\"");
        const std::size_t last = value.find_last_not_of(" \t\r'\"");
        value = first == std::string::npos ? "" : value.substr(first, last - first + 1);
        if (value == "false" || value == "False") continue;
        if (value == "true" || value == "True") value.clear();
        out.push_back({line.substr(start, colon - start), value, number});
    }
    return out;
}

}  // namespace

MegatronCommand::MegatronCommand(std::span<const MegatronArgument> arguments, Problems& problems)
    : problems_(problems) {
    add(arguments);
}

MegatronCommand::MegatronCommand(std::string_view file, Problems& problems) : problems_(problems) {
    const std::vector<MegatronArgument> listed = options_of_yaml(file);
    if (listed.empty()) read_script(file);
    else add(listed);
}

void MegatronCommand::add(std::span<const MegatronArgument> arguments) {
    for (const MegatronArgument& argument : arguments) {
        Option& option = options_[argument.option];
        option.line = argument.line;
        if (!argument.value.empty()) option.values.push_back({argument.value, argument.line, {}, {}});
    }
}

void MegatronCommand::read_script(std::string_view script) {
    ShellScript read = read_shell_script(script, problems_);
    unread_ = std::move(read.unread);
    const std::vector<Command>& commands = read.commands;
    const auto options_in = [](const Command& command) {
        return std::ranges::count_if(command, [](const Word& word) { return word.text.starts_with("--"); });
    };
    const auto best = std::ranges::max_element(commands, {}, options_in);
    if (best == commands.end()) return;
    Option* last = nullptr;
    for (const Word& word : *best) {
        if (!word.text.starts_with("--")) {
            if (last) last->values.push_back(word);
            continue;
        }
        const std::size_t equals = word.text.find('=');
        last = &options_[word.text.substr(0, equals)];
        // If an option is repeated, the last one is used.
        *last = {word.line, {}, false};
        if (equals == std::string::npos) continue;
        last->values.push_back(word);
        last->values.back().text.erase(0, equals + 1);
    }
    for (const Word& word : *best)
        if (word.text.ends_with(".py") && program_.text.empty()) program_ = word;
}

double MegatronCommand::number(std::string_view option, double otherwise) {
    const Word* value = known_value(option);
    if (!value) return otherwise;
    const Parsed parsed = parse(value->text, Quantity::count);
    if (parsed.ok) return parsed.value;
    problem(option, translate("“{1}” is not a number", {value->text}), "", translate("write the number"));
    return otherwise;
}

std::vector<std::string> MegatronCommand::words(std::string_view option) {
    std::vector<std::string> out;
    if (!known_value(option)) return out;
    for (const Word& word : options_.find(std::string(option))->second.values) {
        // A YAML file has a list: [mlp, moe].
        std::string text = word.text;
        std::ranges::replace_if(
            text, [](char c) { return std::strchr("[],'\"", c) != nullptr; }, ' ');
        for (const std::string& part : split(text, ' '))
            if (!part.empty()) out.push_back(part);
    }
    return out;
}

std::string MegatronCommand::text(std::string_view option, const char* otherwise) {
    const Word* value = known_value(option);
    return value ? value->text : otherwise;
}

std::string MegatronCommand::text_if_known(std::string_view option) {
    const Option* found = mark_used(option);
    if (!found || found->values.empty() || !found->values.front().unknown.empty()) return {};
    return found->values.front().text;
}

bool MegatronCommand::has_shell_default(std::string_view option) const {
    const auto found = options_.find(std::string(option));
    if (found == options_.end() || found->second.values.empty()) return false;
    return std::ranges::any_of(found->second.values.front().from_shell, &FromShell::has_default);
}

void MegatronCommand::ignore_same(const MegatronArgument& argument) {
    const auto found = options_.find(argument.option);
    if (found == options_.end()) return;
    const std::vector<Word>& values = found->second.values;
    const auto same = [&](const Word& word) {
        const Parsed here = parse(word.text, Quantity::count);
        const Parsed other = parse(argument.value, Quantity::count);
        return word.text == argument.value || (here.ok && other.ok && here.value == other.value);
    };
    if (argument.value.empty() ? values.empty() : values.size() == 1 && same(values.front()))
        found->second.used = true;
}

void MegatronCommand::problem(std::string_view option, const std::string& what, const std::string& why,
                              const std::string& suggestion) {
    const auto found = options_.find(std::string(option));
    problems_.push_back(
        {std::string(option), what, why, suggestion, found == options_.end() ? 0 : found->second.line});
}

std::vector<std::string> MegatronCommand::unused(bool with_values) const {
    std::vector<std::string> out;
    for (const auto& [name, option] : options_) {
        if (option.used || is_launcher_option(name)) continue;
        if (with_values || option.values.empty()) out.push_back(name);
    }
    return out;
}

MegatronCommand::Option* MegatronCommand::mark_used(std::string_view option) {
    const auto found = options_.find(std::string(option));
    if (found == options_.end()) return nullptr;
    found->second.used = true;
    return &found->second;
}

const Word* MegatronCommand::known_value(std::string_view option) {
    const Option* found = mark_used(option);
    if (!found) return nullptr;
    if (found->values.empty()) {
        problem(option, translate("has no value"), "", translate("write one after it"));
        return nullptr;
    }
    const Word& value = found->values.front();
    if (value.unknown.empty()) return &value;
    const auto from = std::ranges::find(value.from_shell, value.unknown, &FromShell::expression);
    problems_.push_back({std::string(option), translate("is {1}", {value.unknown}),
                         translate("values from the shell are not read"),
                         translate("write the value, or set the variable in the file"),
                         from == value.from_shell.end() ? value.line : from->line});
    return nullptr;
}

}  // namespace shardscope::launch
