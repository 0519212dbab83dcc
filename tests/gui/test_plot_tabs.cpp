// Tests the tabs of the plots: the window creates a plot when it is first needed, and every tab can be
// reached.
#include <QApplication>
#include <QCheckBox>
#include <QMenu>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <catch2/catch.hpp>

#include "app/commands/command.h"
#include "app/documents.h"
#include "app/main_window.h"
#include "app/plot_tabs.h"
#include "app/session.h"
#include "app/side_panels.h"
#include "files/session_file.h"
#include "support/desk.h"
#include "support/wheel.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/text.h"

namespace shardscope::testing {
namespace {

// A window as at a start, in which only the plot that is shown exists.
struct FreshWindow {
    Session session;
    MainWindow window{commands::catalogue(), session};
    PlotTabs& tabs = *window.findChild<PlotTabs*>();

    FreshWindow() {
        window.resize(1440, 900);
        window.show();
        QApplication::processEvents();
    }
    [[nodiscard]] auto plots() const { return tabs.findChildren<LivePlot*>(); }
    [[nodiscard]] View view_of(std::string_view plot) const {
        const std::vector<View> views = tabs.views();
        REQUIRE(views.size() == static_cast<std::size_t>(tabs.count()));
        return *std::ranges::find(views, plot, &View::plot);
    }
};

}  // namespace

TEST_CASE("plot tabs: a plot is created when its tab is first shown, in the same place", "[window][plots]") {
    FreshWindow fresh;
    REQUIRE(fresh.plots().size() == 1);
    std::vector<QString> names, tips;
    for (int i = 0; i < fresh.tabs.count(); ++i) {
        names.push_back(fresh.tabs.tabText(i));
        tips.push_back(fresh.tabs.tabToolTip(i));
        CHECK_FALSE(tips.back().isEmpty());
    }
    for (int i = 1; i < fresh.tabs.count(); ++i) {
        fresh.tabs.step(1);
        QApplication::processEvents();
        CHECK(fresh.tabs.currentIndex() == i);
        CHECK(fresh.plots().size() == i + 1);
        CHECK(fresh.tabs.current().isVisible());
        CHECK(fresh.tabs.current().accessibleName() == tips[static_cast<std::size_t>(i)]);
    }
    for (int i = 0; i < fresh.tabs.count(); ++i) {
        CHECK(fresh.tabs.tabText(i) == names[static_cast<std::size_t>(i)]);
        CHECK(fresh.tabs.tabToolTip(i) == tips[static_cast<std::size_t>(i)]);
    }
    CHECK(fresh.tabs.plot(QStringLiteral("memory")) == nullptr);  // it has no tab
}

TEST_CASE("plot tabs: a plot that is created later shows its view, the pins and hypothetical rates",
          "[window][plots]") {
    FreshWindow fresh;
    fresh.window.model().pin();
    fresh.tabs.show_hypothetical(true);
    View view;
    view.plot = "sweep";
    view.x = P::sequence_length;
    view.outputs = {Output::step_time};
    fresh.tabs.set_view(view);
    CHECK(fresh.plots().size() == 1);
    CHECK(fresh.view_of("sweep") == view);

    fresh.tabs.show_plot(QStringLiteral("sweep"));
    QApplication::processEvents();
    REQUIRE(fresh.plots().size() == 2);
    CHECK(fresh.tabs.current().view().x == P::sequence_length);
    CHECK(fresh.tabs.current().view().outputs == view.outputs);
    CHECK(fresh.view_of("sweep") == fresh.tabs.current().view());
    CHECK(fresh.tabs.current().request().hypothetical);
    CHECK(fresh.window.findChild<QCheckBox*>(QStringLiteral("sweep/side_by_side"))->isEnabled());
}

TEST_CASE("plot tabs: the menu says how many tabs are hidden, also after a plot was created",
          "[window][plots]") {
    FreshWindow fresh;
    fresh.window.resize(1024, 640);
    QApplication::processEvents();
    const auto* all = fresh.window.findChild<QToolButton*>(QStringLiteral("tabs/all"));
    int most = 0;
    for (int i = 0; i < fresh.tabs.count(); ++i) {
        fresh.tabs.setCurrentIndex(i);
        QApplication::processEvents();
        int hidden = 0;
        for (int k = 0; k < fresh.tabs.count(); ++k) hidden += fresh.tabs.isTabVisible(k) ? 0 : 1;
        INFO(i);
        CHECK(all->text() == (hidden > 0 ? QStringLiteral("+%1").arg(hidden) : QString()));
        most = std::max(most, hidden);
    }
    CHECK(most > 0);
}

TEST_CASE("plot tabs: a session keeps what every plot shows", "[window][plots]") {
    FreshWindow before;
    View sweep;
    sweep.plot = "sweep";
    sweep.x = P::hidden_size;
    sweep.outputs = {Output::peak_memory};
    before.tabs.show_plot(QStringLiteral("sweep"));
    before.tabs.set_view(sweep);
    before.tabs.show_plot(QStringLiteral("timeline"));
    QApplication::processEvents();
    const std::string text = write_session(before.window.workspace().session());

    Problems problems;
    const SavedSession kept = read_session(text, commands::catalogue(), {}, problems);
    REQUIRE(problems.empty());
    FreshWindow after;
    after.window.workspace().start_with(kept);
    QApplication::processEvents();
    CHECK(after.tabs.current().objectName() == QStringLiteral("timeline"));
    CHECK(after.view_of("sweep").x == P::hidden_size);
    CHECK(after.tabs.findChild<LivePlot*>(QStringLiteral("sweep")) == nullptr);
    after.tabs.show_plot(QStringLiteral("sweep"));
    QApplication::processEvents();
    CHECK(after.tabs.current().view().x == P::hidden_size);
    CHECK(after.tabs.current().view().outputs == sweep.outputs);
    CHECK(write_session(after.window.workspace().session()).find("\"plots\"") != std::string::npos);
}

TEST_CASE("side panels: undoing a study closes what was closed before it", "[window][studies]") {
    FreshWindow fresh;
    auto* sides = fresh.window.findChild<SidePanels*>();
    sides->open(SidePanels::Side::none);
    const auto& studies = commands::catalogue().all(PresetKind::study);
    fresh.window.documents().open_study(*studies.front());
    QApplication::processEvents();
    fresh.window.model().undo_stack()->undo();
    QApplication::processEvents();
    CHECK(sides->is_open(SidePanels::Side::none));
}

TEST_CASE("sliders: a pin's mark is painted at once", "[window]") {
    FreshWindow fresh;
    auto* slider = fresh.window.findChild<QWidget*>(QStringLiteral("cluster.gpus/slider"));
    REQUIRE(slider != nullptr);
    struct Paints : QObject {
        int count = 0;
        bool eventFilter(QObject*, QEvent* event) override {
            count += event->type() == QEvent::Paint;
            return false;
        }
    } paints;
    // The first pin moves panes, which repaints the window.
    fresh.window.model().pin();
    for (int i = 0; i < 5; ++i) QApplication::processEvents();
    slider->installEventFilter(&paints);
    QApplication::processEvents();
    REQUIRE(paints.count == 0);
    Scenario other = fresh.window.model().scenario();
    other.give(P::gpus, 256);
    fresh.window.model().pin(SavedScenario(other));
    QApplication::processEvents();
    CHECK(paints.count > 0);
    slider->removeEventFilter(&paints);
}

TEST_CASE("the menu beside the tabs shows every plot, including those without a visible tab", "[gui]") {
    Desk desk;
    desk.window.resize(1024, 700);
    QApplication::processEvents();
    auto* tabs = desk.find<QTabWidget>("tabs");
    auto* all = desk.find<QToolButton>("tabs/all");
    auto* menu = all->findChild<QMenu*>();
    REQUIRE(menu != nullptr);
    REQUIRE(menu->actions().size() == tabs->count());
    for (int i = tabs->count() - 1; i >= 0; --i) {
        QTest::mouseClick(all, Qt::LeftButton);
        REQUIRE(menu->isVisible());
        for (int j = 0; j < tabs->count(); ++j)
            CHECK(menu->actions().at(j)->isChecked() == (j == tabs->currentIndex()));
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(menu->actions().at(i)).center());
        CHECK_FALSE(menu->isVisible());
        CHECK(tabs->currentIndex() == i);
        CHECK(tabs->tabText(i) == menu->actions().at(i)->text());
    }
}

