// Commands that open a page of the help, or a section of the glossary, that contains the words.
#include <algorithm>
#include <iterator>

#include "app/command_line/window_command.h"
#include "app/help_pages.h"
#include "app/help_window.h"
#include "widgets/text.h"

namespace shardscope {
namespace {

// Returns the command for a text of the help; none where the words do not match.
WindowCommands command_of(const QString& words, const QString& name, const QString& title,
                          const QString& text, const std::function<void()>& open) {
    const QString shown = QObject::tr("Help: %1").arg(title);
    const WordMatch match = match_words(words, {title, shown}, text);
    if (match == WordMatch::none) return {};
    // A page is less specific than a parameter or an action of the same name.
    return {{QStringLiteral("help/") + name, shown, {}, std::min(match, WordMatch::name), open}};
}

// The terms of the glossary are sections in the order of `Term`.
WindowCommands term_commands(const QString& words, const QString& glossary, OnDemand<HelpWindow>& help) {
    WindowCommands out;
    const QStringList sections = glossary.split(QStringLiteral("\n## ")).mid(1);
    for (qsizetype i = 0; i < sections.size(); ++i) {
        const QString title = sections[i].section(QLatin1Char('\n'), 0, 0);
        std::ranges::move(command_of(words, QStringLiteral("term/%1").arg(i), title, sections[i],
                                     [&help, i] { help->open_term(static_cast<Term>(i)); }),
                          std::back_inserter(out));
    }
    return out;
}

}  // namespace

WindowCommands help_commands(const QString& words, const CommandTargets& targets) {
    constexpr qsizetype kFewestLetters = 3;
    WindowCommands out;
    if (words.size() < kFewestLetters) return out;
    for (const HelpPage& page : help_pages()) {
        const bool glossary = page.id == "glossary";
        const QString text = help_text(page);
        if (glossary) std::ranges::move(term_commands(words, text, targets.help), std::back_inserter(out));
        std::ranges::move(command_of(words, text_of(page.id), help_title(page), glossary ? QString() : text,
                                     [&help = targets.help, &page] { help->open_page(page); }),
                          std::back_inserter(out));
    }
    return out;
}

}  // namespace shardscope
