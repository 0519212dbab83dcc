// The table of all actions of the window: id, text, icon, shortcut. Menus and the tool bar use this table.
#pragma once

#include <QKeySequence>
#include <QString>
#include <map>
#include <vector>

class QAction;
class QColor;
class QObject;

namespace shardscope {

enum class ActionId {
    new_scenario,
    open,
    save,
    save_as,
    save_session,
    save_model,
    rename_model,
    export_plot,
    export_all,
    export_report,
    launch_settings,
    quit,
    undo,
    redo,
    copy,
    paste,
    theme_system,
    theme_light,
    theme_dark,
    find_or_do,
    plan_automatic,
    plan_lock,
    best_repair,
    pin,
    unpin_all,
    solve_for,
    measured_run,
    show_table,
    explain,
    toggle_why,
    next_plot,
    previous_plot,
    help,
    shortcuts,
    about,
};

struct ActionRow {
    ActionId id;
    const char* name;      // object name: "action/pin"
    const char* text;      // with its access key; translated where it is shown
    const char* icon;      // resource, or ""
    const char* shortcut;  // portable text, or ""
    const char* does;      // what it does, for the command line
};
const std::vector<ActionRow>& action_table();

using Actions = std::map<ActionId, QAction*>;
// Creates the actions of the table as children of `parent`.
Actions make_actions(QObject* parent);
// Draws the icons of the actions in this colour.
void tint_actions(const Actions& actions, const QColor& color);

}  // namespace shardscope
