// Tests pinned scenarios side by side in the Sweep tab, through real events on the real main window.
#include <qcustomplot.h>

#include <QCheckBox>
#include <QComboBox>
#include <QTabWidget>
#include <QTest>
#include <QUndoStack>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>
#include <vector>

#include "support/desk.h"
#include "widgets/chart/panel_grid.h"
#include "widgets/plots/sweep/sweep_plot.h"

using namespace shardscope;
using shardscope::testing::Desk;
using shardscope::testing::kBackgroundTimeout;

namespace {

struct SideBySideDesk : Desk {
    SweepPlot* plot = window.findChild<SweepPlot*>();
    QCustomPlot* canvas = plot->findChild<QCustomPlot*>();
    LiveModel& model = window.model();

    SideBySideDesk() {
        window.findChild<QTabWidget*>(QStringLiteral("tabs"))->setCurrentWidget(plot);
        settle();
    }
    void settle() {
        REQUIRE(
            QTest::qWaitFor([this] { return !plot->pending() && !model.planning(); }, kBackgroundTimeout));
        QApplication::processEvents();
        canvas->replot();
    }
    // Pins the scenario with this number of GPUs.
    void pin(double gpus) {
        const double before = model.answer().settings[P::gpus];
        model.edit(P::gpus, gpus);
        window.action(ActionId::pin)->trigger();
        model.edit(P::gpus, before);
        settle();
    }
    QCheckBox* box() { return find<QCheckBox>("sweep/side_by_side"); }
    void show_beside() {
        REQUIRE(box()->isEnabled());
        box()->setChecked(true);
        settle();
    }
    // Returns the panels scenario by scenario, the outputs of each from the top.
    std::vector<QCPAxisRect*> panels() {
        const QList<QCPAxisRect*> rects = canvas->axisRects();
        std::vector<QCPAxisRect*> out(rects.begin(), rects.end());
        const auto outputs = static_cast<int>(plot->figure().data().outputs.size());
        const auto place = [&](const QCPAxisRect* rect) {
            // The number of panels above it gives its row of scenarios.
            const auto above = std::ranges::count_if(out, [&](const QCPAxisRect* other) {
                return other->left() == rect->left() && other->top() < rect->top();
            });
            return std::tuple(above / outputs, rect->left(), above);
        };
        std::vector<std::pair<std::tuple<std::ptrdiff_t, int, std::ptrdiff_t>, QCPAxisRect*>> placed;
        placed.reserve(static_cast<std::size_t>(out.size()));
        for (QCPAxisRect* rect : out) placed.emplace_back(place(rect), rect);
        std::ranges::sort(placed);
        std::ranges::transform(placed, out.begin(), [](const auto& one) { return one.second; });
        return out;
    }
    QRect frame(int panel) { return panels()[static_cast<std::size_t>(panel)]->rect(); }
    QPoint title_of(char letter) {
        for (int y = 0; y < canvas->height(); y += 4) {
            for (int x = 0; x < canvas->width(); x += 4) {
                if (plot->figure().title_at(QPointF(x, y)) == letter) return {x + 4, y + 4};
            }
        }
        return {-1, -1};
    }
};

}  // namespace

