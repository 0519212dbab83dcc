// Collects the options of a training command of Megatron-LM.
#include "launch/megatron_command.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "launch/shell_arithmetic.h"
#include "launch/shell_script.h"
#include "parameters/parameter.h"
#include "text/text.h"
#include "text/translate.h"

namespace shardscope::launch {
namespace {

// Returns whether the option belongs to torchrun, by which the processes find each other.
bool is_launcher_option(std::string_view option) {
    return option.starts_with("--rdzv") || option.starts_with("--master") || option.starts_with("--node");
}

// Returns the position and the length of the first variable in a text, "$TP" or "${TP}", from `at` on; a
// length of 0 where there is none.
struct EnvironmentVariable {
    std::size_t at = 0, length = 0;
    std::string name;
};
EnvironmentVariable variable_in(std::string_view text, std::size_t from) {
    const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t at = text.find('$', from); at != std::string_view::npos; at = text.find('$', at + 1)) {
        const std::size_t brace = text.substr(at + 1, 1) == "{" ? 1 : 0;
        std::size_t end = at + 1 + brace;
        while (end < text.size() && in_name(text[end])) ++end;
        const std::string name(text.substr(at + 1 + brace, end - at - 1 - brace));
        if (name.empty() || (brace == 1 && text.substr(end, 1) != "}")) continue;
        return {at, end + brace - at, name};
    }
    return {};
}

// A YAML file, as Megatron-LM's tests and recipes have it.
struct YamlOptions {
    std::vector<MegatronArgument> options;
    std::map<std::string, std::string> variables;  // below "ENV_VARS:"
};

// Reads the options below "MODEL_ARGS:", such as "--num-layers: 32" and "--bf16: true". There are none if the
// file has no such section.
YamlOptions options_of_yaml(std::string_view text) {
    YamlOptions out;
    std::string section;
    int number = 0;
    for (const std::string& line : split(text, '\n')) {
        ++number;
        const std::size_t start = line.find_first_not_of(" \t");
        if (start == std::string::npos || line[start] == '#') continue;
        const std::size_t colon = line.find(':', start);
        if (start == 0) section = line.substr(0, colon);
        if (start == 0 || colon == std::string::npos) continue;
        std::string value = line.substr(colon + 1);
        value = value.substr(0, value.find(" #"));
        const std::size_t first = value.find_first_not_of(" \t\r'\"");
        const std::size_t last = value.find_last_not_of(" \t\r'\"");
        value = first == std::string::npos ? "" : value.substr(first, last - first + 1);
        const std::string name = line.substr(start, colon - start);
        if (section == "ENV_VARS") out.variables[name] = value;
        if (section != "MODEL_ARGS" || !name.starts_with("--") || value == "false" || value == "False")
            continue;
        if (value == "true" || value == "True") value.clear();
        out.options.push_back({name, value, number});
    }
    return out;
}

// Replaces the variables that the file sets itself.
void replace_variables(YamlOptions& yaml) {
    for (MegatronArgument& argument : yaml.options) {
        std::size_t at = 0;
        for (EnvironmentVariable found = variable_in(argument.value, at); found.length > 0;
             found = variable_in(argument.value, at)) {
            const auto set = yaml.variables.find(found.name);
            at = found.at + (set == yaml.variables.end() ? found.length : set->second.size());
            if (set != yaml.variables.end()) argument.value.replace(found.at, found.length, set->second);
        }
    }
}

// Returns whether an option says where something is stored or how it is called.
bool is_place_or_name(std::string_view option) {
    static constexpr auto kWords = std::to_array<std::string_view>(
        {"path", "dir",  "file",    "save",   "load",    "tokenizer-model", "wandb", "tensorboard",
         "name", "url",  "address", "prefix", "project", "entity",          "seed",  "host",
         "port", "rank", "lr",      "log-",   "split"});
    return std::ranges::any_of(kWords,
                               [&](std::string_view word) { return option.find(word) != option.npos; });
}

// Adds a problem for each variable that the file does not set, in the order of its lines.
void report_unset(const std::vector<MegatronArgument>& options, Problems& problems) {
    std::set<std::string> reported;
    for (const MegatronArgument& argument : options) {
        if (is_place_or_name(argument.option)) continue;
        for (EnvironmentVariable found = variable_in(argument.value, 0); found.length > 0;
             found = variable_in(argument.value, found.at + found.length)) {
            if (!reported.insert(found.name).second) continue;
            problems.push_back({argument.option,
                                translate("the variable {1} is not set in this file",
                                          {argument.value.substr(found.at, found.length)}),
                                "", translate("write the value, or set the variable below ENV_VARS"),
                                argument.line});
        }
    }
}

// Returns the number of options of a command; one that only evaluates counts for less than any that trains.
std::ptrdiff_t options_in(const Command& command) {
    const bool only_evaluates = std::ranges::find(command, "--skip-train", &Word::text) != command.end();
    const auto count =
        std::ranges::count_if(command, [](const Word& word) { return word.text.starts_with("--"); });
    constexpr std::ptrdiff_t kMostOptions = 100'000;
    return only_evaluates ? count - kMostOptions : count;
}

int first_line(const Command& command) { return command.empty() ? 0 : command.front().line; }

std::vector<std::string> texts_of(const Command& command) {
    std::vector<std::string> out;
    for (const Word& word : command) out.push_back(word.text);
    return out;
}

// Returns whether a command starts a program that trains a model. A list of options is no such command.
bool trains(const Command& command) {
    const auto is_size = [](const Word& word) { return word.text.starts_with("--micro-batch-size"); };
    const auto is_program = [](const Word& word) { return word.text.ends_with(".py") || word.text == "-m"; };
    return options_in(command) > 0 && std::ranges::any_of(command, is_size) &&
           std::ranges::any_of(command, is_program);
}

// Returns the word at which the program begins that srun or mpirun starts; the first word where neither does.
Command::const_iterator program_in(const Command& command) {
    if (command.empty() || (command[0].text != "srun" && command[0].text != "mpirun")) return command.begin();
    const auto is_program = [](const Word& word) {
        static constexpr auto kEnds =
            std::to_array<std::string_view>({"python", "python3", "torchrun", "bash", "sh", ".py"});
        return std::ranges::any_of(kEnds, [&](std::string_view end) { return word.text.ends_with(end); }) &&
               !word.text.starts_with('-');
    };
    const auto found = std::ranges::find_if(command, is_program);
    return found == command.end() ? command.begin() : found;
}

// Returns the processes that the words of srun or mpirun start; `job` has the directives of the script.
long tasks_of_launcher(const Command& words, SlurmJob job) {
    const std::vector<std::string> texts = texts_of(words);
    if (texts.front() == "srun") return tasks_of_srun(texts, std::move(job));
    for (std::size_t i = 0; i + 1 < texts.size(); ++i)
        if (texts[i] == "-np" || texts[i] == "-n") return integer_of(texts[i + 1]).value_or(0);
    return 0;
}

}  // namespace

