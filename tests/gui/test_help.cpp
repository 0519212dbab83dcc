// Tests the built-in help: a page for everything, existing links and keys, F1 at the current place, and the
// hint of the first use.
#include <QFile>
#include <QListWidget>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>
#include <algorithm>
#include <set>

#include "app/help_pages.h"
#include "app/help_window.h"
#include "support/desk.h"
#include "widgets/drawn_words.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/scaling/scaling_plot.h"
#include "widgets/plots/sweep/sweep_plot.h"
#include "widgets/plots/timeline/timeline_plot.h"
#include "widgets/term.h"
#include "widgets/text.h"

namespace shardscope::testing {
namespace {

// Returns the page that F1 shows.
std::string page_after_f1(Desk& desk, QWidget* focused) {
    focused->setFocus();
    QApplication::processEvents();
    QTest::keyClick(focused, Qt::Key_F1);
    auto* help = desk.find<HelpWindow>("help");
    REQUIRE(help->isVisible());
    REQUIRE(help->page() != nullptr);
    std::string page(help->page()->id);
    help->close();
    desk.window.activateWindow();
    QApplication::processEvents();
    return page;
}

QStringList matches(const QString& pattern, const QString& text) {
    QStringList out;
    auto found = QRegularExpression(pattern).globalMatch(text);
    while (found.hasNext()) out += found.next().captured(1);
    return out;
}

}  // namespace

TEST_CASE("help: every plot has a page of its name", "[window][help]") {
    for (const PlotKind* kind : plot_kinds()) {
        INFO(std::string(kind->name));
        CHECK(help_page(kind->name) != nullptr);
    }
    Desk desk;
    auto* tabs = desk.find<QTabWidget>("tabs");
    for (int i = 0; i < tabs->count(); ++i) {
        const HelpPage* page = help_page_of(tabs->widget(i));
        REQUIRE(page != nullptr);
        CHECK(std::string(page->id) == tabs->widget(i)->objectName().toStdString());
    }
}

TEST_CASE("help: every named part of the window belongs to a page", "[window][help]") {
    Desk desk;
    desk.open_groups();
    // These are the frame around the panels.
    const std::set<QString> frame{"main-window", "pane-line",  "tabs",   "tabs/all",
                                  "panes",       "plot-panes", "column", "notes"};
    int parts = 0;
    for (const auto* widget : desk.window.findChildren<QWidget*>()) {
        const QString name = widget->objectName();
        if (name.isEmpty() || name.startsWith(QStringLiteral("qt_")) || frame.count(name)) continue;
        // These are menus, and the arrows of the tabs.
        if (qobject_cast<const QMenu*>(widget) || name.startsWith(QStringLiteral("Scroll"))) continue;
        INFO(name.toStdString());
        CHECK(help_page_of(widget) != nullptr);
        ++parts;
    }
    CHECK(parts > 500);
}

TEST_CASE("help: every page has a title and a text of a readable length", "[help]") {
    std::set<QString> titles;
    for (const HelpPage& page : help_pages()) {
        const QString text = help_text(page);
        INFO(std::string(page.id));
        CHECK(text.startsWith(QStringLiteral("# ")));
        CHECK(titles.insert(help_title(page)).second);
        const auto words = text.split(QRegularExpression(QStringLiteral("\\s+"))).size();
        CHECK(words >= 60);
        if (page.id != "keyboard" && page.id != "glossary") CHECK(words <= 170);
    }
}

TEST_CASE("help: links between pages lead to existing pages", "[help]") {
    int links = 0;
    for (const HelpPage& page : help_pages()) {
        for (const QString& file : matches(QStringLiteral("\\]\\(([^)]*)\\)"), help_text(page))) {
            INFO(std::string(page.id) << " to " << file.toStdString());
            if (file.startsWith(QStringLiteral("pictures/"))) {
                CHECK(QFile::exists(QStringLiteral(":/help/") + file));
                continue;
            }
            CHECK(file.endsWith(QStringLiteral(".md")));
            CHECK(help_page(file.chopped(3).toStdString()) != nullptr);
            ++links;
        }
    }
    CHECK(links > 30);
}

TEST_CASE("help: every shortcut on a page is one of an action, and the keyboard's page lists all of them",
          "[help]") {
    std::set<QString> known;
    for (const ActionRow& row : action_table()) known.insert(QLatin1String(row.shortcut));
    int named = 0;
    for (const HelpPage& page : help_pages()) {
        QString text = help_text(page);
        for (const QString& keys : matches(QStringLiteral("\\*\\*([^*]+)\\*\\*"), text)) {
            INFO(std::string(page.id) << ": " << keys.toStdString());
            CHECK(known.count(keys) == 1);
            ++named;
        }
        // Keys of an action are bold; code only contains keys of a panel.
        text.remove(QRegularExpression(QStringLiteral("\\*\\*[^*]+\\*\\*")));
        INFO(text.toStdString());
        CHECK_FALSE(text.contains(QStringLiteral("Ctrl+")));
    }
    CHECK(named > 40);
    const QString keyboard = help_text(*help_page("keyboard"));
    for (const QString& keys : known) {
        INFO(keys.toStdString());
        if (!keys.isEmpty()) CHECK(keyboard.contains(QStringLiteral("**%1**").arg(keys)));
    }
}

TEST_CASE("help: F1 opens the page of the focused widget", "[window][help]") {
    Desk desk;
    CHECK(page_after_f1(desk, desk.slider("training.micro_batch")) == "controls");
    CHECK(page_after_f1(desk, desk.find<QWidget>("headline/mfu")) == "headline");
    desk.click("scenarios/fold");
    CHECK(page_after_f1(desk, desk.find<QWidget>("scenarios/table")) == "scenarios");
    desk.window.action(ActionId::solve_for)->trigger();
    CHECK(page_after_f1(desk, desk.find<QWidget>("solve/output")) == "solve");
    desk.pick("picker/study", "study/scaling-trends");
    CHECK(page_after_f1(desk, desk.find<QWidget>("study/scroll")) == "study");
    // F1 also works in another window of the program.
    desk.window.action(ActionId::launch_settings)->trigger();
    CHECK(page_after_f1(desk, desk.find<QWidget>("launch/text")) == "launch");
}

TEST_CASE("help: F1 opens the page of the current plot if nothing else has the focus", "[window][help]") {
    Desk desk;
    QWidget* whole = desk.window.centralWidget();
    CHECK(page_after_f1(desk, whole) == "scaling");
    auto* tabs = desk.find<QTabWidget>("tabs");
    tabs->setCurrentWidget(desk.find<QWidget>("walls"));
    CHECK(page_after_f1(desk, whole) == "walls");
    CHECK(page_after_f1(desk, tabs->tabBar()) == "walls");
    CHECK(page_after_f1(desk, desk.find<QWidget>("walls/plot")) == "walls");
}

TEST_CASE("help: links, Back and Esc work in one window", "[window][help]") {
    Desk desk;
    desk.window.action(ActionId::shortcuts)->trigger();
    auto* help = desk.find<HelpWindow>("help");
    CHECK(std::string(help->page()->id) == "keyboard");
    CHECK_FALSE(help->isModal());
    auto* text = desk.find<QTextBrowser>("help/text");
    CHECK(text->toPlainText().contains(QStringLiteral("Ctrl+Shift+R")));
    CHECK_FALSE(text->toPlainText().contains(QStringLiteral("**")));

    auto* pages = desk.find<QListWidget>("help/pages");
    CHECK(pages->currentRow() == pages->count() - 1);
    pages->setFocus();
    QTest::keyClick(pages, Qt::Key_Home);
    CHECK(std::string(help->page()->id) == "start");
    auto* back = desk.find<QToolButton>("help/back");
    QTest::mouseClick(back, Qt::LeftButton);
    CHECK(std::string(help->page()->id) == "keyboard");
    CHECK_FALSE(back->isEnabled());

    // Tab focuses the first link of the page, and Enter follows it.
    desk.window.action(ActionId::help)->trigger();
    text->setFocus();
    QTest::keyClick(text, Qt::Key_Tab);
    QTest::keyClick(text, Qt::Key_Return);
    CHECK(std::string(help->page()->id) != "keyboard");

    CHECK(desk.window.findChildren<HelpWindow*>().size() == 1);
    QTest::keyClick(text, Qt::Key_Escape);
    CHECK_FALSE(help->isVisible());
}

TEST_CASE("help: the glossary has a section with a picture for every term, in every language", "[help]") {
    static const QRegularExpression picture(QStringLiteral("\n\n!\\[[^\\]]+\\]\\((\\.\\./)?pictures/"));
    for (const char* file : {":/help/glossary.md", ":/help/de/glossary.md"}) {
        QFile page(QLatin1String{file});
        REQUIRE(page.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(page.readAll());
        INFO(file);
        CHECK(text.count(QStringLiteral("\n## ")) == static_cast<int>(Term::count));
        CHECK(text.count(picture) == static_cast<int>(Term::count));
    }
    // The window shows the pictures.
    Desk desk;
    desk.window.model().define(Term::mfu);
    auto* text = desk.find<QTextBrowser>("help/text");
    int shown = 0;
    for (QTextBlock block = text->document()->begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextCharFormat format = part.fragment().charFormat();
            if (!format.isImageFormat()) continue;
            const QUrl name(format.toImageFormat().name());
            const QVariant image =
                text->document()->resource(QTextDocument::ImageResource, text->source().resolved(name));
            CHECK(image.value<QImage>().width() > 100);
            ++shown;
        }
    }
    CHECK(shown == static_cast<int>(Term::count));
}

TEST_CASE("G22: a click on the word ideal in the plot opens the glossary there", "[window][help]") {
    Desk desk;
    auto* plot = desk.window.findChild<ScalingPlot*>();
    REQUIRE(plot != nullptr);
    auto* canvas = desk.find<QWidget>("scaling/plot");
    REQUIRE(QTest::qWaitFor([&] { return !plot->box_of(Term::ideal).isEmpty(); }));
    QTest::mouseClick(canvas, Qt::LeftButton, {}, plot->box_of(Term::ideal).center().toPoint());
    auto* help = desk.find<HelpWindow>("help");
    CHECK(help->isVisible());
    REQUIRE(help->page() != nullptr);
    CHECK(help->page()->id == "glossary");
    // The section of the term is at the top.
    auto* text = desk.find<QTextBrowser>("help/text");
    const QTextCursor top = text->cursorForPosition(QPoint(20, 20));
    CHECK(top.block().text() == "Ideal");
}

TEST_CASE("help: a click on a term opens the glossary in every plot and panel", "[window][help]") {
    Desk desk;
    const auto opens = [&](QWidget* canvas, const QRectF& box, Term term) {
        REQUIRE_FALSE(box.isEmpty());
        if (auto* open = desk.window.findChild<HelpWindow*>()) open->close();
        QTest::mouseClick(canvas, Qt::LeftButton, {}, box.center().toPoint());
        CHECK(desk.find<HelpWindow>("help")->isVisible());
        const auto* text = desk.find<QTextBrowser>("help/text");
        return text->cursorForPosition(QPoint(20, 20))
            .block()
            .text()
            .toLower()
            .contains(term == Term::wall ? "wall" : "exposed");
    };
    // The caption of the waterfall says "pale is overlapped".
    auto* waterfall = desk.find<QWidget>("waterfall");
    CHECK(opens(waterfall, box_of(Term::exposed, drawn_words(*waterfall)), Term::exposed));
    const auto& timeline = *desk.find<TimelinePlot>("timeline");
    desk.find<QTabWidget>("tabs")->setCurrentWidget(desk.find<QWidget>("timeline"));
    QApplication::processEvents();
    CHECK(opens(desk.find<QWidget>("timeline/plot"), timeline.box_of(Term::exposed), Term::exposed));
    const auto& sweep = *desk.find<SweepPlot>("sweep");
    desk.find<QTabWidget>("tabs")->setCurrentWidget(desk.find<QWidget>("sweep"));
    QApplication::processEvents();
    CHECK(opens(desk.find<QWidget>("sweep/plot"), sweep.box_of(Term::wall), Term::wall));
}

TEST_CASE("help: Why names the terms of its sentence with links to the glossary", "[window][help]") {
    CHECK(term_links("nothing of that kind").isEmpty());
    const QString links = term_links("The wall is exposed <communication>.");
    CHECK(links == "<a href=\"term:1\">wall</a> · <a href=\"term:8\">exposed</a>");
    CHECK(term_of_link("term:8") == Term::exposed);
    for (const char* link : {"term:99", "term:-1", "term:x", "https://example.org"})
        CHECK(term_of_link(QLatin1String{link}) == Term::count);
}

TEST_CASE("help: a search keeps the pages that contain its words and shows one of them", "[window][help]") {
    Desk desk;
    desk.window.action(ActionId::shortcuts)->trigger();
    auto* help = desk.find<HelpWindow>("help");
    auto* pages = desk.find<QListWidget>("help/pages");
    auto* search = desk.find<QLineEdit>("help/search");
    const auto listed = [&] {
        std::set<std::string> out;
        for (int i = 0; i < pages->count(); ++i) {
            if (!pages->isRowHidden(i)) out.emplace(help_pages()[static_cast<std::size_t>(i)].id);
        }
        return out;
    };
    CHECK(listed().size() == help_pages().size());
    QTest::keyClicks(search, QStringLiteral("nccl sigmoid"));
    CHECK(listed() == std::set<std::string>{"collectives"});
    CHECK(std::string(help->page()->id) == "collectives");
    CHECK_FALSE(desk.find<QTextBrowser>("help/text")->extraSelections().isEmpty());
    // A match in a title comes before a match in the text.
    search->clear();
    QTest::keyClicks(search, QStringLiteral("timeline"));
    CHECK(listed().size() > 1);
    CHECK(std::string(help->page()->id) == "timeline");
    search->clear();
    CHECK(listed().size() == help_pages().size());
    CHECK(desk.find<QTextBrowser>("help/text")->extraSelections().isEmpty());
    // A search without results says so and leaves the page open.
    const auto* none_found = desk.find<QLabel>("help/none-found");
    CHECK_FALSE(none_found->isVisible());
    search->setText(QStringLiteral("no such word"));
    CHECK(listed().empty());
    CHECK(none_found->isVisible());
    CHECK(std::string(help->page()->id) == "timeline");
}

TEST_CASE("help: the hint of the first use disappears with the first drag, pin or undo, for ever",
          "[window][help]") {
    const auto shows_hint = [](Desk& desk) {
        return desk.text("scenarios/line-hint").contains(QStringLiteral("Drag any slider"));
    };
    const auto drag = [](Desk& desk) { desk.drag("training.sequence_length", 0.3, 0.4, 3); };
    const auto pin = [](Desk& desk) { desk.window.action(ActionId::pin)->trigger(); };
    const auto undo = [](Desk& desk) {
        desk.type("training.sequence_length", "4096");
        desk.window.action(ActionId::undo)->trigger();
    };
    for (void (*act)(Desk&) : {static_cast<void (*)(Desk&)>(drag), static_cast<void (*)(Desk&)>(pin),
                               static_cast<void (*)(Desk&)>(undo)}) {
        Session().set_first_use(true);
        {
            Desk desk;
            CHECK(shows_hint(desk));
            CHECK(desk.find<QLabel>("scenarios/line-hint")->isVisible());
            const int height = desk.find<QWidget>("scenarios")->height();
            act(desk);
            CHECK_FALSE(shows_hint(desk));
            desk.window.model().unpin_all();
            QApplication::processEvents();
            CHECK(desk.find<QWidget>("scenarios")->height() == height);
        }
        Desk again;
        CHECK_FALSE(shows_hint(again));
    }
}

}  // namespace shardscope::testing
