#include "app/actions.h"

#include <QAction>

#include "text/said.h"
#include "widgets/text.h"
#include "widgets/theme/icons.h"

namespace shardscope {

const std::vector<ActionRow>& action_table() {
    using enum ActionId;
    static const std::vector<ActionRow> table{
        {new_scenario, "action/new", phrase("&New"), "", "Ctrl+N"},
        {open, "action/open", phrase("&Open…"), "open", "Ctrl+O"},
        {save, "action/save", phrase("&Save"), "save", "Ctrl+S"},
        {save_as, "action/save-as", phrase("Save &as…"), "", "Ctrl+Shift+S"},
        {save_session, "action/save-session", phrase("Sa&ve session as…"), "", ""},
        {export_plot, "action/export", phrase("&Export plot…"), "export", "Ctrl+E"},
        {export_all, "action/export-all", phrase("Export a&ll plots…"), "", "Ctrl+Shift+E"},
        {export_report, "action/export-report", phrase("Export re&port…"), "", "Ctrl+Shift+R"},
        {launch_settings, "action/launch", phrase("Launch se&ttings…"), "", "Ctrl+J"},
        {quit, "action/quit", phrase("&Quit"), "", "Ctrl+Q"},
        {undo, "action/undo", phrase("&Undo"), "undo", "Ctrl+Z"},
        {redo, "action/redo", phrase("&Redo"), "redo", "Ctrl+Shift+Z"},
        {copy, "action/copy", phrase("&Copy scenario"), "copy", "Ctrl+Shift+C"},
        {paste, "action/paste", phrase("&Paste scenario"), "paste", "Ctrl+Shift+V"},
        {theme_system, "action/theme-system", phrase("&System"), "", ""},
        {theme_light, "action/theme-light", phrase("&Light"), "", ""},
        {theme_dark, "action/theme-dark", phrase("&Dark"), "", ""},
        {find_parameter, "action/find", phrase("&Find a parameter"), "", "Ctrl+F"},
        {plan_automatic, "action/plan-automatic", phrase("Plan &automatic"), "", "Ctrl+L"},
        {plan_lock, "action/plan-lock", phrase("&Lock the plan"), "", "Ctrl+Shift+L"},
        {pin, "action/pin", phrase("&Pin"), "pin", "P"},
        {solve_for, "action/solve", phrase("&Solve for…"), "solve", "S"},
        {unpin_all, "action/unpin-all", phrase("&Unpin all"), "", ""},
        {measured_run, "action/measured", phrase("&Measured run…"), "", "Ctrl+M"},
        {show_table, "action/table", phrase("&Table of the plot"), "table", "Ctrl+T"},
        {explain, "action/explain", phrase("E&xplain what has the focus"), "", "Ctrl+I"},
        {toggle_why, "action/why", phrase("&Why panel"), "", "F9"},
        {next_plot, "action/next-plot", phrase("&Next plot"), "", "Ctrl+Tab"},
        {previous_plot, "action/previous-plot", phrase("&Previous plot"), "", "Ctrl+Shift+Tab"},
        {help, "action/help", phrase("&Help"), "help", "F1"},
        {shortcuts, "action/shortcuts", phrase("&Keyboard"), "", "Ctrl+F1"},
        {about, "action/about", phrase("&About Shardscope"), "", ""},
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
