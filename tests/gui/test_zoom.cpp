// Tests zooming: the arithmetic of one axis, and wheel, drag, double click and keys on the plots of the real
// window.
#include <qcustomplot.h>

#include <QComboBox>
#include <QTabWidget>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "support/desk.h"
#include "support/wheel.h"
#include "widgets/chart/plot_zoom.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/scaling/scaling_plot.h"
#include "widgets/plots/sweep/sweep_plot.h"
#include "widgets/plots/walls/walls_plot.h"

namespace shardscope::testing {
namespace {

void check_range(const AxisZoom& zoom, double from, double to) {
    CHECK(zoom.range().from == Approx(from));
    CHECK(zoom.range().to == Approx(to));
}

// A plot of the window, with the value of its horizontal axis at a pixel.
struct ZoomDesk : Desk {
    explicit ZoomDesk(const char* name) : plot(find<LivePlot>(QLatin1String(name))) {
        find<QTabWidget>(QStringLiteral("tabs"))->setCurrentWidget(plot);
        canvas = find<QCustomPlot>(QLatin1String(name) + QStringLiteral("/plot"));
        settle();
    }
    void settle() {
        REQUIRE(QTest::qWaitFor([&] { return !plot->pending() && !window.model().planning(); },
                                kBackgroundTimeout));
        QApplication::processEvents();
        canvas->replot();
    }
    const ZoomableFigure& figure() {
        if (auto* scaling = qobject_cast<ScalingPlot*>(plot)) return scaling->figure();
        if (auto* sweep = qobject_cast<SweepPlot*>(plot)) return sweep->figure();
        return qobject_cast<WallsPlot*>(plot)->figure();
    }
    double value_at(const QPointF& at) {
        if (auto* scaling = qobject_cast<ScalingPlot*>(plot)) return scaling->figure().gpus_at(at.x());
        if (auto* sweep = qobject_cast<SweepPlot*>(plot)) return sweep->figure().input_at(at);
        return qobject_cast<WallsPlot*>(plot)->figure().x_at(at);
    }
    // A place off the scenario's handles and off the curves.
    [[nodiscard]] QPoint empty() const { return {canvas->width() * 2 / 3, canvas->height() * 7 / 10}; }
    void drag_by(const QPoint& way) { drag_from(empty(), way); }
    void drag_from(const QPoint& start, const QPoint& way) {
        QTest::mousePress(canvas, Qt::LeftButton, {}, start);
        for (const double share : {0.5, 1.0}) {
            const QPointF to = QPointF(start) + share * QPointF(way);
            QMouseEvent move(QEvent::MouseMove, to, canvas->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                             {});
            QApplication::sendEvent(canvas, &move);
        }
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, start + way);
        settle();
    }
    // The clicks of a person: press, release, double click, release.
    void double_click(const QPoint& at) {
        QTest::mouseClick(canvas, Qt::LeftButton, {}, at);
        QTest::mouseDClick(canvas, Qt::LeftButton, {}, at);
        settle();
    }

    LivePlot* plot;
    QCustomPlot* canvas = nullptr;
};

constexpr std::array kZoomed{"scaling", "sweep", "walls"};

}  // namespace

TEST_CASE("zoom: the place under the pointer stays, and nothing beyond the axis is shown", "[zoom]") {
    AxisZoom linear;
    linear.fit({0, 60});
    CHECK_FALSE(linear.zoomed());
    linear.zoom(2, 0.5);
    check_range(linear, 15, 45);
    linear.zoom(2, 1);
    check_range(linear, 30, 45);
    linear.move(0.5);
    check_range(linear, 37.5, 52.5);
    linear.move(3);
    check_range(linear, 45, 60);
    CHECK(linear.contains(60));
    CHECK_FALSE(linear.contains(44));
    linear.zoom(0.5, 1);
    check_range(linear, 30, 60);
    // What the user has zoomed to stays when the axis is fitted again.
    linear.fit({0, 80});
    check_range(linear, 30, 60);
    linear.zoom(0.1, 0.5);
    CHECK_FALSE(linear.zoomed());
    check_range(linear, 0, 80);
    linear.zoom(1e9, 0.25);
    CHECK(linear.range().to - linear.range().from == Approx(80 * 0.02));
}

