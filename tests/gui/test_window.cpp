// Tests the window as a whole: its plots by the keyboard, its tables, the desktop's theme.
#include <QAbstractButton>
#include <QActionGroup>
#include <QFrame>
#include <QMenuBar>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QStyle>
#include <QTabWidget>
#include <QToolBar>
#include <QUndoStack>
#include <QWindow>
#include <algorithm>
#include <optional>

#include "app/message_bar.h"
#include "support/desk.h"
#include "support/german.h"
#include "widgets/panels/repair_button.h"
#include "widgets/panels/repair_strip.h"
#include "widgets/panels/scenario_table.h"
#include "widgets/panels/solve_panel.h"
#include "widgets/panels/table_view.h"
#include "widgets/theme/desktop_theme.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"

namespace shardscope::testing {

TEST_CASE("window: the theme follows the desktop only if the system's theme is chosen", "[window]") {
    ThemeManager& manager = ThemeManager::instance();
    {
        Desk desk;
        const auto is_dark = [&] {
            QApplication::processEvents();
            const QColor drawn = desk.window.grab().toImage().pixelColor(400, 890);
            CHECK((drawn.lightness() < 128) == (current_theme().kind == Theme::Kind::dark));
            return drawn.lightness() < 128;
        };
        manager.set_desktop_dark(false);
        desk.window.action(ActionId::theme_system)->trigger();
        CHECK_FALSE(is_dark());
        manager.set_desktop_dark(true);
        CHECK(is_dark());
        manager.set_desktop_dark(false);
        CHECK_FALSE(is_dark());
        // A theme that the user has chosen stays.
        desk.window.action(ActionId::theme_dark)->trigger();
        manager.set_desktop_dark(false);
        CHECK(is_dark());
        desk.window.action(ActionId::theme_light)->trigger();
        manager.set_desktop_dark(true);
        CHECK_FALSE(is_dark());
        // With the system's theme again, the desktop's current one is used.
        desk.window.action(ActionId::theme_system)->trigger();
        CHECK(is_dark());
        // Without a portal the platform's own palette is used: that of the tests is light.
        manager.read_desktop_palette();
        CHECK_FALSE(is_dark());
        CHECK(QApplication::palette().color(QPalette::Window) == current_theme().window);
        desk.session.set_theme(ThemeManager::Choice::system);
    }
    manager.choose(ThemeManager::Choice::light);
}

TEST_CASE("window: motion is reduced while one of the desktop's two settings asks for it", "[window]") {
    DesktopTheme desktop;
    const auto reduced_by = [&](const char* space, const char* key, const QVariant& value) {
        desktop.take(QLatin1String(space), QLatin1String(key), value);
        const bool reduced = ThemeManager::instance().reduces_motion();
        // All animations query the style.
        CHECK((QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration) == 0) == reduced);
        return reduced;
    };
    constexpr const char* kCommon = "org.freedesktop.appearance";
    constexpr const char* kGnome = "org.gnome.desktop.interface";
    CHECK_FALSE(reduced_by(kCommon, "reduced-motion", 0U));
    CHECK(reduced_by(kCommon, "reduced-motion", 1U));
    CHECK(reduced_by(kGnome, "enable-animations", true));
    CHECK_FALSE(reduced_by(kCommon, "reduced-motion", 0U));
    CHECK(reduced_by(kGnome, "enable-animations", false));
    // Other settings are ignored, whatever their names are.
    CHECK(reduced_by(kCommon, "enable-animations", true));
    CHECK(reduced_by(kGnome, "reduced-motion", 0U));
    CHECK_FALSE(reduced_by(kGnome, "enable-animations", true));
}

