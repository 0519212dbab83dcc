// Tests the Validation tab and the user's measured run, through real events on the real main window.
#include <qcustomplot.h>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QUndoStack>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "app/commands/command.h"
#include "app/main_window.h"
#include "app/session.h"
#include "support/desk.h"
#include "support/german.h"
#include "text/csv.h"
#include "widgets/carried_scenario.h"
#include "widgets/drawing.h"
#include "widgets/drawn_words.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/scaling/scaling_plot.h"
#include "widgets/plots/validation/validation_plot.h"
#include "widgets/plots/validation/validation_words.h"

using namespace shardscope;

namespace {

// A window with functions that enter measurements.
class ValidationDesk : public testing::Desk {
  public:
    ValidationDesk() { settle(); }
    static void settle() {
        // Work after the frame needs further rounds of the event loop.
        for (int i = 0; i < 3; ++i) QApplication::processEvents();
    }

    LiveModel& model() { return window.model(); }
    QUndoStack& undo() { return *window.model().undo_stack(); }

    ValidationPlot& open_tab() {
        show_tab(QStringLiteral("Validation"));
        settle();
        auto* plot = find<ValidationPlot>("validation");
        REQUIRE(plot->isVisible());
        find<QCustomPlot>("validation/plot")->replot();
        return *plot;
    }
    // Returns a point that no other point overlaps.
    std::size_t isolated_point(const ValidationFigure& figure) {
        const auto& points = figure.data().points;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (figure.point_at(figure.pixel_of(points[i]).toPoint()) == i) return i;
        }
        FAIL("no point can be reached");
        return 0;
    }
    void measure(const QString& value) {
        if (!find<QWidget>("measured")->isVisible())
            QTest::mouseClick(find<QAbstractButton>("scenarios/measured"), Qt::LeftButton);
        auto* field = find<QLineEdit>("measured/field");
        field->setFocus();
        field->selectAll();
        QTest::keyClick(field, Qt::Key_Delete);
        QTest::keyClicks(field, value);
        QTest::keyClick(field, Qt::Key_Return);
        settle();
    }
    // Loads the run with the keyboard, after the filter has found it.
    void load_run(const QString& filter, const std::string& id) {
        ValidationPlot& plot = open_tab();
        QTest::keyClicks(find<QLineEdit>("validation/filter"), filter);
        settle();
        const auto& points = plot.figure().data().points;
        plot.setFocus();
        for (std::size_t i = 0; i < points.size(); ++i) {
            QTest::keyClick(&plot, Qt::Key_Right);
            if (points[*plot.figure().highlight()].run->id == id) break;
        }
        REQUIRE(points[*plot.figure().highlight()].run->id == id);
        QTest::keyClick(&plot, Qt::Key_Return);
        settle();
    }
    void choose_kind(int kind) {
        auto* box = find<QComboBox>("measured/kind");
        box->setFocus();
        while (box->currentIndex() != kind)
            QTest::keyClick(box, box->currentIndex() < kind ? Qt::Key_Down : Qt::Key_Up);
        settle();
    }
    // Opens G9's scenario, with the settings of llm-foundry.
    void mpt_70b() {
        Scenario scenario =
            with_model(model().scenario(), *model().catalogue().find(PresetKind::model, "mpt-70b"));
        scenario = edited(edited(scenario, P::recompute, 1), P::micro_batch, 8);
        model().start_with(scenario);
        settle();
    }
};

}  // namespace

