// The Sensitivity tab through real events on the real main window; golden task G7.
#include <qcustomplot.h>

#include <QComboBox>
#include <QTabWidget>
#include <QTest>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "files/csv.h"
#include "support/desk.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/sensitivity_plot.h"
#include "widgets/plots/sweep_plot.h"

using namespace shardscope;
using shardscope::testing::Desk;

namespace {

struct Looking : Desk {
    QTabWidget* tabs = window.findChild<QTabWidget*>(QStringLiteral("tabs"));
    SensitivityPlot* plot = window.findChild<SensitivityPlot*>();
    SweepPlot* sweep = window.findChild<SweepPlot*>();
    QCustomPlot* canvas = plot->findChild<QCustomPlot*>();

    Looking() { show(); }
    void show() {
        tabs->setCurrentWidget(plot);
        settle();
    }
    void settle() {
        REQUIRE(QTest::qWaitFor(
            [this] { return !plot->pending() && !sweep->pending() && !window.model().planning(); }, 60000));
        QApplication::processEvents();
        canvas->replot();
    }
    void load(const char* preset) {
        window.findChild<QAction*>(QStringLiteral("scenario/") + QLatin1String(preset))->trigger();
        settle();
    }
    int bar_of(P id) {
        const auto& bars = plot->figure().data().ranked().bars;
        const auto at = std::ranges::find(bars, id, &SensitivityBar::id);
        return at == bars.end() ? -1 : static_cast<int>(at - bars.begin());
    }
};

}  // namespace

TEST_CASE("G7: where the network binds it ranks above memory bandwidth, and its bar opens its sweep",
          "[golden][sensitivity]") {
    Looking desk;
    desk.load("network-bound-13b");
    REQUIRE(desk.estimate().wall == Wall::inter_node);
    const int network = desk.bar_of(P::inter_node_bandwidth);
    const int memory = desk.bar_of(P::memory_bandwidth);
    REQUIRE(network >= 0);
    CHECK((memory < 0 || network < memory));
    const QRectF row = desk.plot->figure().row_of(network);
    REQUIRE_FALSE(row.isEmpty());
    QTest::mouseClick(desk.canvas, Qt::LeftButton, {}, row.center().toPoint());
    desk.settle();
    CHECK(desk.tabs->currentWidget() == desk.sweep);
    CHECK(desk.sweep->figure().data().x == P::inter_node_bandwidth);
    CHECK(desk.sweep->figure().data().outputs.front() == Output::mfu);
}

TEST_CASE("sensitivity: the keyboard chooses a bar and opens it", "[sensitivity]") {
    Looking desk;
    desk.canvas->setFocus();
    QTest::keyClick(desk.canvas, Qt::Key_Home);
    QTest::keyClick(desk.canvas, Qt::Key_Down);
    CHECK(desk.plot->figure().selected() == 1);
    const P second = *desk.plot->figure().input_of(1);
    CHECK(desk.plot->accessibleDescription().contains(QString::fromUtf8(parameter(second).label.data())));
    // The last one comes into view.
    QTest::keyClick(desk.canvas, Qt::Key_End);
    desk.settle();
    CHECK_FALSE(desk.plot->figure().row_of(desk.plot->figure().bars() - 1).isEmpty());
    QTest::keyClick(desk.canvas, Qt::Key_Return);
    desk.settle();
    CHECK(desk.tabs->currentWidget() == desk.sweep);
    CHECK(desk.sweep->figure().data().x == *desk.plot->figure().input_of(desk.plot->figure().bars() - 1));
}

TEST_CASE("sensitivity: the output and the change are choices, and the five elasticities sum to one",
          "[sensitivity]") {
    Looking desk;
    auto* output_box = desk.find<QComboBox>("sensitivity/output");
    output_box->setCurrentIndex(output_box->findData(static_cast<int>(Output::peak_memory)));
    desk.settle();
    const SensitivityData& data = desk.plot->figure().data();
    CHECK(data.held.output == Output::peak_memory);
    CHECK(data.held.now == desk.estimate().memory.peak);
    double sum = 0;
    for (const double share : data.elasticity) sum += share;
    CHECK(sum == Approx(1).epsilon(1e-12));
    const double wide = data.held.bars.front().effect;
    desk.find<QComboBox>("sensitivity/change")->setCurrentIndex(1);
    desk.settle();
    CHECK(desk.plot->figure().data().held.change == Change::ten_percent);
    CHECK(desk.plot->figure().data().held.bars.front().effect < wide);
    CHECK(desk.plot->request().change == Change::ten_percent);
}

TEST_CASE("sensitivity: with something automatic the plan is shown held and found anew", "[sensitivity]") {
    Looking desk;
    desk.type("cluster.inter_node_bandwidth", QStringLiteral("50 Gbit/s"));
    desk.window.model().set_automatic(P::micro_batch, true);
    desk.settle();
    const SensitivityData& data = desk.plot->figure().data();
    REQUIRE(data.anew.has_value());
    const auto more_memory = [](const Sensitivity& found) {
        const auto at = std::ranges::find(found.bars, P::memory, &SensitivityBar::id);
        return at == found.bars.end() ? found.now : at->more->value;
    };
    CHECK(more_memory(*data.anew) > data.anew->now);
    CHECK(more_memory(data.held) == data.held.now);
    CHECK(data.anew_levers->gpu_memory > 0);
    CHECK(data.held_levers.gpu_memory == 0);

    // The table and the CSV say which is which.
    const auto rows = read_csv(
        render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::csv).toStdString());
    CHECK(rows[1].fields[1] == "found anew");
    CHECK(rows.back().fields[1] == "held");
    desk.window.model().set_automatic(P::micro_batch, false);
    desk.settle();
    CHECK_FALSE(desk.plot->figure().data().anew.has_value());
}

TEST_CASE("sensitivity: what does not fit shows no rates, and a window may close while plans are found",
          "[sensitivity]") {
    Looking desk;
    desk.type("training.sequence_length", QStringLiteral("16384"));
    REQUIRE(desk.estimate().verdict == Verdict::does_not_fit);
    CHECK_FALSE(desk.plot->figure().data().shown);
    const auto rows = read_csv(
        render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::csv).toStdString());
    CHECK(rows[1].fields[7].empty());
    Scenario scenario = desk.window.model().scenario();
    for (const P id : {P::micro_batch, P::recompute, P::tensor_parallel, P::pipeline_parallel, P::sharding})
        scenario = with_auto(scenario, id, true);
    desk.window.model().replace(scenario, QStringLiteral("automatic"));
    CHECK(desk.plot->isVisible());
}