TEST_CASE("window: keys switch to the next plot and back from any focused widget", "[window]") {
    Desk desk;
    auto* tabs = desk.find<QTabWidget>("tabs");
    auto* field = desk.find<QLineEdit>("training.micro_batch/field");
    field->setFocus();
    const int first = tabs->currentIndex();
    QTest::keyClick(field, Qt::Key_Tab, Qt::ControlModifier);
    CHECK(tabs->currentIndex() == first + 1);
    QTest::keyClick(field, Qt::Key_PageDown, Qt::ControlModifier);
    CHECK(tabs->currentIndex() == first + 2);
    QTest::keyClick(field, Qt::Key_PageUp, Qt::ControlModifier);
    QTest::keyClick(field, Qt::Key_Backtab, Qt::ControlModifier | Qt::ShiftModifier);
    CHECK(tabs->currentIndex() == first);
    CHECK(field->hasFocus());
    // From the first plot the keys go to the last, and on.
    QTest::keyClick(field, Qt::Key_PageUp, Qt::ControlModifier);
    CHECK(tabs->currentIndex() == (first + tabs->count() - 1) % tabs->count());
    desk.choose(ActionId::next_plot);
    CHECK(tabs->currentIndex() == first);
}

TEST_CASE("window: the tool bar has a menu of all exports, and help", "[window]") {
    Desk desk;
    auto* exports = desk.find<QToolButton>("toolbar/export");
    QStringList ids;
    for (const QAction* action : exports->menu()->actions()) ids += action->objectName();
    CHECK(ids == QStringList{QStringLiteral("action/export"), QStringLiteral("action/export-all"),
                             QStringLiteral("action/export-report"), QStringLiteral("action/launch")});
    auto* bar = desk.find<QToolBar>("toolbar");
    QWidget* help = bar->widgetForAction(desk.window.action(ActionId::help));
    REQUIRE(help != nullptr);
    // In a small window nothing of it is pushed out, and help is at its end.
    for (const int width : {1440, 1366, 1024}) {
        // The words of some languages are longer.
        if (width == 1366) {
            desk.window.action(ActionId::undo)->setIconText(QStringLiteral("Rückgängig"));
            desk.window.action(ActionId::redo)->setIconText(QStringLiteral("Wiederherstellen"));
            desk.window.action(ActionId::solve_for)->setIconText(QStringLiteral("Auflösen nach…"));
        }
        desk.window.resize(width, 700);
        QApplication::processEvents();
        INFO(width);
        for (const QAction* action : bar->actions()) {
            const QWidget* widget = bar->widgetForAction(const_cast<QAction*>(action));
            CHECK(widget->isVisible());
            CHECK(widget->geometry().right() <= bar->rect().right());
        }
        CHECK(bar->rect().right() - help->geometry().right() < 16);
    }
    QTest::mouseClick(help, Qt::LeftButton);
    auto* page = desk.window.findChild<QWidget*>(QStringLiteral("help"));
    REQUIRE(page != nullptr);
    CHECK(page->isVisible());
}

TEST_CASE("window: an open table comes to the front instead of a second one", "[window]") {
    Desk desk;
    const auto tables = [&] {
        QApplication::processEvents();
        return desk.window.findChildren<TableView*>();
    };
    const auto press = [&] { QTest::keyClick(&desk.window, Qt::Key_T, Qt::ControlModifier); };
    press();
    REQUIRE(QTest::qWaitFor([&] { return tables().size() == 1; }));
    desk.window.activateWindow();
    press();
    CHECK(tables().size() == 1);
    // Another scenario has another table.
    desk.type("training.sequence_length", QStringLiteral("4096"));
    press();
    CHECK(QTest::qWaitFor([&] { return tables().size() == 2; }));
}

TEST_CASE("window: the last size of a larger screen is made to fit", "[window]") {
    const QRect free = QGuiApplication::primaryScreen()->availableGeometry();
    QByteArray large;
    {
        QMainWindow other;
        other.setGeometry(QRect(free.topLeft() + QPoint(40, 40), 3 * free.size()));
        large = other.saveGeometry();
    }
    Session session;
    session.set_geometry(large);
    MainWindow window(commands::catalogue(), session);
    // It keeps its least size on a screen that is even smaller.
    CHECK(window.width() <= std::max(free.width(), window.minimumWidth()));
    CHECK(window.height() <= std::max(free.height(), window.minimumHeight()));
    CHECK(free.contains(window.pos()));
    QSettings().clear();
}

