// Tests the Sensitivity tab through real events on the real main window; golden task G7.
#include <qcustomplot.h>

#include <QCheckBox>
#include <QComboBox>
#include <QTabWidget>
#include <QTest>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/desk.h"
#include "text/csv.h"
#include "widgets/drawn_words.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/sensitivity/sensitivity_plot.h"
#include "widgets/plots/sweep/sweep_plot.h"

using namespace shardscope;
using shardscope::testing::Desk;
using shardscope::testing::kBackgroundTimeout;

namespace {

struct SensitivityDesk : Desk {
    QTabWidget* tabs = window.findChild<QTabWidget*>(QStringLiteral("tabs"));
    SensitivityPlot* plot = window.findChild<SensitivityPlot*>();
    SweepPlot* sweep = window.findChild<SweepPlot*>();
    QCustomPlot* canvas = plot->findChild<QCustomPlot*>();

    SensitivityDesk() { show(); }
    void show() {
        tabs->setCurrentWidget(plot);
        settle();
    }
    void settle() {
        REQUIRE(QTest::qWaitFor(
            [this] { return !plot->pending() && !sweep->pending() && !window.model().planning(); },
            kBackgroundTimeout));
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

TEST_CASE("G7: if the network is the wall it ranks above memory bandwidth, and its bar opens its sweep",
          "[golden][sensitivity]") {
    SensitivityDesk desk;
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

TEST_CASE("sensitivity: the keyboard selects a bar and opens it", "[sensitivity]") {
    SensitivityDesk desk;
    desk.canvas->setFocus();
    QTest::keyClick(desk.canvas, Qt::Key_Home);
    QTest::keyClick(desk.canvas, Qt::Key_Down);
    CHECK(desk.plot->figure().selected() == 1);
    const P second = *desk.plot->figure().input_of(1);
    CHECK(desk.plot->accessibleDescription().contains(QString::fromUtf8(parameter(second).label.data())));
    // The last bar is scrolled into view.
    QTest::keyClick(desk.canvas, Qt::Key_End);
    desk.settle();
    CHECK_FALSE(desk.plot->figure().row_of(desk.plot->figure().bars() - 1).isEmpty());
    QTest::keyClick(desk.canvas, Qt::Key_Return);
    desk.settle();
    CHECK(desk.tabs->currentWidget() == desk.sweep);
    CHECK(desk.sweep->figure().data().x == *desk.plot->figure().input_of(desk.plot->figure().bars() - 1));
}

TEST_CASE("sensitivity: the ticks of pins do not strike through the numbers", "[sensitivity]") {
    SensitivityDesk desk;
    desk.choose(ActionId::pin);
    for (const auto& [id, value] : {std::pair{P::inter_node_bandwidth, 25e9}, {P::peak_flops, 800e12}}) {
        desk.window.model().edit(id, value);
        desk.choose(ActionId::pin);
    }
    desk.settle();
    int ticks = 0;
    int beside = 0;
    const std::vector<DrawnWord> words = drawn_words(*desk.canvas);
    for (const QLineF& line : drawn_lines(*desk.canvas)) {
        // A tick is as high as a row.
        if (line.dx() != 0 || std::fabs(line.dy()) < 15 || std::fabs(line.dy()) > 22) continue;
        ++ticks;
        for (const DrawnWord& word : words) {
            const bool same_row = word.box.center().y() > line.center().y() - 6 &&
                                  word.box.center().y() < line.center().y() + 6;
            if (!same_row || !word.text.contains(QLatin1Char('%'))) continue;
            INFO(word.text.toStdString());
            CHECK((line.x1() <= word.box.left() || line.x1() >= word.box.right()));
            if (std::fabs(line.x1() - word.box.left()) < 6 || std::fabs(line.x1() - word.box.right()) < 6)
                ++beside;
        }
    }
    CHECK(ticks > 10);
    CHECK(beside > 0);
}

TEST_CASE("sensitivity: output and change can be chosen, and the five elasticities sum to one",
          "[sensitivity]") {
    SensitivityDesk desk;
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
    CHECK(options_in<SensitivityOptions>(desk.plot->request()).change == Change::ten_percent);
}

TEST_CASE("sensitivity: if something is automatic the effect is shown with the plan held and with a new plan",
          "[sensitivity]") {
    SensitivityDesk desk;
    desk.type("cluster.inter_node_bandwidth", QStringLiteral("50 Gbit/s"));
    desk.type("training.global_batch", QStringLiteral("1024"));
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
    CHECK(data.replanned_levers->gpu_memory > 0);
    CHECK(data.held_levers.gpu_memory == 0);

    // The table and the CSV mark which is which.
    const auto rows = read_csv(
        render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::csv).toStdString());
    CHECK(rows[1].fields[1] == "re-planned");
    CHECK(rows.back().fields[1] == "held");
    const auto cell = [&](const char* name, const char* plan) {
        const auto at = std::ranges::find_if(
            rows, [&](const auto& row) { return row.fields[0] == name && row.fields[1] == plan; });
        REQUIRE(at != rows.end());
        return std::stod(at->fields[3]);
    };
    CHECK(cell("levers.gpu_memory", "re-planned") == data.replanned_levers->gpu_memory);
    CHECK(cell("levers.gpu_memory", "held") == 0);
    for (std::size_t i = 0; i < kRates; ++i) {
        const std::string name = "elasticities." + std::string(name_of(static_cast<Rate>(i)));
        CHECK(cell(name.c_str(), "held") == data.elasticity[i]);
        CHECK(cell(name.c_str(), "re-planned") == (*data.replanned_elasticity)[i]);
    }

    // On request the plan is held, and then nothing runs in the background.
    auto* anew = desk.find<QCheckBox>("sensitivity/anew");
    REQUIRE(anew->isVisible());
    QTest::mouseClick(anew, Qt::LeftButton, {}, QPoint(8, anew->height() / 2));
    CHECK_FALSE(desk.plot->pending());
    CHECK(options_in<SensitivityOptions>(desk.plot->request()).held);
    CHECK_FALSE(desk.plot->figure().data().anew.has_value());
    CHECK_FALSE(desk.plot->figure().data().replanned_elasticity.has_value());
    QTest::mouseClick(anew, Qt::LeftButton, {}, QPoint(8, anew->height() / 2));
    CHECK(desk.plot->pending());
    desk.settle();
    CHECK(desk.plot->figure().data().replanned_elasticity ==
          planned_elasticity(desk.window.model().answer()));
    desk.window.model().set_automatic(P::micro_batch, false);
    desk.settle();
    CHECK_FALSE(desk.plot->figure().data().anew.has_value());
    CHECK_FALSE(desk.plot->figure().data().replanned_levers.has_value());
    CHECK_FALSE(anew->isVisible());
}

TEST_CASE(
    "sensitivity: a scenario that does not fit shows peak memory, and the chosen output once it fits again",
    "[sensitivity]") {
    SensitivityDesk desk;
    const auto* output_box = desk.find<QComboBox>("sensitivity/output");
    REQUIRE(output_box->currentText() == QStringLiteral("MFU"));
    desk.type("training.sequence_length", QStringLiteral("8192"));
    desk.settle();
    REQUIRE(desk.estimate().verdict == Verdict::does_not_fit);
    const SensitivityData& data = desk.plot->figure().data();
    CHECK(data.instead());
    CHECK(data.held.output == Output::peak_memory);
    CHECK(data.held.now == desk.estimate().memory.peak);
    CHECK_FALSE(data.rates);
    CHECK(output_box->currentText() == QStringLiteral("MFU"));
    CHECK(desk.plot->accessibleDescription().startsWith(QStringLiteral("It does not fit")));
    // There are no elasticities, but a dashed line: values that fit end left of it.
    CHECK_FALSE(desk.plot->figure().over_lists(desk.canvas->rect().center()));
    CHECK_FALSE(desk.plot->figure().over_lists(QPointF(20, desk.canvas->height() - 20)));
    REQUIRE(desk.plot->figure().limit_x().has_value());
    for (const SensitivityBar& bar : data.held.bars) {
        for (const auto& end : {bar.less, bar.more}) {
            if (end && end->capacity == data.capacity) CHECK(end->fits == (end->value <= data.capacity));
        }
    }
    const auto rows = read_csv(
        render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::csv).toStdString());
    CHECK(rows[0].fields[6] == "memory.peak_bytes_less[GiB]");
    CHECK(rows.back().fields[0].find('.') != std::string::npos);
    CHECK(std::ranges::none_of(rows, [](const auto& row) {
        return row.fields[0].starts_with("elasticities.") || row.fields[0].starts_with("levers.");
    }));
    const QByteArray svg =
        render_figure(desk.plot->request(), desk.window.model().answer(), FigureFormat::svg);
    CHECK(svg.contains("It does not fit, so this shows what peak memory depends on"));
    CHECK(svg.contains("MFU has no value until it fits"));
    CHECK(svg.contains("Peak memory, relative change from"));
    // The axis is labelled at its end.
    CHECK(svg.contains("+100 %"));
    // A bar opens the sweep of the shown output.
    const QRectF row = desk.plot->figure().row_of(0);
    const P first = *desk.plot->figure().input_of(0);
    QTest::mouseClick(desk.canvas, Qt::LeftButton, {}, row.center().toPoint());
    desk.settle();
    CHECK(desk.sweep->figure().data().x == first);
    CHECK(desk.sweep->figure().data().outputs.front() == Output::peak_memory);

    desk.show();
    desk.type("training.sequence_length", QStringLiteral("2048"));
    desk.settle();
    CHECK_FALSE(desk.plot->figure().data().instead());
    CHECK(desk.plot->figure().data().held.output == Output::mfu);
    CHECK(desk.plot->figure().data().rates);
    CHECK_FALSE(desk.plot->figure().limit_x().has_value());
}

TEST_CASE("sensitivity: a scenario that does not fit shows rates on request", "[sensitivity]") {
    SensitivityDesk desk;
    desk.type("training.sequence_length", QStringLiteral("8192"));
    auto* hypothetical = desk.find<QCheckBox>("show-hypothetical");
    QTest::mouseClick(hypothetical, Qt::LeftButton, {}, QPoint(8, hypothetical->height() / 2));
    desk.settle();
    const SensitivityData& data = desk.plot->figure().data();
    CHECK_FALSE(data.instead());
    CHECK(data.rates);
    CHECK(data.held.now == desk.estimate().mfu);
    for (const SensitivityBar& bar : data.held.bars) {
        for (const auto& end : {bar.less, bar.more}) {
            if (end) CHECK(end->value == end->as_if);
        }
    }
}

TEST_CASE("sensitivity: pins keep their own values as ghosts, in the table and in exports", "[sensitivity]") {
    SensitivityDesk desk;
    const double before = desk.estimate().mfu;
    QTest::keyClick(&desk.window, Qt::Key_P);
    REQUIRE(desk.window.model().pins().size() == 1);
    desk.type("cluster.inter_node_bandwidth", QStringLiteral("100 Gbit/s"));
    desk.settle();
    const SensitivityData& data = desk.plot->figure().data();
    REQUIRE(data.ghosts.size() == 1);
    CHECK(data.ghosts[0].letter == 'B');
    CHECK(data.ghosts[0].held.now == before);
    CHECK(data.held.now < before);
    // The values are those of the time when it was the current scenario.
    const Sensitivity alone =
        sensitivity(desk.window.model().pins()[0].answer.scenario, Output::mfu, Change::half_and_double);
    REQUIRE(data.ghosts[0].held.bars.size() == alone.bars.size());
    for (std::size_t i = 0; i < alone.bars.size(); ++i)
        CHECK(data.ghosts[0].held.bars[i].effect == alone.bars[i].effect);

    const FigureRequest request = desk.plot->request();
    const Answer& answer = desk.window.model().answer();
    const auto rows = read_csv(render_figure(request, answer, FigureFormat::csv).toStdString());
    const auto column = std::ranges::find(rows[0].fields, "B_mfu_now[%]") - rows[0].fields.begin();
    REQUIRE(column < static_cast<std::ptrdiff_t>(rows[0].fields.size()));
    const auto network = std::ranges::find_if(
        rows, [](const auto& row) { return row.fields[0] == "cluster.inter_node_bandwidth"; });
    REQUIRE(network != rows.end());
    CHECK(std::stod(network->fields[static_cast<std::size_t>(column)]) == Approx(before * 100));
    for (const auto& row : rows) CHECK(row.fields.size() == rows[0].fields.size());
    FigureRequest without = request;
    without.pins.clear();
    const QByteArray with_pins = render_figure(request, answer, FigureFormat::svg);
    CHECK(with_pins != render_figure(without, answer, FigureFormat::svg));
    CHECK(with_pins.contains(Theme::print().pins[0].name().toUtf8()));

    desk.window.model().unpin_all();
    desk.settle();
    CHECK(desk.plot->figure().data().ghosts.empty());
}

TEST_CASE("sensitivity: a window may close while plans are searched", "[sensitivity]") {
    SensitivityDesk desk;
    desk.window.model().set_all_automatic(true);
    CHECK(desk.plot->isVisible());
}
