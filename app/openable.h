// The kinds of text that can be opened, dropped and pasted. Each has one entry, which recognises the text and
// opens it. To add a kind, add an entry in openable.cpp.
#pragma once

#include <QStringList>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/scenario.h"

namespace shardscope {

class LiveModel;
class MessageBar;
class PlotTabs;
class Workspace;

// The parts of the window into which a text is opened.
struct OpenTargets {
    Catalogue& catalogue;
    LiveModel& model;
    Workspace& workspace;
    PlotTabs& tabs;
    MessageBar& messages;  // for notes on a text that was opened without problems
};

// A text to open.
struct OpenedText {
    std::string text;
    QString what;          // "run.json", "the clipboard": for messages
    QString step;          // "Open run.json": the undo step
    QString file;          // from which it was read; "" for none
    bool carried = false;  // whether it was in a figure, a report or a preset, which must not be overwritten
};
// Returns the folder against which relative paths in the text are resolved; "" without a file.
std::string folder_of(const OpenedText& opened);

struct Openable {
    std::string name;  // "a session": for messages
    bool (*recognises)(std::string_view text);
    // Opens the text as one undo step; nothing changes where there is a problem.
    void (*open)(const OpenedText& opened, const OpenTargets& into, Problems& problems);
    bool keeps_scenario = false;  // whether the scenario stays unchanged
};

// Returns whether the text is opened as a training log.
bool opens_as_log(std::string_view text);
// Adds the runs of several training logs to the plot of validation, as one table. What a log does not state
// is that of the current scenario. Returns the files whose runs were added; `messages` says why others were
// not.
QStringList add_logs(const std::vector<OpenedText>& logs, const OpenTargets& into, QStringList& messages);
// Returns the first kind that recognises the text; nullptr when none does.
const Openable* find_openable(std::string_view text);
// Opens the text as the kind that recognises it. Returns false, with a problem, when there is no such kind or
// the text cannot be used.
bool take(const OpenedText& opened, const OpenTargets& into, Problems& problems);

}  // namespace shardscope
