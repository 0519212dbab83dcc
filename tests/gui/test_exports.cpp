// Tests that exports that take long run in the background, report their progress and can be stopped.
#include <QCheckBox>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTransform>
#include <QXmlStreamReader>
#include <cmath>

#include "app/exports.h"
#include "evidence/measured.h"
#include "planner/planner.h"
#include "support/desk.h"
#include "widgets/plots/live_plot.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/theme/theme.h"

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

// Opens the frame of the export with Ctrl+E, and waits for its preview.
QWidget* open_export(Desk& desk) {
    QTest::keyClick(&desk.window, Qt::Key_E, Qt::ControlModifier);
    auto* frame = desk.find<QWidget>("export");
    REQUIRE(frame->isVisible());
    REQUIRE(QTest::qWaitFor([&] { return desk.find<QPushButton>("export/copy")->isEnabled(); },
                            kBackgroundTimeout));
    return frame;
}

void set_choice(Desk& desk, const char* name, int index) {
    auto* box = desk.find<QComboBox>(QLatin1String(name));
    box->setFocus();
    while (box->currentIndex() != index)
        QTest::keyClick(box, box->currentIndex() < index ? Qt::Key_Down : Qt::Key_Up);
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

TEST_CASE("exports: the export opens as a frame in the window, by button, keys and command",
          "[window][exports]") {
    Desk desk;
    look_at(desk, "sweep");
    auto* frame = open_export(desk);
    CHECK(frame->window() == &desk.window);
    CHECK(desk.window.rect().contains(frame->geometry()));
    const auto* preview = desk.find<QLabel>("export/preview");
    CHECK_FALSE(preview->pixmap(Qt::ReturnByValue).isNull());
    // What is behind the frame does not shine through.
    const QImage window = desk.window.grab().toImage();
    const QRect inside(frame->pos() + QPoint(3, 3), QSize(frame->width() - 6, 6));
    for (int x = inside.left(); x <= inside.right(); ++x)
        CHECK(window.pixelColor(x, inside.top()) == current_theme().pane);
    // Tab reaches every control that can be used and stays in the frame.
    QStringList reached;
    for (int i = 0; i < 10; ++i) {
        reached << QApplication::focusWidget()->objectName();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    for (const char* name : {"export/format", "export/size", "export/copy", "export/save"})
        CHECK(reached.contains(QLatin1String(name)));
    for (const QString& name : reached) CHECK(name.startsWith(QStringLiteral("export/")));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    CHECK_FALSE(frame->isVisible());

    auto* button = desk.find<QToolButton>("toolbar/export");
    QTest::mouseClick(button, Qt::LeftButton, {}, QPoint(8, button->height() / 2));
    REQUIRE(frame->isVisible());
    CHECK(frame->geometry().top() >= button->mapTo(&desk.window, button->rect().bottomLeft()).y());
    // A click elsewhere closes it.
    QTest::mouseClick(desk.find<QWidget>("sweep/plot"), Qt::LeftButton, {}, QPoint(3, 3));
    CHECK_FALSE(frame->isVisible());
}

TEST_CASE("exports: format, size and resolution decide what is saved, and the preview has its shape",
          "[window][exports]") {
    const QTemporaryDir folder;
    QString suggested;
    QString answer;
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file = [&](QWidget*, const QString&, const QString& suggestion, const QString&) {
        suggested = suggestion;
        return answer;
    };
    Desk desk(dialogs);
    look_at(desk, "scaling");
    const auto saved = [&](const char* name) {
        answer = folder.filePath(QLatin1String(name));
        desk.click(QStringLiteral("export/save"));
        REQUIRE(QTest::qWaitFor([&] { return QFile::exists(answer); }, kBackgroundTimeout));
        return QImage(answer).size();
    };
    const QSize usual = FigureRequest().size;
    constexpr int kPng = 2;
    for (int scale = 1; scale <= 4; ++scale) {
        open_export(desk);
        set_choice(desk, "export/format", kPng);
        set_choice(desk, "export/resolution", scale - 1);
        CAPTURE(scale);
        CHECK(saved(qPrintable(QStringLiteral("%1.png").arg(scale))) == scale * usual);
        CHECK(suggested.endsWith(QStringLiteral("/scaling.png")));
    }
    // The widths that people use: 85 and 170 mm at 96 dpi, and 16:9.
    const std::vector<std::pair<int, double>> kWidths{{1, 85}, {2, 170}};
    for (const auto& [index, millimetres] : kWidths) {
        open_export(desk);
        set_choice(desk, "export/size", index);
        set_choice(desk, "export/resolution", 0);
        const QPixmap preview = desk.find<QLabel>("export/preview")->pixmap(Qt::ReturnByValue);
        const QSize size = saved(qPrintable(QStringLiteral("width-%1.png").arg(index)));
        CAPTURE(millimetres);
        CHECK(size.width() == Approx(millimetres / 25.4 * 96).margin(1));
        CHECK(static_cast<double>(preview.width()) / preview.height() ==
              Approx(static_cast<double>(size.width()) / size.height()).epsilon(0.02));
    }
    open_export(desk);
    set_choice(desk, "export/size", 3);
    const QSize slide = saved("slide.png");
    CHECK(slide.width() * 9 == slide.height() * 16);
    open_export(desk);
    set_choice(desk, "export/size", 4);
    auto* width = desk.find<QSpinBox>("export/width");
    auto* height = desk.find<QSpinBox>("export/height");
    width->setFocus();
    width->selectAll();
    QTest::keyClicks(width, QStringLiteral("127"));
    height->selectAll();
    QTest::keyClicks(height, QStringLiteral("100"));
    CHECK(saved("own.png") == QSize(480, 378));  // 5 in, 3.937 in
    // Only a PNG has a resolution, and a table has no size.
    open_export(desk);
    set_choice(desk, "export/format", 0);
    CHECK_FALSE(desk.find<QComboBox>("export/resolution")->isEnabled());
    set_choice(desk, "export/format", 3);
    CHECK_FALSE(desk.find<QComboBox>("export/size")->isEnabled());
    CHECK(desk.find<QLabel>("export/preview")->text().startsWith(QStringLiteral("scenario,gpus[1]")) !=
          desk.find<QLabel>("export/preview")->text().startsWith(QStringLiteral("gpus[1]")));
    // The dialog was cancelled.
    answer.clear();
    const auto before = QDir(folder.path()).entryList().size();
    desk.click(QStringLiteral("export/save"));
    CHECK(QDir(folder.path()).entryList().size() == before);
}

TEST_CASE("exports: the figure is copied in its format and as an image, a table as text",
          "[window][exports]") {
    Desk desk;
    look_at(desk, "scaling");
    const std::vector<std::pair<int, const char*>> kTypes{
        {0, "image/svg+xml"}, {1, "application/pdf"}, {2, "image/png"}};
    for (const auto& [index, type] : kTypes) {
        open_export(desk);
        set_choice(desk, "export/format", index);
        desk.click(QStringLiteral("export/copy"));
        const QMimeData* copied = QApplication::clipboard()->mimeData();
        INFO(type);
        CHECK(copied->hasFormat(QLatin1String(type)));
        CHECK_FALSE(copied->data(QLatin1String(type)).isEmpty());
        CHECK(copied->hasImage());
        CHECK(desk.text(QStringLiteral("export/state")) == QStringLiteral("Copied"));
    }
    set_choice(desk, "export/format", 3);
    desk.click(QStringLiteral("export/copy"));
    auto* tab = static_cast<LivePlot*>(desk.find<QTabWidget>("tabs")->currentWidget());
    CHECK(QApplication::clipboard()->text().toUtf8() ==
          render_figure(tab->request(), desk.window.model().answer(), FigureFormat::csv));
}

TEST_CASE("exports: a preview that needs a search is drawn when it is ready", "[window][exports]") {
    Desk desk;
    plan_everything(desk);
    look_at(desk, "sensitivity");
    QTest::keyClick(&desk.window, Qt::Key_E, Qt::ControlModifier);
    CHECK_FALSE(desk.find<QPushButton>("export/copy")->isEnabled());
    CHECK(desk.find<QLabel>("export/preview")->text().contains(QStringLiteral("preview")));
    REQUIRE(QTest::qWaitFor([&] { return desk.find<QPushButton>("export/copy")->isEnabled(); },
                            kBackgroundTimeout));
    CHECK_FALSE(desk.find<QLabel>("export/preview")->pixmap(Qt::ReturnByValue).isNull());
}

TEST_CASE("exports: a file is not overwritten without a question because an ending was added",
          "[window][exports]") {
    const QTemporaryDir folder;
    QStringList suggestions;
    std::vector<QString> answers;
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file = [&](QWidget*, const QString&, const QString& suggestion, const QString&) {
        const QString out = answers.at(static_cast<std::size_t>(suggestions.size()));
        suggestions << suggestion;
        return out;
    };
    Desk desk(dialogs);
    look_at(desk, "scaling");
    const auto save = [&] {
        open_export(desk);
        set_choice(desk, "export/format", 2);
        desk.click(QStringLiteral("export/save"));
    };
    const QString whole = folder.filePath(QStringLiteral("llama-3.1.png"));
    answers = {folder.filePath(QStringLiteral("llama-3.1")), folder.filePath(QStringLiteral("llama-3.1")),
               QString()};
    save();
    REQUIRE(QFile::exists(whole));
    QFile file(whole);
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write("mine");
    file.close();
    save();
    REQUIRE(suggestions.size() == 3);
    CHECK(suggestions[2] == whole);
    CHECK(QFileInfo(whole).size() == 4);
    // An ending in the name has priority over the chosen format.
    answers.push_back(folder.filePath(QStringLiteral("drawn.svg")));
    save();
    CHECK(QFile::exists(answers.back()));
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
    // Without a pin there is no difference to draw.
    const std::size_t written = 4 * (plot_kinds().size() - 1);
    CHECK(files().size() == static_cast<qsizetype>(written));
    CHECK(files().filter(QStringLiteral("difference")).isEmpty());
    CHECK_FALSE(progress->isVisible());
    CHECK(desk.text(QStringLiteral("message/text")).contains(QString::number(written)));
}

// A plot that shows ghosts on screen also has them in its file, and their rows in its table.
TEST_CASE("exports: pins are drawn, named and tabulated in every plot that shows them", "[exports]") {
    const Scenario first = Scenario::first_launch(commands::catalogue());
    const Measurement own{MeasuredKind::tokens_per_s_per_gpu, 4000, 64};
    const SavedView view{{}, {}, own};
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

namespace {

// Returns the texts that an SVG draws above its caption, with their font sizes in px; the page is `reduced`
// times as large as it is printed.
struct DrawnText {
    QString text;
    double pixels;  // in print
    double y;
};
std::vector<DrawnText> texts_in(const QByteArray& svg) {
    std::vector<DrawnText> out;
    QXmlStreamReader xml(svg);
    QList<QTransform> ways{{}};
    QList<double> sizes{0};
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isStartElement()) {
            QTransform way = ways.back();
            double size = sizes.back();
            const auto attributes = xml.attributes();
            static const QRegularExpression kMatrix(QStringLiteral("matrix\\(([^)]*)\\)"));
            const auto matrix = kMatrix.match(attributes.value(QStringLiteral("transform")).toString());
            if (matrix.hasMatch()) {
                const QStringList n = matrix.captured(1).split(QLatin1Char(','));
                way = QTransform(n[0].toDouble(), n[1].toDouble(), n[2].toDouble(), n[3].toDouble(),
                                 n[4].toDouble(), n[5].toDouble()) *
                      way;
            }
            if (attributes.hasAttribute(QStringLiteral("font-size")))
                size = attributes.value(QStringLiteral("font-size")).toDouble();
            ways << way;
            sizes << size;
            if (xml.name() == QStringLiteral("text")) {
                const QPointF at = way.map(QPointF(attributes.value(QStringLiteral("x")).toDouble(),
                                                   attributes.value(QStringLiteral("y")).toDouble()));
                const double pixels = size * std::sqrt(std::fabs(way.determinant()));
                out.push_back({xml.readElementText().trimmed(), pixels, at.y()});
                ways.removeLast();
                sizes.removeLast();
            }
        } else if (xml.isEndElement()) {
            ways.removeLast();
            sizes.removeLast();
        }
    }
    REQUIRE_FALSE(xml.hasError());
    return out;
}

// Six pins that differ in speed and memory, one of them in a GPU that is too small and one 30 times as slow.
std::vector<Pin> six_pins(const Scenario& first, const SavedView& view) {
    const std::vector<std::pair<P, double>> edits{{P::inter_node_bandwidth, 12.5e9},
                                                  {P::sequence_length, 1024},
                                                  {P::gpus, 128},
                                                  {P::micro_batch, 1},
                                                  {P::accumulation, 30},
                                                  {P::peak_flops, 500e12}};
    std::vector<Pin> out;
    char letter = 'B';
    for (const auto& [id, value] : edits) {
        Scenario other = edited(first, id, value);
        out.push_back({letter++, answer(other), view});
    }
    return out;
}

}  // namespace

TEST_CASE("exports: every pin has its letter in every plot that draws pins, at every size", "[exports]") {
    const Scenario first = Scenario::first_launch(commands::catalogue());
    const Measurement own{MeasuredKind::tokens_per_s_per_gpu, 4000, 64};
    const SavedView view{{}, {}, own};
    const Answer now = answer(first);
    for (const PlotKind* kind : plot_kinds()) {
        for (const int width : {960, 321}) {
            INFO(kind->name << " " << width);
            FigureRequest request;
            request.plot = kind->name;
            request.view = view;
            request.size = QSize(width, 600);
            request.own_height = width == 960;
            request.pins = six_pins(first, view);
            request = with_height(with_computed_data(request, now), now);
            const std::vector<DrawnText> texts = texts_in(render_figure(request, now, FigureFormat::svg));
            // The caption names the pins, too, but its texts are below the figure.
            const auto setting = std::ranges::find_if(
                texts, [](const DrawnText& one) { return one.text.startsWith(QStringLiteral("Model:")); });
            const double bottom = setting == texts.end() ? request.size.height() : setting->y;
            for (const Pin& pin : request.pins) {
                if (kind->shows_pin && !kind->shows_pin(request, pin)) continue;
                const QChar letter = QLatin1Char(pin.letter);
                const auto names = [&](const DrawnText& one) {
                    static const QRegularExpression kWords(QStringLiteral("[^A-Za-z0-9]+"));
                    return one.y < bottom && (one.text.split(kWords).contains(QString(letter)) ||
                                              (one.text.size() <= 6 && one.text == one.text.toUpper() &&
                                               one.text.contains(letter)));
                };
                INFO("pin " << pin.letter);
                CHECK(std::ranges::any_of(texts, names));
            }
        }
    }
}

TEST_CASE("exports: captions and footers have at least 7 pt in print", "[exports]") {
    const Answer now = answer(Scenario::first_launch(commands::catalogue()));
    for (const PlotKind* kind : plot_kinds()) {
        for (const QSize size : {QSize(960, 600), QSize(321, 0), QSize(643, 0), QSize(1280, 720)}) {
            INFO(kind->name << " " << size.width());
            FigureRequest request;
            request.plot = kind->name;
            request.size = size;
            request.own_height = size.height() > 0;
            if (kind->name == "difference") request.pins.push_back({'B', now, {}});
            const std::vector<DrawnText> texts = texts_in(render_figure(request, now, FigureFormat::svg));
            REQUIRE_FALSE(texts.empty());
            // From the sentence about the scenario on; general figures have only a footer.
            double first = 0;
            for (const DrawnText& one : texts) first = std::max(first, one.y);
            for (const DrawnText& one : texts) {
                if (one.text.startsWith(QStringLiteral("Model:"))) first = one.y;
            }
            for (const DrawnText& one : texts) {
                if (one.y >= first) CHECK(one.pixels * 72 / 96 >= 7);
            }
        }
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
