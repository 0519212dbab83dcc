// The real main window, offscreen, with functions that use it as a person does.
#pragma once

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QMouseEvent>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <catch2/catch.hpp>
#include <string>

#include "app/commands/command.h"
#include "app/documents.h"
#include "app/main_window.h"
#include "app/plot_actions.h"
#include "app/plot_tabs.h"
#include "app/preset_picker.h"
#include "app/session.h"
#include "files/scenario_file.h"
#include "widgets/panels/controls_panel.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/rows/parameter_row.h"
#include "widgets/text.h"

namespace shardscope::testing {

// ms, for background work: long enough on a loaded machine under a sanitizer.
inline constexpr int kBackgroundTimeout = 300000;

// Writes a file in a folder and returns its path.
inline QString write_file_in(const QTemporaryDir& folder, const QString& name, const QByteArray& text) {
    QFile file(folder.filePath(name));
    REQUIRE(file.open(QIODevice::WriteOnly));
    REQUIRE(file.write(text) == text.size());
    return file.fileName();
}

// Writes a session as it is stored for the next start.
inline void keep(Session& session, const QString& text) {
    Problems problems;
    REQUIRE(session.set_scenarios(text, problems));
}
inline QString kept_in(const Session& session) {
    Problems problems;
    QString text = session.scenarios(problems);
    REQUIRE(problems.empty());
    return text;
}

// Starts with the scenarios of the first start, or with those of the last window.
enum class Start { first, restored };

// Returns the number in an environment variable, or another one where it is not set.
inline int number_from(const char* variable, int otherwise) {
    return qEnvironmentVariableIsSet(variable) ? qEnvironmentVariableIntValue(variable) : otherwise;
}

class Desk {
  public:
    explicit Desk(Dialogs dialogs = Dialogs::native(), Start start = Start::first)
        : window(commands::catalogue(), session, std::move(dialogs)) {
        // Tests find all plots, also those that the window would create when they are first shown.
        for (const PlotKind* kind : plot_kinds()) static_cast<void>(tabs().plot(text_of(kind->name)));
        if (start == Start::restored) window.documents().start({});
        window.resize(1440, 900);
        window.show();
        QApplication::processEvents();
    }

    PlotTabs& tabs() { return *window.findChild<PlotTabs*>(); }

    template <typename Widget>
    Widget* find(const QString& name) {
        // A widget that is about to be deleted must not be found in place of a new one with the same name.
        QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        auto* widget = window.findChild<Widget*>(name);
        INFO(name.toStdString());
        REQUIRE(widget != nullptr);
        return widget;
    }
    QString text(const QString& name) { return find<QLabel>(name)->text(); }

