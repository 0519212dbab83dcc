// Tests the Timeline tab: the live step over time, explored with wheel, mouse and keys.
#include <qcustomplot.h>

#include <QRegularExpression>
#include <QTabWidget>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/desk.h"
#include "support/wheel.h"
#include "widgets/drawing.h"
#include "widgets/drawn_words.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/timeline/timeline_plot.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

struct TimelineDesk : Desk {
    TimelineDesk() : plot(find<TimelinePlot>(QStringLiteral("timeline"))) {
        find<QTabWidget>(QStringLiteral("tabs"))->setCurrentWidget(plot);
        QApplication::processEvents();
        canvas = find<QWidget>(QStringLiteral("timeline/plot"));
    }
    void wheel(const QPointF& at, int angle) {
        turn_wheel(*canvas, at, angle);
        QApplication::processEvents();
    }
    // Sets a pipeline that fits.
    void set_pipeline() {
        Scenario scenario = Scenario::first_launch(commands::catalogue());
        for (const auto& [id, value] :
             std::initializer_list<std::pair<P, Value>>{{P::sharding, Sharding::zero1},
                                                        {P::pipeline_parallel, 4},
                                                        {P::micro_batch, 1},
                                                        {P::accumulation, 8}})
            scenario = edited(scenario, id, value);
        window.model().start_with(scenario);
        QApplication::processEvents();
    }

    TimelinePlot* plot;
    QWidget* canvas = nullptr;
};

}  // namespace

TEST_CASE("timeline tab: it ends with the headline's step, also after a drag", "[timeline]") {
    TimelineDesk desk;
    CHECK(desk.plot->figure().data().line.end == desk.estimate().step.total);
    const double before = desk.estimate().step.total;
    const AxisRange range = desk.plot->figure().range();
    CHECK(range.from == 0);
    CHECK(range.to > before);
    CHECK(range.to < 1.1 * before);
    desk.drag("cluster.inter_node_bandwidth", 0.6, 0.05, 12);
    CHECK(desk.estimate().step.total > before);
    CHECK(desk.plot->figure().data().line.end == desk.estimate().step.total);
    CHECK(desk.plot->figure().range().to > desk.estimate().step.total);
}

TEST_CASE("timeline tab: what is under the pointer is described", "[timeline]") {
    TimelineDesk desk;
    desk.set_pipeline();
    const TimelineFigure& figure = desk.plot->figure();
    const StepTimeline& line = figure.data().line;
    REQUIRE(line.stages.size() == 4);
    for (std::size_t stage = 0; stage < 4; ++stage) {
        for (const Interval& interval : line.stages[stage].compute) {
            const double left = figure.pixel_of(interval.start);
            const double right = figure.pixel_of(interval.end);
            if (right - left < 3) continue;
            const QString words =
                figure.words_at({(left + right) / 2, figure.lane(stage, false).center().y()});
            INFO(words.toStdString());
            CHECK(words.contains(QString::fromUtf8(label_of(interval.activity).data())));
            if (interval.micro_batch > 0)
                CHECK(words.contains(QStringLiteral("micro-batch %1").arg(interval.micro_batch)));
            CHECK((interval.activity == Activity::bubble ||
                   words.contains(QStringLiteral("stage %1").arg(stage + 1))));
        }
    }
    CHECK(figure.words_at({figure.pixel_of(line.end / 2), figure.memory_area().center().y()})
              .contains(QStringLiteral("GiB")));
    CHECK(figure.words_at({-5, -5}).isEmpty());
}

