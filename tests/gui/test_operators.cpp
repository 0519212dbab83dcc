// Tests the Operators and Collectives tabs through real events on the real main window.
#include <qcustomplot.h>

#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QSlider>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "evidence/bandwidth_curve.h"
#include "evidence/fabric_fit.h"
#include "model/operator_time.h"
#include "support/desk.h"
#include "support/german.h"
#include "text/csv.h"
#include "widgets/drawn_words.h"
#include "widgets/plots/collectives/collectives_plot.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/operators/operator_grid.h"
#include "widgets/plots/operators/operators_data.h"
#include "widgets/plots/operators/operators_plot.h"

using namespace shardscope;

namespace {

class OperatorsDesk : public testing::Desk {
  public:
    template <typename Plot>
    Plot& open_tab(const char* name) {
        find<QTabWidget>("tabs")->setCurrentWidget(find<QWidget>(name));
        QApplication::processEvents();
        find<QCustomPlot>(QLatin1String(name) + QStringLiteral("/plot"))->replot();
        return *find<Plot>(name);
    }
    LiveModel& model() { return window.model(); }
};

QString cell(const QTableView& list, int row, int column) {
    return list.model()->index(row, column).data().toString();
}
int row_named(const QTableView& list, const QString& name) {
    for (int row = 0; row < list.model()->rowCount(); ++row) {
        if (cell(list, row, 0) == name) return row;
    }
    FAIL("no row " << name.toStdString());
    return -1;
}
int column_named(const QTableView& list, const QString& name) {
    for (int column = 0; column < list.model()->columnCount(); ++column) {
        if (list.model()->headerData(column, Qt::Horizontal).toString() == name) return column;
    }
    FAIL("no column " << name.toStdString());
    return -1;
}

// Returns a log of nccl-tests that follows a given law: 16 GPUs on two hosts.
QString log_of(const BandwidthCurve& curve) {
    QString out = QStringLiteral(
        "# nThread 1 nGpus 1 minBytes 131072 maxBytes 4294967296 step: 2(factor) warmup iters: 5 iters: 20\n"
        "# Using devices\n");
    for (int rank = 0; rank < 16; ++rank) {
        out += QStringLiteral("#  Rank %1 Group  0 Pid  100 on host%2 device  0 [0x00] NVIDIA H100\n")
                   .arg(rank)
                   .arg(rank / 8);
    }
    out += QStringLiteral(
        "#\n# Collective test starting: all_gather_perf\n"
        "#                                                              out-of-place                       "
        "in-place\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   "
        "algbw   busbw #wrong\n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  "
        "(GB/s)  (GB/s)\n");
    for (double bytes = 131072; bytes < 8e9; bytes *= 2) {
        const double bus = curve.at(bytes);
        const double algorithm = bus * 16 / 15;
        const double time = bytes / algorithm * 1e6;
        out += QStringLiteral("%1 %2 float none -1 %3 %4 %5 0 %3 %4 %5 0\n")
                   .arg(bytes, 0, 'f', 0)
                   .arg(bytes / 4 / 16, 0, 'f', 0)
                   .arg(time, 0, 'f', 3)
                   .arg(algorithm / 1e9, 0, 'f', 2)
                   .arg(bus / 1e9, 0, 'f', 2);
    }
    return out;
}

}  // namespace

TEST_CASE("operators tab: rows show the engine's numbers and follow a slider in place", "[operators]") {
    OperatorsDesk desk;
    auto& plot = desk.open_tab<OperatorsPlot>("operators");
    auto* list = desk.find<OperatorGrid>("operators/list");
    const int qkv = row_named(*list, QStringLiteral("attention.qkv"));
    const int forward = column_named(*list, QStringLiteral("Forward"));
    const int share = column_named(*list, QStringLiteral("Of step"));
    const Compiled& before = desk.model().answer().compiled;
    const auto qkv_time = [](const Compiled& c) {
        for (const Operator& op : c.operators.of_kind[0].operators) {
            if (op.name == "attention.qkv") return forward_time(op, c.gpu).total();
        }
        return 0.0;
    };
    CHECK(cell(*list, qkv, forward).toStdString() == format(qkv_time(before), Quantity::seconds));
    const int rows = list->model()->rowCount();
    CHECK(cell(*list, rows - 1, share) == QStringLiteral("100.0 %"));

    const QString narrow = cell(*list, qkv, forward);
    list->setCurrentIndex(list->model()->index(qkv, 0));
    desk.drag("training.micro_batch", 0.1, 0.3, 6);
    CHECK(desk.model().answer().settings[P::micro_batch] > 2);
    CHECK(list->model()->rowCount() == rows);
    CHECK(cell(*list, qkv, forward) != narrow);
    // The same row is still selected.
    CHECK(list->currentIndex().row() == qkv);
    CHECK(plot.figure().highlight().has_value());
    CHECK(plot.figure().data().table.seconds == desk.estimate().step.total);
}