TEST_CASE("side by side: there is one panel a scenario, all of one size and with the same axes", "[beside]") {
    SideBySideDesk desk;
    desk.window.resize(1024, 700);
    CHECK_FALSE(desk.box()->isEnabled());
    CHECK(desk.canvas->axisRectCount() == 2);
    for (int pins = 1; pins <= 6; ++pins) {
        CAPTURE(pins);
        desk.pin(8 << pins);
        if (pins == 1) desk.show_beside();
        REQUIRE(desk.canvas->axisRectCount() == 2 * (pins + 1));
        const QRect first = desk.frame(0);
        int left = 0;
        for (int i = 0; i < desk.canvas->axisRectCount(); ++i) {
            CAPTURE(i);
            const QRect frame = desk.frame(i);
            CHECK(frame.size() == first.size());
            CHECK(frame.width() >= 60);
            CHECK(frame.height() >= 35);
            CHECK(desk.canvas->rect().contains(frame));
            for (int other = 0; other < i; ++other) CHECK_FALSE(frame.intersects(desk.frame(other)));
            const auto panels = desk.panels();
            const QCPAxis* x = panels[static_cast<std::size_t>(i)]->axis(QCPAxis::atBottom);
            const QCPAxis* y = panels[static_cast<std::size_t>(i)]->axis(QCPAxis::atLeft);
            CHECK(x->range() == panels[0]->axis(QCPAxis::atBottom)->range());
            CHECK(y->range() == panels[static_cast<std::size_t>(i % 2)]->axis(QCPAxis::atLeft)->range());
            // Only the left panels have labels on the y axis.
            CHECK(y->tickLabels() == (frame.left() == first.left()));
            left += y->tickLabels() ? 1 : 0;
        }
        CHECK(left < desk.canvas->axisRectCount());
    }
    desk.window.action(ActionId::unpin_all)->trigger();
    desk.settle();
    CHECK(desk.canvas->axisRectCount() == 2);
    CHECK_FALSE(desk.box()->isEnabled());
    // The setting stays for the next pin.
    desk.pin(16);
    CHECK(desk.canvas->axisRectCount() == 4);
}

TEST_CASE("side by side: the current scenario's dot is dragged in its own panel", "[beside]") {
    SideBySideDesk desk;
    desk.pin(256);
    desk.show_beside();
    const SweepFigure& figure = desk.plot->figure();
    const double from = desk.model.answer().settings[P::sequence_length];
    const auto at = [&](double value) {
        return QPoint(static_cast<int>(std::lround(figure.pixel_of(value))), desk.frame(0).center().y());
    };
    const QRect pinned = desk.frame(2);
    // The other panel has nothing that can be dragged.
    const QPoint there = at(from) + QPoint(pinned.left() - desk.frame(0).left(), 0);
    QTest::mousePress(desk.canvas, Qt::LeftButton, {}, there);
    CHECK_FALSE(desk.model.in_gesture());
    QTest::mouseRelease(desk.canvas, Qt::LeftButton, {}, there);
    QTest::mousePress(desk.canvas, Qt::LeftButton, {}, at(from));
    REQUIRE(desk.model.in_gesture());
    QTest::mouseMove(desk.canvas, at(1024));
    QTest::mouseRelease(desk.canvas, Qt::LeftButton, {}, at(1024));
    desk.settle();
    CHECK(desk.model.answer().settings[P::sequence_length] == Approx(1024).epsilon(0.05));
    CHECK(desk.frame(2) == pinned);
}

TEST_CASE("side by side: a click on a pinned panel's title makes it the current scenario", "[beside]") {
    SideBySideDesk desk;
    desk.pin(256);
    desk.show_beside();
    const double mine = desk.model.answer().settings[P::gpus];
    const QPoint title = desk.title_of('B');
    REQUIRE(title.x() >= 0);
    CHECK(desk.title_of('A').x() < 0);
    QTest::mouseMove(desk.canvas, title);
    CHECK(desk.canvas->cursor().shape() == Qt::PointingHandCursor);
    const int steps = desk.model.undo_stack()->index();
    QTest::mouseClick(desk.canvas, Qt::LeftButton, {}, title);
    desk.settle();
    CHECK(desk.model.answer().settings[P::gpus] == 256);
    REQUIRE(desk.model.pins().size() == 1);
    CHECK(desk.model.pins()[0].answer.settings[P::gpus] == mine);
    CHECK(desk.model.undo_stack()->index() == steps + 1);
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.model.answer().settings[P::gpus] == mine);
}