TEST_CASE("timeline tab: the wheel zooms around the pointer, and a double click shows all", "[timeline]") {
    TimelineDesk desk;
    const AxisRange all = desk.plot->figure().range();
    const double middle = desk.estimate().step.total / 3;
    const QPointF at(desk.plot->figure().pixel_of(middle), desk.plot->figure().lanes().center().y());
    desk.wheel(at, 240);
    const AxisRange closer = desk.plot->figure().range();
    CHECK(closer.to - closer.from == Approx((all.to - all.from) / (1.25 * 1.25)));
    CHECK(desk.plot->figure().pixel_of(middle) == Approx(at.x()).margin(1));
    // The zoomed range stays after a change.
    desk.type("cluster.inter_node_bandwidth", QStringLiteral("100 Gbit/s"));
    CHECK(desk.plot->figure().range().from == closer.from);
    CHECK(desk.plot->figure().range().to == closer.to);
    // Dragging to the left shows later times.
    QTest::mousePress(desk.canvas, Qt::LeftButton, {}, at.toPoint());
    const QPointF to = at - QPointF(40, 0);
    QMouseEvent move(QEvent::MouseMove, to, desk.canvas->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
    QApplication::sendEvent(desk.canvas, &move);
    QTest::mouseRelease(desk.canvas, Qt::LeftButton, {}, to.toPoint());
    CHECK(desk.plot->figure().range().from > closer.from);
    QTest::mouseDClick(desk.canvas, Qt::LeftButton, {}, at.toPoint());
    CHECK_FALSE(desk.plot->figure().zoomed());
    CHECK(desk.plot->figure().range().from == 0);
}

TEST_CASE("timeline tab: plus, minus, zero and the arrow keys do the same", "[timeline]") {
    TimelineDesk desk;
    desk.plot->setFocus();
    const AxisRange all = desk.plot->figure().range();
    QTest::keyClick(desk.plot, Qt::Key_Plus);
    QTest::keyClick(desk.plot, Qt::Key_Plus);
    CHECK(desk.plot->figure().zoomed());
    const AxisRange closer = desk.plot->figure().range();
    QTest::keyClick(desk.plot, Qt::Key_Right);
    CHECK(desk.plot->figure().range().from > closer.from);
    QTest::keyClick(desk.plot, Qt::Key_Minus);
    QTest::keyClick(desk.plot, Qt::Key_Minus);
    CHECK_FALSE(desk.plot->figure().zoomed());
    QTest::keyClick(desk.plot, Qt::Key_Plus);
    QTest::keyClick(desk.plot, Qt::Key_0);
    CHECK(desk.plot->figure().range().to == all.to);
}

TEST_CASE("timeline tab: a scenario that does not fit has no times except on request", "[timeline]") {
    TimelineDesk desk;
    desk.type("training.sequence_length", QStringLiteral("8192"));
    REQUIRE_FALSE(desk.estimate().fits());
    CHECK_FALSE(desk.plot->figure().data().has_time());
    CHECK(desk.plot->accessibleDescription().contains(QStringLiteral("does not fit")));
    CHECK(timeline_table(desk.plot->figure().data()).rows.empty());
    desk.plot->show_hypothetical(true);
    CHECK(desk.plot->figure().data().has_time());
    CHECK(desk.plot->accessibleDescription().contains(QStringLiteral("hypothetical")));
    CHECK_FALSE(timeline_table(desk.plot->figure().data()).rows.empty());
}

TEST_CASE("timeline tab: the key is above the lanes, also in a small window with a hypothetical step",
          "[timeline]") {
    TimelineDesk desk;
    for (const QSize size : {QSize(1440, 900), QSize(1024, 700)}) {
        desk.window.resize(size);
        for (const char* sequence : {"2048", "8192"}) {
            desk.type("training.sequence_length", QLatin1String(sequence));
            desk.plot->show_hypothetical(!desk.estimate().fits());
            QApplication::processEvents();
            const TimelineFigure& figure = desk.plot->figure();
            INFO(size.width() << " px, " << sequence);
            REQUIRE_FALSE(figure.key().isEmpty());
            CHECK(figure.key().top() >= 0);
            CHECK(figure.key().bottom() <= figure.lanes().top());
            CHECK(figure.lanes().height() > 0);
        }
    }
    // Without times there are no colours to explain.
    desk.plot->show_hypothetical(false);
    QApplication::processEvents();
    CHECK(desk.plot->figure().key().isEmpty());
}

TEST_CASE("timeline tab: where lanes show shares the key explains their height", "[timeline]") {
    TimelineDesk desk;
    const TimelineFigure& figure = desk.plot->figure();
    const auto key_explains_height = [&] {
        QApplication::processEvents();
        return !figure.key_words().filter(QStringLiteral("height: share")).isEmpty();
    };
    desk.window.resize(1024, 700);
    desk.window.model().edit(P::layers, 96);
    CHECK(key_explains_height());
    // Zoomed in, each pass is drawn; the lanes stay in place.
    const QRectF before = figure.lanes();
    for (int i = 0; i < 12; ++i) desk.wheel(figure.lane(0, false).center(), 120);
    CHECK_FALSE(key_explains_height());
    CHECK(figure.lanes() == before);
}

TEST_CASE("timeline tab: the axis extends to the end of a pinned step", "[timeline]") {
    TimelineDesk desk;
    desk.window.model().pin();
    const double pinned = desk.estimate().step.total;
    desk.type("training.micro_batch", QStringLiteral("1"));
    REQUIRE(desk.estimate().step.total < pinned);
    CHECK(desk.plot->figure().range().to > pinned);
}

TEST_CASE("timeline tab: the axis is that of the scenario beside a pin with a much longer step",
          "[timeline]") {
    TimelineDesk desk;
    const double alone = desk.plot->figure().range().to;
    desk.type("training.accumulation", QStringLiteral("60"));
    desk.window.model().pin();
    const double pinned = desk.estimate().step.total;
    desk.type("training.accumulation", QStringLiteral("1"));
    REQUIRE(desk.estimate().step.total < pinned / 20);
    CHECK(desk.plot->figure().range().to < pinned / 10);
    CHECK(desk.plot->figure().range().to < 2 * alone);
    // The export draws its letter and its value, in the unit of the axis, beside the broken bar.
    const QByteArray svg =
        render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::svg);
    CHECK(svg.contains(">B</text>"));
    REQUIRE(svg.contains("Time in the step, ms"));
    REQUIRE(pinned > 1);
    CHECK(svg.contains((">" + shown(pinned * 1e3, Quantity::fraction) + " ms</text>").toUtf8()));
    CHECK_FALSE(svg.contains((">" + shown(pinned, Quantity::seconds) + "</text>").toUtf8()));
}

