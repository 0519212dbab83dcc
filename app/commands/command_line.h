// The command line as a tree of commands, which the parser, the completions and the manual page read.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace shardscope::commands {

// The descriptions of the options that the parser adds: --help of every command, --version of the program.
inline constexpr const char* kHelpText = "Print this help message and exit";
inline constexpr const char* kVersionText = "Display program version information and exit";

struct Option {
    // The parser writes the value here. A bool is set by an option without a value; an int must be positive.
    using Destination = std::variant<bool*, int*, double*, std::string*, std::vector<std::string>*>;

    std::string name;  // starts with a hyphen unless the option is positional
    Destination destination;
    std::string kind;  // of the value, as --help shows it
    std::string description;
    std::vector<std::string> choices = {};               // the values that are accepted; all where empty
    std::string (*check)(const std::string&) = nullptr;  // returns the problem of a value, or an empty text
    bool required = false;
    bool repeated = false;  // for a list: each value needs the name again, as in `--set a=1 --set b=2`

    [[nodiscard]] bool is_positional() const;
    [[nodiscard]] bool takes_value() const;
    [[nodiscard]] bool takes_several() const;  // whether several values may follow one another
};

struct Command {
    std::string name;
    std::string description;
    std::string version = {};          // what --version prints; only the program has it
    std::vector<Option> options = {};  // in the order of --help
    std::list<Command> commands = {};  // a list, so that references to its commands stay valid
    // How many of `commands` may be named; a `most_commands` of 0 means any number.
    std::size_t fewest_commands = 0;
    std::size_t most_commands = 0;
    bool hidden = false;                 // from --help, the completions and the manual page
    bool allows_extra_words = false;     // whether unknown words are stored instead of refused
    std::function<int()> run = nullptr;  // runs after the commands within and returns the exit code

    // Set by run_commands() before `run` is called.
    bool named = false;
    std::vector<std::string> extra_words = {};

    Command& add_command(const std::string& command, const std::string& about);
    Option& add_option(const std::string& option, Option::Destination destination, const std::string& kind,
                       const std::string& about);
    // Adds an option that accepts only these values.
    void add_choice(const std::string& option, std::string* destination,
                    const std::vector<std::string>& choices, const std::string& about);
    // Adds an option without a value.
    void add_flag(const std::string& option, bool* destination, const std::string& about);
};

// Parses the arguments and runs the commands that they name. Prints help and errors. Returns the exit code,
// or nothing if the arguments name no command.
std::optional<int> run_commands(Command& program, int argc, char** argv);

}  // namespace shardscope::commands
