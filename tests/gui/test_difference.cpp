// Tests the Difference tab: the bars between two steps add up, and a public run can be the other side.
#include <qcustomplot.h>

#include <QAbstractButton>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTest>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "planner/plan.h"
#include "support/desk.h"
#include "support/svg.h"
#include "widgets/drawn_words.h"
#include "widgets/live_model.h"
#include "widgets/plots/difference/difference_data.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/validation/validation_plot.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

PlotTable table(Desk& desk) {
    return table_of(kDifferenceKind, desk.find<LivePlot>("difference")->request(),
                    desk.window.model().answer());
}

double number(const std::string& cell) { return QString::fromStdString(cell).toDouble(); }

// Checks that each bar begins where the one before it ends, and the last one at the step of the last row.
void check_sum(const PlotTable& rows) {
    REQUIRE(rows.rows.size() > 2);
    double at = number(rows.rows.front()[2]);
    for (std::size_t i = 1; i + 1 < rows.rows.size(); ++i) {
        INFO(rows.rows[i][0]);
        CHECK(number(rows.rows[i][1]) == Approx(at));
        at = number(rows.rows[i][2]);
    }
    CHECK(at == Approx(number(rows.rows.back()[2])));
}

}  // namespace

TEST_CASE("difference: the bars from a pin to the scenario add up, one for each group", "[difference]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.show_tab(QStringLiteral("Difference"));
    auto* plot = desk.find<LivePlot>("difference");
    CHECK(plot->accessibleDescription().startsWith(QStringLiteral("To see where")));
    CHECK(table(desk).rows.empty());

    desk.choose(ActionId::pin);
    const double before = model.answer().estimate.step.total;
    model.edit(P::inter_node_bandwidth, 100e9 / 8);
    model.edit(P::sequence_length, 4096);
    QApplication::processEvents();
    const PlotTable rows = table(desk);
    REQUIRE(rows.rows.size() == 4);
    CHECK(rows.rows[0][0] == "B");
    CHECK(number(rows.rows[0][2]) == before);
    CHECK(number(rows.rows[3][2]) == model.answer().estimate.step.total);
    check_sum(rows);
    // A longer sequence with the same number of sequences is more work, and a slower network takes longer.
    for (const std::size_t row : {std::size_t{1}, std::size_t{2}}) CHECK(number(rows.rows[row][3]) > 0);
    CHECK((rows.rows[1][4] + rows.rows[2][4]).find("Inter-node bandwidth 400 Gbit/s → 100 Gbit/s") !=
          std::string::npos);
    CHECK(plot->accessibleDescription().contains(QStringLiteral("Network: +")));

    // The other pin that the headline is compared with is the other side, also of an export.
    model.edit(P::gpus, 128);
    desk.choose(ActionId::pin);
    model.compare_with('C');
    model.edit(P::micro_batch, 1);
    CHECK(table(desk).rows.front()[0] == "C");
}

TEST_CASE("difference: without a pin the table says why it is empty, and there are no values to export",
          "[difference]") {
    Desk desk;
    desk.show_tab(QStringLiteral("Difference"));
    const QString reason = QStringLiteral("To see where the difference");
    desk.click(QStringLiteral("difference/table"));
    CHECK(desk.text(QStringLiteral("table/empty")).startsWith(reason));
    CHECK_FALSE(desk.find<QWidget>("table")->isVisible());
    CHECK_FALSE(desk.find<QAbstractButton>("table/copy")->isEnabled());
    CHECK(desk.find<QAbstractButton>("table/copy")->toolTip().contains(reason));
    desk.click(QStringLiteral("table/close"));

    const auto copies_values = [&] {
        auto* plot = desk.find<LivePlot>("difference");
        QContextMenuEvent asked(QContextMenuEvent::Mouse, QPoint(100, 100),
                                plot->mapToGlobal(QPoint(100, 100)));
        QApplication::sendEvent(plot, &asked);
        auto* menu = desk.find<QMenu>("difference/menu");
        const auto actions = menu->actions();
        const auto copy = std::ranges::find(actions, QStringLiteral("Copy values"), &QAction::text);
        REQUIRE(copy != actions.end());
        const bool enabled = (*copy)->isEnabled();
        CHECK((*copy)->toolTip().contains(reason) != enabled);
        menu->close();
        return enabled;
    };
    CHECK_FALSE(copies_values());

    desk.choose(ActionId::export_plot);
    auto* format = desk.find<QComboBox>("export/format");
    format->setFocus();
    QTest::keyClick(format, Qt::Key_End);
    REQUIRE(format->currentText() == QStringLiteral("CSV"));
    CHECK(QTest::qWaitFor([&] { return desk.text(QStringLiteral("export/state")).startsWith(reason); },
                          kBackgroundTimeout));
    CHECK_FALSE(desk.find<QAbstractButton>("export/save")->isEnabled());
    CHECK_FALSE(desk.find<QAbstractButton>("export/copy")->isEnabled());
    desk.choose(ActionId::pin);
    desk.choose(ActionId::export_plot);
    CHECK(QTest::qWaitFor([&] { return desk.find<QAbstractButton>("export/save")->isEnabled(); },
                          kBackgroundTimeout));
    CHECK(copies_values());
}

