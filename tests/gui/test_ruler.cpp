// Tests the ruler of plots: it shows the values of the curves, a click fixes it, a second click gives the
// differences, and a click on a curve sets the input.
#include <qcustomplot.h>

#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QTest>
#include <QUndoStack>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <set>

#include "support/desk.h"
#include "support/german.h"
#include "widgets/chart/plot_ruler.h"
#include "widgets/drawing.h"
#include "widgets/drawn_words.h"
#include "widgets/live_model.h"
#include "widgets/panels/repair_button.h"
#include "widgets/panels/repair_strip.h"
#include "widgets/plots/scaling/scaling_plot.h"
#include "widgets/plots/sweep/sweep_plot.h"
#include "widgets/repairs.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

struct RulerDesk : Desk {
    RulerDesk() : plot(*find<ScalingPlot>("scaling")), canvas(*find<QWidget>("scaling/plot")) {
        REQUIRE_FALSE(plot.figure().data().curves.weak.empty());
        QApplication::processEvents();
    }
    // Returns a pixel at this number of GPUs that is on no curve.
    QPoint at(double gpus) const {
        const RulerStop stop = *plot.figure().ruler_stop(QPointF(gpus, 0));
        for (double y = stop.area.bottom() - 4; y > stop.area.top(); y -= 4) {
            const QPointF pixel(stop.x, y);
            if (!stop.is_on_curve(pixel) && !plot.term_at(pixel)) return pixel.toPoint();
        }
        FAIL("curves everywhere");
        return {};
    }
    QPoint on_curve(double gpus, const QString& name) const {
        const RulerStop stop = *plot.figure().ruler_stop(QPointF(gpus, 0));
        for (const RulerReading& reading : stop.readings) {
            if (reading.name == name) return QPointF(stop.x, reading.y).toPoint();
        }
        FAIL("no such curve");
        return {};
    }
    void hover(const QPoint& pixel) {
        QTest::mouseMove(&canvas, pixel);
        QApplication::processEvents();
    }
    void click(const QPoint& pixel) {
        hover(pixel);
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, pixel);
        QApplication::processEvents();
    }
    QString words() const { return plot.ruler().words(); }
    double value(const Curve& curve, double gpus, double CurvePoint::*field) {
        return (*std::ranges::find(curve, gpus, &CurvePoint::x)).*field;
    }

    ScalingPlot& plot;
    QWidget& canvas;
};

}  // namespace

TEST_CASE("G18: the ruler shows weak, strong and ideal MFU at 2,048 GPUs, and a click on a curve sets them",
          "[golden][ruler]") {
    RulerDesk desk;
    desk.hover(desk.at(2048));
    const ScalingData& data = desk.plot.figure().data();
    const Curve weak = data.curves.weak;
    const QString words = desk.words();
    CHECK(words.contains(QStringLiteral("2,048 GPUs")));
    const double mfu = desk.value(weak, 2048, &CurvePoint::mfu);
    CHECK(words.contains(QStringLiteral("Weak")));
    CHECK(words.contains(shown(mfu, Quantity::percent)));
    CHECK(words.contains(shown(desk.value(weak, 2048, &CurvePoint::ideal_mfu), Quantity::percent)));
    // The value is that of the scenario with 2,048 GPUs.
    const Answer there = answer(edited(desk.window.model().scenario(), P::gpus, 2048));
    CHECK(there.estimate.mfu == Approx(mfu).epsilon(1e-12));

    desk.click(desk.on_curve(2048, QStringLiteral("Weak")));
    CHECK(desk.window.model().answer().settings[P::gpus] == 2048);
    CHECK(desk.window.model().undo_stack()->count() == 1);
}