TEST_CASE("the Validation tab shows every run that validate predicts", "[validation]") {
    ValidationDesk desk;
    ValidationPlot& plot = desk.open_tab();
    const ValidationData& data = plot.figure().data();
    const Validation expected = validate(shipped_runs(), Catalogue::shipped());
    REQUIRE(data.all.n == static_cast<int>(data.points.size()));
    CHECK(data.all.n == expected.summary.at("all").n);
    CHECK(data.all.mean_abs_error == expected.summary.at("all").mean_abs_error);
    int in_families = 0;
    for (const ValidationFamily& family : data.families) in_families += family.summary.n;
    CHECK(in_families == data.all.n);
    CHECK(plot.accessibleDescription().contains(QString::number(data.all.n)));
    CHECK_FALSE(plot.accessibleName().isEmpty());

    // In each quantity every point is inside the frame, and its error is the same.
    auto* box = desk.find<QComboBox>("validation/quantity");
    for (const auto quantity :
         {ValidationQuantity::mfu, ValidationQuantity::tokens_per_s_per_gpu, ValidationQuantity::step_time}) {
        box->setCurrentIndex(static_cast<int>(quantity));
        const AxisRange range = plot.figure().range();
        for (const ValidationPoint& point : data.points) {
            INFO(point.run->id);
            CHECK(point.measured(quantity) >= range.from);
            CHECK(point.measured(quantity) <= range.to);
            CHECK(point.predicted(quantity) >= range.from);
            CHECK(point.predicted(quantity) <= range.to);
            const double ratio = point.predicted(quantity) / point.measured(quantity);
            const bool time = quantity == ValidationQuantity::step_time;
            CHECK((time ? ratio : 1 / ratio) == Approx(1 + point.error));
        }
    }
}

TEST_CASE("the Validation tab compares memory, too", "[validation]") {
    ValidationDesk desk;
    ValidationPlot& plot = desk.open_tab();
    desk.find<QComboBox>("validation/quantity")
        ->setCurrentIndex(static_cast<int>(ValidationQuantity::memory));
    const ValidationData& data = plot.figure().data();
    const Validation expected = validate(shipped_runs(), Catalogue::shipped());
    CHECK(data.memory);
    CHECK(data.all.n == expected.memory.n);
    CHECK(data.all.mean_abs_error == Approx(expected.memory.mean_abs_error));
    const AxisRange range = plot.figure().range();
    for (const ValidationPoint& point : data.points) {
        CHECK(point.measured_peak > 0);
        CHECK(point.measured_peak <= range.to);
        CHECK(point.predicted_peak / point.measured_peak == Approx(1 + point.error));
    }
    CHECK(plot.words_of(0).contains(QStringLiteral("GiB")));
    // A measured run of the scenario has no memory.
    desk.measure(QStringLiteral("4500"));
    CHECK_FALSE(plot.figure().own().has_value());
    desk.find<QComboBox>("validation/quantity")->setCurrentIndex(0);
    CHECK(plot.figure().own().has_value());
    CHECK(plot.figure().data().all.n == expected.summary.at("all").n);
}

TEST_CASE("a filter shows the runs that have all of its words", "[validation]") {
    ValidationDesk desk;
    ValidationPlot& plot = desk.open_tab();
    auto* field = desk.find<QLineEdit>("validation/filter");
    const std::size_t all = plot.figure().data().points.size();
    const auto type = [&](const char* words) {
        field->setFocus();
        field->selectAll();
        QTest::keyClick(field, Qt::Key_Delete);
        QTest::keyClicks(field, QLatin1String(words));
        return plot.figure().data().points.size();
    };
    const std::size_t moe = type("moe");
    const std::size_t dense = type("dense");
    CHECK(moe > 0);
    CHECK(moe + dense == all);
    REQUIRE(type("FSDP1 h100") > 0);
    std::vector<double> errors;
    for (const ValidationPoint& point : plot.figure().data().points) {
        CHECK(point.run->software.find("fsdp1") == 0);
        CHECK(point.run->gpu.find("h100") == 0);
        errors.push_back(point.common_error);
    }
    // The summary is that of the runs that are shown, and a figure shows the same.
    CHECK(plot.figure().data().all.mean_abs_error == summary_of(errors).mean_abs_error);
    FigureRequest request = plot.request();
    QString problem;
    const QByteArray csv = render_figure(request, desk.model().answer(), FigureFormat::csv, &problem);
    CHECK(read_csv(csv.toStdString()).size() == errors.size() + 1);
    // Runs that are not good are shown only on request.
    CHECK(type("noisy") > 0);
    for (const ValidationPoint& point : plot.figure().data().points)
        CHECK(point.run->quality == RunQuality::noisy);
    CHECK(type("no such run") == 0);
    CHECK(type("") == all);
}