TEST_CASE("difference: no sum of bars is below the shorter step, and no bar is zero", "[difference]") {
    const Catalogue& catalogue = commands::catalogue();
    const auto scenario = [&](const char* model, double gpus) {
        Scenario out =
            with_model(Scenario::first_launch(catalogue), *catalogue.find(PresetKind::model, model));
        out.automatic |= default_free_parameters();
        return locked(answer(edited(edited(out, P::global_batch, 256), P::gpus, gpus)).scenario);
    };
    Pin pin;
    pin.answer = answer(scenario("llama-3-70b", 256));
    const Answer small = answer(scenario("llama-3-8b", 32));
    const DifferenceData data = difference_data(small, {}, &pin, true);
    REQUIRE(data.problem.empty());
    const AxisRange axis = data.range();
    CHECK(axis.from == 0);
    const double shorter = std::min(data.from.step, data.to.step) * (1 - 1e-9);
    CHECK(axis.to >= data.from.step);
    for (const DifferenceBar& bar : data.bars) {
        INFO(bar.label);
        CHECK(bar.to >= shorter);
        CHECK(bar.to <= axis.to);
        CHECK(std::fabs(bar.seconds()) > 0);
    }
}

TEST_CASE("G24: a public run is compared with, and what explains the difference adds up",
          "[golden][difference]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.show_tab(QStringLiteral("Validation"));
    auto* plot = desk.find<ValidationPlot>("validation");
    QTest::keyClicks(desk.find<QLineEdit>("validation/filter"), QStringLiteral("llama-3-70b h100"));
    QApplication::processEvents();
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Right);
    const auto run = plot->chosen();
    REQUIRE(run);
    QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(100, 100),
                            plot->mapToGlobal(QPoint(100, 100)));
    QApplication::sendEvent(plot, &asked);
    auto* menu = desk.find<QMenu>("validation/menu");
    QAction* compare = nullptr;
    for (QAction* action : menu->actions()) {
        if (action->text().startsWith(QStringLiteral("Compare the step with"))) compare = action;
    }
    REQUIRE(compare);
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(compare).center());
    QApplication::processEvents();

    CHECK(desk.find<QTabWidget>("tabs")->currentWidget()->objectName() == QStringLiteral("difference"));
    REQUIRE(model.pins().size() == 1);
    CHECK(model.pins().front().answer.scenario.name == run->name);
    const PlotTable rows = table(desk);
    CHECK(rows.rows.front()[4] == "measured");
    CHECK(number(rows.rows.front()[2]) == Approx(run->view.measured->value));
    CHECK(rows.rows[1][0] == "Prediction error of B");
    // The plot says which of the two times of B is measured, and where the sums are.
    const QString words = desk.find<LivePlot>("difference")->accessibleDescription();
    CHECK(words.contains(QStringLiteral("B measured: %1").arg(QString::fromStdString(run->name))));
    CHECK(words.contains(QStringLiteral("A predicted: ")));
    const double shorter = std::min(number(rows.rows.front()[2]), number(rows.rows.back()[2]));
    for (std::size_t i = 2; i + 1 < rows.rows.size(); ++i) CHECK(number(rows.rows[i][2]) > 0.7 * shorter);
    CHECK(number(rows.rows.back()[2]) == model.answer().estimate.step.total);
    check_sum(rows);
    CHECK(rows.rows.size() > 4);
}

