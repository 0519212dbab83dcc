// Tests that exports that take long run in the background, report their progress and can be stopped.
#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QPointer>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>

#include "app/exports.h"
#include "evidence/measured.h"
#include "planner/planner.h"
#include "support/desk.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plot_kind.h"

namespace shardscope::testing {
namespace {

// Makes everything automatic, so that each point of a plot is a search.
void plan_everything(Desk& desk) {
    desk.window.action(ActionId::plan_automatic)->trigger();
    desk.type("cluster.gpus", QStringLiteral("512"));
    REQUIRE_FALSE(plans_within_a_frame(desk.window.model().scenario()));
}

void look_at(Desk& desk, const char* plot) {
    auto* tabs = desk.find<QTabWidget>("tabs");
    tabs->setCurrentWidget(desk.find<QWidget>(QLatin1String(plot)));
    QApplication::processEvents();
}

}  // namespace

TEST_CASE("exports: a plot with a new plan at each point is written in the background", "[window][exports]") {
    Desk desk;
    plan_everything(desk);
    look_at(desk, "sensitivity");
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("sensitivity.csv"));
    auto* progress = desk.find<QWidget>("progress");
    REQUIRE(desk.window.plots().export_plot(QStringLiteral("sensitivity"), file));
    CHECK(progress->isVisible());
    CHECK(desk.text(QStringLiteral("progress/text"))
              .startsWith(QStringLiteral("sensitivity.csv: re-planning")));
    CHECK_FALSE(QFile::exists(file));
    // Only one export runs at a time, and a running one continues.
    CHECK_FALSE(desk.window.plots().export_plot(QStringLiteral("sweep"), file));
    CHECK(desk.text(QStringLiteral("message/text")).contains(QStringLiteral("sensitivity.csv is still")));
    REQUIRE(QTest::qWaitFor([&] { return QFile::exists(file); }, kBackgroundTimeout));
    CHECK_FALSE(progress->isVisible());
    QFile written(file);
    REQUIRE(written.open(QIODevice::ReadOnly));
    auto* tab = static_cast<LivePlot*>(desk.find<QTabWidget>("tabs")->currentWidget());
    CHECK(written.readAll() ==
          render_figure(tab->request(), desk.window.model().answer(), FigureFormat::csv));
}

TEST_CASE("exports: the resolution of a PNG is chosen with its name", "[window][exports]") {
    const QTemporaryDir folder;
    QStringList offered;
    Dialogs::SaveAs answer;
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file_as = [&](QWidget*, const QString&, const QString& suggestion,
                               const QStringList& filters) {
        CHECK(suggestion.endsWith(QStringLiteral("/scaling.svg")));
        offered = filters;
        return answer;
    };
    Desk desk(dialogs);
    look_at(desk, "scaling");
    const auto written = [&](const char* name, qsizetype filter, const char* as) {
        answer = {folder.filePath(QLatin1String(name)), filter};
        desk.window.action(ActionId::export_plot)->trigger();
        CAPTURE(name, filter);
        CHECK(QFile::exists(folder.filePath(QLatin1String(as))));
        return QImage(folder.filePath(QLatin1String(as))).size();
    };
    const QSize size = FigureRequest().size;
    CHECK(written("usual.png", 0, "usual.png") == 2 * size);
    REQUIRE(offered.size() == 5);
    for (int scale = 1; scale <= 4; ++scale) {
        CHECK(offered[scale].startsWith(QStringLiteral("PNG, %1×").arg(scale)));
        CHECK(offered[scale].endsWith(QStringLiteral(" (*.png)")));
        CHECK(written(qPrintable(QStringLiteral("%1.png").arg(scale)), scale,
                      qPrintable(QStringLiteral("%1.png").arg(scale))) == scale * size);
    }
    // A name without an ending gets the chosen one; an ending in the name has priority.
    CHECK(written("bare", 3, "bare.png") == 3 * size);
    written("drawn.svg", 4, "drawn.svg");
    CHECK_FALSE(QFile::exists(folder.filePath(QStringLiteral("drawn.png"))));
    // The dialog was cancelled.
    answer = {};
    const auto before = QDir(folder.path()).entryList().size();
    desk.window.action(ActionId::export_plot)->trigger();
    CHECK(QDir(folder.path()).entryList().size() == before);
}

TEST_CASE("exports: a file is not overwritten without a question because an ending was added",
          "[window][exports]") {
    const QTemporaryDir folder;
    QStringList suggestions;
    std::vector<QString> answers;
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file_as = [&](QWidget*, const QString&, const QString& suggestion, const QStringList&) {
        Dialogs::SaveAs out{answers.at(static_cast<std::size_t>(suggestions.size())), 2};
        suggestions << suggestion;
        return out;
    };
    Desk desk(dialogs);
    look_at(desk, "scaling");
    const QString whole = folder.filePath(QStringLiteral("llama-3.1.png"));
    answers = {folder.filePath(QStringLiteral("llama-3.1")), folder.filePath(QStringLiteral("llama-3.1")),
               QString()};
    desk.window.action(ActionId::export_plot)->trigger();
    REQUIRE(QFile::exists(whole));
    QFile file(whole);
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("mine");
    file.close();
    desk.window.action(ActionId::export_plot)->trigger();
    REQUIRE(suggestions.size() == 3);
    CHECK(suggestions[2] == whole);
    CHECK(QFileInfo(whole).size() == 4);
}