TEST_CASE("window: the arrangement of the panels is the same after a restart", "[window]") {
    Session session;
    const auto table = [](MainWindow& window) { return window.findChild<ScenarioTable*>(); };
    const auto panes = [](MainWindow& window) {
        return window.findChild<QSplitter*>(QStringLiteral("panes"))->sizes();
    };
    QList<int> sizes;
    QStringList groups;
    bool why = false;
    {
        MainWindow window(commands::catalogue(), session);
        window.resize(1440, 900);
        window.show();
        QApplication::processEvents();
        auto* controls = window.findChild<ControlsPanel*>();
        controls->set_open_groups({controls->open_groups() + QStringList{QStringLiteral("cluster")}});
        table(window)->choose(true);
        window.action(ActionId::toggle_why)->trigger();
        QApplication::processEvents();
        why = window.findChild<QWidget*>(QStringLiteral("why"))->isVisible();
        groups = controls->open_groups();
        sizes = panes(window);
        window.close();
    }
    MainWindow again(commands::catalogue(), session);
    again.resize(1440, 900);
    again.show();
    QApplication::processEvents();
    CHECK(again.findChild<ControlsPanel*>()->open_groups() == groups);
    CHECK(table(again)->chosen() == true);
    CHECK(panes(again) == sizes);
    CHECK(again.findChild<QWidget*>(QStringLiteral("why"))->isVisible() == why);
    QSettings().clear();
}

TEST_CASE("window: a seventh pin is refused with a message", "[window]") {
    Desk desk;
    for (std::size_t i = 0; i < kMostPins; ++i) QTest::keyClick(&desk.window, Qt::Key_P);
    QApplication::processEvents();
    CHECK(desk.window.model().pins().size() == kMostPins);
    CHECK_FALSE(desk.find<QWidget>("message")->isVisible());
    QTest::keyClick(&desk.window, Qt::Key_P);
    QApplication::processEvents();
    CHECK(desk.window.model().pins().size() == kMostPins);
    CHECK(desk.find<QWidget>("message")->isVisible());
    CHECK(desk.text("message/text").startsWith(QStringLiteral("At most six pins are possible")));
}

TEST_CASE("window: buttons of the tool bar keep their places at every size", "[window]") {
    Desk desk;
    const auto places = [&] {
        QApplication::processEvents();
        std::vector<int> out;
        for (auto* button : desk.find<QToolBar>("toolbar")->findChildren<QToolButton*>())
            out.push_back(button->isVisible() ? button->x() : -1);
        return out;
    };
    for (const QSize size : {QSize(1440, 900), QSize(1024, 700)}) {
        desk.window.resize(size);
        desk.pick("picker/cluster", "cluster/dgx-h100");
        desk.pick("picker/model", "model/mpt-13b");
        const std::vector<int> before = places();
        desk.type("cluster.inter_node_bandwidth", QStringLiteral("200 Gbit/s"));
        desk.type("model.hidden_size", QStringLiteral("6144"));
        CHECK(places() == before);
        auto* picker = desk.find<QToolButton>("picker/cluster");
        CHECK(picker->accessibleName().endsWith(QStringLiteral("(modified)")));
        CHECK(picker->text().endsWith(size.width() > 1100 ? QStringLiteral("(modified)")
                                                          : QStringLiteral("*")));
        desk.pick("picker/model", "model/llama-3.1-405b");
        CHECK(places() == before);
    }
}