TEST_CASE("difference: in a small window the two sides can be told apart", "[difference]") {
    Desk desk;
    desk.window.resize(1024, 700);
    desk.show_tab(QStringLiteral("Difference"));
    desk.pick(QStringLiteral("picker/cluster"), QStringLiteral("cluster/dgx-a100-80gb"));
    desk.choose(ActionId::pin);
    desk.choose(ActionId::undo);
    QApplication::processEvents();
    const auto words = drawn_words(*desk.find<QCustomPlot>("difference/plot"));
    QString all;
    for (const DrawnWord& word : words) all += word.text + QLatin1Char(' ');
    INFO(all.toStdString());
    for (const char* text : {"B predicted: ", "A100", "A predicted: ", "H100"})
        CHECK(all.contains(QLatin1String(text)));
}

TEST_CASE("difference: a scenario that does not fit has a step only if hypothetical times are shown",
          "[difference]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.show_tab(QStringLiteral("Difference"));
    auto* plot = desk.find<LivePlot>("difference");
    desk.choose(ActionId::pin);
    desk.type("training.micro_batch", "64");
    REQUIRE_FALSE(model.answer().fits());
    CHECK(table(desk).rows.empty());
    CHECK(plot->accessibleDescription().startsWith(QStringLiteral("A does not fit")));
    auto* box = desk.find<QCheckBox>(QStringLiteral("show-hypothetical"));
    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
    REQUIRE(box->isChecked());
    CHECK(table(desk).rows.size() > 2);
    CHECK(plot->accessibleDescription().contains(QStringLiteral("HYPOTHETICAL")));
}

TEST_CASE("difference: the causes are written out where there is room", "[difference]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.show_tab(QStringLiteral("Difference"));
    desk.choose(ActionId::pin);
    // Several inputs of one group, whose names and values take more than a line.
    for (const auto& [id, value] : {std::pair{P::ffn_size, 16384.0}, std::pair{P::layers, 48.0},
                                    std::pair{P::vocab_size, 128000.0}, std::pair{P::heads, 64.0}})
        model.edit(id, value);
    QApplication::processEvents();
    QStringList shown;
    for (const DrawnWord& word : drawn_words(*desk.find<QCustomPlot>("difference/plot"))) shown << word.text;
    const QString words = shown.join(QLatin1Char(' '));
    const PlotTable rows = table(desk);
    REQUIRE(rows.rows.size() == 3);
    for (const QString& input :
         QString::fromStdString(rows.rows[1][4]).split(QStringLiteral("; "), Qt::SkipEmptyParts)) {
        INFO(input.toStdString());
        CHECK(words.contains(input.section(QStringLiteral(" \u2192 "), 1)));
    }
    CHECK_FALSE(words.contains(QChar(0x2026)));
}

TEST_CASE("difference: causes that are long beside short bars have half of the width", "[difference]") {
    const Catalogue& catalogue = commands::catalogue();
    const Scenario first = Scenario::first_launch(catalogue);
    Pin pin;
    pin.letter = 'B';
    pin.answer = answer(with_cluster(with_model(first, *catalogue.find(PresetKind::model, "llama-3-70b")),
                                     *catalogue.find(PresetKind::cluster, "dgx-a100-80gb")));
    FigureRequest request;
    request.plot = "difference";
    request.pins = {pin};
    request.hypothetical = true;
    const QStringList texts = read_svg(render_figure(request, answer(first), FigureFormat::svg)).texts;
    CHECK(texts.contains(QStringLiteral("GPU")));
    const QString words = texts.join(QLatin1Char(' '));
    CHECK(words.contains(QStringLiteral("989.5 TFLOP/s")));
    CHECK_FALSE(words.contains(QChar(0x2026)));
}

TEST_CASE("difference: all times have one unit", "[difference]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.show_tab(QStringLiteral("Difference"));
    desk.choose(ActionId::pin);
    model.edit(P::accumulation, 32);
    model.edit(P::inter_node_bandwidth, 300e9 / 8);
    QApplication::processEvents();
    const auto words = drawn_words(*desk.find<QCustomPlot>("difference/plot"));
    const QRegularExpression time(QStringLiteral("^[+\u2212]?[0-9,.]+ (\\S+)$"));
    QStringList units;
    for (const DrawnWord& word : words) {
        if (const auto match = time.match(word.text); match.hasMatch()) units << match.captured(1);
    }
    CHECK(units.size() >= 6);
    units.removeDuplicates();
    CHECK(units == QStringList{QStringLiteral("ms")});
}