TEST_CASE("operators tab: the roof of each low precision is above all of its matrices", "[operators]") {
    for (const Precision precision : {Precision::bf16, Precision::fp8, Precision::mxfp8, Precision::nvfp4}) {
        Scenario scenario = Scenario::first_launch(commands::catalogue());
        scenario.cluster = commands::catalogue().find(PresetKind::cluster, "dgx-b200");
        scenario.give(P::precision, precision);
        const Answer subject = answer(scenario);
        REQUIRE(subject.valid());
        const OperatorsData data = operators_data(subject, true);
        INFO(written(P::precision, Value(precision)));
        // The peak of the data sheet, times the efficiency of large matrices in that precision.
        const GpuRates& gpu = subject.compiled.gpu;
        const double rate = precision == Precision::bf16 ? gpu.peak : gpu.peak_low;
        CHECK(data.reached_peak == Approx(rate * gpu.gemm_efficiency));
        double fastest = 0;
        for (const OperatorRow& row : data.table.rows) fastest = std::max(fastest, data.achieved(row));
        CHECK(fastest <= data.reached_peak);
    }
}

TEST_CASE("operators tab: a dot and its row are selected together", "[operators]") {
    OperatorsDesk desk;
    auto& plot = desk.open_tab<OperatorsPlot>("operators");
    auto* list = desk.find<OperatorGrid>("operators/list");
    const auto& rows = plot.figure().data().table.rows;
    std::size_t core = 0;
    while (rows[core].name != "attention.core") ++core;
    auto* canvas = desk.find<QCustomPlot>("operators/plot");
    QTest::mouseMove(canvas, plot.figure().pixel_of(core).toPoint());
    REQUIRE(plot.figure().highlight() == core);
    CHECK(list->currentIndex().row() == list->line_of(core));
    CHECK(operator_words(plot.figure().data(), core).contains(QStringLiteral("bound by compute")));

    // Selecting the row by keys selects the dot.
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Down);
    REQUIRE(plot.figure().highlight().has_value());
    CHECK(list->line_of(*plot.figure().highlight()) == list->currentIndex().row());
    CHECK(rows[*plot.figure().highlight()].name == "attention.output");
}

TEST_CASE("operators tab: the rows are sorted by time, and other columns can be chosen", "[operators]") {
    OperatorsDesk desk;
    auto& plot = desk.open_tab<OperatorsPlot>("operators");
    auto* list = desk.find<OperatorGrid>("operators/list");
    auto* order = desk.find<QComboBox>("operators/order");
    order->setFocus();
    QTest::keyClick(order, Qt::Key_Down);
    const auto& rows = plot.figure().data().table.rows;
    double last = 1e9;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            if (list->line_of(j) != static_cast<int>(i)) continue;
            CHECK(rows[j].step <= last);
            last = rows[j].step;
        }
    }
    const int shape = column_named(*list, QStringLiteral("M × N × K"));
    CHECK(list->isColumnHidden(shape));
    auto* columns = desk.find<QComboBox>("operators/columns");
    columns->setFocus();
    QTest::keyClick(columns, Qt::Key_Down);
    CHECK_FALSE(list->isColumnHidden(shape));
    CHECK(cell(*list, row_named(*list, QStringLiteral("mlp.up")), shape) ==
          QStringLiteral("4,096 × 20,480 × 5,120"));
}

TEST_CASE("operators tab: a scenario that does not fit has no times, only sizes", "[operators]") {
    OperatorsDesk desk;
    desk.model().replace(edited(Scenario::first_launch(), P::sequence_length, 65536), QStringLiteral("test"));
    auto& plot = desk.open_tab<OperatorsPlot>("operators");
    auto* list = desk.find<OperatorGrid>("operators/list");
    const int qkv = row_named(*list, QStringLiteral("attention.qkv"));
    CHECK(cell(*list, qkv, column_named(*list, QStringLiteral("Forward"))) == QStringLiteral("–"));
    CHECK_FALSE(cell(*list, qkv, column_named(*list, QStringLiteral("FLOPs"))).isEmpty());
    for (const OperatorRow& row : plot.figure().data().table.rows)
        CHECK_FALSE(plot.figure().data().drawn(row));
}

