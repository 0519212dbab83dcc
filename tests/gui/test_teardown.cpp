// The window goes while something is under way: what ends with it ends in a model that is still there.
#include <QSignalSpy>
#include <QTabWidget>
#include <catch2/catch.hpp>
#include <memory>

#include "support/desk.h"
#include "widgets/plots/walls_plot.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("teardown: a slider held down is let go", "[teardown]") {
    auto desk = std::make_unique<Desk>();
    QWidget* slider = desk->slider("cluster.inter_node_bandwidth");
    const QSignalSpy ended(&desk->window.model(), &LiveModel::gesture_ended);
    QTest::mousePress(slider, Qt::LeftButton, {}, slider->rect().center());
    REQUIRE(desk->window.model().in_gesture());
    desk.reset();
    CHECK(ended.count() == 1);
}

TEST_CASE("teardown: a crosshair held down is let go", "[teardown]") {
    auto desk = std::make_unique<Desk>();
    auto* plot = desk->find<WallsPlot>(QStringLiteral("walls"));
    desk->find<QTabWidget>(QStringLiteral("tabs"))->setCurrentWidget(plot);
    QApplication::processEvents();
    auto* canvas = desk->find<QWidget>(QStringLiteral("walls/plot"));
    const QSignalSpy ended(&desk->window.model(), &LiveModel::gesture_ended);
    canvas->setFocus();
    REQUIRE(canvas->hasFocus());
    const WallsFigure& figure = plot->figure();
    const QPointF crosshair = figure.pixel_of(figure.point().x, figure.point().y);
    QTest::mousePress(canvas, Qt::LeftButton, {}, crosshair.toPoint());
    REQUIRE(desk->window.model().in_gesture());
    desk.reset();
    CHECK(ended.count() == 1);
}

TEST_CASE("teardown: a number not yet entered is taken", "[teardown]") {
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

TEST_CASE("teardown: a focused map goes, with the window or alone", "[teardown]") {
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