TEST_CASE("zoom: a logarithmic axis is zoomed in its logarithm", "[zoom]") {
    AxisZoom gpus;
    gpus.fit({1, 16384}, true);  // 14 doublings
    gpus.zoom(2, 0.5);
    check_range(gpus, std::exp2(3.5), std::exp2(10.5));
    gpus.move(0.5);
    check_range(gpus, std::exp2(7), std::exp2(14));
    gpus.fit({0, 1});  // another scale has no such part
    CHECK_FALSE(gpus.zoomed());
}

TEST_CASE("zoom: the wheel zooms at the pointer, a drag moves, and neither changes the scenario",
          "[window][zoom]") {
    for (const char* name : kZoomed) {
        INFO(name);
        ZoomDesk desk(name);
        const Scenario start = desk.window.model().scenario();
        const QByteArray exported =
            render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::svg);
        const double here = desk.value_at(desk.empty());
        const QPointF aside = QPointF(desk.empty()) - QPointF(60, 0);
        const double there = desk.value_at(aside);
        // Outside the axes the wheel does nothing.
        turn_wheel(*desk.canvas, QPointF(2, 2), 240);
        CHECK_FALSE(desk.figure().zoomed());
        turn_wheel(*desk.canvas, desk.empty(), 240);
        desk.settle();
        REQUIRE(desk.figure().zoomed());
        CHECK(desk.value_at(desk.empty()) == Approx(here).epsilon(0.03));
        CHECK(desk.value_at(aside) > there);
        // Dragging to the right shows smaller values.
        desk.drag_by({60, 0});
        CHECK(desk.value_at(desk.empty()) < here * 0.97);
        CHECK(desk.window.model().scenario() == start);
        CHECK(desk.plot->ruler().fixed_words().isEmpty());
        // Files draw everything.
        CHECK(render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::svg) ==
              exported);
    }
}

TEST_CASE("zoom: a double click shows all again, and sets the scenario only where nothing is zoomed",
          "[window][zoom]") {
    for (const char* name : kZoomed) {
        INFO(name);
        ZoomDesk desk(name);
        const Scenario start = desk.window.model().scenario();
        turn_wheel(*desk.canvas, desk.empty(), 120);
        desk.settle();
        REQUIRE(desk.figure().zoomed());
        desk.double_click(desk.empty());
        CHECK_FALSE(desk.figure().zoomed());
        CHECK(desk.window.model().scenario() == start);
        CHECK(desk.plot->ruler().fixed_words().isEmpty());
        desk.double_click(desk.empty());
        CHECK_FALSE(desk.window.model().scenario() == start);
    }
}

TEST_CASE("zoom: runs, operators, collectives and plans are zoomed and moved, and files draw everything",
          "[window][zoom]") {
    for (const char* name : {"operators", "validation", "collectives", "plans"}) {
        INFO(name);
        ZoomDesk desk(name);
        const Scenario start = desk.window.model().scenario();
        const QByteArray exported =
            render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::svg);
        const QRect frame = desk.canvas->axisRect()->rect();
        const QPoint at(frame.left() + frame.width() / 3, frame.top() + frame.height() * 4 / 5);
        const QCPAxis& x = *desk.canvas->xAxis;
        const QCPAxis& y = *desk.canvas->yAxis;
        const QCPRange all_x = x.range();
        const QCPRange all_y = y.range();
        const double here = x.pixelToCoord(at.x());
        turn_wheel(*desk.canvas, at, 240);
        desk.settle();
        CHECK(x.range().lower > all_x.lower);
        CHECK(x.range().upper < all_x.upper);
        CHECK(y.range().upper < all_y.upper);
        // Ticks of another width move the frame by a few pixels.
        CHECK(std::fabs(x.coordToPixel(here) - at.x()) < 10);
        const double before = x.range().lower;
        desk.drag_from(at, {60, 0});
        CHECK(x.range().lower < before);
        CHECK(desk.window.model().scenario() == start);
        CHECK(render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::svg) ==
              exported);
        // Another value of the scenario leaves the part that is shown.
        const QCPRange part = x.range();
        desk.window.model().edit(P::intra_node_bandwidth, 440e9);
        desk.settle();
        CHECK(x.range().upper == Approx(part.upper));
        desk.double_click(at);
        CHECK(x.range().lower == Approx(all_x.lower));
        CHECK(x.range().upper == Approx(all_x.upper));
    }
}