TEST_CASE("a run is described, a click loads it, and one undo restores the scenario", "[validation]") {
    ValidationDesk desk;
    ValidationPlot& plot = desk.open_tab();
    auto* canvas = desk.find<QCustomPlot>("validation/plot");
    const Scenario before = desk.model().scenario();
    const std::size_t point = desk.isolated_point(plot.figure());
    const MeasuredRun& run = *plot.figure().data().points[point].run;
    const QPoint at = plot.figure().pixel_of(plot.figure().data().points[point]).toPoint();

    QTest::mouseMove(canvas, at);
    ValidationDesk::settle();
    CHECK(plot.figure().highlight() == point);
    const QString words = plot.words_of(point);
    CHECK(words.contains(QString::fromStdString(run.id)));
    CHECK(words.contains(QString::fromStdString(run.source)));
    CHECK(words.contains(QStringLiteral("Measured")));
    CHECK(words.contains(QStringLiteral("than predicted")));
    CHECK(QToolTip::text().contains(QString::fromStdString(run.id)));
    QTest::mouseMove(canvas, QPoint(canvas->width() - 4, canvas->height() / 2));
    ValidationDesk::settle();
    CHECK_FALSE(plot.figure().highlight().has_value());

    // A click beside a run does nothing.
    QTest::mouseClick(canvas, Qt::LeftButton, {}, QPoint(canvas->width() - 4, canvas->height() / 2));
    CHECK(desk.undo().count() == 0);
    QTest::mouseClick(canvas, Qt::LeftButton, {}, at);
    ValidationDesk::settle();
    Problems problems;
    Scenario expected = scenario_of(run, desk.model().catalogue(), problems);
    expected.name = desk.model().scenario().name;
    expected.model_name = run.model;
    CHECK(desk.model().scenario() == expected);
    CHECK(desk.model().answer().estimate.step.total == plot.figure().data().points[point].predicted_step);
    REQUIRE(desk.undo().count() == 1);
    CHECK(desk.undo().undoText().contains(QString::fromStdString(run.id)));
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.model().scenario() == before);
}

TEST_CASE("the keyboard alone can select and load the runs", "[validation]") {
    ValidationDesk desk;
    ValidationPlot& plot = desk.open_tab();
    plot.setFocus();
    QTest::keyClick(&plot, Qt::Key_Right);
    REQUIRE(plot.figure().highlight().has_value());
    const std::size_t lowest = *plot.figure().highlight();
    QTest::keyClick(&plot, Qt::Key_Right);
    CHECK(plot.figure().highlight() != lowest);
    QTest::keyClick(&plot, Qt::Key_Left);
    CHECK(plot.figure().highlight() == lowest);
    CHECK(plot.accessibleDescription() == plot.words_of(lowest));
    QTest::keyClick(&plot, Qt::Key_Return);
    CHECK(desk.undo().count() == 1);
    CHECK(text_of(desk.model().scenario().name)
              .endsWith(text_of(", " + plot.figure().data().points[lowest].run->id)));
}

TEST_CASE("a loaded run keeps the names of its model and its GPUs", "[validation]") {
    ValidationDesk desk;
    desk.load_run(QStringLiteral("405B"), "dgxc-0103");
    const auto text = [&](const char* picker) { return desk.find<QToolButton>(picker)->accessibleName(); };
    CHECK(text("picker/model").contains(QStringLiteral("Llama-3.1-405B")));
    CHECK(text("picker/cluster").contains(QStringLiteral("72 × GB200")));
    for (const char* picker : {"picker/model", "picker/cluster"})
        CHECK_FALSE(text(picker).contains(QStringLiteral("modified")));
    const QString title = desk.window.windowTitle();
    INFO(title.toStdString());
    for (const char* part : {"Llama-3.1-405B", "128", "GB200", "dgxc-0103"})
        CHECK(title.contains(QLatin1String(part)));
}

