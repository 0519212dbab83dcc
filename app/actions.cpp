#include "app/actions.h"

#include <QAction>

#include "base/said.h"
#include "widgets/text.h"
#include "widgets/theme/icons.h"

namespace shardscope {

const std::vector<ActionRow>& action_table() {
    using enum ActionId;
    static const std::vector<ActionRow> table{
        {new_scenario, "action/new", phrase("&New"), "", "Ctrl+N", false},
        {open, "action/open", phrase("&Open…"), "open", "Ctrl+O", false},
        {save, "action/save", phrase("&Save"), "save", "Ctrl+S", false},
        {save_as, "action/save-as", phrase("Save &as…"), "", "Ctrl+Shift+S", false},
        {save_session, "action/save-session", phrase("Sa&ve session as…"), "", "", false},
        {export_plot, "action/export", phrase("&Export plot…"), "export", "Ctrl+E", true},
        {export_all, "action/export-all", phrase("Export a&ll plots…"), "", "Ctrl+Shift+E", false},
        {export_report, "action/export-report", phrase("Export re&port…"), "", "Ctrl+Shift+R", false},
        {launch_settings, "action/launch", phrase("Launch se&ttings…"), "", "Ctrl+J", false},
        {quit, "action/quit", phrase("&Quit"), "", "Ctrl+Q", false},
        {undo, "action/undo", phrase("&Undo"), "undo", "Ctrl+Z", true},
        {redo, "action/redo", phrase("&Redo"), "redo", "Ctrl+Shift+Z", true},
        {copy, "action/copy", phrase("&Copy scenario"), "copy", "Ctrl+Shift+C", false},
        {paste, "action/paste", phrase("&Paste scenario"), "paste", "Ctrl+Shift+V", false},
        {theme_system, "action/theme-system", phrase("&System"), "", "", false},
        {theme_light, "action/theme-light", phrase("&Light"), "", "", false},
        {theme_dark, "action/theme-dark", phrase("&Dark"), "", "", false},
        {find_parameter, "action/find", phrase("&Find a parameter"), "", "Ctrl+F", false},
        {plan_automatic, "action/plan-automatic", phrase("Plan &automatic"), "", "Ctrl+L", false},
        {plan_lock, "action/plan-lock", phrase("&Lock the plan"), "", "Ctrl+Shift+L", false},
        {pin, "action/pin", phrase("&Pin"), "pin", "P", true},
        {solve_for, "action/solve", phrase("&Solve for…"), "solve", "S", true},
        {unpin_all, "action/unpin-all", phrase("&Unpin all"), "", "", false},
        {measured_run, "action/measured", phrase("&Measured run…"), "", "Ctrl+M", false},
        {show_table, "action/table", phrase("&Table of the plot"), "table", "Ctrl+T", false},
        {toggle_why, "action/why", phrase("&Why panel"), "", "F9", false},
        {next_plot, "action/next-plot", phrase("&Next plot"), "", "Ctrl+Tab", false},
        {previous_plot, "action/previous-plot", phrase("&Previous plot"), "", "Ctrl+Shift+Tab", false},
        {help, "action/help", phrase("&Help"), "help", "F1", false},
        {shortcuts, "action/shortcuts", phrase("&Keyboard"), "", "Ctrl+F1", false},
        {about, "action/about", phrase("&About Shardscope"), "", "", false},
    };
    return table;
}

Actions make_actions(QObject* parent) {
    Actions actions;
    for (const ActionRow& row : action_table()) {
        auto* action = new QAction(tr(row.text), parent);
        action->setObjectName(QLatin1String(row.name));
        if (*row.shortcut)
            action->setShortcut(QKeySequence(QLatin1String(row.shortcut), QKeySequence::PortableText));
        actions[row.id] = action;
    }
    return actions;
}

void tint_actions(const Actions& actions, const QColor& color) {
    for (const ActionRow& row : action_table()) {
        if (*row.icon) actions.at(row.id)->setIcon(tinted_icon(QLatin1String(row.icon), color));
    }
}

}  // namespace shardscope