TEST_CASE("timeline tab: all times of the card have one unit and the same number of decimals", "[timeline]") {
    TimelineDesk desk;
    desk.type("training.accumulation", QStringLiteral("60"));
    desk.window.model().pin();
    desk.type("training.accumulation", QStringLiteral("1"));
    const TimelineFigure& figure = desk.plot->figure();
    const double middle = figure.data().line.end / 2;
    const auto click = [&](double seconds) {
        const QPointF at(figure.pixel_of(seconds), figure.memory_area().center().y());
        QTest::mouseClick(desk.canvas, Qt::LeftButton, {}, at.toPoint());
        QApplication::processEvents();
    };
    click(middle);
    click(1.5 * middle);
    const QString words = desk.plot->ruler().words();
    INFO(words.toStdString());
    CHECK(words.contains(QStringLiteral("pin B ")));
    CHECK(words.contains(QStringLiteral("(+")));
    const QRegularExpression time(QStringLiteral("[0-9,]+(\\.[0-9]+)? (s|ms|µs)(?=[ )\n]|$)"),
                                  QRegularExpression::MultilineOption);
    int times = 0;
    for (auto found = time.globalMatch(words); found.hasNext(); ++times) {
        const QRegularExpressionMatch match = found.next();
        INFO(match.captured().toStdString());
        CHECK(match.captured(2) == QStringLiteral("ms"));
        CHECK(match.captured(1).size() == 4);
    }
    CHECK(times >= 6);
}

TEST_CASE("timeline tab: the memory limits of pins on other GPUs are drawn, each once", "[timeline]") {
    TimelineDesk desk;
    const double own = desk.estimate().memory.capacity;
    desk.pick(QStringLiteral("picker/cluster"), QStringLiteral("cluster/dgx-b200"));
    desk.choose(ActionId::pin);
    desk.choose(ActionId::pin);
    const double pinned = desk.estimate().memory.capacity;
    desk.choose(ActionId::undo);
    REQUIRE(desk.estimate().memory.capacity == own);
    REQUIRE(pinned != own);
    QApplication::processEvents();
    const TimelineFigure& figure = desk.plot->figure();
    const double y = figure.memory_y(pinned);
    CHECK(figure.memory_area().contains(QPointF(figure.memory_area().center().x(), y)));
    auto& canvas = *desk.find<QCustomPlot>("timeline/plot");
    const QString label = QStringLiteral("B, C ") + shown(pinned, Quantity::bytes);
    CHECK(std::ranges::count(drawn_words(canvas), label, &DrawnWord::text) > 0);
    // The line of both pins has the colour of the first.
    const QImage drawn = canvas.grab().toImage();
    const QRgb color = pin_color(current_theme(), 'B').rgb();
    int pixels = 0;
    for (int x = 0; x < drawn.width(); ++x) {
        for (int near = -1; near <= 1; ++near) {
            if (drawn.pixel(x, static_cast<int>(std::lround(y)) + near) == color) {
                ++pixels;
                break;
            }
        }
    }
    CHECK(pixels > 0.3 * figure.memory_area().width());
    const QByteArray svg =
        render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::svg);
    CHECK(svg.contains((">" + label + "</text>").toUtf8()));
}