TEST_CASE("each swatch of the ruler looks like its curve", "[ruler]") {
    RulerDesk desk;
    desk.choose(ActionId::pin);
    desk.window.model().edit(P::inter_node_bandwidth, 12.5e9);
    QApplication::processEvents();
    const auto& canvas = dynamic_cast<QCustomPlot&>(desk.canvas);
    const RulerStop stop = *desk.plot.figure().ruler_stop(QPointF(64, 0));
    std::vector<QPen> pens;
    for (const RulerReading& reading : stop.readings) {
        if (std::isnan(reading.y)) continue;
        INFO(reading.name.toStdString());
        REQUIRE(reading.curve.style() != Qt::NoPen);
        CHECK(reading.curve.color() == reading.color);
        // It is the pen of the curve whose value it shows.
        bool drawn = false;
        for (int i = 0; i < canvas.graphCount(); ++i) {
            const QCPGraph& graph = *canvas.graph(i);
            for (const QCPGraphData& point : *graph.data()) {
                if (graph.visible() && graph.pen() == reading.curve && point.key == 64)
                    drawn = drawn || std::fabs(canvas.yAxis->coordToPixel(point.value) - reading.y) < 1e-6;
            }
        }
        CHECK(drawn);
        CHECK(std::ranges::find(pens, reading.curve) == pens.end());
        pens.push_back(reading.curve);
    }
    CHECK(pens.size() >= 3);
}

TEST_CASE("the ruler says why the ideal MFU is above 100 %", "[ruler]") {
    RulerDesk desk;
    const auto explained = [&](double gpus) {
        const auto stop = desk.plot.figure().ruler_stop(QPointF(gpus, 0));
        REQUIRE(stop);
        const auto ideal = std::ranges::find(stop->readings, QStringLiteral("Ideal"), &RulerReading::name);
        REQUIRE(ideal != stop->readings.end());
        const auto next = std::next(ideal);
        const bool reason = next != stop->readings.end() && next->name == QStringLiteral("above 100 %");
        CHECK(reason == (ideal->value > 1));
        if (reason) CHECK(next->shown().contains(QStringLiteral("not executed")));
        return reason;
    };
    CHECK_FALSE(explained(2048));
    // Without gathers of weights there is no network in the closed form, and Llama 3 has a large vocabulary.
    desk.pick(QStringLiteral("picker/model"), QStringLiteral("model/llama-3-8b"));
    desk.window.model().edit(P::sharding, static_cast<double>(Sharding::zero1));
    QApplication::processEvents();
    CHECK(explained(64));
}

TEST_CASE("the ruler says why strong scaling has no value", "[ruler]") {
    RulerDesk desk;
    const ScalingData& data = desk.plot.figure().data();
    REQUIRE_FALSE(data.curves.strong.empty());
    const double end = data.curves.strong.back().x;
    REQUIRE(end < 2048);
    const auto reading = [&](double gpus) {
        const auto stop = desk.plot.figure().ruler_stop(QPointF(gpus, 0));
        REQUIRE(stop);
        const auto found = std::ranges::find(stop->readings, QStringLiteral("Strong"), &RulerReading::name);
        REQUIRE(found != stop->readings.end());
        return found->shown();
    };
    CHECK_FALSE(reading(end).contains(QStringLiteral("no more to split")));
    CHECK(reading(2048) == QStringLiteral("no more to split: the batch has 128 sequences"));
}

TEST_CASE("the walls along the GPUs are those of the job that is held", "[ruler]") {
    RulerDesk desk;
    LiveModel& model = desk.window.model();
    const auto wall_at = [&](double gpus, const QString& name) {
        const auto stop = desk.plot.figure().ruler_stop(QPointF(gpus, 0));
        REQUIRE(stop);
        const auto found = std::ranges::find(stop->readings, name, &RulerReading::name);
        return found == stop->readings.end() ? QString() : found->text;
    };
    REQUIRE_FALSE(desk.plot.figure().data().holds_global_batch);
    CHECK_FALSE(wall_at(128, QStringLiteral("Wall")).isEmpty());
    model.hold(Hold::global_batch);
    REQUIRE(QTest::qWaitFor([&] { return !desk.plot.pending(); }, kBackgroundTimeout));
    const ScalingData& data = desk.plot.figure().data();
    REQUIRE(data.holds_global_batch);
    for (const CurvePoint& point : data.curves.strong) {
        const auto here = std::ranges::find(data.curves.weak, point.x, &CurvePoint::x);
        if (here == data.curves.weak.end() || !point.fits()) continue;
        const Answer there = answer(edited(model.scenario(), P::gpus, point.x));
        REQUIRE(there.valid());
        CHECK(wall_at(point.x, QStringLiteral("Wall, strong")) == text_of(label_of(there.estimate.wall)));
    }
}

