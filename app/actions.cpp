#include "app/actions.h"

#include <QAction>

#include "text/translate.h"
#include "widgets/text.h"
#include "widgets/theme/icons.h"

namespace shardscope {

const std::vector<ActionRow>& action_table() {
    using enum ActionId;
    static const std::vector<ActionRow> table{
        {new_scenario, "action/new", translatable("&New"), "", "Ctrl+N",
         translatable("starts again with the first scenario")},
        {open, "action/open", translatable("&Open…"), "open", "Ctrl+O",
         translatable("reads a scenario, a session, a figure, settings or a log")},
        {save, "action/save", translatable("&Save"), "save", "Ctrl+S",
         translatable("writes the scenario to its file")},
        {save_as, "action/save-as", translatable("Save &as…"), "", "Ctrl+Shift+S",
         translatable("writes the scenario to a new file")},
        {save_session, "action/save-session", translatable("Sa&ve session as…"), "", "",
         translatable("writes the scenario and all pins to a file")},
        {save_model, "action/save-model", translatable("Save &model as preset…"), "", "",
         translatable("writes the model with its changes under a name of your choice")},
        {rename_model, "action/rename-model", translatable("Rename mo&del…"), "", "",
         translatable("gives the model a name of its own")},
        {export_plot, "action/export", translatable("&Export plot…"), "export", "Ctrl+E",
         translatable("writes the plot as SVG, PDF, PNG or CSV")},
        {export_all, "action/export-all", translatable("Export a&ll plots…"), "", "Ctrl+Shift+E",
         translatable("writes every plot into a folder")},
        {export_report, "action/export-report", translatable("Export re&port…"), "", "Ctrl+Shift+R",
         translatable("writes HTML, PDF or Markdown with all figures")},
        {launch_settings, "action/launch", translatable("Launch se&ttings…"), "", "Ctrl+J",
         translatable("writes the plan as settings for Megatron-LM, torchtitan, DeepSpeed and other tools")},
        {quit, "action/quit", translatable("&Quit"), "", "Ctrl+Q",
         translatable("closes the window; the session is kept")},
        {undo, "action/undo", translatable("&Undo"), "undo", "Ctrl+Z",
         translatable("undoes the last change")},
        {redo, "action/redo", translatable("&Redo"), "redo", "Ctrl+Shift+Z",
         translatable("redoes the last undone change")},
        {copy, "action/copy", translatable("&Copy scenario"), "copy", "Ctrl+Shift+C",
         translatable("puts the scenario on the clipboard as text")},
        {paste, "action/paste", translatable("&Paste scenario"), "paste", "Ctrl+Shift+V",
         translatable("loads the scenario on the clipboard")},
        {theme_system, "action/theme-system", translatable("&System"), "", "",
         translatable("the theme of the desktop")},
        {theme_light, "action/theme-light", translatable("&Light"), "", "", translatable("the light theme")},
        {theme_dark, "action/theme-dark", translatable("&Dark"), "", "", translatable("the dark theme")},
        {find_or_do, "action/find", translatable("&Find or do"), "", "Ctrl+K",
         translatable("finds a parameter, or does what is typed: seq 32k, h200")},
        {plan_automatic, "action/plan-automatic", translatable("Plan &automatic"), "", "Ctrl+L",
         translatable("lets the planner choose the plan")},
        {plan_lock, "action/plan-lock", translatable("&Lock the plan"), "", "Ctrl+Shift+L",
         translatable("keeps the plan as it is")},
        {best_repair, "action/repair", translatable("Apply the best &repair"), "", "Ctrl+R",
         translatable("changes the scenario so that it fits")},
        {pin, "action/pin", translatable("&Pin"), "pin", "P",
         translatable("shows this scenario in every plot, for comparison")},
        {solve_for, "action/solve", translatable("&Solve for…"), "solve", "S",
         translatable("finds the value of an input that meets a target")},
        {unpin_all, "action/unpin-all", translatable("&Unpin all"), "", "", translatable("removes all pins")},
        {measured_run, "action/measured", translatable("&My run…"), "", "Ctrl+M",
         translatable("compares a run of yours with the prediction")},
        {show_table, "action/table", translatable("&Table of the plot"), "table", "Ctrl+T",
         translatable("shows the numbers of the plot")},
        {explain, "action/explain", translatable("E&xplain what has the focus"), "", "Ctrl+I",
         translatable("gives formula, values and source")},
        {toggle_why, "action/why", translatable("&Why panel"), "", "F9",
         translatable("opens or closes the explanations at the right")},
        {next_plot, "action/next-plot", translatable("&Next plot"), "", "Ctrl+Tab",
         translatable("shows the next tab")},
        {previous_plot, "action/previous-plot", translatable("&Previous plot"), "", "Ctrl+Shift+Tab",
         translatable("shows the previous tab")},
        {help, "action/help", translatable("&Help"), "help", "F1",
         translatable("explains what has the focus")},
        {shortcuts, "action/shortcuts", translatable("&Keyboard"), "", "Ctrl+F1",
         translatable("lists all keys")},
        {about, "action/about", translatable("&About Shardscope"), "", "",
         translatable("shows version, licence and sources")},
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