TEST_CASE("operators tab: the list never covers the plot", "[operators]") {
    OperatorsDesk desk;
    desk.type("training.sequence_length", QStringLiteral("65536"));
    desk.open_tab<OperatorsPlot>("operators");
    for (const int height : {700, 768, 900}) {
        desk.window.resize(1024, height);
        QApplication::processEvents();
        auto* canvas = desk.find<QCustomPlot>("operators/plot");
        const auto* list = desk.find<QTableView>("operators/list");
        CAPTURE(height);
        CHECK_FALSE(canvas->geometry().intersects(list->geometry()));
        const auto words = drawn_words(*canvas);
        CHECK(std::ranges::any_of(words, [&](const DrawnWord& word) {
            return word.text == QStringLiteral("FLOPs per byte of device memory") &&
                   QRectF(canvas->rect()).contains(word.box);
        }));
    }
}

TEST_CASE("operators tab: no number of the list is cut off, including the bold ones of sums", "[operators]") {
    OperatorsDesk desk;
    desk.open_tab<OperatorsPlot>("operators");
    const auto* list = desk.find<QTableView>("operators/list");
    auto* columns = desk.find<QComboBox>("operators/columns");
    for (const char* model : {"mpt-13b", "llama-3.1-405b", "deepseek-v3", "resnet-50"}) {
        const Preset* preset = commands::catalogue().find(PresetKind::model, model);
        REQUIRE(preset);
        desk.model().start_with(with_model(desk.model().answer().scenario, *preset));
        for (const QSize size : {QSize(1024, 700), QSize(1440, 900), QSize(2560, 1440)}) {
            desk.window.resize(size);
            QApplication::processEvents();
            for (const int shown : {0, 1}) {
                columns->setCurrentIndex(shown);
                QApplication::processEvents();
                // The first column has the remaining width, and a tool tip.
                for (int column = 1; column < list->model()->columnCount(); ++column) {
                    if (list->isColumnHidden(column)) continue;
                    for (int row = 0; row < list->model()->rowCount(); ++row) {
                        const QModelIndex at = list->model()->index(row, column);
                        INFO(model << " at " << size.width() << ": " << at.data().toString().toStdString());
                        CHECK(list->sizeHintForIndex(at).width() <= list->columnWidth(column));
                    }
                }
            }
        }
    }
}

TEST_CASE("operators tab: a name is beside its dot or has a line to it, and every roof is named",
          "[operators]") {
    OperatorsDesk desk;
    auto& plot = desk.open_tab<OperatorsPlot>("operators");
    auto* canvas = desk.find<QCustomPlot>("operators/plot");
    for (const QSize size : {QSize(1024, 700), QSize(1440, 900)}) {
        for (const int micro_batch : {2, 5}) {
            desk.window.resize(size);
            desk.model().edit(P::micro_batch, micro_batch);
            QApplication::processEvents();
            const std::vector<DrawnWord> words = drawn_words(*canvas);
            CAPTURE(size.width(), micro_batch);
            const auto is_drawn = [&](const QString& start) {
                return std::ranges::any_of(words,
                                           [&](const auto& word) { return word.text.startsWith(start); });
            };
            CHECK(is_drawn(QStringLiteral("matrices reach ")));
            CHECK(is_drawn(QStringLiteral("memory reaches ")));
            CHECK(is_drawn(QStringLiteral("peak ")));
            const OperatorsData& data = plot.figure().data();
            // Names by operator; dots that overlap have their names below each other.
            std::map<std::size_t, QRectF> names;
            for (std::size_t i = 0; i < data.table.rows.size(); ++i) {
                const QString start =
                    QString::fromStdString(std::string(data.table.rows[i].name)) + QLatin1Char(' ');
                const auto name = std::ranges::find_if(
                    words, [&](const DrawnWord& word) { return word.text.startsWith(start); });
                if (data.drawn(data.table.rows[i]) && name != words.end()) names[i] = name->box;
            }
            for (const auto& named : names) {
                CAPTURE(data.table.rows[named.first].name);
                QRectF block = named.second;
                for (std::size_t n = 0; n < names.size(); ++n) {
                    for (const auto& other : names) {
                        if (block.adjusted(0, -2, 0, 2).intersects(other.second)) block |= other.second;
                    }
                }
                constexpr double kDot = 14;  // px, the radius of overlapping dots
                const QPointF dot = plot.figure().pixel_of(named.first);
                // The names of dots that overlap are beside one of them.
                const bool beside = std::ranges::any_of(names, [&](const auto& other) {
                    const QPointF near_dot = plot.figure().pixel_of(other.first);
                    return QLineF(dot, near_dot).length() <= kDot &&
                           block.adjusted(-kDot, -kDot, kDot, kDot).contains(near_dot);
                });
                const QRectF near = block.adjusted(-4, -4, 4, 4);
                const bool led = std::ranges::any_of(drawn_lines(*canvas), [&](const QLineF& line) {
                    return near.contains(line.p2()) && QLineF(line.p1(), dot).length() <= 2 * kDot;
                });
                CHECK((beside || led));
            }
            CHECK(names.size() >= 4);
        }
    }
}

