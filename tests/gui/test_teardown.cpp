// Tests that a window can be closed during an interaction: the interaction ends in a model that still exists.
#include <QSignalSpy>
#include <QTabWidget>
#include <catch2/catch.hpp>
#include <memory>

#include "support/desk.h"
#include "widgets/plots/scaling/scaling_plot.h"
#include "widgets/plots/sweep/sweep_plot.h"
#include "widgets/plots/walls/walls_plot.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("teardown: a pressed slider is released", "[teardown]") {
    auto desk = std::make_unique<Desk>();
    QWidget* slider = desk->slider("cluster.inter_node_bandwidth");
    const QSignalSpy ended(&desk->window.model(), &LiveModel::gesture_ended);
    QTest::mousePress(slider, Qt::LeftButton, {}, slider->rect().center());
    REQUIRE(desk->window.model().in_gesture());
    desk.reset();
    CHECK(ended.count() == 1);
}

namespace {

// Presses the mouse button on the scenario in a tab of the plot area.
void grab(Desk& desk, const QString& name) {
    auto* tab = desk.find<LivePlot>(name);
    desk.find<QTabWidget>(QStringLiteral("tabs"))->setCurrentWidget(tab);
    QApplication::processEvents();
    auto* canvas = desk.find<QWidget>(name + QStringLiteral("/plot"));
    QPointF at;
    if (auto* plot = qobject_cast<WallsPlot*>(tab)) {
        const WallsFigure& figure = plot->figure();
        at = figure.pixel_of(figure.point().x, figure.point().y);
    } else {
        const auto guide = [](const auto& figure) { return figure.pixel_of(figure.data().current.x); };
        auto* sweep = qobject_cast<SweepPlot*>(tab);
        at = {sweep ? guide(sweep->figure()) : guide(qobject_cast<ScalingPlot*>(tab)->figure()),
              canvas->height() / 4.0};
    }
    QTest::mousePress(canvas, Qt::LeftButton, {}, at.toPoint());
    REQUIRE(desk.window.model().in_gesture());
}

}  // namespace

TEST_CASE("teardown: a scenario dragged in a plot is released with the tab, and with the window",
          "[teardown]") {
    auto desk = std::make_unique<Desk>();
    const QSignalSpy ended(&desk->window.model(), &LiveModel::gesture_ended);
    grab(*desk, GENERATE(QStringLiteral("scaling"), QStringLiteral("walls"), QStringLiteral("sweep")));
    SECTION("tab") {
        auto* tabs = desk->find<QTabWidget>(QStringLiteral("tabs"));
        tabs->setCurrentWidget(desk->find<LivePlot>(QStringLiteral("plans")));
        CHECK_FALSE(desk->window.model().in_gesture());
    }
    SECTION("window") { desk.reset(); }
    CHECK(ended.count() == 1);
}

TEST_CASE("teardown: a number that is typed but not entered is committed", "[teardown]") {
    auto desk = std::make_unique<Desk>();
    desk->slider("training.micro_batch");
    auto* field = desk->find<QLineEdit>(QStringLiteral("training.micro_batch/field"));
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("1"));
    const QSignalSpy changed(&desk->window.model(), &LiveModel::changed);
    desk.reset();
    CHECK(changed.count() == 1);
}

TEST_CASE("teardown: a focused map is destroyed with the window or alone", "[teardown]") {
    auto desk = std::make_unique<Desk>();
    auto* plot = desk->find<WallsPlot>(QStringLiteral("walls"));
    desk->find<QTabWidget>(QStringLiteral("tabs"))->setCurrentWidget(plot);
    QApplication::processEvents();
    auto* canvas = desk->find<QWidget>(QStringLiteral("walls/plot"));
    canvas->setFocus();
    REQUIRE(canvas->hasFocus());
    SECTION("with the window") { desk.reset(); }
    SECTION("alone") { delete plot; }
    CHECK_FALSE(QApplication::focusWidget() == canvas);
}

TEST_CASE("teardown: a destroyed window leaves no widget behind", "[teardown]") {
    { const Desk first; }  // what Qt creates once and keeps
    const QWidgetList before = QApplication::allWidgets();
    { const Desk second; }
    QStringList left;
    for (const QWidget* widget : QApplication::allWidgets()) {
        if (!before.contains(widget)) left += widget->objectName();
    }
    INFO(left.join(QStringLiteral(", ")).toStdString());
    CHECK(left.isEmpty());
}