TEST_CASE("the slider of the GPUs offers all that the degrees of a loaded run allow", "[validation][rows]") {
    ValidationDesk desk;
    // 128 GPUs in racks of 72, of which it uses 64 each; tensor × context × pipeline parallel is 64.
    desk.load_run(QStringLiteral("405B"), "dgxc-0103");
    const auto gpus = [&] { return desk.model().answer().settings[P::gpus]; };
    REQUIRE(gpus() == 128);
    auto* slider = desk.slider("cluster.gpus");
    CHECK(slider->isEnabled());
    QTest::keyClick(slider, Qt::Key_Right);
    CHECK(gpus() == 256);
    QTest::keyClick(slider, Qt::Key_End);
    CHECK(gpus() == 512);  // of 64 sequences, eight are in flight in each pipeline
    QTest::keyClick(slider, Qt::Key_Home);
    CHECK(gpus() == 64);
}

TEST_CASE("the table, the CSV and the plot contain the same runs", "[validation]") {
    ValidationDesk desk;
    ValidationPlot& plot = desk.open_tab();
    desk.measure(QStringLiteral("4500"));
    const std::size_t expected = plot.figure().data().points.size() + 1;
    QTest::keyClick(&desk.window, Qt::Key_T, Qt::ControlModifier);
    ValidationDesk::settle();
    auto* table = desk.find<QTableView>("table");
    CHECK(table->model()->rowCount() == static_cast<int>(expected));
    // The copied text can be pasted into a spreadsheet: all of it, or the selected cells under their headers.
    QTest::keySequence(table, QKeySequence::Copy);
    CHECK(QApplication::clipboard()->text().count(QLatin1Char('\n')) == static_cast<int>(expected) + 1);
    table->selectionModel()->select(table->model()->index(1, 0), QItemSelectionModel::Select);
    QTest::keySequence(table, QKeySequence::Copy);
    CHECK(QApplication::clipboard()->text() ==
          table->model()->headerData(0, Qt::Horizontal).toString().toLower() + QLatin1Char('\n') +
              table->model()->index(1, 0).data().toString() + QLatin1Char('\n'));
    // The button does the same. The shown numbers are rounded and labelled, the copied ones are those of the
    // CSV.
    table->clearSelection();
    QTest::mouseClick(desk.find<QPushButton>("table/copy"), Qt::LeftButton);
    const QStringList copied = QApplication::clipboard()->text().split(QLatin1Char('\n'));
    REQUIRE(copied.size() == static_cast<int>(expected) + 2);
    CHECK(copied.front().split(QLatin1Char('\t')).at(4) == QStringLiteral("gpus[1]"));
    CHECK(table->model()->headerData(4, Qt::Horizontal).toString() == QStringLiteral("GPUs"));
    const ValidationPoint& first = plot.figure().data().points.front();
    CHECK(copied.at(1).split(QLatin1Char('\t')).at(9).toDouble() == first.measured_step);
    const QString rounded = table->model()->index(0, 10).data().toString();
    CHECK(rounded.size() <= 9);
    CHECK(testing::first_number(rounded) == Approx(first.predicted_step).margin(5.1e-3));
    // The table stays unchanged, and its title reports when the scenario is a different one.
    CHECK(table->window()->windowTitle() == QStringLiteral("Validation"));
    desk.model().edit(P::gpus, 128);
    CHECK(table->window()->windowTitle() == QStringLiteral("Validation, of an earlier scenario"));
    desk.undo().undo();
    desk.find<QComboBox>("validation/quantity")->setCurrentIndex(1);
    const QTemporaryDir folder;
    for (const char* ending : {"svg", "pdf", "png", "csv"})
        REQUIRE(desk.window.plots().export_plot(
            QStringLiteral("validation"),
            folder.filePath(QStringLiteral("validation.%1").arg(QLatin1String(ending)))));
    QFile csv(folder.filePath(QStringLiteral("validation.csv")));
    REQUIRE(csv.open(QIODevice::ReadOnly));
    const auto rows = read_csv(csv.readAll().toStdString());
    REQUIRE(rows.size() == 1 + expected);
    for (std::size_t i = 0; i + 1 < expected; ++i) {
        const ValidationPoint& point = plot.figure().data().points[i];
        CHECK(rows[i + 1].fields[0] == point.run->id);
        CHECK(std::stod(rows[i + 1].fields[9]) == point.measured_step);
        CHECK(std::stod(rows[i + 1].fields[10]) == point.predicted_step);
    }
    CHECK(rows.back().fields[0] == "my measured run");
    CHECK(std::stod(rows.back().fields[7]) == Approx(4500));
    QFile svg(folder.filePath(QStringLiteral("validation.svg")));
    REQUIRE(svg.open(QIODevice::ReadOnly));
    const QByteArray figure = svg.readAll();
    CHECK(figure.contains("LLM Foundry"));
    CHECK(figure.contains("Measured tokens/s/GPU"));
    CHECK_FALSE(carried_scenario(figure).isEmpty());
    FigureRequest request;
    request.plot = "validation";
    request.options = ValidationOptions{.output = Output::wall};
    QString problem;
    CHECK(render_figure(request, desk.model().answer(), FigureFormat::csv, &problem).isEmpty());
    CHECK(problem.contains(QStringLiteral("mfu")));
}