TEST_CASE("the ruler of a sweep names the wall at its place", "[ruler]") {
    Desk desk;
    auto* plot = desk.find<SweepPlot>("sweep");
    desk.find<QTabWidget>("tabs")->setCurrentWidget(plot);
    REQUIRE(QTest::qWaitFor([&] { return !plot->pending(); }, kBackgroundTimeout));
    const SweepData& data = plot->figure().data();
    REQUIRE(data.series.size() == 1);
    std::set<Wall> seen;
    for (const SweepPoint& point : data.series.front().points) {
        const auto stop = plot->figure().ruler_stop(QPointF(point.x, 0));
        if (!stop || !point.valid) continue;
        const Answer there = answer(edited(desk.window.model().scenario(), data.x, point.x));
        const Wall wall = there.fits() ? there.estimate.wall : Wall::memory;
        seen.insert(wall);
        REQUIRE_FALSE(stop->readings.empty());
        CHECK(stop->readings.back().name == QStringLiteral("Wall"));
        CHECK(stop->readings.back().text == text_of(label_of(wall)));
    }
    CHECK(seen.size() > 1);
}

TEST_CASE("the card of the ruler and the tool tip of a measured run do not cover each other", "[ruler]") {
    RulerDesk desk;
    const ScalingData& data = desk.plot.figure().data();
    REQUIRE_FALSE(data.measured.empty());
    for (const MeasuredPoint& run : data.measured) {
        const RulerStop stop = *desk.plot.figure().ruler_stop(QPointF(data.current.x, 0));
        QPoint at;
        for (double y = stop.area.top(); y < stop.area.bottom() && at.isNull(); ++y) {
            const QPointF pixel(desk.plot.figure().pixel_of(run.gpus), y);
            if (desk.plot.figure().measured_at(pixel) == &run) at = pixel.toPoint();
        }
        if (at.isNull()) continue;  // another run is at the same place
        desk.hover(at);
        const auto widgets = QApplication::topLevelWidgets();
        const auto tip = std::ranges::find_if(widgets, [](const QWidget* widget) {
            return widget->isVisible() && widget->windowType() == Qt::ToolTip;
        });
        REQUIRE(tip != widgets.end());
        CHECK((*tip)->width() <= 420);
        const QRect covered((*tip)->mapToGlobal(QPoint()) - desk.canvas.mapToGlobal(QPoint()),
                            (*tip)->size());
        auto* ruler = desk.find<QWidget>("scaling/plot/ruler");
        QImage picture(ruler->size(), QImage::Format_ARGB32_Premultiplied);
        picture.fill(Qt::transparent);
        ruler->render(&picture, {}, {}, QWidget::DrawChildren);
        int card = 0;
        int under_tip = 0;
        for (int x = 0; x < picture.width(); ++x) {
            for (int y = 0; y < picture.height(); ++y) {
                if (picture.pixelColor(x, y) != current_theme().raised) continue;
                ++card;
                under_tip += covered.contains(x, y) ? 1 : 0;
            }
        }
        INFO(run.name);
        CHECK(card > 2000);
        CHECK(under_tip < 100);  // of the rings at the curves
    }
}

TEST_CASE("between two points of the strong curve the ruler shows the value of the drawn line", "[ruler]") {
    RulerDesk desk;
    const ScalingFigure& figure = desk.plot.figure();
    const Curve& strong = figure.data().curves.strong;
    int between = 0;
    for (const CurvePoint& place : figure.data().curves.weak) {
        const auto next = std::ranges::lower_bound(strong, place.x, {}, &CurvePoint::x);
        if (next == strong.begin() || next == strong.end() || next->x == place.x) continue;
        const auto reading = [&](double gpus) {
            const RulerStop stop = *figure.ruler_stop(QPointF(gpus, 0));
            const auto found =
                std::ranges::find(stop.readings, QStringLiteral("Strong"), &RulerReading::name);
            REQUIRE(found != stop.readings.end());
            return std::pair(QPointF(stop.x, found->y), found->value);
        };
        const auto [from, low] = reading(std::prev(next)->x);
        const auto [to, high] = reading(next->x);
        if (std::isnan(low) || std::isnan(high)) continue;
        const auto [here, value] = reading(place.x);
        INFO(place.x << " GPUs");
        CHECK(value >= std::min(low, high));
        CHECK(value <= std::max(low, high));
        const double share = (here.x() - from.x()) / (to.x() - from.x());
        CHECK(here.y() == Approx(from.y() + share * (to.y() - from.y())).margin(1e-6));
        ++between;
    }
    CHECK(between > 2);
}

