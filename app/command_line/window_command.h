// What the command line of the window can do. The field at the top of the controls takes words such as
// "seq 32k", "h200", "gpus 512", "export pdf", "pin" and "solve fits"; `commands_for` returns what they can
// mean, best first. Each kind of command has a function in a file of its own; to add one, add a function and
// list it in window_command.cpp.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "app/actions.h"
#include "app/on_demand.h"
#include "scenario/scenario.h"
#include "widgets/word_match.h"

class QActionGroup;

namespace shardscope {

class ControlsPanel;
class Documents;
class HelpWindow;
class LiveModel;
class PlotActions;
class PlotTabs;
class PresetFacts;
class SolvePanel;

struct WindowCommand {
    QString name;  // "set/training.sequence_length": identifies it in tests
    QString text;  // what it does: "Sequence length 32,768"
    // What it does to the window, or why it is not possible. Its parts are joined by kBetweenParts, the most
    // important one first. The list leaves out the last parts that do not fit.
    QString effect{};
    WordMatch match = WordMatch::name;
    std::function<void()> run{};  // null: it is not possible
    // Returns the scenario after the command, with the plan held; the list says what is predicted for it.
    // Null: the command leaves the scenario as it is, or searches.
    std::function<Scenario()> leads_to{};
    // Returns what a search will find, for the first entry of the list. Null: the command does not search, or
    // too long.
    std::function<QString()> finds{};
};
using WindowCommands = std::vector<WindowCommand>;

// The parts of the window on which commands act. All of them have to outlive the commands.
struct CommandTargets {
    LiveModel& model;
    ControlsPanel& controls;
    PlotTabs& tabs;
    PlotActions& plots;
    SolvePanel& solve;
    OnDemand<HelpWindow>& help;
    Documents& documents;
    PresetFacts& facts;
    const Actions& actions;
    const QActionGroup& languages;  // named "language/CODE"
};

// Returns the commands that match the words, best first, at most as many as the list shows.
WindowCommands commands_for(const QString& typed, const CommandTargets& targets);

// The kinds. `words` is not empty and has single blanks between the words. A command also matches the words
// of its own text.
WindowCommands value_commands(const QString& words, const CommandTargets& targets);   // "seq 32k", "tp auto"
WindowCommands preset_commands(const QString& words, const CommandTargets& targets);  // "h200", "llama 70b"
WindowCommands action_commands(const QString& words,
                               const CommandTargets& targets);  // "pin", "walls", "deutsch"
WindowCommands export_commands(const QString& words, const CommandTargets& targets);  // "export pdf"
WindowCommands solve_commands(const QString& words, const CommandTargets& targets);   // "solve fits"
WindowCommands help_commands(const QString& words, const CommandTargets& targets);    // "bubble"

}  // namespace shardscope