    // Makes the row visible as the search or an opened group would.
    QWidget* slider(const std::string& key) {
        auto* controls = window.findChild<ControlsPanel*>();
        REQUIRE(controls != nullptr);
        REQUIRE(controls->row(find_parameter(key).value()) != nullptr);
        QApplication::processEvents();
        return find<QWidget>(QString::fromStdString(key) + QStringLiteral("/slider"));
    }
    // Opens all groups of the controls: the rows of a closed one do not exist before it is opened.
    void open_groups() {
        for (std::size_t i = 0; i < kParameters; ++i)
            window.findChild<ControlsPanel*>()->row(static_cast<P>(i));
        QApplication::processEvents();
    }
    // Scrolls to a button and clicks it.
    void click(const QString& name) {
        auto* button = find<QAbstractButton>(name);
        REQUIRE(button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QApplication::processEvents();
    }
    // Exports the plot from the menu, with the name that the file dialog answers.
    void export_plot() {
        choose(ActionId::export_plot);
        click(QStringLiteral("export/save"));
    }
    void type(const std::string& key, const QString& value) {
        slider(key);
        auto* field = find<QLineEdit>(QString::fromStdString(key) + QStringLiteral("/field"));
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, value);
        QTest::keyClick(field, Qt::Key_Return);
        QApplication::processEvents();
    }
    // `value` is the name that files have.
    void choose(const std::string& key, const QString& value) {
        slider(key);
        auto* combo = find<QComboBox>(QString::fromStdString(key) + QStringLiteral("/field"));
        combo->setFocus();
        const int at = combo->findData(parse(find_parameter(key).value(), value.toStdString()).value);
        REQUIRE(at >= 0);
        while (combo->currentIndex() != at)
            QTest::keyClick(combo, combo->currentIndex() < at ? Qt::Key_Down : Qt::Key_Up);
        QApplication::processEvents();
    }
    // Presses, moves and releases along the groove, from and to in 0…1.
    void drag(const std::string& key, double from, double to, int steps) {
        QWidget* target = slider(key);
        const auto at = [&](double t) {
            return QPoint(8 + static_cast<int>(t * (target->width() - 16)), target->height() / 2);
        };
        QTest::mousePress(target, Qt::LeftButton, {}, at(from));
        for (int i = 1; i <= steps; ++i) {
            const QPoint point = at(from + (to - from) * i / steps);
            QMouseEvent move(QEvent::MouseMove, QPointF(point), target->mapToGlobal(QPointF(point)),
                             Qt::NoButton, Qt::LeftButton, {});
            QApplication::sendEvent(target, &move);
        }
        QTest::mouseRelease(target, Qt::LeftButton, {}, at(to));
        QApplication::processEvents();
    }
    // Takes "cluster/dgx-h200", "model/mpt-7b" or "study/scaling-trends" from its picker.
    void pick(const QString& picker, const QString& entry) {
        auto* button = find<QToolButton>(picker);
        if (auto* presets = qobject_cast<PresetPicker*>(button)) {
            pick_preset(*presets, entry.section(QLatin1Char('/'), 1).toStdString());
            return;
        }
        auto* action = button->menu()->findChild<QAction*>(entry);
        REQUIRE(action != nullptr);
        click_entry(*button, button->rect().center(), *button->menu(), *action);
    }
    // Opens the list of the picker and clicks the entry of the preset.
    void pick_preset(PresetPicker& picker, const std::string& name) {
        QTest::mouseClick(&picker, Qt::LeftButton);
        REQUIRE(picker.list().isVisible());
        auto* list = picker.list().findChild<QTreeWidget*>();
        QTreeWidgetItemIterator entry(list);
        while (*entry && picker.list().preset_of(*entry)->name != name) ++entry;
        INFO(name);
        REQUIRE(*entry);
        list->scrollToItem(*entry);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(*entry).center());
        CHECK_FALSE(picker.list().isVisible());
        window.activateWindow();  // as a window manager does when a list closes
        QApplication::processEvents();
    }
    // Triggers an action of the menu bar.
    void choose(ActionId id) {
        QAction* action = window.action(id);
        for (QAction* top : window.menuBar()->actions()) {
            if (!top->menu()->actions().contains(action)) continue;
            click_entry(*window.menuBar(), window.menuBar()->actionGeometry(top).center(), *top->menu(),
                        *action);
            return;
        }
        FAIL("in no menu: " << action->text().toStdString());
    }
    // Opens a menu by a click there and clicks the entry, which may be in a sub-menu.
    static void click_entry(QWidget& opener, const QPoint& at, QMenu& menu, QAction& entry) {
        const auto menu_of = [](const QAction& action) {
            QMenu* found = nullptr;
            for (QObject* place : action.associatedObjects()) {
                if (!found) found = qobject_cast<QMenu*>(place);
            }
            return found;
        };
        QList<QAction*> way{&entry};
        while (menu_of(*way.front()) != &menu) way.prepend(menu_of(*way.front())->menuAction());
        bool clicked = false;
        bool ended = false;
        // A button's menu runs a nested event loop.
        QTimer::singleShot(0, &menu, [&] {
            QMenu* open = &menu;
            for (QAction* step : way) {
                clicked = QTest::qWaitFor([&] { return open->isVisible(); });
                if (!clicked) break;
                QTest::mouseClick(open, Qt::LeftButton, {}, open->actionGeometry(step).center());
                if (step->menu()) open = step->menu();
            }
            ended = true;
            if (menu.isVisible()) menu.close();
        });
        QTest::mouseClick(&opener, Qt::LeftButton, {}, at);
        REQUIRE(QTest::qWaitFor([&] { return ended; }));
        REQUIRE(clicked);
        opener.window()->activateWindow();  // as a window manager does when a menu closes
        QApplication::processEvents();
    }
    // Shows the tab of that name, or, if it has no space, uses the entry of the menu beside the tabs.
    void show_tab(const QString& name) {
        auto* bar = find<QTabWidget>(QStringLiteral("tabs"))->tabBar();
        int tab = 0;
        while (tab < bar->count() && bar->tabText(tab) != name) ++tab;
        REQUIRE(tab < bar->count());
        if (bar->isTabVisible(tab)) {
            QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(tab).center());
        } else {
            auto* all = find<QToolButton>(QStringLiteral("tabs/all"));
            auto* menu = all->findChild<QMenu*>();
            REQUIRE(menu != nullptr);
            click_entry(*all, all->rect().center(), *menu, *menu->actions().at(tab));
        }
    }
    // Drops files from the file manager on the window.
    void drop(const QString& file) { drop(QStringList{file}); }
    void drop(const QStringList& files) {
        QMimeData dropped;
        QList<QUrl> urls;
        for (const QString& file : files) urls << QUrl::fromLocalFile(file);
        dropped.setUrls(urls);
        QDragEnterEvent enter({400, 300}, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        REQUIRE(enter.isAccepted());
        QDropEvent event(QPointF(400, 300), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &event);
        QApplication::processEvents();
    }
    [[nodiscard]] const Estimate& estimate() { return window.model().answer().estimate; }

    Session session;
    MainWindow window;
};

// Returns the first number of a text with grouped thousands.
inline double first_number(QString text) {
    text.remove(QLatin1Char(','));
    QString digits;
    for (const QChar c : text) {
        if (c.isDigit() || c == QLatin1Char('.')) digits += c;
        else if (!digits.isEmpty()) break;
    }
    return digits.toDouble();
}

}  // namespace shardscope::testing
