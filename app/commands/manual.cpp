// `shardscope manual`: prints the manual page, which is made from the tree of commands. The other parts
// (files, exit codes, examples) are in this file.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "app/commands/command.h"

namespace shardscope::commands {
namespace {

struct Entry {
    const char* term;
    const char* text;
};

constexpr Entry kExitCodes[] = {
    {"0", "Success, also for a scenario that does not fit."},
    {"1", "Anything else: an output that cannot be written, a full disk or a closed pipe, no display."},
    {"2",
     "Unusable input. Standard error has every problem at once, one a line, as FILE:LINE:/place: problem "
     "(why); suggestion."},
    {"3", "A solve or plan without a solution; a message names what blocks it, with numbers."},
};

constexpr Entry kFiles[] = {
    {"~/.local/share/shardscope/presets", "Your own presets, *.json in the form that `presets show` prints."},
    {"~/.config/Shardscope/Shardscope.conf", "What the window remembers between starts."},
    {"~/.config/Shardscope/last.shardscope-session.json", "The scenarios and pins as they were left."},
};

constexpr Entry kEnvironment[] = {
    {"XDG_DATA_HOME", "In place of ~/.local/share."},
    {"XDG_CONFIG_HOME", "In place of ~/.config."},
    {"QT_QPA_PLATFORM", "Qt's platform for the window. The commands need no display."},
};

// The tests run each example.
constexpr Entry kExamples[] = {
    {"echo '{\"cluster\": {\"gpus\": 256}}' | shardscope estimate -",
     "A scenario is JSON in which everything is optional."},
    {"shardscope estimate scaling-trends --set sequence_length=4k --format json",
     "A scenario's or a study's name stands for a file; the result as JSON."},
    {"shardscope sweep scaling-trends --axis 'inter_node_bandwidth=25 Gbit/s:800 Gbit/s:20:log' --output "
     "mfu,wall",
     "MFU and the wall over the network's bandwidth, as CSV."},
    {"shardscope solve scaling-trends --for sequence_length --target fits",
     "The longest sequence that fits."},
    {"shardscope plan scaling-trends --free tensor_parallel,micro_batch --top 3",
     "The best plans, and why their neighbours lose."},
    {"shardscope export scaling-trends --plot memory -o memory.svg", "A figure without a window."},
    {"shardscope presets show dgx-h100", "Every number with its source."},
};

// Escapes text for roff: hyphens stay ASCII hyphens, and no line is read as a request.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') out += "\\e";
        else if (c == '-') out += "\\-";
        else if (c == '\'') out += "\\(aq";
        else if (c == '`') out += "\\(ga";
        else if (c == '^') out += "\\(ha";
        else if (c == '~') out += "\\(ti";
        else out += c;
    }
    return (out.starts_with('.') ? "\\&" : "") + out;
}

void line(const std::string& text) { std::printf("%s\n", text.c_str()); }
void section(const char* name) { line(std::string(".SH ") + name); }
void text(std::string_view words) { line(escaped(words)); }
void item(const std::string& head, std::string_view words) {
    line(".TP");
    line(head);
    text(words.empty() ? std::string_view(" ") : words);
}
std::string bold(std::string_view words) { return "\\fB" + escaped(words) + "\\fR"; }
std::string italic(std::string_view words) { return "\\fI" + escaped(words) + "\\fR"; }

// Returns "text|json" for an option with choices.
std::string value_of(const Option& option) {
    if (option.choices.empty()) return italic(option.kind);
    std::string out;
    for (const std::string& choice : option.choices) out += (out.empty() ? "" : "|") + bold(choice);
    return out;
}

std::string operand(const Option& option) {
    const std::string name = italic(option.name) + (option.takes_several() ? "..." : "");
    return option.required ? name : "[" + name + "]";
}

std::vector<Option> options_of(const Command& command, bool positional) {
    std::vector<Option> out;
    std::ranges::copy_if(command.options, std::back_inserter(out),
                         [positional](const Option& option) { return option.is_positional() == positional; });
    return out;
}

void describe(const Command& command, const std::string& name) {
    const std::vector<Option> options = options_of(command, false);
    const std::vector<Option> operands = options_of(command, true);
    std::string synopsis = ".SS " + name;
    for (const Option& option : operands) synopsis += " " + operand(option);
    if (!options.empty()) synopsis += " [" + italic("OPTIONS") + "]";
    line(synopsis);
    text(command.description + ".");
    for (const Option& option : operands) item(italic(option.name), option.description + ".");
    for (const Option& option : options) {
        item(bold(option.name) + (option.takes_value() ? " " + value_of(option) : ""),
             option.description + (option.required ? " (required)." : "."));
    }
    for (const Command& inner : command.commands) {
        if (!inner.hidden) describe(inner, name + " " + inner.name);
    }
}

template <std::size_t N>
void entries(const char* title, const Entry (&list)[N]) {
    section(title);
    for (const Entry& entry : list) item(bold(entry.term), entry.text);
}

void print(const Command& program) {
    line(".\\\" Made by `shardscope manual`; do not edit.");
    line(".TH SHARDSCOPE 1 " SHARDSCOPE_RELEASED " \"Shardscope " SHARDSCOPE_VERSION "\" \"User Commands\"");
    for (const char* request : {".nh", ".ad l"}) line(request);  // no hyphenation, no justified lines
    section("NAME");
    line("shardscope \\- what\\-if explorer for training large transformers");
    section("SYNOPSIS");
    line(bold("shardscope") + " [" + italic("FILE") + "]");
    line(".br");
    line(bold("shardscope") + " " + italic("COMMAND") + " [" + italic("ARGUMENTS") + "]");
    section("DESCRIPTION");
    text(
        "Shows where memory or bandwidth becomes the wall of training a large transformer. Without a command "
        "it "
        "opens its window, in which sliders change cluster, GPU, model and training, and all results update "
        "at once.");
    line(".PP");
    text("The commands do the same without a display.");
    for (const Option& option : program.options) item(italic(option.name), option.description + ".");
    item(bold("--version"), "Display program version information and exit.");
    item(bold("--help"), "Print help, also of every command, and exit.");
    section("COMMANDS");
    for (const Command& command : program.commands) {
        if (!command.hidden) describe(command, command.name);
    }
    section("SCENARIOS");
    text(
        "A scenario is a JSON object in which everything is optional; {} is MPT-13B on 64 H100. Its parts "
        "are "
        "model, cluster and training, each with a preset and values of its own. Numbers are in SI units; "
        "strings "
        "may carry a unit, such as \"400 Gbit/s\" or \"80 GiB\". `shardscope parameters` prints all keys "
        "with "
        "their values and defaults. A file may hold several scenarios, one a line.");
    entries("EXIT STATUS", kExitCodes);
    entries("ENVIRONMENT", kEnvironment);
    entries("FILES", kFiles);
    section("EXAMPLES");
    for (const Entry& example : kExamples) {
        if (&example != kExamples) line(".PP");
        text(example.text);
        for (const char* request : {".PP", ".RS 4", ".nf"}) line(request);
        text(example.term);
        for (const char* request : {".fi", ".RE"}) line(request);
    }
}

}  // namespace

void add_manual(Command& program) {
    Command& command = program.add_command("manual", "The manual page, as man reads it");
    command.hidden = true;
    command.run = [&program] {
        print(program);
        return kDone;
    };
}

}  // namespace shardscope::commands