TEST_CASE("timeline: the export is the same each time, and its table adds up", "[timeline]") {
    const Answer base = answer(Scenario::first_launch(commands::catalogue()));
    FigureRequest request;
    request.plot = "timeline";
    const QByteArray once = render_figure(request, base, FigureFormat::svg);
    CHECK(once == render_figure(request, base, FigureFormat::svg));
    CHECK(once.contains("One optimizer step of"));
    for (const FigureFormat format : {FigureFormat::png, FigureFormat::pdf, FigureFormat::csv})
        CHECK_FALSE(render_figure(request, base, format).isEmpty());
    const PlotTable table = timeline_table(timeline_data(base));
    double exposed = 0;
    for (const auto& row : table.rows) {
        if (row[1] == "compute" || row[5] == "yes") exposed += std::stod(row[4]) - std::stod(row[3]);
    }
    CHECK(exposed * 1e-3 == Approx(base.estimate.step.total).epsilon(1e-6));
}

TEST_CASE("timeline tab: the card of the ruler says what the tool tip would, and only one is shown",
          "[timeline]") {
    TimelineDesk desk;
    desk.set_pipeline();
    const TimelineFigure& figure = desk.plot->figure();
    const StepTimeline& line = figure.data().line;
    const auto shows_tip = [] {
        return std::ranges::any_of(QApplication::topLevelWidgets(), [](const QWidget* widget) {
            return widget->isVisible() && widget->windowType() == Qt::ToolTip;
        });
    };
    const auto hover = [&](const QPointF& at) {
        QTest::mouseMove(desk.canvas, at.toPoint());
        QApplication::processEvents();
    };
    const std::vector<Interval>& passes = line.stages[0].compute;
    const auto drawn = std::ranges::find_if(passes, [&](const Interval& one) {
        return one.micro_batch > 0 && figure.pixel_of(one.end) - figure.pixel_of(one.start) > 4;
    });
    REQUIRE(drawn != passes.end());
    const Interval pass = *drawn;
    const QPointF lane(figure.pixel_of((pass.start + pass.end) / 2), figure.lane(0, false).center().y());
    const QPointF memory(figure.pixel_of(line.end / 2), figure.memory_area().center().y());
    hover(lane);
    const QString words = desk.plot->ruler().words();
    INFO(words.toStdString());
    CHECK(words.contains(QStringLiteral("GPU ") + QString::fromUtf8(label_of(pass.activity).data())));
    CHECK(words.contains(QStringLiteral("micro-batch %1").arg(pass.micro_batch)));
    CHECK(words.contains(QStringLiteral("GPU takes ") + exact_time(pass.seconds())));
    CHECK_FALSE(shows_tip());
    hover(memory);
    CHECK(desk.plot->ruler().words().contains(QStringLiteral("GiB")));
    CHECK_FALSE(shows_tip());
    // With A and B fixed, the card no longer follows the pointer.
    for (const QPointF& at : {lane, memory}) QTest::mouseClick(desk.canvas, Qt::LeftButton, {}, at.toPoint());
    hover(lane + QPointF(1, 0));
    CHECK(shows_tip());
}

TEST_CASE("timeline tab: the memory of the card has the colour of its curve", "[timeline]") {
    TimelineDesk desk;
    desk.set_pipeline();
    const TimelineFigure& figure = desk.plot->figure();
    const StepTimeline& line = figure.data().line;
    for (std::size_t stage = 0; stage < line.stages.size(); ++stage) {
        const RulerStop stop = *figure.ruler_stop({line.end / 2, static_cast<double>(stage)});
        const auto memory = std::ranges::find(stop.readings, QStringLiteral("Memory"), &RulerReading::name);
        REQUIRE(memory != stop.readings.end());
        CHECK(memory->color == (stage == line.fullest ? current_theme().memory_rate : current_theme().muted));
    }
}