TEST_CASE("the ruler of a sweep stands on the current value, even if other points are nearer than a pixel",
          "[ruler]") {
    Desk desk;
    auto* plot = desk.find<SweepPlot>("sweep");
    desk.find<QTabWidget>("tabs")->setCurrentWidget(plot);
    REQUIRE(QTest::qWaitFor([&] { return !plot->pending(); }, kBackgroundTimeout));
    QApplication::processEvents();
    auto* canvas = desk.find<QWidget>("sweep/plot");
    const double now = desk.window.model().answer().settings[P::sequence_length];
    for (int off = -3; off <= 3; ++off) {
        const double x = plot->figure().pixel_of(now) + off;
        QTest::mouseMove(canvas, QPoint(static_cast<int>(std::lround(x)), canvas->height() / 4));
        QApplication::processEvents();
        const QString words = plot->ruler().words();
        INFO(words.toStdString());
        CHECK(words.contains(text_of(format(P::sequence_length, now))));
        CHECK(words.contains(shown(desk.estimate().mfu, Quantity::percent)));
    }
}

TEST_CASE("two clicks fix A and B with the differences, and Esc removes both", "[ruler]") {
    RulerDesk desk;
    const ScalingData data = desk.plot.figure().data();
    desk.click(desk.at(128));
    CHECK(desk.plot.accessibleDescription().contains(QStringLiteral("128 GPUs")));
    desk.click(desk.at(1024));
    desk.hover(desk.at(1024));
    const QString fixed = desk.plot.ruler().fixed_words();
    CHECK(fixed.contains(QStringLiteral("128 GPUs")));
    CHECK(fixed.contains(QStringLiteral("1,024 GPUs")));
    const double from = desk.value(data.curves.weak, 128, &CurvePoint::mfu);
    const double to = desk.value(data.curves.weak, 1024, &CurvePoint::mfu);
    REQUIRE(to < from);
    // A difference of two percentages has the unit of percentage points.
    CHECK(fixed.contains(QStringLiteral("−") + QString::number(100 * (from - to), 'f', 1)));
    CHECK(fixed.contains(QStringLiteral("points")));
    // Nothing has been set by clicks beside the curves.
    CHECK(desk.window.model().undo_stack()->count() == 0);
    desk.plot.setFocus();
    QTest::keyClick(&desk.plot, Qt::Key_Escape);
    CHECK(desk.plot.ruler().fixed_words().isEmpty());
    CHECK_FALSE(desk.plot.accessibleDescription().contains(QStringLiteral("128 GPUs")));
}

TEST_CASE("the card of the ruler with A and B is whole in a small window", "[ruler]") {
    const bool german = GENERATE(false, true);
    const German language(german);
    RulerDesk desk;
    desk.window.resize(1024, 700);
    QApplication::processEvents();
    // At both the strong curve has no value, and the card says why.
    desk.click(desk.at(1024));
    desk.click(desk.at(256));
    auto& ruler = *desk.find<PlotRuler>("scaling/plot/ruler");
    REQUIRE_FALSE(ruler.follows());
    QStringList texts;
    for (const DrawnWord& word : drawn_words(ruler)) {
        CAPTURE(german, word.text.toStdString());
        CHECK(QRectF(ruler.rect()).contains(word.box.adjusted(1, 3, -1, -3)));
        texts << word.text;
    }
    CHECK(texts.contains(QStringLiteral("B − A")));
    CHECK(texts.join(QLatin1Char(' ')).contains(QStringLiteral("128")));
}