TEST_CASE("window: repairs move nothing, neither when they appear nor when they vanish", "[window]") {
    for (const QSize size : {QSize(1366, 768), QSize(1024, 700)}) {
        Desk desk;
        desk.window.resize(size);
        QApplication::processEvents();
        LiveModel& model = desk.window.model();
        const auto places = [&] {
            QApplication::processEvents();
            std::vector<QRect> out;
            for (const char* name : {"headline", "repairs", "tabs", "memory-bar", "waterfall", "scenarios"}) {
                const auto* widget = desk.find<QWidget>(name);
                out.emplace_back(widget->mapTo(&desk.window, QPoint()), widget->size());
            }
            return out;
        };
        const auto shown_repairs = [&] {
            const auto buttons = desk.find<QWidget>("repairs")->findChildren<RepairButton*>();
            // A small window has others in a menu.
            return std::ranges::count_if(buttons, [](const auto* button) { return button->isVisible(); }) +
                   desk.find<QWidget>("repairs/more")->isVisible();
        };
        const std::vector<QRect> before = places();
        CHECK(shown_repairs() <= 1);  // the next best fix
        model.begin_gesture(P::micro_batch);
        model.drag(P::micro_batch, 64);
        CHECK(places() == before);
        REQUIRE_FALSE(model.answer().fits());
        CHECK(shown_repairs() > 1);
        model.end_gesture();
        CHECK(places() == before);
        REQUIRE(QTest::qWaitFor([&] { return !desk.find<RepairStrip>("repairs")->pending(); },
                                kBackgroundTimeout));
        CHECK(places() == before);
        CHECK(shown_repairs() > 1);
        model.undo_stack()->undo();
        CHECK(places() == before);
    }
}

TEST_CASE("window: a search lists rows with a matching name above rows that only mention it", "[window]") {
    Desk desk;
    auto* search = desk.find<QLineEdit>("controls/search");
    const auto shown = [&] {
        QApplication::processEvents();
        std::vector<std::pair<int, std::string>> places;
        for (const auto* row : desk.window.findChildren<ParameterRow*>()) {
            if (row->isVisible())
                places.emplace_back(row->mapTo(&desk.window, QPoint()).y(), row->objectName().toStdString());
        }
        std::ranges::sort(places);
        std::vector<std::string> out;
        out.reserve(places.size());
        for (const auto& place : places) out.push_back(place.second);
        return out;
    };
    const std::vector<std::string> before = shown();
    search->setFocus();
    QTest::keyClicks(search, QStringLiteral("training tokens"));
    const std::vector<std::string> found = shown();
    REQUIRE(found.size() > 1);
    CHECK(found.front() == "training.training_tokens");
    // The Tab key goes the same way.
    while (!QApplication::focusWidget()->objectName().endsWith(QStringLiteral("/slider")))
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    CHECK(QApplication::focusWidget()->objectName() == QStringLiteral("training.training_tokens/slider"));
    // The search includes the group of rarely needed rows, and initials match a name.
    search->setFocus();
    search->selectAll();
    QTest::keyClicks(search, QStringLiteral("tp"));
    CHECK(shown().front() == "training.tensor_parallel");
    QTest::keyClick(search, Qt::Key_Escape);
    CHECK(shown() == before);
}

TEST_CASE("window: after an answer of Solve is adopted the keyboard stays with the question",
          "[window][solve]") {
    Desk desk;
    auto* panel = desk.find<SolvePanel>("solve");
    const auto settle = [&] {
        REQUIRE(QTest::qWaitFor([&] { return !panel->pending() && !desk.window.model().planning(); },
                                kBackgroundTimeout));
        QApplication::processEvents();
    };
    QTest::keyClick(&desk.window, Qt::Key_S);
    settle();
    desk.click(QStringLiteral("solve/chip/longest-sequence"));
    settle();
    auto* set = desk.find<QAbstractButton>("solve/apply/0");
    const QString words = set->text();
    set->setFocus();
    QTest::keyClick(set, Qt::Key_Space);
    settle();
    REQUIRE(QApplication::focusWidget() != nullptr);
    CHECK(QApplication::focusWidget()->objectName().toStdString() == "solve/input");
    // A value that is already set needs no button.
    const std::string result = desk.text("solve/result").toStdString();
    CHECK_THAT(result, Catch::Matchers::EndsWith("Already met."));
    const auto offers = panel->findChildren<QAbstractButton*>(QStringLiteral("solve/apply/0"));
    for (const auto* offer : offers) {
        if (offer->isVisible()) CHECK(offer->text() != words);
    }
}