MegatronCommand::MegatronCommand(std::span<const MegatronArgument> arguments, Problems& problems)
    : problems_(problems) {
    add(arguments);
}

MegatronCommand::MegatronCommand(std::string_view file, Problems& problems) : problems_(problems) {
    YamlOptions listed = options_of_yaml(file);
    if (listed.options.empty()) {
        read_script(file);
        return;
    }
    replace_variables(listed);
    report_unset(listed.options, problems);
    add(listed.options);
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
    sourced_ = std::move(read.sourced);
    slurm_tasks_ = static_cast<double>(read.slurm.tasks);
    const std::vector<Command>& commands = read.commands;
    const auto best = std::ranges::max_element(commands, {}, options_in);
    if (best == commands.end()) return;
    std::set<std::vector<std::string>> found;  // a script may contain a command twice
    for (const Command& command : commands) {
        if (trains(command) && found.insert(texts_of(command)).second)
            trainings_.push_back(first_line(command));
    }
    training_ = first_line(*best);
    const auto program = program_in(*best);
    if (program != best->begin()) {
        slurm_tasks_ =
            static_cast<double>(tasks_of_launcher({best->begin(), program}, std::move(read.slurm)));
    }
    Option* last = nullptr;
    std::string name;
    bool is_short = false;  // whether the word before is an option such as -N
    for (const Word& word : std::span(program, best->end())) {
        const bool is_value_of_short = std::exchange(is_short, word.text.starts_with('-'));
        if (!word.text.starts_with("--")) {
            const auto from = std::ranges::find(word.from_shell, word.unknown, &FromShell::expression);
            if (word.text.empty() && from != word.from_shell.end() && (last || !is_value_of_short))
                unknown_words_.push_back({*from, name, last ? last->values.size() : 0});
            if (last) last->values.push_back(word);
            continue;
        }
        const std::size_t equals = word.text.find('=');
        name = word.text.substr(0, equals);
        last = &options_[name];
        // If an option is repeated, the last one is used.
        *last = {word.line, {}, false, false};
        if (equals == std::string::npos) continue;
        last->values.push_back(word);
        last->values.back().text.erase(0, equals + 1);
    }
    for (const Word& word : *best)
        if (word.text.ends_with(".py") && program_.text.empty()) program_ = word;
}

bool MegatronCommand::flag(std::string_view option) {
    Option* found = mark_used(option);
    if (found) found->is_flag = true;
    return found != nullptr;
}

std::vector<FromShell> MegatronCommand::unknown_words() const {
    std::vector<FromShell> out;
    for (const UnknownWord& word : unknown_words_) {
        const std::string& expression = word.from.expression;
        static constexpr auto kLists =
            std::to_array<std::string_view>({"@", "$*", "ARGS", "OPTS", "OPTIONS"});
        const bool is_list = std::ranges::any_of(
            kLists, [&](std::string_view part) { return expression.find(part) != std::string::npos; });
        const auto option = options_.find(word.option);
        // An option that was not read may have a value, unless its name is that of a flag.
        const bool takes_value = option != options_.end() && !option->second.is_flag &&
                                 !word.option.starts_with("--no-") && !word.option.starts_with("--use-");
        const bool is_value = takes_value && word.place == 0 && !is_list;
        if (!is_value) out.push_back(word.from);
    }
    return out;
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

const FromShell* MegatronCommand::shell_default(std::string_view option) const {
    const auto found = options_.find(std::string(option));
    if (found == options_.end() || found->second.values.empty()) return nullptr;
    const std::vector<FromShell>& from = found->second.values.front().from_shell;
    const auto by_default = std::ranges::find_if(from, &FromShell::has_default);
    return by_default == from.end() ? nullptr : &*by_default;
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
    const bool is_read = from == value.from_shell.end() || from->is_read;
    problems_.push_back({std::string(option), translate("is {1}", {value.unknown}),
                         is_read ? translate("values from the shell are not read")
                                 : translate("this form of expansion is not supported"),
                         translate("write the value, or set the variable in the file"),
                         from == value.from_shell.end() ? value.line : from->line});
    return nullptr;
}

}  // namespace shardscope::launch