TEST_CASE("G9: measured 1,039 tokens/s/GPU for MPT-70B on 64 H100 shows 42.6 % and the residual",
          "[golden][measured]") {
    ValidationDesk desk;
    desk.mpt_70b();
    CHECK_FALSE(desk.find<QWidget>("measured")->isVisible());
    desk.measure(QStringLiteral("1039"));
    const QString result = desk.text("measured/result");
    INFO(result.toStdString());
    CHECK(result.contains(QStringLiteral("42.6 %")));
    const double error =
        desk.model().answer().estimate.step.total / (desk.model().answer().estimate.tokens_per_gpu / 1039) -
        1;
    CHECK(result.contains(QString::number(100 * std::fabs(error), 'f', 1)));
    CHECK(result.contains(
        error > 0
            ? QStringLiteral("the run is %1 faster than predicted").arg(shown(error, Quantity::percent))
            : QStringLiteral("the run is %1 slower than predicted").arg(shown(-error, Quantity::percent))));
    CHECK_FALSE(desk.find<QWidget>("measured/warning")->isVisible());
}

TEST_CASE("each edit of a measured run is one undo step, and the run stays in the scenario", "[measured]") {
    ValidationDesk desk;
    const Scenario start = desk.model().scenario();
    desk.measure(QStringLiteral("4500"));
    REQUIRE(desk.undo().count() == 1);
    CHECK(desk.undo().undoText().contains(QStringLiteral("4,500")));
    desk.choose_kind(1);
    CHECK(desk.undo().count() == 2);
    CHECK(desk.model().scenario().view.measured->kind == MeasuredKind::tokens_per_s);
    desk.measure(QStringLiteral("850 ms"));  // the unit shows that it is a time
    CHECK(desk.undo().count() == 3);
    CHECK(desk.model().scenario().view.measured == Measurement{MeasuredKind::step_time, 0.85, 64});
    CHECK(desk.find<QComboBox>("measured/kind")->currentIndex() == 2);
    desk.window.action(ActionId::undo)->trigger();
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.find<QComboBox>("measured/kind")->currentIndex() == 0);
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.model().scenario() == start);
    desk.window.action(ActionId::redo)->trigger();
    QTest::mouseClick(desk.find<QToolButton>("measured/remove"), Qt::LeftButton);
    CHECK(desk.model().scenario() == start);
    CHECK_FALSE(desk.find<QWidget>("measured")->isVisible());
}

TEST_CASE("a run that is removed while it is typed is not entered", "[measured]") {
    ValidationDesk desk;
    const Scenario start = desk.model().scenario();
    const bool before = GENERATE(false, true);
    if (before) desk.measure(QStringLiteral("4500"));
    desk.choose(ActionId::measured_run);
    auto* field = desk.find<QLineEdit>("measured/field");
    REQUIRE(field->hasFocus());
    QTest::keyClicks(field, QStringLiteral("900"));
    QTest::mouseClick(desk.find<QToolButton>("measured/remove"), Qt::LeftButton);
    ValidationDesk::settle();
    CHECK(desk.model().scenario() == start);
    CHECK_FALSE(desk.find<QWidget>("measured")->isVisible());
}

