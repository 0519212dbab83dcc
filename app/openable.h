// What can be opened, dropped and pasted, one entry each: how its text is recognised, and what becomes of it.
// To add one: an entry in openable.cpp.
#pragma once

#include <QString>
#include <span>
#include <string>
#include <string_view>

#include "scenario/scenario.h"

namespace shardscope {

class LiveModel;
class MessageBar;
class PlotTabs;
class Workspace;

// Where what is opened goes.
struct OpeningInto {
    Catalogue& catalogue;
    LiveModel& model;
    Workspace& workspace;
    PlotTabs& tabs;
    MessageBar& messages;  // for what is worth knowing though nothing went wrong
};

// A text somebody wants to open.
struct OpenedText {
    std::string text;
    QString what;          // "run.json", "the clipboard": for messages
    QString step;          // "Open run.json": the undo step
    QString file;          // it was read from; "" for none
    bool carried = false;  // inside a figure or a report, which is not to be saved over
};
// Relative paths in it begin here; "" without a file.
std::string folder_of(const OpenedText& opened);

struct Openable {
    std::string name;  // "a session": for messages
    bool (*recognises)(std::string_view text);
    // As one undo step; nothing changes where there is a problem.
    void (*open)(const OpenedText& opened, const OpeningInto& into, Problems& problems);
    bool stands_beside = false;  // the scenario stays as it is
};

// The first that recognises the text; nullptr when none does.
const Openable* openable(std::string_view text);
// Takes it, as what it is; false, with a problem, when it cannot be used or is none of them.
bool take(const OpenedText& opened, const OpeningInto& into, Problems& problems);

}  // namespace shardscope