TEST_CASE("operators tab: a pin's roof stays", "[operators][pins]") {
    OperatorsDesk desk;
    auto& plot = desk.open_tab<OperatorsPlot>("operators");
    desk.model().pin();
    const double pinned = plot.figure().data().reached_bandwidth;
    desk.model().edit(P::memory_bandwidth, 2 * desk.model().answer().settings[P::memory_bandwidth]);
    QApplication::processEvents();
    REQUIRE(plot.figure().ghosts().size() == 1);
    CHECK(plot.figure().ghosts().front().letter == 'B');
    CHECK(plot.figure().ghosts().front().reached_bandwidth == pinned);
    CHECK(plot.figure().data().reached_bandwidth == Approx(2 * pinned));
    desk.model().unpin_all();
    CHECK(plot.figure().ghosts().empty());
}

TEST_CASE("operators: the exported table adds up and the figure names the roofs", "[operators][figures]") {
    const Answer now = answer(Scenario::first_launch());
    FigureRequest request;
    request.plot = "operators";
    const auto rows = read_csv(render_figure(request, now, FigureFormat::csv).toStdString());
    const auto& header = rows[0].fields;
    const auto at = [&](const char* column) {
        return static_cast<std::size_t>(std::ranges::find(header, column) - header.begin());
    };
    double sum = 0;
    for (const CsvRow& row : rows) {
        const bool part = row.fields[at("kind")] != "total" && row.fields[at("kind")] != "kind";
        if (part && row.fields[at("operator")] != "total")
            sum += std::atof(row.fields[at("step[ms]")].c_str());
    }
    CHECK(sum == Approx(now.estimate.step.total * 1e3).epsilon(1e-9));
    const QByteArray svg = render_figure(request, now, FigureFormat::svg);
    CHECK(svg.contains("FLOPs per byte"));
    CHECK(svg.contains("memory reaches"));
    CHECK(svg == render_figure(request, now, FigureFormat::svg));
}

TEST_CASE("operators: ResNet-50 is shown in the window, and the sequence slider does not move",
          "[operators][listed]") {
    OperatorsDesk desk;
    const Catalogue& catalogue = desk.model().catalogue();
    desk.model().edit(P::sequence_length, 4096);
    desk.model().apply_model(*catalogue.find(PresetKind::model, "resnet-50"));
    QApplication::processEvents();
    REQUIRE(desk.model().answer().valid());
    CHECK_FALSE(desk.slider("training.sequence_length")->isEnabled());
    CHECK(desk.slider("training.sequence_length")
              ->accessibleDescription()
              .contains(QStringLiteral("list of operators")));
    CHECK_FALSE(desk.slider("training.tensor_parallel")->isEnabled());
    CHECK(desk.slider("model.image_size")->isEnabled());
    auto& plot = desk.open_tab<OperatorsPlot>("operators");
    CHECK(plot.figure().data().table.blocks.size() == 10);
    auto* list = desk.find<OperatorGrid>("operators/list");
    row_named(*list, QStringLiteral("projection"));
    CHECK(desk.text("headline/training-tokens") == QStringLiteral("training tokens not given"));
    // One undo restores the transformer and its sequence.
    desk.model().undo_stack()->undo();
    QApplication::processEvents();
    CHECK(desk.model().answer().settings[P::sequence_length] == 4096);
    CHECK(desk.slider("training.sequence_length")->isEnabled());
}

