// Lists the completions of an unfinished command line for the shells. They come from the tree of commands and
// the tables of parameters, outputs, plots and presets.
#include <algorithm>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "explain/output.h"
#include "text/text.h"
#include "widgets/plots/plot_kind.h"

namespace shardscope::commands {
namespace {

class Candidates {
  public:
    // `typed` is the unfinished word. The part that completions keep is `settled`: `--set=`, `mfu,`.
    explicit Candidates(std::string typed) : typed_(std::move(typed)) {}

    [[nodiscard]] const std::string& typed() const { return typed_; }
    [[nodiscard]] const std::string& settled() const { return settled_; }
    [[nodiscard]] std::string open() const { return typed_.substr(settled_.size()); }
    // Settles the word up to the last of `marks`.
    void settle(const char* marks) { settled_ = typed_.substr(0, typed_.find_last_of(marks) + 1); }
    void add(std::string_view word, std::string_view help) {
        const std::string whole = settled_ + std::string(word);
        if (whole.starts_with(typed_)) lines_ += whole + "\t" + std::string(help) + "\n";
    }
    void add_files() { files_ = true; }
    [[nodiscard]] std::string lines() const { return lines_ + (files_ ? ":files\n" : ""); }

  private:
    std::string typed_;
    std::string settled_;
    std::string lines_;
    bool files_ = false;
};

void add_presets(Candidates& to, PresetKind kind) {
    for (const Preset* preset : catalogue().all(kind)) to.add(preset->name, preset->title);
}

// Adds the full key. The bare name, if it is unique, is added only when something has been typed.
void add_key(Candidates& to, P id, const std::string& end = {}) {
    const Parameter& row = parameter(id);
    to.add(std::string(row.key) + end, row.label);
    const std::string bare(field_of(id));
    if (!to.open().empty() && find_parameter(bare) == id) to.add(bare + end, row.label);
}

void add_keys(Candidates& to, const std::string& end = {}) {
    for (std::size_t i = 0; i < kParameters; ++i) add_key(to, static_cast<P>(i), end);
}

void add_values(Candidates& to, P id) {
    const Parameter& row = parameter(id);
    for (const Named& named : row.names) to.add(named.name, row.label);
}

void add_outputs(Candidates& to) {
    for (const OutputRow& row : outputs()) to.add(row.path, row.label);
}

// Adds completions of KEY=VALUE or, for an axis, of KEY=a,b,c.
void add_assignment(Candidates& to, bool axis) {
    const std::string text = to.open();
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
        add_keys(to, "=");
        if (axis) return;
        for (const PresetKey& key : kPresetKeys) to.add(std::string(key.key) + "=", "Preset");
        return;
    }
    const std::string key = text.substr(0, equals);
    to.settle(axis ? "=," : "=");
    if (const auto id = find_parameter(key)) add_values(to, *id);
    if (axis) return;
    for (const PresetKey& known : kPresetKeys) {
        if (key == known.key) add_presets(to, known.kind);
    }
}

void add_scenarios(Candidates& to) {
    add_presets(to, PresetKind::scenario);
    add_presets(to, PresetKind::study);
    to.add_files();
}

void add_all_presets(Candidates& to) {
    for (const PresetKind kind : {PresetKind::gpu, PresetKind::cluster, PresetKind::model,
                                  PresetKind::scenario, PresetKind::study, PresetKind::calibration})
        add_presets(to, kind);
}

struct ValueKind {
    const char* type;
    void (*add)(Candidates&);
};
const ValueKind kValueKinds[] = {
    {value::kScenario, add_scenarios},
    {value::kFile, [](Candidates& to) { to.add_files(); }},
    {value::kPreset, add_all_presets},
    {value::kCluster, [](Candidates& to) { add_presets(to, PresetKind::cluster); }},
    {value::kGpu, [](Candidates& to) { add_presets(to, PresetKind::gpu); }},
    {value::kSoftware, [](Candidates& to) { add_values(to, P::software); }},
    {value::kPlot,
     [](Candidates& to) {
         for (const PlotKind* kind : plot_kinds()) to.add(kind->name, kind->label);
     }},
    {value::kKey, [](Candidates& to) { add_keys(to); }},
    {value::kPlanKeys,
     [](Candidates& to) {
         to.settle(",");
         for (std::size_t i = 0; i < kParameters; ++i) {
             if (parameters()[i].of_plan()) add_key(to, static_cast<P>(i));
         }
     }},
    {value::kAssignment, [](Candidates& to) { add_assignment(to, false); }},
    {value::kAxis, [](Candidates& to) { add_assignment(to, true); }},
    {value::kOutput, add_outputs},
    {value::kOutputs,
     [](Candidates& to) {
         to.settle(",");
         add_outputs(to);
     }},
    {value::kTarget,
     [](Candidates& to) {
         to.add("fits", "The largest, or smallest, that fits");
         add_outputs(to);
     }},
};

void add_values(Candidates& to, const Option& option) {
    for (const std::string& choice : option.choices) to.add(choice, option.description);
    for (const ValueKind& kind : kValueKinds) {
        if (option.kind == kind.type) kind.add(to);
    }
}

const Option* option_named(const Command& command, const std::string& word) {
    const auto found = std::ranges::find(command.options, word.substr(0, word.find('=')), &Option::name);
    return found == command.options.end() ? nullptr : &*found;
}

const Command* command_named(const Command& parent, const std::string& word) {
    const auto found = std::ranges::find(parent.commands, word, &Command::name);
    return found == parent.commands.end() ? nullptr : &*found;
}

bool is_option(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

void add_options(Candidates& to, const Command& command) {
    to.add("--help", kHelpText);
    if (!command.version.empty()) to.add("--version", kVersionText);
    for (const Option& option : command.options) {
        if (!option.is_positional()) to.add(option.name, option.description);
    }
}

// The state of the command line after the words before the last one.
struct Place {
    const Command* command = nullptr;
    const Option* waiting = nullptr;  // option that needs a value, or accepts one more
    bool has_value = false;           // whether `waiting` has a value already
    std::size_t positionals = 0;
};

Place place_after(const Command& program, const std::vector<std::string>& words) {
    Place at{&program};
    for (const std::string& word : words) {
        if (is_option(word)) {
            const Option* option = option_named(*at.command, word);
            const bool open = option && option->takes_value() && word.find('=') == std::string::npos;
            at.waiting = open ? option : nullptr;
            at.has_value = false;
        } else if (at.waiting) {
            at.has_value = true;
            if (!at.waiting->takes_several()) at.waiting = nullptr;
        } else if (const Command* inner = command_named(*at.command, word); inner && at.positionals == 0) {
            at.command = inner;
        } else {
            ++at.positionals;
        }
    }
    return at;
}

}  // namespace

std::string candidates(const Command& program, std::vector<std::string> words) {
    const std::string typed = words.empty() ? std::string() : words.back();
    if (!words.empty()) words.pop_back();
    const Place at = place_after(program, words);
    Candidates to(typed);
    if (at.waiting && !(at.has_value && is_option(typed))) {
        add_values(to, *at.waiting);
    } else if (is_option(typed) && typed.find('=') != std::string::npos) {
        Candidates value(typed.substr(typed.find('=') + 1));
        if (const Option* option = option_named(*at.command, typed)) add_values(value, *option);
        // The shells replace the whole word, so each line has to repeat its start.
        std::string lines;
        for (const std::string& line : split(value.lines(), '\n')) {
            if (line.empty()) continue;
            lines += (line.starts_with(':') ? "" : typed.substr(0, typed.find('=') + 1)) + line + "\n";
        }
        return lines;
    } else if (typed.starts_with('-')) {
        add_options(to, *at.command);
    } else {
        if (at.positionals == 0) {
            for (const Command& command : at.command->commands) {
                if (!command.hidden) to.add(command.name, command.description);
            }
        }
        std::vector<const Option*> positionals;
        for (const Option& option : at.command->options) {
            if (option.is_positional()) positionals.push_back(&option);
        }
        if (at.positionals < positionals.size()) add_values(to, *positionals[at.positionals]);
        else if (!positionals.empty() && positionals.back()->takes_several())
            add_values(to, *positionals.back());
    }
    return to.lines();
}

}  // namespace shardscope::commands
