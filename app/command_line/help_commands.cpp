// Commands that open a page of the help that contains the words.
#include "app/command_line/window_command.h"
#include "app/help_pages.h"
#include "app/help_window.h"

namespace shardscope {

WindowCommands help_commands(const QString& words, const CommandTargets& targets) {
    constexpr qsizetype kFewestLetters = 3;
    WindowCommands out;
    if (words.size() < kFewestLetters) return out;
    for (const HelpPage& page : help_pages()) {
        const QString title = help_title(page);
        const WordMatch match = match_words(words, {title}, help_text(page));
        if (match == WordMatch::none) continue;
        // A page is less specific than a parameter or an action of the same name.
        out.push_back({QStringLiteral("help/") + QString::fromStdString(std::string(page.id)),
                       QObject::tr("Help: %1").arg(title),
                       {},
                       std::min(match, WordMatch::name),
                       [&help = targets.help, &page] { help.open_page(page); }});
    }
    return out;
}

}  // namespace shardscope