TEST_CASE("collectives tab: it shows the table for the scenario's GPU, its points and its fit",
          "[collectives]") {
    OperatorsDesk desk;
    auto& plot = desk.open_tab<CollectivesPlot>("collectives");
    const CollectivesFigure& figure = plot.figure();
    CHECK(figure.data().current().measured.name == "h100-node");
    CHECK(figure.data().series.size() == 6);
    CHECK(desk.find<QCustomPlot>("collectives/plot") != nullptr);
    const auto last = figure.data().current().measured.table.points.size() - 1;
    CHECK(figure.point_at(figure.pixel_of(last)) == last);
    // The engine's curve is for the scenario's own network.
    const CollectiveTable table = figure.data().current().measured.table;
    const double before = figure.data().engine(table, 1e9);
    desk.model().edit(P::intra_node_bandwidth, 225e9);
    QApplication::processEvents();
    CHECK(plot.figure().data().engine(table, 1e9) < 0.6 * before);
    auto* tables = desk.find<QComboBox>("collectives/tables");
    tables->setFocus();
    QTest::keyClick(tables, Qt::Key_Home);
    CHECK(plot.figure().data().shown == 0);
}

TEST_CASE("collectives tab: every curve has its name, and no two names overlap", "[collectives]") {
    OperatorsDesk desk;
    auto& plot = desk.open_tab<CollectivesPlot>("collectives");
    auto* canvas = desk.find<QCustomPlot>("collectives/plot");
    for (const QSize size : {QSize(1024, 700), QSize(1440, 900)}) {
        desk.window.resize(size);
        QApplication::processEvents();
        for (std::size_t shown = 0; shown < plot.figure().data().series.size(); ++shown) {
            desk.find<QComboBox>("collectives/tables")->setCurrentIndex(static_cast<int>(shown));
            QApplication::processEvents();
            const CollectivesData& data = plot.figure().data();
            CAPTURE(size.width(), shown);
            std::vector<QRectF> boxes;
            std::vector<QString> names{QStringLiteral("the engine")};
            for (const CollectiveSeries& series : data.series)
                names.push_back(QString::fromStdString(series.where()));
            const auto words = drawn_words(*canvas);
            for (const QString& name : names) {
                CAPTURE(name.toStdString());
                REQUIRE(std::ranges::count(words, name, &DrawnWord::text) == 1);
                const QRectF box = std::ranges::find(words, name, &DrawnWord::text)->box;
                CHECK(QRectF(canvas->rect()).contains(box));
                // The boxes are those of the ink, because lines of text may be as close as their letters
                // allow.
                const QRectF ink = box.adjusted(0, 2, 0, -2);
                for (const QRectF& other : boxes) CHECK_FALSE(other.intersects(ink));
                boxes.push_back(ink);
            }
            // The axes contain the drawn curves and little else.
            double least = 1e30;
            for (const CollectivePoint& point : data.current().measured.table.points) {
                if (point.bytes >= 8192 && point.bus_bandwidth > 0)
                    least = std::min(least, point.bus_bandwidth);
            }
            constexpr double kLittle = 1e8;  // B/s; lower values may be cut off
            CHECK(canvas->yAxis->range().lower <= std::max(least, kLittle));
            CHECK(canvas->yAxis->range().lower > 1e7);
        }
    }
}

TEST_CASE("collectives tab: no curve crosses the words in the corner of a small window", "[collectives]") {
    const bool german = GENERATE(false, true);
    const testing::German language(german);
    OperatorsDesk desk;
    desk.window.resize(1024, 700);
    auto& plot = desk.open_tab<CollectivesPlot>("collectives");
    auto* canvas = desk.find<QCustomPlot>("collectives/plot");
    for (std::size_t shown = 0; shown < plot.figure().data().series.size(); ++shown) {
        desk.find<QComboBox>("collectives/tables")->setCurrentIndex(static_cast<int>(shown));
        QApplication::processEvents();
        const CollectivesData& data = plot.figure().data();
        const CollectiveSeries& series = data.current();
        const QRect frame = canvas->axisRect()->rect();
        int found = 0;
        for (const DrawnWord& word : drawn_words(*canvas)) {
            if (word.box.top() < frame.center().y() || word.box.bottom() > frame.bottom() ||
                word.box.right() < frame.right()) {
                continue;
            }
            ++found;
            CAPTURE(german, shown, word.text.toStdString());
            for (const CollectiveSeries& other : data.series) {
                const auto& points = other.measured.table.points;
                if (other.fit.points == 0 || points.empty()) continue;
                for (double bytes = kSmallestFitted; bytes <= points.back().bytes; bytes *= 1.05) {
                    for (const double bandwidth :
                         {other.fit.curve.at(bytes), data.engine(series.measured.table, bytes)})
                        CHECK_FALSE(word.box.contains(
                            {canvas->xAxis->coordToPixel(bytes), canvas->yAxis->coordToPixel(bandwidth)}));
                }
            }
        }
        CHECK(found > 3);
    }
}