TEST_CASE("a measured run is restored in the next window", "[measured]") {
    // The settings are separate, because other tests' windows may save theirs at the same time.
    const QString name = QApplication::applicationName();
    QApplication::setApplicationName(name + QStringLiteral("-session"));
    Scenario left;
    {
        ValidationDesk desk;
        desk.measure(QStringLiteral("4500"));
        left = desk.model().scenario();
        desk.window.close();
    }
    ValidationDesk desk;
    desk.window.documents().restore();
    CHECK(desk.model().scenario() == left);
    CHECK(desk.find<QWidget>("measured")->isVisible());
    testing::keep(desk.session, {});
    const Scenario now = desk.model().scenario();
    desk.window.documents().restore();
    CHECK(desk.model().scenario() == now);
    QApplication::setApplicationName(name);
}

TEST_CASE("an unreadable entry is refused with what to write, and changes nothing", "[measured]") {
    ValidationDesk desk;
    const Scenario start = desk.model().scenario();
    for (const char* text : {"fast", "-3", "0", "1,039", "1039 apples"}) {
        INFO(text);
        desk.measure(QLatin1String(text));
        CHECK(desk.model().scenario() == start);
        CHECK(desk.find<QWidget>("measured/warning")->isVisible());
        CHECK_FALSE(desk.text("measured/warning").isEmpty());
    }
    desk.measure(QStringLiteral("4800"));
    CHECK_FALSE(desk.find<QWidget>("measured/warning")->isVisible());
}

TEST_CASE("a point above its roof is questioned and can be corrected in one click", "[measured]") {
    ValidationDesk desk;
    desk.open_tab();
    const double rate = desk.model().answer().estimate.tokens_per_s_per_gpu;
    desk.measure(QString::number(std::round(64 * rate)));
    CHECK(desk.find<QWidget>("measured/warning")->isVisible());
    CHECK(desk.text("measured/warning").contains(QStringLiteral("more than the GPUs' peak")));
    // The value is not clipped: the text gives the number, and the plot shows the point at its edge.
    const std::string beyond =
        format(std::round(64 * rate) * desk.model().answer().estimate.mfu / rate, Quantity::percent);
    CHECK(desk.text("measured/result").contains(QString::fromStdString(beyond)));
    auto* meant = desk.find<QPushButton>("measured/meant");
    REQUIRE(meant->isVisible());
    CHECK(meant->text() == QStringLiteral("It is the total"));
    QTest::mouseClick(meant, Qt::LeftButton);
    ValidationDesk::settle();
    CHECK_FALSE(desk.find<QWidget>("measured/warning")->isVisible());
    CHECK(desk.model().scenario().view.measured->kind == MeasuredKind::tokens_per_s);
    // The total is that of 64 GPUs, so the run is as fast as predicted.
    const double measured = std::round(64 * rate) / 64 * desk.model().answer().estimate.mfu / rate;
    const std::string mfu = format(measured, Quantity::percent);
    CHECK(desk.text("measured/result").contains(QString::fromStdString(mfu)));
}

TEST_CASE("a constant that explains the run is adopted by a click", "[measured]") {
    ValidationDesk desk;
    desk.model().edit(P::inter_node_bandwidth, 12.5e9);
    const int before = desk.undo().count();
    const double target = std::round(0.8 * desk.model().answer().estimate.tokens_per_s_per_gpu);
    desk.measure(QString::number(target));
    auto* cause = desk.find<QPushButton>("measured/cause/network_efficiency");
    REQUIRE(cause->isVisible());
    CHECK(cause->text().contains(QStringLiteral("effective")));
    QTest::mouseClick(cause, Qt::LeftButton);
    ValidationDesk::settle();
    CHECK(desk.undo().count() == before + 2);
    CHECK(desk.model().answer().estimate.tokens_per_s_per_gpu == Approx(target).epsilon(1e-6));
    // Nothing is left to explain.
    CHECK_FALSE(cause->isVisible());
}

