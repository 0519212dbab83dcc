// Commands that write a file in a format: "export pdf", "svg", "report html".
#include <array>

#include "app/command_line/window_command.h"
#include "app/plot_actions.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope {

WindowCommands export_commands(const QString& words, const CommandTargets& targets) {
    WindowCommands out;
    PlotActions& plots = targets.plots;
    const QString plot = plots.at_focus();
    const QString label = tr(plot_kind(plot.toStdString())->label);
    const auto add = [&](const QString& what, const QString& format, const QString& text,
                         const QString& effect, auto run) {
        const WordMatch match = match_words(words, {what + QLatin1Char(' ') + format, format},
                                            QObject::tr("save as figure image file"));
        if (match == WordMatch::none) return;
        out.push_back({what + QLatin1Char('/') + format, text, effect, match, run});
    };
    for (const char* format : {"pdf", "svg", "png", "csv"}) {
        const QString ending = QLatin1String(format);
        add(QStringLiteral("export"), ending, QObject::tr("Export %1 as %2").arg(label, ending.toUpper()),
            QObject::tr("shows a preview"), [&plots, plot, ending] { plots.ask_to_export(plot, ending); });
    }
    for (const char* format : {"html", "pdf", "md"}) {
        const QString ending = QLatin1String(format);
        add(QStringLiteral("report"), ending, QObject::tr("Export a report as %1").arg(ending.toUpper()),
            QObject::tr("asks for the file"), [&plots, ending] { plots.ask_for_report(ending); });
    }
    return out;
}

}  // namespace shardscope