TEST_CASE("Esc closes the list of commands, then removes the ruler, then ends the preview of a repair",
          "[ruler]") {
    RulerDesk desk;
    LiveModel& model = desk.window.model();
    desk.type("training.sequence_length", QStringLiteral("8192"));
    REQUIRE_FALSE(model.answer().fits());
    auto* strip = desk.find<RepairStrip>("repairs");
    REQUIRE(QTest::qWaitFor([&] { return !strip->pending(); }, kBackgroundTimeout));
    desk.click(desk.at(128));
    const auto is_fixed = [&] { return !desk.plot.ruler().fixed_words().isEmpty(); };
    REQUIRE(is_fixed());
    const auto buttons = strip->findChildren<RepairButton*>();
    const auto works = std::ranges::find_if(buttons, [](const auto* one) { return one->isEnabled(); });
    REQUIRE(works != buttons.end());
    QEnterEvent enter(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5));
    QApplication::sendEvent(*works, &enter);
    const auto previews = [&] { return Repairs::of(model).previewed().has_value(); };
    REQUIRE(previews());
    QTest::keyClick(&desk.window, Qt::Key_K, Qt::ControlModifier);
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("h200"));
    auto* commands = desk.find<QWidget>("commands");
    REQUIRE(commands->isVisible());

    const auto escape = [&] {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QApplication::processEvents();
    };
    escape();
    CHECK(commands->isHidden());
    CHECK(is_fixed());
    CHECK(previews());
    escape();
    CHECK_FALSE(is_fixed());
    CHECK(previews());
    escape();
    CHECK_FALSE(previews());
    CHECK(model.undo_stack()->count() == 1);
}

TEST_CASE("a click beside the current value fixes the ruler, and a drag from there moves the value",
          "[ruler]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    auto* tabs = desk.find<QTabWidget>("tabs");
    const auto check = [&](LivePlot& plot, const std::function<double(double)>& pixel_of, P input) {
        tabs->setCurrentWidget(&plot);
        REQUIRE(QTest::qWaitFor([&] { return !plot.pending(); }, kBackgroundTimeout));
        QApplication::processEvents();
        auto* canvas = desk.find<QWidget>(plot.objectName() + QStringLiteral("/plot"));
        const double now = model.answer().settings[input];
        // Near the guide, and not on one of the curves.
        const QPoint at(static_cast<int>(std::lround(pixel_of(now))) + 3, canvas->height() / 8);
        QTest::mouseClick(canvas, Qt::LeftButton, {}, at);
        CHECK_FALSE(plot.ruler().fixed_words().isEmpty());
        CHECK(model.answer().settings[input] == now);
        CHECK(model.undo_stack()->count() == 0);
        CHECK_FALSE(model.in_gesture());
        const QPoint to = at + QPoint(QApplication::startDragDistance() + 20, 0);
        QTest::mousePress(canvas, Qt::LeftButton, {}, at);
        QTest::mouseMove(canvas, to);
        QTest::mouseRelease(canvas, Qt::LeftButton, {}, to);
        QApplication::processEvents();
        CHECK(model.answer().settings[input] > now);
        CHECK_FALSE(plot.ruler().fixed_words().contains(QStringLiteral("B: ")));
        model.undo_stack()->undo();
        model.undo_stack()->clear();
    };
    auto* scaling = desk.find<ScalingPlot>("scaling");
    check(
        *scaling, [&](double x) { return scaling->figure().pixel_of(x); }, P::gpus);
    auto* sweep = desk.find<SweepPlot>("sweep");
    check(
        *sweep, [&](double x) { return sweep->figure().pixel_of(x); }, P::sequence_length);
}

TEST_CASE("a double click sets the input and leaves no fixed ruler", "[ruler]") {
    RulerDesk desk;
    const QPoint at = desk.at(512);
    desk.hover(at);
    QTest::mouseClick(&desk.canvas, Qt::LeftButton, {}, at);
    QTest::mouseDClick(&desk.canvas, Qt::LeftButton, {}, at);
    QApplication::processEvents();
    CHECK(desk.window.model().answer().settings[P::gpus] == 512);
    CHECK(desk.plot.ruler().fixed_words().isEmpty());
}