TEST_CASE("zoom: plus, minus and zero zoom around the scenario", "[window][zoom]") {
    for (const char* name : kZoomed) {
        INFO(name);
        ZoomDesk desk(name);
        desk.canvas->setFocus();
        for (int i = 0; i < 4; ++i) {
            QTest::keyClick(desk.canvas, Qt::Key_Plus);
            CHECK(desk.figure().zoomed());
            CHECK(desk.figure().shows_scenario());
        }
        for (int i = 0; i < 4; ++i) QTest::keyClick(desk.canvas, Qt::Key_Minus);
        CHECK_FALSE(desk.figure().zoomed());
        QTest::keyClick(desk.canvas, Qt::Key_Plus);
        QTest::keyClick(desk.canvas, Qt::Key_0);
        CHECK_FALSE(desk.figure().zoomed());
    }
}

TEST_CASE("zoom: it stays after a drag of a slider while it shows the scenario", "[window][zoom]") {
    for (const char* name : kZoomed) {
        INFO(name);
        ZoomDesk desk(name);
        desk.canvas->setFocus();
        QTest::keyClick(desk.canvas, Qt::Key_Plus);
        desk.settle();
        const double left = desk.value_at({desk.canvas->width() * 0.4, desk.canvas->height() * 0.4});
        desk.window.model().begin_gesture(P::inter_node_bandwidth);
        desk.window.model().drag(P::inter_node_bandwidth,
                                 desk.window.model().answer().settings[P::inter_node_bandwidth] * 0.98);
        desk.window.model().end_gesture();
        desk.settle();
        CHECK(desk.figure().zoomed());
        CHECK(desk.value_at({desk.canvas->width() * 0.4, desk.canvas->height() * 0.4}) ==
              Approx(left).epsilon(0.02));
        // Far away from what is shown: few GPUs and a short sequence.
        for (int i = 0; i < 4; ++i) QTest::keyClick(desk.canvas, Qt::Key_Plus);
        REQUIRE(desk.figure().zoomed());
        desk.type("cluster.gpus", QStringLiteral("1024"));
        desk.type("training.sequence_length", QStringLiteral("512"));
        desk.settle();
        CHECK_FALSE(desk.figure().zoomed());
    }
}

TEST_CASE("zoom: a preset and another axis show all again", "[window][zoom]") {
    for (const char* name : kZoomed) {
        INFO(name);
        ZoomDesk desk(name);
        const auto zoom_in = [&] {
            desk.canvas->setFocus();
            QTest::keyClick(desk.canvas, Qt::Key_Plus);
            desk.settle();
            REQUIRE(desk.figure().zoomed());
        };
        zoom_in();
        const View zoomed = desk.plot->view();
        auto* axis = desk.find<QComboBox>(
            QLatin1String(name) +
            (desk.plot->inherits("shardscope::ScalingPlot") ? QStringLiteral("/y") : QStringLiteral("/x")));
        // What a session stores says nothing about the zoom.
        QTest::keyClick(desk.canvas, Qt::Key_0);
        CHECK(desk.plot->view() == zoomed);
        zoom_in();
        axis->setCurrentIndex(axis->currentIndex() == 1 ? 2 : 1);
        desk.settle();
        CHECK_FALSE(desk.figure().zoomed());
        zoom_in();
        desk.pick(QStringLiteral("picker/cluster"), QStringLiteral("cluster/dgx-h200"));
        desk.settle();
        CHECK_FALSE(desk.figure().zoomed());
    }
}

}  // namespace shardscope::testing