TEST_CASE("the user's run is on the plots and follows a drag", "[measured]") {
    ValidationDesk desk;
    ValidationPlot& plot = desk.open_tab();
    CHECK_FALSE(plot.figure().own().has_value());
    desk.measure(QStringLiteral("4500"));
    REQUIRE(plot.figure().own().has_value());
    const double before = plot.figure().own()->predicted(ValidationQuantity::mfu);
    const AxisRange range = plot.figure().range();
    desk.model().begin_gesture(P::gemm_efficiency);
    desk.model().drag(P::gemm_efficiency, 0.5);
    CHECK(plot.figure().own()->predicted(ValidationQuantity::mfu) < before);
    CHECK(plot.figure().own()->measured_step == Approx(desk.model().answer().estimate.tokens_per_gpu / 4500));
    CHECK(plot.figure().range().to == range.to);
    desk.model().end_gesture();

    // On the scaling plot it stays at the number of GPUs of its measurement.
    desk.model().edit(P::gpus, 256);
    const ScalingData& scaling = desk.find<ScalingPlot>("scaling")->figure().data();
    REQUIRE_FALSE(scaling.measured.empty());
    CHECK(scaling.measured.front().own);
    CHECK(scaling.measured.front().gpus == 64);
    CHECK(scaling.measured.front().tokens_per_s_per_gpu == Approx(4500));
    CHECK(desk.text("measured/result").contains(QStringLiteral("on 64 GPUs")));
}

TEST_CASE("no mark of a run is on the list of families, at any size", "[validation]") {
    const bool german = GENERATE(false, true);
    const testing::German language(german);
    ValidationDesk desk;
    auto* plot = desk.find<ValidationPlot>("validation");
    auto* canvas = desk.find<QCustomPlot>("validation/plot");
    desk.find<QTabWidget>("tabs")->setCurrentWidget(plot);
    for (const QSize size : {QSize(1024, 700), QSize(1366, 768), QSize(1440, 900)}) {
        desk.window.resize(size);
        ValidationDesk::settle();
        canvas->replot();
        const QRectF frame = canvas->axisRect()->rect();
        int listed = 0;
        for (const DrawnWord& word : drawn_words(*canvas)) {
            const QPointF at = word.box.center();
            // The list is above the diagonal.
            const bool above =
                (frame.bottom() - at.y()) / frame.height() > (at.x() - frame.left()) / frame.width();
            if (!frame.contains(word.box) || !above) continue;
            ++listed;
            CAPTURE(german, size.width(), word.text.toStdString());
            CHECK(std::ranges::none_of(plot->figure().data().points, [&](const ValidationPoint& point) {
                return word.box.contains(plot->figure().pixel_of(point));
            }));
        }
        CHECK(listed >= 7);  // the heading, and three families with their errors
    }
}

TEST_CASE("families of runs have readable names, and keep their keys in the table", "[validation]") {
    const ValidationData data = validation_data(validation_runs(commands::catalogue()));
    for (const ValidationFamily& family : data.families) {
        INFO(family.name);
        CHECK_FALSE(family_label(family.name).contains(QLatin1Char('_')));
        if (family.name != "torchtitan")
            CHECK(family_label(family.name) != QString::fromStdString(family.name));
    }
    CHECK(family_label("megatron_bridge") == QStringLiteral("Megatron-Bridge"));
    CHECK(family_label("our runs") == QStringLiteral("our runs"));
    const PlotTable table = validation_table(data, {});
    CHECK(std::ranges::any_of(table.rows, [](const auto& row) {
        return std::ranges::find(row, std::string("megatron_bridge")) != row.end();
    }));
}

TEST_CASE("a run is slower or faster than predicted by what the numbers beside it say", "[measured]") {
    ValidationDesk desk;
    // 40.8 % MFU are predicted, and the run has five sixths of them.
    const double predicted = desk.model().answer().estimate.tokens_per_s_per_gpu;
    desk.measure(QString::number(predicted * 5 / 6, 'f', 2));
    QString result = desk.text("measured/result");
    INFO(result.toStdString());
    CHECK(result.contains(QStringLiteral("the run is 16.7 % slower than predicted")));
    desk.measure(QString::number(predicted * 6 / 5, 'f', 2));
    result = desk.text("measured/result");
    CHECK(result.contains(QStringLiteral("the run is 20.0 % faster than predicted")));
}