TEST_CASE("the menu of a plot sets and pins the place under the pointer, and copies the values", "[ruler]") {
    RulerDesk desk;
    const auto entry = [&](const QString& start) {
        const QPoint place = desk.canvas.mapTo(&desk.plot, desk.at(256));
        QContextMenuEvent asked(QContextMenuEvent::Mouse, place, desk.plot.mapToGlobal(place));
        QApplication::sendEvent(&desk.plot, &asked);
        auto* menu = desk.find<QMenu>("scaling/menu");
        for (QAction* action : menu->actions()) {
            if (!action->text().startsWith(start)) continue;
            QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
            QApplication::processEvents();
            return;
        }
        FAIL("no entry " << start.toStdString());
    };
    LiveModel& model = desk.window.model();
    entry(QStringLiteral("Pin GPUs 256"));
    REQUIRE(model.pins().size() == 1);
    CHECK(model.pins().front().answer.settings[P::gpus] == 256);
    CHECK(model.answer().settings[P::gpus] == 64);
    entry(QStringLiteral("Set GPUs 256"));
    CHECK(model.answer().settings[P::gpus] == 256);
    entry(QStringLiteral("Copy values"));
    REQUIRE(QTest::qWaitFor([] { return !QApplication::clipboard()->text().isEmpty(); }, kBackgroundTimeout));
    const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'));
    CHECK(lines.front().split(QLatin1Char('\t')).contains(QStringLiteral("mfu_weak[%]")));
    CHECK(lines.size() > 10);
}

TEST_CASE("a right click in the window opens the menu of every plot", "[ruler]") {
    Desk desk;
    auto* tabs = desk.find<QTabWidget>("tabs");
    int plots = 0;
    for (int i = 0; i < tabs->count(); ++i) {
        tabs->setCurrentIndex(i);
        auto* plot = static_cast<LivePlot*>(tabs->widget(i));
        REQUIRE(QTest::qWaitFor([&] { return !plot->pending(); }, kBackgroundTimeout));
        QApplication::processEvents();
        INFO(tabs->tabText(i).toStdString());
        const QPoint at = plot->mapTo(&desk.window, QPoint(plot->width() / 2, plot->height() * 2 / 3));
        QTest::mouseClick(desk.window.windowHandle(), Qt::RightButton, {}, at);
        QApplication::processEvents();
        auto* menu = desk.window.findChild<QMenu*>(plot->objectName() + QStringLiteral("/menu"));
        REQUIRE(menu != nullptr);
        CHECK(menu->isVisible());
        delete menu;
        ++plots;
    }
    CHECK(plots > 8);
}

TEST_CASE("where a drag makes the scenario too large, memory is shown, as it is after the drag", "[ruler]") {
    RulerDesk desk;
    LiveModel& model = desk.window.model();
    const auto shows_memory = [&] { return desk.plot.figure().options().y == ScalingY::memory; };
    model.begin_gesture(P::micro_batch);
    model.drag(P::micro_batch, 64);
    QApplication::processEvents();
    REQUIRE_FALSE(model.answer().fits());
    CHECK(shows_memory());
    CHECK_FALSE(desk.plot.figure().data().repaired.empty());
    // The axis changes only where the scenario would leave it.
    const AxisRange axis = desk.plot.figure().y_range();
    CHECK(desk.plot.figure().shows_scenario());
    model.drag(P::micro_batch, 63);
    QApplication::processEvents();
    CHECK(desk.plot.figure().y_range().to == axis.to);
    model.drag(P::micro_batch, 256);
    QApplication::processEvents();
    CHECK(desk.plot.figure().y_range().to > axis.to);
    CHECK(desk.plot.figure().shows_scenario());
    model.drag(P::micro_batch, 2);
    QApplication::processEvents();
    CHECK_FALSE(shows_memory());
    model.drag(P::micro_batch, 64);
    model.end_gesture();
    QApplication::processEvents();
    CHECK(shows_memory());
    CHECK_FALSE(desk.plot.figure().data().repaired.empty());
}
