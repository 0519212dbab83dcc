#include "app/actions.h"

#include <QAction>

#include "text/translate.h"
#include "widgets/text.h"
#include "widgets/theme/icons.h"

namespace shardscope {

const std::vector<ActionRow>& action_table() {
    using enum ActionId;
    static const std::vector<ActionRow> table{
        {new_scenario, "action/new", translatable("&New"), "", "Ctrl+N"},
        {open, "action/open", translatable("&Open…"), "open", "Ctrl+O"},
        {save, "action/save", translatable("&Save"), "save", "Ctrl+S"},
        {save_as, "action/save-as", translatable("Save &as…"), "", "Ctrl+Shift+S"},
        {save_session, "action/save-session", translatable("Sa&ve session as…"), "", ""},
        {export_plot, "action/export", translatable("&Export plot…"), "export", "Ctrl+E"},
        {export_all, "action/export-all", translatable("Export a&ll plots…"), "", "Ctrl+Shift+E"},
        {export_report, "action/export-report", translatable("Export re&port…"), "", "Ctrl+Shift+R"},
        {launch_settings, "action/launch", translatable("Launch se&ttings…"), "", "Ctrl+J"},
        {quit, "action/quit", translatable("&Quit"), "", "Ctrl+Q"},
        {undo, "action/undo", translatable("&Undo"), "undo", "Ctrl+Z"},
        {redo, "action/redo", translatable("&Redo"), "redo", "Ctrl+Shift+Z"},
        {copy, "action/copy", translatable("&Copy scenario"), "copy", "Ctrl+Shift+C"},
        {paste, "action/paste", translatable("&Paste scenario"), "paste", "Ctrl+Shift+V"},
        {theme_system, "action/theme-system", translatable("&System"), "", ""},
        {theme_light, "action/theme-light", translatable("&Light"), "", ""},
        {theme_dark, "action/theme-dark", translatable("&Dark"), "", ""},
        {find_parameter, "action/find", translatable("&Find a parameter"), "", "Ctrl+F"},
        {plan_automatic, "action/plan-automatic", translatable("Plan &automatic"), "", "Ctrl+L"},
        {plan_lock, "action/plan-lock", translatable("&Lock the plan"), "", "Ctrl+Shift+L"},
        {pin, "action/pin", translatable("&Pin"), "pin", "P"},
        {solve_for, "action/solve", translatable("&Solve for…"), "solve", "S"},
        {unpin_all, "action/unpin-all", translatable("&Unpin all"), "", ""},
        {measured_run, "action/measured", translatable("&Measured run…"), "", "Ctrl+M"},
        {show_table, "action/table", translatable("&Table of the plot"), "table", "Ctrl+T"},
        {explain, "action/explain", translatable("E&xplain what has the focus"), "", "Ctrl+I"},
        {toggle_why, "action/why", translatable("&Why panel"), "", "F9"},
        {next_plot, "action/next-plot", translatable("&Next plot"), "", "Ctrl+Tab"},
        {previous_plot, "action/previous-plot", translatable("&Previous plot"), "", "Ctrl+Shift+Tab"},
        {help, "action/help", translatable("&Help"), "help", "F1"},
        {shortcuts, "action/shortcuts", translatable("&Keyboard"), "", "Ctrl+F1"},
        {about, "action/about", translatable("&About Shardscope"), "", ""},
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
