// Tests the Sweep tab through real events on the real main window.
#include <qcustomplot.h>

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QMenu>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "scenario/domain.h"
#include "support/desk.h"
#include "text/csv.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/sweep/sweep_plot.h"
#include "widgets/plots/sweep/sweep_words.h"

using namespace shardscope;
using shardscope::testing::Desk;
using shardscope::testing::kBackgroundTimeout;

namespace {

struct SweepDesk : Desk {
    SweepPlot* plot = window.findChild<SweepPlot*>();
    QCustomPlot* canvas = plot->findChild<QCustomPlot*>();

    SweepDesk() {
        window.findChild<QTabWidget*>(QStringLiteral("tabs"))->setCurrentWidget(plot);
        settle();
    }
    void settle() {
        REQUIRE(QTest::qWaitFor([this] { return !plot->pending() && !window.model().planning(); },
                                kBackgroundTimeout));
        QApplication::processEvents();
        canvas->replot();
    }
    void over(P id) { choose_id<P>("sweep/x", id); }
    void family(P id) { choose_id<P>("sweep/family", id); }
    void against(std::optional<Output> id) { choose_id("sweep/against", id); }
    void toggle(const char* path) {
        auto* entry = plot->findChild<QAction*>(QStringLiteral("sweep/y/") + QLatin1String(path));
        REQUIRE(entry != nullptr);
        entry->trigger();
        settle();
    }
    // Returns the middle of the first panel, at a value of the input.
    QPoint at(double x) {
        return {static_cast<int>(std::lround(plot->figure().pixel_of(x))), canvas->height() / 4};
    }
    // Checks that the ring lies on the curve in every panel.
    void check_dot() {
        const SweepData& data = plot->figure().data();
        const auto own = std::ranges::find_if(data.series, &SweepSeries::current);
        REQUIRE(own != data.series.end());
        const auto point = std::ranges::find(own->points, data.current.x, &SweepPoint::x);
        REQUIRE(point != own->points.end());
        CHECK(data.current.x == window.model().answer().settings[data.x]);
        for (std::size_t i = 0; i < data.outputs.size(); ++i) {
            const double value = value_of(data.outputs[i], window.model().answer());
            if (std::isnan(value)) {
                CHECK(std::isnan(point->value[i]));
                continue;
            }
            CHECK(point->value[i] == Approx(value).epsilon(1e-12));
            CHECK(plot->figure().current_dot(i).y() ==
                  Approx(value / plot_unit(output(data.outputs[i]).quantity).factor).epsilon(1e-12));
        }
    }

  private:
    template <typename Id>
    void choose_id(const char* name, std::optional<Id> id) {
        auto* box = find<QComboBox>(QLatin1String(name));
        box->setCurrentIndex(box->findData(id ? static_cast<int>(*id) : -1));
        settle();
    }
};

}  // namespace

TEST_CASE("the options of the sweep are written in words", "[sweep]") {
    SweepDesk desk;
    CHECK(desk.find<QComboBox>("sweep/against")->itemText(0) == QStringLiteral("x axis: the input"));
    auto* outputs = desk.find<QToolButton>("sweep/y");
    CHECK(outputs->text() == QStringLiteral("MFU and 1 more"));
    for (QAction* entry : outputs->menu()->actions()) {
        if (entry->isChecked() || !entry->isCheckable()) continue;
        entry->trigger();
        break;
    }
    desk.settle();
    CHECK(outputs->text() == QStringLiteral("MFU and 2 more"));
}

TEST_CASE("sweep: the dot lies on the curve of any input, in every panel", "[sweep]") {
    SweepDesk desk;
    desk.toggle("step_time_s");
    REQUIRE(desk.plot->figure().data().outputs.size() == 3);
    for (std::size_t i = 0; i < kParameters; ++i) {
        const P id = static_cast<P>(i);
        if (parameter(id).prominence == Prominence::file) continue;
        // Inputs that do not apply to the model have no curve.
        if (!applies_to(id, desk.window.model().answer().settings)) continue;
        INFO(parameter(id).key);
        desk.over(id);
        CHECK(desk.plot->figure().data().x == id);
        desk.check_dot();
    }
}

