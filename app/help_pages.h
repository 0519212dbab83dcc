// The pages of the built-in help, one for each panel and each plot: resources/help/ID.md, whose first line is
// the title. The page of a plot has its name. To add another page, add its file and a row in help_pages.cpp.
#pragma once

#include <QString>
#include <span>
#include <string_view>

class QObject;

namespace shardscope {

struct HelpPage {
    std::string_view id;  // "controls"
    // Object names of the widgets that it explains, including their children, separated by blanks:
    // "controls picker/model".
    std::string_view explains;
};

// Returns all pages in the order of the list in the help window.
std::span<const HelpPage> help_pages();
// Returns the page with this id; nullptr when there is none.
const HelpPage* help_page(std::string_view id);
// Returns the page that explains the object or its nearest ancestor; nullptr where there is none.
const HelpPage* help_page_of(const QObject* object);

QString help_title(const HelpPage& page);
// Returns Markdown with the title as its heading. The page `keyboard` includes all actions that have a
// shortcut.
QString help_text(const HelpPage& page);

}  // namespace shardscope
