#include "app/help_pages.h"

#include <QFile>
#include <QHash>
#include <QStringList>
#include <algorithm>
#include <array>
#include <vector>

#include "app/actions.h"
#include "app/language.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

constexpr std::array kFirstPages{
    HelpPage{"start", "toolbar help"},
    HelpPage{"presets", "picker/cluster picker/model presets/cluster presets/model"},
    HelpPage{"controls", "controls commands"},
    HelpPage{"headline", "headline"},
    HelpPage{"repairs", "repairs"},
    HelpPage{"plots", "table"}};
constexpr std::array kLastPages{HelpPage{"why", "why why-rail"},
                                HelpPage{"scenarios", "scenarios"},
                                HelpPage{"solve", "solve"},
                                HelpPage{"measured", "measured"},
                                HelpPage{"study", "study study-rail picker/study"},
                                HelpPage{"launch", "launch"},
                                HelpPage{"files", "message progress toolbar/export export"},
                                HelpPage{"glossary", ""},
                                HelpPage{"keyboard", ""}};

// Every plot has the page of its name.
std::vector<HelpPage> make_pages() {
    std::vector<HelpPage> out(kFirstPages.begin(), kFirstPages.end());
    for (const PlotKind* kind : plot_kinds())
        out.push_back({kind->name, kind->panel.empty() ? kind->name : kind->panel});
    out.insert(out.end(), kLastPages.begin(), kLastPages.end());
    return out;
}

// Returns the rows of the table of shortcuts, with two actions per row so that all fit on the screen.
QString action_rows() {
    QStringList cells;
    for (const ActionRow& row : action_table()) {
        if (!*row.shortcut) continue;
        const QString text = tr(row.text).remove(QLatin1Char('&'));
        cells += QStringLiteral("| %1 | **%2** ")
                     .arg(text, QKeySequence(QLatin1String(row.shortcut), QKeySequence::PortableText)
                                    .toString(QKeySequence::NativeText));
    }
    const QString head = QStringLiteral("| %1 | %2 ").arg(tr("Action"), tr("Keys"));
    QString out = head + head + QStringLiteral("|\n|---|---|---|---|\n");
    const qsizetype rows = (cells.size() + 1) / 2;
    for (qsizetype i = 0; i < rows; ++i)
        out += cells[i] + cells.value(i + rows, QStringLiteral("| \u00a0 | \u00a0 ")) + QStringLiteral("|\n");
    return out;
}

}  // namespace

std::span<const HelpPage> help_pages() {
    static const std::vector<HelpPage> pages = make_pages();
    return pages;
}

const HelpPage* help_page(std::string_view id) {
    const auto found = std::ranges::find(help_pages(), id, &HelpPage::id);
    return found == help_pages().end() ? nullptr : &*found;
}

const HelpPage* help_page_of(const QObject* object) {
    for (; object; object = object->parent()) {
        const QString name = object->objectName();
        if (name.isEmpty()) continue;
        for (const HelpPage& page : help_pages()) {
            if (text_of(page.explains).split(QLatin1Char(' ')).contains(name)) return &page;
        }
    }
    return nullptr;
}

QString help_title(const HelpPage& page) {
    const QString text = help_text(page);
    return text.left(text.indexOf(QLatin1Char('\n'))).remove(0, 2);  // "# "
}

QString help_text(const HelpPage& page) {
    // Each page is read once, because the command line searches all of them while the user types.
    static QHash<QString, QString> read;
    const QString translated = QStringLiteral(":/help/%1/%2.md").arg(active_language(), text_of(page.id));
    if (const auto known = read.constFind(translated); known != read.cend()) return *known;
    QFile file(translated);
    if (!file.exists()) file.setFileName(QStringLiteral(":/help/%1.md").arg(text_of(page.id)));
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QString text =
        QString::fromUtf8(file.readAll()).replace(QStringLiteral("ACTIONS\n"), action_rows());
    return *read.insert(translated, text);
}

}  // namespace shardscope
