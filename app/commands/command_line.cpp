// Only this file includes CLI11, because its templates take seconds to compile.
#include "app/commands/command_line.h"

#include <CLI/CLI.hpp>
#include <sstream>
#include <type_traits>

#include "app/commands/command.h"

namespace shardscope::commands {
namespace {

void add_to_parser(CLI::App& parser, const Option& option) {
    const auto add = [&](auto* destination) {
        if constexpr (std::is_same_v<decltype(destination), bool*>)
            return parser.add_flag(option.name, *destination, option.description);
        else return parser.add_option(option.name, *destination, option.description)->type_name(option.kind);
    };
    CLI::Option* added = std::visit(add, option.destination)->required(option.required);
    if (option.repeated) added->take_all()->allow_extra_args(false);
    if (std::holds_alternative<int*>(option.destination)) added->check(CLI::PositiveNumber);
    if (!option.choices.empty()) added->check(CLI::IsMember(option.choices));
    if (option.check) added->check(option.check);
}

void add_to_parser(CLI::App& parser, Command& command, std::optional<int>& exit_code) {
    for (const Option& option : command.options) add_to_parser(parser, option);
    parser.require_subcommand(command.fewest_commands, command.most_commands);
    for (Command& inner : command.commands)
        add_to_parser(*parser.add_subcommand(inner.name, inner.description), inner, exit_code);
    if (command.hidden) parser.group("");
    // This follows the commands within, because they would inherit it.
    parser.allow_extras(command.allows_extra_words);
    parser.callback([&parser, &command, &exit_code] {
        command.named = true;
        command.extra_words = parser.remaining();
        if (command.run) exit_code = command.run();
    });
}

}  // namespace

bool Option::is_positional() const { return !name.starts_with('-'); }

bool Option::takes_value() const { return !std::holds_alternative<bool*>(destination); }

bool Option::takes_several() const {
    return std::holds_alternative<std::vector<std::string>*>(destination) && !repeated;
}

Command& Command::add_command(const std::string& command, const std::string& about) {
    return commands.emplace_back(Command{command, about});
}

Option& Command::add_option(const std::string& option, Option::Destination destination,
                            const std::string& kind, const std::string& about) {
    return options.emplace_back(Option{option, destination, kind, about});
}

void Command::add_choice(const std::string& option, std::string* destination,
                         const std::vector<std::string>& choices, const std::string& about) {
    add_option(option, destination, "TEXT", about).choices = choices;
}

void Command::add_flag(const std::string& option, bool* destination, const std::string& about) {
    add_option(option, destination, {}, about);
}

std::optional<int> run_commands(Command& program, int argc, char** argv) {
    CLI::App parser{program.description};
    parser.set_help_flag("-h,--help", kHelpText);
    parser.set_version_flag("--version", program.version, kVersionText);
    std::optional<int> exit_code;
    add_to_parser(parser, program, exit_code);
    try {
        parser.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::ostringstream out;
        std::ostringstream err;
        const bool done = parser.exit(error, out, err) == 0;
        print_text(out.str());
        print_err("%s", err.str().c_str());
        return done ? kDone : kUnusable;
    }
    return exit_code;
}

}  // namespace shardscope::commands