TEST_CASE("exports: a running report can be stopped, and nothing is written", "[window][exports]") {
    Desk desk;
    plan_everything(desk);
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("report.html"));
    REQUIRE(desk.window.plots().export_report(file));
    CHECK(desk.find<QWidget>("progress")->isVisible());
    QTest::mouseClick(desk.find<QPushButton>("progress/stop"), Qt::LeftButton);
    CHECK_FALSE(desk.find<QWidget>("progress")->isVisible());
    CHECK(desk.text(QStringLiteral("message/text")).contains(QStringLiteral("nothing is written")));
    // The next report starts at once, and a closing window only waits for its thread.
    REQUIRE(desk.window.plots().export_report(file));
    CHECK_FALSE(QFile::exists(file));
}

TEST_CASE("exports: the table of a plot with a new plan at each point opens when it is ready",
          "[window][exports]") {
    Desk desk;
    plan_everything(desk);
    look_at(desk, "sweep");
    QTest::keyClick(&desk.window, Qt::Key_T, Qt::ControlModifier);
    CHECK(desk.window.findChild<QTableView*>(QStringLiteral("table")) == nullptr);
    REQUIRE(QTest::qWaitFor(
        [&] { return desk.window.findChild<QTableView*>(QStringLiteral("table")) != nullptr; },
        kBackgroundTimeout));
    CHECK(desk.find<QTableView>("table")->model()->rowCount() > 10);
}

TEST_CASE("exports: a table shows labels and grouped numbers, and closes", "[window][exports]") {
    Desk desk;
    look_at(desk, "scaling");
    QTest::keyClick(&desk.window, Qt::Key_T, Qt::ControlModifier);
    REQUIRE(QTest::qWaitFor(
        [&] { return desk.window.findChild<QTableView*>(QStringLiteral("table")) != nullptr; },
        kBackgroundTimeout));
    const QPointer<QTableView> table = desk.find<QTableView>("table");
    const QAbstractItemModel& rows = *table->model();
    CHECK(rows.headerData(0, Qt::Horizontal).toString() == QStringLiteral("GPUs"));
    CHECK(rows.headerData(0, Qt::Horizontal, Qt::ToolTipRole).toString() == QStringLiteral("gpus[1]"));
    bool grouped = false;
    for (int r = 0; r < rows.rowCount(); ++r)
        grouped |= rows.index(r, 0).data().toString().contains(QLatin1Char(','));
    CHECK(grouped);
    QTest::mouseClick(desk.find<QPushButton>("table/close"), Qt::LeftButton);
    CHECK(QTest::qWaitFor([&] { return table.isNull(); }));
}

TEST_CASE("exports: nothing is exported for an invalid scenario, and the reason is shown",
          "[window][exports]") {
    Desk desk;
    Scenario wrong = desk.window.model().scenario();
    wrong.give(P::tensor_parallel, 7);
    desk.window.model().start_with(wrong);
    REQUIRE_FALSE(desk.window.model().answer().valid());
    for (const char* plot : {"scaling", "sweep", "walls", "plans", "timeline", "operators"}) {
        INFO(plot);
        look_at(desk, plot);
        desk.find<QWidget>("message")->hide();
        QTest::keyClick(&desk.window, Qt::Key_T, Qt::ControlModifier);
        CHECK(desk.window.findChild<QTableView*>(QStringLiteral("table")) == nullptr);
        const std::string why = desk.window.model().answer().problems.front().text();
        CHECK(desk.text(QStringLiteral("message/text")).contains(QString::fromStdString(why)));
        CHECK(desk.find<QWidget>("message")->isVisible());
    }
    const QTemporaryDir folder;
    for (const char* name : {"plot.svg", "report.html"}) {
        const QString file = folder.filePath(QLatin1String(name));
        CHECK_FALSE((file.endsWith(QStringLiteral("svg"))
                         ? desk.window.plots().export_plot(QStringLiteral("scaling"), file)
                         : desk.window.plots().export_report(file)));
        CHECK_FALSE(QFile::exists(file));
    }
}