TEST_CASE("a visible tab is not cut off, and the current one is always visible", "[gui]") {
    Desk desk;
    QTabBar* bar = desk.find<QTabWidget>("tabs")->tabBar();
    for (const int width : {1440, 1024, 1100, 1300}) {
        desk.window.resize(width, 700);
        QApplication::processEvents();
        for (const int current : {0, bar->count() - 1, 2}) {
            bar->setCurrentIndex(current);
            QApplication::processEvents();
            INFO(width << " px, " << current);
            CHECK(bar->isTabVisible(current));
            int whole = 0;
            for (int i = 0; i < bar->count(); ++i) {
                if (!bar->isTabVisible(i)) continue;
                CHECK(bar->tabRect(i).left() >= 0);
                CHECK(bar->tabRect(i).right() <= bar->rect().right());
                ++whole;
            }
            CHECK(whole > 2);
            // The number of hidden tabs is shown beside them.
            const int hidden = bar->count() - whole;
            CHECK(desk.find<QToolButton>("tabs/all")->text() ==
                  (hidden > 0 ? QStringLiteral("+%1").arg(hidden) : QString()));
        }
    }
    // The arrow keys also reach tabs that only the menu shows.
    desk.window.resize(1024, 700);
    QApplication::processEvents();
    bar->setCurrentIndex(0);
    REQUIRE_FALSE(bar->isTabVisible(bar->count() - 1));
    for (int i = 1; i < bar->count(); ++i) {
        QTest::keyClick(bar, Qt::Key_Right);
        CHECK(bar->currentIndex() == i);
        CHECK(bar->isTabVisible(i));
    }
    // The wheel does, too; a fine wheel after the distance of a notch.
    turn_wheel(*bar, 240);
    CHECK(bar->currentIndex() == bar->count() - 3);
    turn_wheel(*bar, -60);
    CHECK(bar->currentIndex() == bar->count() - 3);
    turn_wheel(*bar, -60);
    CHECK(bar->currentIndex() == bar->count() - 2);
}

}  // namespace shardscope::testing