TEST_CASE("side by side: each scenario has its own family, and is planned like the current one", "[beside]") {
    SideBySideDesk desk;
    desk.model.set_automatic(P::micro_batch, true);
    desk.pin(256);
    desk.show_beside();
    auto* family = desk.find<QComboBox>("sweep/family");
    family->setCurrentIndex(family->findData(static_cast<int>(P::inter_node_bandwidth)));
    desk.settle();
    const int curves = desk.canvas->plottableCount();
    const auto members = static_cast<int>(desk.plot->figure().data().series.size());
    REQUIRE(members >= 3);
    CHECK(curves == 2 * 2 * members);
    CHECK(desk.plot->figure().data().plan == CurvePlan::replanned);
    // The pin's rows in the table are those of a separate sweep with new plans.
    const FigureRequest asked = desk.plot->request();
    REQUIRE(options_in<SweepOptions>(asked).side_by_side);
    FigureRequest own = asked;
    own.pins.clear();
    const QByteArray all = render_figure(asked, desk.model.answer(), FigureFormat::csv);
    const QByteArray pinned = render_figure(own, desk.model.pins()[0].answer, FigureFormat::csv);
    int found = 0;
    for (const QByteArray& row : pinned.split('\n').mid(1)) {
        if (row.isEmpty()) continue;
        CHECK(all.contains("\nB," + row + '\n'));
        ++found;
    }
    CHECK(found > 100);
}

TEST_CASE("side by side: it is exported in every format, and the table stays the same", "[beside]") {
    SideBySideDesk desk;
    desk.pin(256);
    desk.model.rename('B', QStringLiteral("on 256 GPUs"));
    const QByteArray over = render_figure(desk.plot->request(), desk.model.answer(), FigureFormat::csv);
    desk.show_beside();
    CHECK(desk.plot->view().side_by_side);
    const FigureRequest asked = desk.plot->request();
    CHECK(render_figure(asked, desk.model.answer(), FigureFormat::csv) == over);
    for (const auto format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png}) {
        QString problem;
        const QByteArray bytes = render_figure(asked, desk.model.answer(), format, &problem);
        CHECK(problem.isEmpty());
        CHECK(bytes.size() > 1000);
        CHECK(bytes == render_figure(asked, desk.model.answer(), format));
    }
    const QByteArray svg = render_figure(asked, desk.model.answer(), FigureFormat::svg);
    CHECK(svg.contains(">on 256 GPUs<"));
    // The name is once over the panels and once in the caption.
    FigureRequest ghosts = asked;
    std::get<SweepOptions>(ghosts.options).side_by_side = false;
    CHECK_FALSE(render_figure(ghosts, desk.model.answer(), FigureFormat::svg).contains(">on 256 GPUs<"));
    CHECK(desk.canvas->parentWidget()->accessibleDescription().contains(
        QStringLiteral("Beside it B, on 256 GPUs")));
}

TEST_CASE("panel grid: a row has as many panels as leave readable frames", "[beside]") {
    const QSizeF around(20, 70);
    for (int panels = 1; panels <= 7; ++panels) {
        for (const QSizeF& size : {QSizeF(900, 600), QSizeF(560, 480), QSizeF(300, 900), QSizeF(1600, 300)}) {
            CAPTURE(panels, size.width());
            const PanelGrid grid = panel_grid(panels, 1, size, around);
            CHECK(grid.columns * grid.rows >= panels);
            CHECK(grid.columns * (grid.rows - 1) < panels);
            CHECK(size.width() / grid.columns - around.width() >= 60);
            CHECK(size.height() / grid.rows - around.height() >= 30);
        }
    }
    CHECK(panel_grid(6, 1, {900, 600}, around).columns == 3);
    CHECK(panel_grid(2, 1, {900, 600}, around).columns == 2);
    CHECK(panel_grid(3, 1, {300, 900}, around).columns == 1);
    CHECK(panel_grid(4, 1, {1600, 300}, around).columns == 4);
    // Panels with two frames need more height.
    CHECK(panel_grid(7, 2, {400, 450}, {28, 110}).rows == 2);
}