TEST_CASE("exports: all plots are drawn one after another, written together, and can be stopped",
          "[exports]") {
    const QTemporaryDir folder;
    Dialogs dialogs = Dialogs::native();
    dialogs.choose_folder = [&](QWidget*, const QString&, const QString&) { return folder.path(); };
    Desk desk(dialogs);
    const auto files = [&] { return QDir(folder.path()).entryList(QDir::Files); };
    auto* progress = desk.find<QWidget>("progress");
    // The Plans tab searches first, in the background.
    const auto drawing = [&] {
        return desk.text(QStringLiteral("progress/text")).contains(QStringLiteral("drawing file 2 of"));
    };
    desk.window.action(ActionId::export_all)->trigger();
    REQUIRE(QTest::qWaitFor([&] { return progress->isVisible() && drawing(); }, kBackgroundTimeout));
    CHECK(files().isEmpty());
    QTest::mouseClick(desk.find<QPushButton>("progress/stop"), Qt::LeftButton);
    CHECK_FALSE(progress->isVisible());
    QApplication::processEvents();
    CHECK(files().isEmpty());
    CHECK(desk.text(QStringLiteral("message/text")).contains(QStringLiteral("stopped")));

    desk.window.action(ActionId::export_all)->trigger();
    REQUIRE(QTest::qWaitFor([&] { return !files().isEmpty(); }, kBackgroundTimeout));
    CHECK(files().size() == static_cast<qsizetype>(4 * plot_kinds().size()));
    CHECK_FALSE(progress->isVisible());
    CHECK(desk.text(QStringLiteral("message/text")).contains(QString::number(4 * plot_kinds().size())));
}

// A plot that shows ghosts on screen also has them in its file, and their rows in its table.
TEST_CASE("exports: pins are drawn, named and tabulated in every plot that shows them", "[exports]") {
    const Scenario first = Scenario::first_launch(commands::catalogue());
    const Measurement own{MeasuredKind::tokens_per_s_per_gpu, 4000, 64};
    const std::string view = with_measurement(SavedScenario(first), own).view;
    const Answer now = answer(first);
    Scenario other = edited(first, P::inter_node_bandwidth, 12.5e9);
    other.name = "Slower";  // one word, which no line of a caption breaks
    for (const PlotKind* kind : plot_kinds()) {
        INFO(kind->name);
        FigureRequest request;
        request.plot = kind->name;
        request.view = view;
        const QByteArray alone = render_figure(request, now, FigureFormat::svg);
        request.pins.push_back({'B', answer(other), view});
        const QByteArray beside = render_figure(request, now, FigureFormat::svg);
        REQUIRE_FALSE(beside.isEmpty());
        const QByteArray csv = render_figure(request, now, FigureFormat::csv);
        if (kind->name == "collectives") {
            CHECK(beside == alone);
            continue;
        }
        CHECK(beside != alone);
        CHECK(beside.contains("Slower"));
        CHECK_FALSE(alone.contains("Slower"));
        if (kind->name == "plans") CHECK(csv.contains("\npinned B,"));
        else if (kind->name == "validation") CHECK(csv.contains("\nmeasured run of B,"));
        else if (kind->name != "sensitivity") CHECK(csv.contains("\nB,"));
    }
}

TEST_CASE("exports: hidden curves are left out of picture, caption and table", "[exports]") {
    Desk desk;
    auto* strong = desk.find<QCheckBox>("scaling/strong");
    auto* plot = desk.find<LivePlot>("scaling");
    const Answer now = desk.window.model().answer();
    const QByteArray all = render_figure(plot->request(), now, FigureFormat::svg);
    CHECK(all.contains("dashed: strong"));
    CHECK(render_figure(plot->request(), now, FigureFormat::csv).contains("mfu_strong"));
    strong->click();
    REQUIRE_FALSE(strong->isChecked());
    const QByteArray without = render_figure(plot->request(), now, FigureFormat::svg);
    CHECK_FALSE(without.contains("dashed: strong"));
    const QByteArray csv = render_figure(plot->request(), now, FigureFormat::csv);
    CHECK_FALSE(csv.contains("_strong"));
    CHECK(csv.contains("mfu_weak"));
    // Without the weak curve there is no band; pinned scenarios stay, in picture and table.
    auto* weak = desk.find<QCheckBox>("scaling/weak");
    weak->click();
    CHECK_FALSE(render_figure(plot->request(), now, FigureFormat::csv).contains("mfu_band"));
    CHECK_FALSE(render_figure(plot->request(), now, FigureFormat::csv).contains("mfu_weak"));
    QTest::keyClick(&desk.window, Qt::Key_P);
    const QByteArray pinned = render_figure(plot->request(), now, FigureFormat::csv);
    CHECK(pinned.contains("mfu_weak"));
    CHECK(pinned.contains("\nB,"));
    weak->click();
    // A session stores this.
    const View view = plot->view();
    CHECK(view.is_switched("strong"));
    strong->click();
    plot->show_view(view);
    CHECK_FALSE(strong->isChecked());
}

TEST_CASE("exports: hypothetical times are marked in the step's file, too", "[exports]") {
    Desk desk;
    desk.type("training.sequence_length", QStringLiteral("8192"));
    REQUIRE_FALSE(desk.estimate().fits());
    const QTemporaryDir folder;
    const auto content = [&](const char* name) {
        const QString file = folder.filePath(QLatin1String(name));
        REQUIRE(desk.window.plots().export_plot(QStringLiteral("waterfall"), file));
        QFile written(file);
        REQUIRE(written.open(QIODevice::ReadOnly));
        return written.readAll();
    };
    CHECK(content("held.svg").contains("It does not fit"));
    auto* box = desk.find<QCheckBox>("show-hypothetical");
    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
    REQUIRE(box->isChecked());
    CHECK(content("shown.svg").contains("HYPOTHETICAL"));
}

}  // namespace shardscope::testing
