// Commands that trigger an action of the menus or show a plot: "pin", "undo", "dark", "deutsch", "walls".
#include <QAction>
#include <QActionGroup>
#include <QLocale>

#include "app/command_line/window_command.h"
#include "app/plot_tabs.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope {

WindowCommands action_commands(const QString& words, const CommandTargets& targets) {
    WindowCommands out;
    for (const ActionRow& row : action_table()) {
        if (row.id == ActionId::find_or_do) continue;  // it leads here
        QAction* action = targets.actions.at(row.id);
        QString text = tr(row.text).remove(QLatin1Char('&'));
        const QString name = QString(text).remove(QStringLiteral("…"));
        const WordMatch match = match_words(words, {name, QLatin1String(row.name).mid(7)}, tr(row.does));
        if (match == WordMatch::none) continue;
        WindowCommand command{QLatin1String(row.name), text, tr(row.does), match, {}};
        if (action->isEnabled()) command.run = [action] { action->trigger(); };
        else command.effect = QObject::tr("not possible now");
        out.push_back(std::move(command));
    }
    for (QAction* action : targets.languages.actions()) {
        const QString code = action->objectName().section(QLatin1Char('/'), 1);
        const QString text = QObject::tr("Language %1").arg(action->text());
        QStringList names{action->text(), text};
        if (!code.isEmpty()) names << QLocale::languageToString(QLocale(code).language());  // "German"
        const WordMatch match = match_words(words, names, {});
        if (match == WordMatch::none) continue;
        out.push_back({action->objectName(), text,
                       action->isChecked() ? QObject::tr("is chosen already")
                                           : QObject::tr("the language of the window from the next start"),
                       match, [action] { action->trigger(); }});
    }
    for (const PlotKind* kind : plot_kinds()) {
        if (!kind->make_tab) continue;
        const QString name = text_of(kind->name);
        const QString label = tr(kind->label);
        const QString text = QObject::tr("Plot %1").arg(label);
        const WordMatch match = match_words(words, {label, name, text}, {});
        if (match == WordMatch::none) continue;
        out.push_back({QStringLiteral("plot/") + name, text, QObject::tr("shows its tab"), match,
                       [&tabs = targets.tabs, name] { tabs.show_plot(name); }});
    }
    return out;
}

}  // namespace shardscope