TEST_CASE("sweep: there are up to three outputs, and a fourth replaces the oldest one", "[sweep]") {
    SweepDesk desk;
    desk.toggle("step_time_s");
    desk.toggle("hfu");
    CHECK(desk.plot->figure().data().outputs ==
          std::vector<Output>{Output::peak_memory, Output::step_time, Output::hfu});
    desk.toggle("hfu");
    desk.toggle("step_time_s");
    desk.toggle("memory.peak_bytes");  // the last output stays
    CHECK(desk.plot->figure().data().outputs == std::vector<Output>{Output::peak_memory});
    CHECK(options_in<SweepOptions>(desk.plot->request()).outputs == std::vector<Output>{Output::peak_memory});
}

TEST_CASE("sweep: dragging the dot changes the input in one step, and a double click sets it", "[sweep]") {
    SweepDesk desk;
    desk.over(P::inter_node_bandwidth);
    const Scenario start = desk.window.model().scenario();
    const double from = desk.window.model().answer().settings[P::inter_node_bandwidth];
    QTest::mousePress(desk.canvas, Qt::LeftButton, {}, desk.at(from));
    REQUIRE(desk.window.model().in_gesture());
    for (const double to : {40e9, 25e9, 12.5e9}) QTest::mouseMove(desk.canvas, desk.at(to));
    QApplication::processEvents();
    desk.check_dot();
    QTest::mouseRelease(desk.canvas, Qt::LeftButton, {}, desk.at(12.5e9));
    desk.settle();
    CHECK(desk.window.model().answer().settings[P::inter_node_bandwidth] == Approx(12.5e9).epsilon(0.02));
    desk.check_dot();
    CHECK(desk.window.model().undo_stack()->index() == 1);
    QTest::mouseDClick(desk.canvas, Qt::LeftButton, {}, desk.at(100e9));
    desk.settle();
    CHECK(desk.window.model().answer().settings[P::inter_node_bandwidth] == Approx(100e9).epsilon(0.02));
    desk.canvas->setFocus();
    QTest::keyClick(desk.canvas, Qt::Key_Right);
    desk.settle();
    CHECK(desk.window.model().answer().settings[P::inter_node_bandwidth] > 100e9 * 0.98);
    desk.check_dot();
    while (desk.window.action(ActionId::undo)->isEnabled()) desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.window.model().scenario() == start);
}

TEST_CASE("sweep: a second input makes a family that includes the scenario's own curve", "[sweep]") {
    SweepDesk desk;
    for (const P id : {P::micro_batch, P::inter_node_bandwidth, P::sharding, P::recompute}) {
        INFO(parameter(id).key);
        desk.family(id);
        const SweepData& data = desk.plot->figure().data();
        CHECK(data.family == id);
        CHECK(data.series.size() >= 3);
        CHECK(data.series.size() <= 6);
        CHECK(std::ranges::count_if(data.series, &SweepSeries::current) == 1);
        desk.check_dot();
    }
    // An input cannot form a family with itself.
    desk.family(P::sequence_length);
    CHECK(desk.plot->figure().data().series.size() == 1);
}

TEST_CASE("sweep: screen, caption and CSV state whether the plan is held or new at each point", "[sweep]") {
    SweepDesk desk;
    desk.over(P::memory);
    CHECK(desk.plot->figure().data().plan == CurvePlan::as_set);
    CHECK_FALSE(desk.find<QCheckBox>("sweep/anew")->isEnabled());
    desk.window.model().set_automatic(P::micro_batch, true);
    desk.settle();
    const auto best = [&desk] {
        double most = 0;
        for (const SweepPoint& point : desk.plot->figure().data().series.front().points)
            most = std::isnan(point.value[0]) ? most : std::max(most, point.value[0]);
        return most;
    };
    CHECK(desk.plot->figure().data().plan == CurvePlan::replanned);
    desk.check_dot();
    const double replanned = best();
    const auto csv = [&desk] {
        return read_csv(render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::csv)
                            .toStdString());
    };
    CHECK(csv()[0].fields[3] == "plan");
    CHECK(csv()[1].fields[3] == "re-planned");

    QTest::mouseClick(desk.find<QCheckBox>("sweep/anew"), Qt::LeftButton, {}, QPoint(8, 8));
    desk.settle();
    CHECK(desk.plot->figure().data().plan == CurvePlan::held);
    desk.check_dot();
    CHECK(best() <= replanned);
    CHECK(csv()[1].fields[3] == "held");
    CHECK(sweep_caption(desk.plot->figure().data()).contains(QStringLiteral("The plan is held.")));
    CHECK(options_in<SweepOptions>(desk.plot->request()).held);
}