TEST_CASE("window: a note lies beside the menus and covers nothing that can be clicked, until New",
          "[window]") {
    Desk desk;
    for (int i = 0; i < 7; ++i) desk.choose(ActionId::pin);
    auto* notes = desk.find<QFrame>("notes");
    const auto place = [&](const QWidget& widget) {
        return QRect(widget.mapTo(&desk.window, QPoint(0, 0)), widget.size());
    };
    const QMenuBar& menus = *desk.window.menuBar();
    // The refused pin has a message of one line, and a plan that changes one of two.
    for (const bool long_one : {false, true}) {
        if (long_one) desk.choose(ActionId::plan_automatic);
        REQUIRE(QTest::qWaitFor([&] { return !desk.window.model().planning(); }, kBackgroundTimeout));
        for (const QSize size : {QSize(1440, 900), QSize(1366, 728)}) {
            desk.window.resize(size);
            QApplication::processEvents();
            REQUIRE(notes->isVisible());
            const QRect covered = place(*notes);
            CHECK(covered.right() < desk.window.width());
            CHECK(covered.top() >= 0);
            for (QAction* menu : menus.actions())
                CHECK_FALSE(
                    covered.intersects(menus.actionGeometry(menu).translated(place(menus).topLeft())));
            for (const auto* button : desk.window.findChildren<QAbstractButton*>()) {
                if (!button->isVisible() || notes->isAncestorOf(button)) continue;
                INFO(button->objectName().toStdString() << ", " << button->text().toStdString());
                CHECK_FALSE(covered.intersects(place(*button)));
            }
        }
    }
    for (const auto choice : {ThemeManager::Choice::light, ThemeManager::Choice::dark}) {
        ThemeManager::instance().choose(choice);
        const QImage picture = notes->grab().toImage();
        CHECK(picture.pixelColor(0, picture.height() / 2) == current_theme().border);
        CHECK(picture.pixelColor(picture.width() / 2, 0) == current_theme().border);
    }
    ThemeManager::instance().choose(ThemeManager::Choice::system);
    desk.choose(ActionId::new_scenario);
    CHECK_FALSE(notes->isVisible());
}

TEST_CASE("window: a long message shows the lines that fit above the tool bar, and all of them on request",
          "[window]") {
    QStringList sentences;
    for (int i = 0; i < 12; ++i)
        sentences << QStringLiteral("The file has a field with a value that is not known.");
    const QString message = sentences.join(QLatin1Char(' '));
    for (const bool german : {false, true}) {
        const std::optional<testing::German> language =
            german ? std::optional<testing::German>(std::in_place) : std::nullopt;
        Desk desk;
        auto* bar = desk.find<MessageBar>("message");
        const auto* text = desk.find<QLabel>("message/text");
        auto* more = desk.find<QToolButton>("message/more");
        const auto* notes = desk.find<QFrame>("notes");
        const auto covers_tool = [&] {
            const QRect covered(notes->mapToGlobal(QPoint()), notes->size());
            const auto tools = desk.find<QToolBar>("toolbar")->findChildren<QToolButton*>();
            return std::ranges::any_of(tools, [&](const QToolButton* tool) {
                return tool->isVisible() &&
                       covered.intersects(QRect(tool->mapToGlobal(QPoint()), tool->size()));
            });
        };
        for (const QSize size : {QSize(1024, 700), QSize(1366, 768), QSize(1440, 900)}) {
            INFO((german ? "German, " : "") << size.width());
            desk.window.resize(size);
            bar->say(message);
            QApplication::processEvents();
            REQUIRE(more->isVisible());
            CHECK_FALSE(covers_tool());
            CHECK(text->text() == message);
            CHECK(text->height() % text->fontMetrics().lineSpacing() == 0);
            CHECK(text->height() <= bar->height());
            CHECK(text->toolTip().contains(sentences.last()));
            // The button stays under the pointer.
            const QRect before(more->mapToGlobal(QPoint()), more->size());
            QTest::mouseClick(more, Qt::LeftButton);
            QApplication::processEvents();
            CHECK(text->height() >= text->heightForWidth(text->width()));
            CHECK(QRect(more->mapToGlobal(QPoint()), more->size()).contains(before.center()));
            QTest::mouseClick(more, Qt::LeftButton);
            QApplication::processEvents();
            CHECK_FALSE(covers_tool());
            bar->say(sentences.first());
            QApplication::processEvents();
            CHECK_FALSE(more->isVisible());
            CHECK(text->height() >= text->heightForWidth(text->width()));
            CHECK(text->toolTip().isEmpty());
        }
    }
}