TEST_CASE("collectives tab: a user's log is fitted, and its network constants can be adopted",
          "[collectives]") {
    const BandwidthCurve truth{300e9, 0.65, 25};
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("nodes.log")));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write(log_of(truth).toUtf8());
    file.close();
    OperatorsDesk desk;
    auto& plot = desk.open_tab<CollectivesPlot>("collectives");
    auto* take = desk.find<QToolButton>("collectives/take");
    CHECK_FALSE(take->isEnabled());
    Problems missing;
    CHECK_FALSE(plot.add_log(folder.filePath(QStringLiteral("none.log")).toStdString(), missing));
    CHECK_FALSE(missing.empty());
    CHECK(plot.figure().data().series.size() == 6);
    Problems problems;
    REQUIRE(plot.add_log(file.fileName().toStdString(), problems));
    for (const Problem& problem : problems) UNSCOPED_INFO(problem.text());
    REQUIRE(problems.empty());
    const CollectivesData& data = plot.figure().data();
    REQUIRE(data.series.size() == 7);
    CHECK(data.shown == 0);
    CHECK(data.current().own);
    CHECK(data.current().fit.curve.most == Approx(truth.most).epsilon(0.02));
    CHECK(data.current().fit.curve.half == Approx(truth.half).margin(0.1));
    CHECK(desk.find<QComboBox>("collectives/tables")->currentText().contains(QStringLiteral("nodes.log")));
    // An export shows the same.
    const FigureRequest request = plot.request();
    CHECK(render_figure(request, desk.model().answer(), FigureFormat::csv).contains("nodes.log"));

    const double before = desk.model().answer().settings[P::network_efficiency];
    REQUIRE(take->isEnabled());
    QTest::mouseClick(take, Qt::LeftButton);
    CHECK(desk.model().scenario().is_given(P::network_efficiency));
    // The fit gives 300 of the 8 × 50 GB/s of a node's adapters.
    CHECK(desk.model().answer().settings[P::network_efficiency] == Approx(0.75).epsilon(0.06));
    desk.model().undo_stack()->undo();
    CHECK(desk.model().answer().settings[P::network_efficiency] == before);
}

TEST_CASE("collectives: a log that is dropped on the window is shown beside the others", "[collectives]") {
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("nodes.log")));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write(log_of({300e9, 0.65, 25}).toUtf8());
    file.close();
    OperatorsDesk desk;
    const Scenario start = desk.model().scenario();
    desk.drop(file.fileName());
    auto* plot = desk.find<CollectivesPlot>("collectives");
    CHECK(desk.find<QTabWidget>("tabs")->currentWidget() == plot);
    CHECK(desk.find<QComboBox>("collectives/tables")->currentText().contains(QStringLiteral("nodes.log")));
    // The log does not change the scenario.
    CHECK(desk.window.model().scenario() == start);
    CHECK_FALSE(desk.find<QWidget>("message")->isVisible());

    // Of two tables one is usable: it is shown, and the other is named.
    QFile half(folder.filePath(QStringLiteral("half.log")));
    REQUIRE(half.open(QIODevice::WriteOnly));
    half.write((log_of({300e9, 0.65, 25}) +
                log_of({200e9, 0.65, 25})
                    .replace(QStringLiteral("all_gather_perf"), QStringLiteral("broadcast_perf")))
                   .toUtf8());
    half.close();
    REQUIRE(desk.window.documents().open(half.fileName()));
    CHECK(desk.find<QComboBox>("collectives/tables")->currentText().contains(QStringLiteral("half.log")));
    CHECK(desk.find<QWidget>("message")->isVisible());
    CHECK(desk.text("message/text").contains(QStringLiteral("half.log")));
    CHECK(desk.text("message/text").contains(QStringLiteral("broadcast_perf")));

    QFile broken(folder.filePath(QStringLiteral("broken.log")));
    REQUIRE(broken.open(QIODevice::WriteOnly));
    broken.write("# size count type redop root time algbw busbw #wrong\n rubbish\n");
    broken.close();
    CHECK_FALSE(desk.window.documents().open(broken.fileName()));
    CHECK(desk.text("message/text").contains(QStringLiteral("broken.log")));
}