TEST_CASE("sweep: of two quick changes only the newest is drawn", "[sweep]") {
    SweepDesk desk;
    desk.over(P::memory);
    desk.window.model().set_automatic(P::micro_batch, true);
    desk.window.model().edit(P::inter_node_bandwidth, 5e9);
    desk.window.model().edit(P::inter_node_bandwidth, 20e9);
    CHECK(desk.plot->pending());
    desk.settle();
    desk.check_dot();
}

TEST_CASE("sweep: an older scenario's curves are not drawn for an invalid one", "[sweep]") {
    SweepDesk desk;
    LiveModel& model = desk.window.model();
    desk.over(P::memory);
    model.set_automatic(P::micro_batch, true);
    desk.settle();
    model.edit(P::inter_node_bandwidth, 5e9);
    REQUIRE(desk.plot->pending());
    Scenario bad = model.scenario();
    bad.give(P::tensor_parallel, 7);
    model.replace(bad, QStringLiteral("Bad"));
    REQUIRE_FALSE(model.answer().valid());
    CHECK_FALSE(desk.plot->pending());
}

TEST_CASE("sweep: a view may name an input and outputs that the boxes leave out", "[sweep]") {
    SweepDesk desk;
    const std::optional<P> peak = find_parameter("cluster.gpu.peak_flops.bf16");
    REQUIRE(peak.has_value());
    View view = desk.plot->view();
    view.x = peak;
    view.x_range = "4e14:2e15:5";
    view.y = find_parameter("cluster.gpu.peak_flops.fp8");
    view.against = GENERATE(Output::capacity, Output::wall);
    desk.plot->show_view(view);
    desk.settle();
    CHECK(desk.plot->view().x == peak);
    CHECK(desk.plot->view().y == view.y);
    CHECK(desk.plot->view().against == view.against);
    const SweepData& data = desk.plot->figure().data();
    CHECK(data.x == peak);
    CHECK(data.against == view.against);
    REQUIRE_FALSE(data.series.empty());
    CHECK(data.series.front().points.front().x == 4e14);
    // With the usual input again there is at most one entry more.
    const int entries = desk.find<QComboBox>("sweep/x")->count();
    desk.plot->show_view(View{});
    CHECK(desk.plot->view().x == P::sequence_length);
    CHECK_FALSE(desk.plot->view().y.has_value());
    CHECK_FALSE(desk.plot->view().against.has_value());
    desk.plot->show_view(view);
    CHECK(desk.find<QComboBox>("sweep/x")->count() == entries);
}

TEST_CASE("sweep: a pin is drawn as a ghost along the same input", "[sweep]") {
    SweepDesk desk;
    const int before = desk.canvas->plottableCount();
    QTest::keyClick(&desk.window, Qt::Key_P);
    desk.settle();
    // There is one line a panel.
    CHECK(desk.canvas->plottableCount() == before + 2);
    desk.type("cluster.inter_node_bandwidth", QStringLiteral("50 Gbit/s"));
    desk.over(P::micro_batch);
    desk.over(P::sharding);
    desk.check_dot();
    desk.window.action(ActionId::unpin_all)->trigger();
    desk.settle();
    CHECK(desk.canvas->plottableCount() == before);
}

TEST_CASE("sweep: the sweep of every choice is drawn and exported", "[sweep]") {
    SweepDesk desk;
    for (const P id : {P::sharding, P::tensor_parallel, P::precision, P::inter_node_latency}) {
        desk.over(id);
        for (const auto format : {FigureFormat::svg, FigureFormat::csv}) {
            QString problem;
            CHECK_FALSE(render_figure(desk.plot->request(), desk.window.model().answer(), format, &problem)
                            .isEmpty());
            CHECK(problem.isEmpty());
        }
    }
}