TEST_CASE("window: the label of a button with a menu stays readable while the button is down", "[window]") {
    Desk desk;
    for (const auto choice : {ThemeManager::Choice::light, ThemeManager::Choice::dark}) {
        ThemeManager::instance().choose(choice);
        QApplication::processEvents();
        for (const char* name : {"toolbar/export", "picker/study"}) {
            auto* button = desk.find<QToolButton>(name);
            // Returns how many pixels right of the icon have about the colour of text: thin letters are
            // blended.
            const auto letters = [&] {
                const QImage picture = button->grab().toImage();
                int count = 0;
                for (int x = picture.width() / 3; x < picture.width() - 3; ++x) {
                    for (int y = 4; y < picture.height() - 4; ++y)
                        count += std::abs(picture.pixelColor(x, y).lightness() -
                                          current_theme().text.lightness()) < 80;
                }
                return count;
            };
            INFO(name);
            const int up = letters();
            CHECK(up > 10);
            button->setDown(true);
            CHECK(letters() > up / 2);
            button->setDown(false);
        }
    }
    ThemeManager::instance().choose(ThemeManager::Choice::system);
}

TEST_CASE("window: commands and lists show what they can do", "[window]") {
    Desk desk;
    CHECK_FALSE(desk.window.action(ActionId::unpin_all)->isEnabled());
    desk.choose(ActionId::pin);
    CHECK(desk.window.action(ActionId::unpin_all)->isEnabled());
    desk.choose(ActionId::unpin_all);
    CHECK_FALSE(desk.window.action(ActionId::unpin_all)->isEnabled());
    // One plot is shown at a time.
    const auto* menu = desk.find<QToolButton>("tabs/all")->findChild<QMenu*>();
    for (const QAction* entry : menu->actions()) {
        REQUIRE(entry->actionGroup() != nullptr);
        CHECK(entry->actionGroup()->isExclusive());
    }
}

TEST_CASE("the icon of a menu's highlighted row is as light as its text", "[gui]") {
    const Desk desk;  // sets the theme
    QMenu menu;
    QAction* action = menu.addAction(tinted_icon(QStringLiteral("pin"), current_theme().text), QString());
    action->setIconVisibleInMenu(true);
    menu.popup({0, 0});
    menu.setActiveAction(action);
    const QImage row = menu.grab(menu.actionGeometry(action).adjusted(2, 2, -2, -2)).toImage();
    // The row has no text, so every pixel closer to the text colour than to the background is part of the
    // icon.
    const int ground = current_theme().accent.lightness();
    const int words = current_theme().on_accent.lightness();
    int found = 0;
    for (int y = 0; y < row.height(); ++y) {
        for (int x = 0; x < row.width(); ++x) {
            const int here = row.pixelColor(x, y).lightness();
            found += std::abs(here - words) < std::abs(here - ground) ? 1 : 0;
        }
    }
    CHECK(found > 0);
    CHECK(found < row.width() * row.height() / 2);
    menu.close();
}

}  // namespace shardscope::testing