TEST_CASE("sweep: points can be drawn over one of their results, and the dot is among them", "[sweep]") {
    SweepDesk desk;
    desk.over(P::inter_node_bandwidth);
    desk.against(Output::memory_bandwidth_per_flops);
    const SweepData& data = desk.plot->figure().data();
    CHECK(data.against == Output::memory_bandwidth_per_flops);
    desk.check_dot();
    const Answer& now = desk.window.model().answer();
    CHECK(data.current.along == value_of(Output::memory_bandwidth_per_flops, now));
    CHECK(desk.plot->figure().current_dot(0).x() == Approx(data.current.along / 1e6));
    // Twice the bandwidth gives twice the product, until the links inside the node are the limit.
    for (const SweepPoint& point : data.series.front().points) {
        const double ratio = std::min(now.settings[P::intra_node_bandwidth], 8 * point.x) /
                             std::min(now.settings[P::intra_node_bandwidth], 8 * data.current.x);
        CHECK(point.along == Approx(ratio * data.current.along));
    }
    CHECK(desk.canvas->xAxis != nullptr);
    CHECK(desk.canvas->axisRect(0)->axis(QCPAxis::atBottom)->range().upper ==
          Approx(std::ranges::max(data.series.front().points, {}, &SweepPoint::along).along / 1e6));
    const FigureRequest asked = desk.plot->request();
    CHECK(options_in<SweepOptions>(asked).against == Output::memory_bandwidth_per_flops);
    CHECK(desk.plot->view().against == Output::memory_bandwidth_per_flops);
    const auto rows = read_csv(render_figure(asked, now, FigureFormat::csv).toStdString());
    CHECK(rows[0].fields == std::vector<std::string>{"cluster.inter_node_bandwidth[Gbit/s]",
                                                     "ideal.memory_bandwidth_per_flops[GB²/TFLOP]", "mfu[%]",
                                                     "memory.peak_bytes[GiB]", "verdict"});
    desk.against(Output::mfu);
    // The result already is a column.
    CHECK(read_csv(render_figure(desk.plot->request(), now, FigureFormat::csv).toStdString())[0]
              .fields.size() == 4);
    desk.against(std::nullopt);
    CHECK(desk.plot->figure().data().current.along == desk.plot->figure().data().current.x);
}

TEST_CASE("sweep: over a result a drag moves the input to the point below the pointer", "[sweep]") {
    SweepDesk desk;
    desk.over(P::memory);
    desk.against(Output::mfu_bound);
    const Scenario start = desk.window.model().scenario();
    const double from = desk.window.model().answer().settings[P::memory];
    const double to = 100.0 * 1024 * 1024 * 1024;
    QTest::mousePress(desk.canvas, Qt::LeftButton, {}, desk.at(from));
    REQUIRE(desk.window.model().in_gesture());
    QTest::mouseMove(desk.canvas, (desk.at(from) + desk.at(to)) / 2);
    QTest::mouseMove(desk.canvas, desk.at(to));
    QApplication::processEvents();
    desk.check_dot();
    // The dot is at the pointer.
    CHECK(desk.plot->figure().guide() == Approx(desk.at(to).x()).margin(1.5));
    QTest::mouseRelease(desk.canvas, Qt::LeftButton, {}, desk.at(to));
    desk.settle();
    CHECK(desk.window.model().answer().settings[P::memory] == Approx(to).epsilon(0.03));
    CHECK(desk.window.model().undo_stack()->index() == 1);
    desk.check_dot();
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.window.model().scenario() == start);
}

TEST_CASE("sweep: on a curve that turns back the drag follows the nearer branch", "[sweep]") {
    SweepDesk desk;
    // More GPUs leave more memory, but beyond a node the slow network is the limit: the product grows, falls,
    // and grows again.
    desk.window.model().edit(P::inter_node_bandwidth, 12.5e9);
    desk.over(P::gpus);
    desk.against(Output::memory_bandwidth_per_flops);
    const SweepFigure& figure = desk.plot->figure();
    const auto& points = figure.data().series.front().points;
    REQUIRE_FALSE(std::ranges::is_sorted(points, {}, &SweepPoint::along));
    const QCPAxisRect& panel = *desk.canvas->axisRect(0);
    int drawn = 0;
    for (const SweepPoint& point : points) {
        if (!(point.along > 0) || std::isnan(point.value[0])) continue;
        ++drawn;
        const QPointF pixel(panel.axis(QCPAxis::atBottom)->coordToPixel(point.along / 1e6),
                            panel.axis(QCPAxis::atLeft)->coordToPixel(point.value[0] * 100));
        const double found = figure.input_at(pixel);
        INFO(point.x << " " << found);
        const Answer there = answer(edited(desk.window.model().scenario(), P::gpus, found));
        // Where branches cross either is right, but it is a point at that place.
        CHECK(value_of(Output::memory_bandwidth_per_flops, there) == Approx(point.along).epsilon(0.02));
        CHECK(value_of(Output::mfu, there) == Approx(point.value[0]).margin(0.01));
    }
    CHECK(drawn > 5);
    desk.check_dot();
}
