// Tests figures: every plot in every format, the contents of the files, and the live scaling plot as an
// input.
#include <qcustomplot.h>

#include <QApplication>
#include <QBuffer>
#include <QCheckBox>
#include <QComboBox>
#include <QImage>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSvgGenerator>
#include <QTest>
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "evidence/runs.h"
#include "files/scenario_file.h"
#include "support/desk.h"
#include "support/german.h"
#include "support/svg.h"
#include "text/csv.h"
#include "widgets/carried_scenario.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/drawing.h"
#include "widgets/drawn_words.h"
#include "widgets/live_model.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/scaling/scaling_plot.h"
#include "widgets/plots/sweep/sweep_figure.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

const std::vector<std::string> kPlots{"scaling", "walls", "memory", "waterfall", "sweep"};

FigureRequest request(const std::string& plot) {
    FigureRequest out;
    out.plot = plot;
    return out;
}

Answer first() { return answer(Scenario::first_launch()); }
Answer too_long() { return answer(edited(Scenario::first_launch(), P::sequence_length, 16384)); }

// Returns the distance in px from a box to a curve of the scaling plot.
double distance_to_curve(const QCustomPlot& plot, const Curve& curve,
                         const std::function<double(const CurvePoint&)>& value, const QRectF& box) {
    double best = 1e9;
    const auto at = [&](const CurvePoint& point) {
        return QPointF(plot.xAxis->coordToPixel(point.x), plot.yAxis->coordToPixel(value(point)));
    };
    for (std::size_t i = 1; i < curve.size(); ++i) {
        const QPointF a = at(curve[i - 1]);
        const QPointF b = at(curve[i]);
        if (std::isnan(a.y()) || std::isnan(b.y())) continue;
        for (int part = 0; part <= 8; ++part) best = std::min(best, distance_to(box, a + (b - a) * part / 8));
    }
    return best;
}

// The plot at the size of the window's design, drawn once.
struct LiveScaling {
    LiveModel model{Catalogue::shipped()};
    ScalingPlot plot{model};
    QCustomPlot* canvas = plot.findChild<QCustomPlot*>(QStringLiteral("scaling/plot"));

    LiveScaling() {
        plot.resize(543, 562);
        plot.show();
        QApplication::processEvents();
        canvas->replot();
    }
    QPoint at(double gpus) {
        return {static_cast<int>(std::lround(plot.figure().pixel_of(gpus))), canvas->height() / 2};
    }
};

}  // namespace

TEST_CASE("every plot is drawn in every format, with the same bytes each time", "[figures]") {
    const std::string plot =
        GENERATE("scaling", "walls", "memory", "waterfall", "sweep", "plans", "validation");
    const bool fits = GENERATE(true, false);
    const Answer subject = fits ? first() : too_long();
    REQUIRE(subject.fits() == fits);
    for (const auto format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png, FigureFormat::csv}) {
        QString problem;
        const QByteArray bytes = render_figure(request(plot), subject, format, &problem);
        CAPTURE(plot, fits, static_cast<int>(format));
        CHECK(problem.isEmpty());
        CHECK(bytes.size() > 100);
        CHECK(bytes == render_figure(request(plot), subject, format));
    }
}

TEST_CASE("a figure that cannot be made gives the reason", "[figures]") {
    QString problem;
    CHECK(render_figure(request("walls-of-jericho"), first(), FigureFormat::svg, &problem).isEmpty());
    CHECK(problem.contains(QStringLiteral("walls-of-jericho")));
    FigureRequest empty_axis = request("sweep");
    empty_axis.options = SweepOptions{.axes = {{P::gpus, {}}}};
    problem.clear();
    CHECK(render_figure(empty_axis, first(), FigureFormat::csv, &problem).isEmpty());
    CHECK_FALSE(problem.isEmpty());
}

TEST_CASE("an SVG is valid XML with its words as text", "[figures]") {
    for (const std::string& plot : kPlots) {
        const Svg svg = read_svg(render_figure(request(plot), first(), FigureFormat::svg));
        CAPTURE(plot);
        CHECK(svg.parses);
        const QString all = svg.texts.join(QLatin1Char(' '));
        CHECK(all.contains(QStringLiteral("MPT-13B")));
        CHECK(all.contains(QStringLiteral("64 ")));
        CHECK(all.contains(QStringLiteral("Shardscope")));
    }
    const Svg scaling = read_svg(render_figure(request("scaling"), first(), FigureFormat::svg));
    CHECK(scaling.texts.contains(QStringLiteral("GPUs")));
    CHECK(scaling.texts.contains(QStringLiteral("does not fit")));
    // The labels mark where the network begins, and where more GPUs gain little.
    CHECK(scaling.texts.contains(QStringLiteral("one node")));
    CHECK(scaling.texts.filter(QRegularExpression(QStringLiteral("^knee at [0-9,]+ GPUs$"))).size() == 1);
    // The map's contours are labelled with their values.
    const Svg walls = read_svg(render_figure(request("walls"), first(), FigureFormat::svg));
    CHECK(walls.texts.filter(QRegularExpression(QStringLiteral("^[1-5]0 %$"))).size() >= 2);
}

TEST_CASE("a label keeps the same distance from a long line as from a short one", "[figures]") {
    LabelPlacer room(QRectF(0, 0, 400, 400));
    room.avoid(QPolygonF({QPointF(100, 0), QPointF(100, 400)}));
    const QSizeF size(40, 14);
    CHECK(room.place(size, {{80, 120}, {110, 120}}) == QRectF(QPointF(110, 120), size));
    // A diagonal has no effect beyond its ends, either.
    room.avoid(QPolygonF({QPointF(200, 200), QPointF(260, 260)}));
    CHECK(room.place(size, {{205, 205}, {300, 300}}) == QRectF(QPointF(300, 300), size));
    CHECK(room.place(size, {{270, 270}}, 0) == QRectF(QPointF(270, 270), size));
}

TEST_CASE("scaling: what does not fit shows memory against the limit with all its names", "[figures]") {
    const Scenario long_context =
        edited(edited(Scenario::first_launch(), P::sequence_length, 8192), P::micro_batch, 4);
    const Answer subject = answer(long_context);
    REQUIRE_FALSE(subject.fits());
    // The caption below the figure explains all lines, so it is left out.
    const auto words = [](const Answer& shown) {
        QStringList texts = read_svg(render_figure(request("scaling"), shown, FigureFormat::svg)).texts;
        texts.removeIf([](const QString& text) { return text.startsWith(QLatin1String("Solid")); });
        return texts;
    };
    const QStringList texts = words(subject);
    CHECK(texts.contains(QStringLiteral("memory of a GPU, GiB")));
    CHECK(texts.contains(QStringLiteral("usable 79.1 GiB")));
    CHECK(texts.contains(QStringLiteral("does not fit in 79.1 GiB")));
    CHECK(texts.contains(QStringLiteral("model states")));
    CHECK(texts.contains(QStringLiteral("working memory")));
    CHECK(texts.filter(QStringLiteral("after: ")).size() == 1);
    CHECK(texts.filter(QStringLiteral("MFU, %")).isEmpty());
    const QStringList fitting = words(first());
    CHECK(fitting.filter(QStringLiteral("strong")).size() == 1);
    CHECK(!fitting.filter(QStringLiteral("other settings")).isEmpty());
}

TEST_CASE("the words in a hatched area keep off the lines that cross it", "[figures]") {
    const QRectF area(0, 0, 300, 60);
    const auto center = [&](const QPolygonF& line) {
        QImage image(300, 60, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        LabelPlacer room(area);
        room.avoid(line);
        draw_area_words(painter, area, {QStringLiteral("does not fit"), QFont(), Qt::black}, Qt::white, room);
        painter.end();
        int left = image.width();
        int right = 0;
        for (int x = 0; x < image.width(); ++x) {
            for (int y = 0; y < image.height(); ++y) {
                if (image.pixelColor(x, y).lightness() > 128) continue;
                left = std::min(left, x);
                right = std::max(right, x);
            }
        }
        return (left + right) / 2.0;
    };
    CHECK(center({}) == Approx(150).margin(2));
    const double beside = center({QPointF(150, 0), QPointF(150, 60)});
    CHECK(std::fabs(beside - 150) > 40);
}

TEST_CASE("a segment of the wall strip has its whole name, a short one or its letter", "[figures]") {
    const FigureFonts fonts{QFont()};
    const double whole = size_of({{QStringLiteral("inter-node"), fonts.small_bold, {}}}).width();
    const double brief = size_of({{QStringLiteral("inter"), fonts.small, {}}}).width();
    const auto texts = [&](double width) {
        QByteArray bytes;
        QBuffer buffer(&bytes);
        QSvgGenerator svg;
        svg.setOutputDevice(&buffer);
        QPainter painter(&svg);
        draw_wall_strip(painter, QRectF(0, 0, 400, 16), {{0, width, Wall::inter_node}}, Theme::light(), fonts,
                        false);
        painter.end();
        return read_svg(bytes).texts;
    };
    CHECK(texts(whole + 4) == QStringList{QStringLiteral("inter-node")});
    CHECK(texts(brief + 4) == QStringList{QStringLiteral("inter")});
    CHECK(texts(brief - 4) == QStringList{QStringLiteral("N")});
    CHECK(texts(4).isEmpty());
}

TEST_CASE("the label of a value overlaps neither its guide nor the line of the capacity", "[figures]") {
    // Nearly all memory is used, so the dot is next to the dashed line.
    LabelPlacer room(QRectF(0, 0, 300, 300));
    room.avoid(QPolygonF({QPointF(0, 150), QPointF(300, 150)}));
    room.avoid(QPolygonF({QPointF(120, 0), QPointF(120, 300)}), 0.5);
    const QSizeF size(60, 14);
    const auto box = room.place(size, around({120, 152}, size, 10));
    REQUIRE(box.has_value());
    CHECK_FALSE(box->contains(QPointF(box->center().x(), 150)));
    CHECK_FALSE(box->contains(QPointF(120, box->center().y())));
}

namespace {

// The scaling plot of a scenario that does not fit, with a curve after a repair.
struct MemoryScaling {
    QCustomPlot canvas;
    ScalingFigure figure{canvas};
    std::vector<DrawnWord> words;

    // Capacity and memory are relative to the usable memory.
    MemoryScaling(const QSize& size, const std::string& repair, double repaired_capacity,
                  double repaired_memory) {
        ScalingData data = scaling_data(too_long());
        data.repair = repair;
        data.repaired = data.curves.weak;
        data.repaired_capacity = repaired_capacity * data.capacity;
        for (CurvePoint& point : data.repaired)
            point.peak_memory = std::min(point.peak_memory, repaired_memory * data.capacity);
        canvas.resize(size);
        ScalingOptions options;
        options.y = ScalingY::memory;
        figure.set_style(Theme::print(), QFont());
        figure.set_options(options);
        figure.set_data(std::move(data));
        figure.refit();
        words = drawn_words(canvas);
    }
    [[nodiscard]] QRectF box_of(const QString& beginning) const {
        const auto found = std::ranges::find_if(
            words, [&](const DrawnWord& word) { return word.text.startsWith(beginning); });
        INFO(beginning.toStdString());
        REQUIRE(found != words.end());
        return found->box;
    }
    // Returns whether a limit crosses the box.
    [[nodiscard]] bool is_struck(const QRectF& box) const {
        return std::ranges::any_of(std::array{figure.data().capacity, figure.data().repaired_capacity},
                                   [&](double bytes) {
                                       const double y = canvas.yAxis->coordToPixel(bytes / 1073741824);
                                       return box.top() < y && y < box.bottom();
                                   });
    }
    // Returns whether the weak curve crosses the box.
    [[nodiscard]] bool is_crossed(const QRectF& box) const {
        const auto at = [&](const CurvePoint& point) {
            return QPointF(canvas.xAxis->coordToPixel(point.x),
                           canvas.yAxis->coordToPixel(point.peak_memory / 1073741824));
        };
        const Curve& curve = figure.data().curves.weak;
        for (std::size_t i = 1; i < curve.size(); ++i) {
            if (!curve[i - 1].valid || !curve[i].valid) continue;
            for (double share = 0; share <= 1; share += 0.01) {
                if (box.contains(at(curve[i - 1]) * (1 - share) + at(curve[i]) * share)) return true;
            }
        }
        return false;
    }
};

}  // namespace

TEST_CASE("scaling: the curve after a repair has a name also where its words have no room", "[figures]") {
    const std::string plan = "Best plan: TP 4 SP, CP 2, PP 4×10 interleaved, ZeRO-1, micro-batch 1 × 64";
    for (const QSize size : {QSize(460, 380), QSize(420, 420)}) {
        CAPTURE(size.width());
        const MemoryScaling scaling(size, plan, 1, 0.7);
        const QRectF name = scaling.box_of(QStringLiteral("after the repair"));
        CHECK_FALSE(scaling.is_struck(name));
    }
}

TEST_CASE("scaling: neither a limit nor a curve crosses the label of a limit", "[figures]") {
    for (const QSize size : {QSize(1120, 520), QSize(700, 420)}) {
        for (const double capacity : {1.5, 2.8, 3.2, 3.6}) {
            CAPTURE(size.width(), capacity);
            const MemoryScaling scaling(size, "GPU memory 79.1 → 267.7 GiB (as on B300 SXM 288 GB)", capacity,
                                        100);
            for (const char* beginning : {"usable ", "after: "}) {
                const QRectF box = scaling.box_of(QLatin1String(beginning));
                CHECK_FALSE(scaling.is_struck(box));
                CHECK_FALSE(scaling.is_crossed(box));
            }
        }
    }
}

TEST_CASE("scaling: the label of the knee is beside its mark, or a line leads to it", "[figures]") {
    const Catalogue& catalogue = commands::catalogue();
    int led = 0;
    for (const char* model : {"llama-3-8b", "mpt-13b", "mpt-7b"}) {
        const Scenario named =
            with_model(Scenario::first_launch(catalogue), *catalogue.find(PresetKind::model, model));
        const ScalingData data = scaling_data(answer(edited(named, P::gpus, 512)));
        const auto knee = std::ranges::find(data.curves.weak, data.curves.knee, &CurvePoint::x);
        REQUIRE(knee != data.curves.weak.end());
        for (const int width : {460, 560, 680, 820, 960}) {
            for (const int height : {300, 360, 430}) {
                INFO(model << ' ' << width << ' ' << height);
                QCustomPlot canvas;
                canvas.resize(width, height);
                ScalingFigure figure(canvas);
                figure.set_style(Theme::print(), QFont());
                figure.set_data(data);
                figure.refit();
                QRectF label;
                for (const DrawnWord& word : drawn_words(canvas)) {
                    if (word.text.startsWith(QStringLiteral("knee at")) ||
                        word.text.startsWith(QStringLiteral("from here")))
                        label |= word.box;
                }
                if (label.isEmpty()) continue;
                const QString count = shown(knee->x, Quantity::count) + QStringLiteral(" GPUs");
                for (const DrawnWord& word : drawn_words(canvas)) {
                    if (word.text == count) label |= word.box;  // of a name in two lines
                }
                const QPointF mark(canvas.xAxis->coordToPixel(knee->x),
                                   canvas.yAxis->coordToPixel(data.y(*knee, ScalingY::mfu)) - 14);
                constexpr double kBeside = 12;
                if (distance_to(label, mark) <= kBeside) continue;
                ++led;
                const std::vector<QLineF> lines = drawn_lines(canvas);
                CHECK(std::ranges::any_of(lines, [&](const QLineF& line) {
                    return distance_to(label, line.p1()) < 2 && QLineF(line.p2(), mark).length() < 2;
                }));
            }
        }
    }
    CHECK(led > 0);
}

TEST_CASE("scaling: no curve crosses the name of the knee in a small window", "[figures]") {
    const bool german = GENERATE(false, true);
    std::optional<German> language;
    if (german) language.emplace();
    Desk desk;
    desk.window.resize(1024, 700);
    QApplication::processEvents();
    auto* plot = desk.find<QCustomPlot>("scaling/plot");
    plot->replot();
    const ScalingData& data = desk.window.findChild<ScalingPlot*>()->figure().data();
    const QString count = shown(data.curves.knee, Quantity::count) + QStringLiteral(" GPUs");
    const QString name = tr("knee at %1 GPUs").arg(shown(data.curves.knee, Quantity::count));
    const QString first = in_two_lines(name).section(QLatin1Char('\n'), 0, 0);
    QRectF label;
    for (const DrawnWord& word : drawn_words(*plot)) {
        if (word.text == name || word.text == first || word.text == count) label |= word.box;
    }
    REQUIRE_FALSE(label.isEmpty());
    label.adjust(2, 2, -2, -2);  // the ink
    const auto mfu = [&](const CurvePoint& point) { return data.y(point, ScalingY::mfu); };
    CHECK(distance_to_curve(*plot, data.curves.weak, mfu, label) > 0);
    CHECK(distance_to_curve(*plot, data.curves.strong, mfu, label) > 0);
    const auto ideal = [&](const CurvePoint& point) { return data.ideal_y(point, ScalingY::mfu); };
    CHECK(distance_to_curve(*plot, data.curves.weak, ideal, label) > 0);
}

TEST_CASE("an axis of less than a decade has labels", "[figures]") {
    const Scenario scenario = Scenario::first_launch();
    FigureRequest sweep = request("sweep");
    Problems problems;
    sweep.options =
        SweepOptions{.axes = commands::parse_axes(scenario, {"sequence_length=2100:4000:8:log"}, problems)};
    REQUIRE(problems.empty());
    const QStringList texts = read_svg(render_figure(sweep, first(), FigureFormat::svg)).texts;
    CHECK(texts.contains(QStringLiteral("2,500")));
    CHECK(texts.contains(QStringLiteral("3,000")));
}

TEST_CASE("no line of a vector figure goes far beyond the frame", "[figures]") {
    // SVG ignores clipping, so a line beyond the frame would cross the caption.
    const QByteArray svg = render_figure(request("sweep"), too_long(), FigureFormat::svg);
    QXmlStreamReader reader(svg);
    while (!reader.atEnd()) {
        if (reader.readNext() != QXmlStreamReader::StartElement || reader.name() != QLatin1String("polyline"))
            continue;
        const QString points = reader.attributes().value(QLatin1String("points")).toString();
        for (const QString& point : points.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            const double y = point.section(QLatin1Char(','), 1, 1).toDouble();
            CHECK(y >= 0);
            CHECK(y < 600);
        }
    }
}

TEST_CASE("the label of the scenario is beside its dot and makes no hole in the band", "[figures]") {
    LiveScaling live;
    for (const QSize size : {QSize(543, 562), QSize(900, 420)}) {
        live.plot.resize(size);
        QApplication::processEvents();
        live.canvas->replot();
        const Answer& now = live.model.answer();
        const QPointF dot(live.canvas->xAxis->coordToPixel(now.settings[P::gpus]),
                          live.canvas->yAxis->coordToPixel(now.estimate.mfu));
        const auto words = drawn_words(*live.canvas);
        const auto is_own = [](const DrawnWord& word) {
            return word.text.startsWith(QStringLiteral("A 64 GPUs"));
        };
        const auto own = std::ranges::find_if(words, is_own);
        REQUIRE(own != words.end());
        CAPTURE(size.width());
        CHECK(distance_to(own->box, dot) < 45);
    }
}

TEST_CASE("figures of memory and step use the whole width of the page", "[figures]") {
    FigureRequest asked = request(GENERATE("memory", "waterfall"));
    asked.scale = 1;
    QImage page;
    REQUIRE(page.loadFromData(render_figure(asked, first(), FigureFormat::png), "PNG"));
    // Below the titles and above the caption.
    const auto inked = [&](int x) {
        for (int y = page.height() / 6; y < page.height() * 2 / 3; ++y) {
            if (page.pixelColor(x, y) != QColor(Qt::white)) return true;
        }
        return false;
    };
    int right = page.width() - 1;
    while (right > 0 && !inked(right)) --right;
    CHECK(right > 0.94 * page.width());
    // What is at the right belongs to what is at the left: no gap is a quarter of the page.
    int gap = 0;
    int widest = 0;
    for (int x = 0; x <= right; ++x) {
        gap = inked(x) ? 0 : gap + 1;
        widest = std::max(widest, gap);
    }
    CHECK(widest < 0.25 * page.width());
}

TEST_CASE("a figure contains its scenario", "[figures]") {
    Scenario scenario = edited(Scenario::first_launch(), P::sequence_length, 4096);
    scenario.name = "über <13B> & \"co\"";
    const Answer subject = answer(scenario);
    Catalogue& catalogue = const_cast<Catalogue&>(Catalogue::shipped());
    for (const auto format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png}) {
        const QByteArray json = carried_scenario(render_figure(request("memory"), subject, format));
        CAPTURE(static_cast<int>(format), json.toStdString());
        Problems problems;
        const Scenario back = read_scenario(json.toStdString(), catalogue, "", problems);
        CHECK(problems.empty());
        CHECK(back == subject.scenario);
        CHECK(back.name == scenario.name);
    }
    // A report contains it in the same form.
    CHECK(carried_scenario("<!DOCTYPE html>\n" + QByteArray(kScenarioInHtml) + "{}</script>") == "{}");
    CHECK(carried_scenario("# Title\r\n\r\n```json\r\n{}\r\n```\r\n") == "{}");
    CHECK(carried_scenario("# Title\n\n```json\n{}").isEmpty());
    // This PNG of 64 bytes claims that its text is 1.6 GB long.
    QByteArray png = QByteArray::fromHex("89504e470d0a1a0a0000000d49484452") + QByteArray(17, '\1') +
                     QByteArray::fromHex("60000000") + "tEXtshardscope-scenario";
    CHECK(carried_scenario(png).isEmpty());
    CHECK(carried_scenario("").isEmpty());
    CHECK(carried_scenario("%PDF-1.6 nothing").isEmpty());
    CHECK(carried_scenario("<svg><desc>{}</desc>").size() == 2);
    CHECK(carried_scenario("gpus,mfu\n1,2\n").isEmpty());
}

TEST_CASE("the CSV contains the plotted values, with units", "[figures]") {
    const Answer subject = first();
    const auto rows = read_csv(render_figure(request("scaling"), subject, FigureFormat::csv).toStdString());
    const ScalingData data = scaling_data(subject);
    REQUIRE(rows.size() == 1 + data.curves.weak.size() + data.measured.size());
    CHECK(rows[0].fields[0] == "gpus[1]");
    CHECK(rows[0].fields[3] == "mfu_weak[%]");
    for (std::size_t i = 0; i < data.curves.weak.size(); ++i) {
        const CurvePoint& point = data.curves.weak[i];
        const auto& fields = rows[i + 1].fields;
        CHECK(std::stod(fields[0]) == point.x);
        CHECK(fields[1] == name_of(point.verdict));
        if (point.fits()) CHECK(std::stod(fields[3]) == Approx(100 * point.mfu).epsilon(1e-12));
        else CHECK(fields[3].empty());
    }

    FigureRequest sweep = request("sweep");
    sweep.options =
        SweepOptions{.axes = {{P::inter_node_bandwidth, {12.5e9, 50e9}}, {P::micro_batch, {1, 2}}},
                     .outputs = {Output::mfu, Output::peak_memory, Output::step_time}};
    const auto table = read_csv(render_figure(sweep, subject, FigureFormat::csv).toStdString());
    REQUIRE(table.size() == 5);
    CHECK(table[0].fields == std::vector<std::string>{"cluster.inter_node_bandwidth[Gbit/s]",
                                                      "training.micro_batch[1]", "mfu[%]",
                                                      "memory.peak_bytes[GiB]", "step_time_s[s]", "verdict"});
    CHECK(table[4].fields[0] == "400");
    CHECK(std::stod(table[4].fields[2]) == Approx(100 * subject.estimate.mfu));
}

TEST_CASE("measured runs are drawn at their own MFU for every sequence length of the scenario", "[figures]") {
    // Returns the MFU of a run by its name, as in the CSV.
    const auto measured = [](const Answer& subject) {
        std::map<std::string, double> out;
        for (const auto& row :
             read_csv(render_figure(request("scaling"), subject, FigureFormat::csv).toStdString())) {
            if (row.fields[16].starts_with("mosaic-")) out[row.fields[16]] = std::stod(row.fields[14]);
        }
        return out;
    };
    const auto usual = measured(first());
    REQUIRE(usual.size() >= 5);
    CHECK(usual.at("mosaic-0027") == Approx(31.68).epsilon(1e-12));
    CHECK(usual.at("mosaic-0030") == Approx(39.86).epsilon(1e-12));
    for (const MeasuredRun& run : shipped_runs()) {
        if (usual.contains(run.id)) CHECK(usual.at(run.id) == Approx(100 * run.mfu).epsilon(1e-12));
    }
    CHECK(measured(too_long()) == usual);
    CHECK(read_svg(render_figure(request("scaling"), first(), FigureFormat::svg))
              .texts.contains(QStringLiteral("measured 39.9 %")));

    const ScalingData data = scaling_data(first());
    const ScalingData longer = scaling_data(too_long());
    REQUIRE(data.measured.size() == longer.measured.size());
    for (std::size_t i = 0; i < data.measured.size(); ++i) {
        const MeasuredPoint& run = data.measured[i];
        const MeasuredPoint& same = longer.measured[i];
        CHECK_FALSE(same.same_settings);
        for (const ScalingY y : {ScalingY::mfu, ScalingY::tokens_per_s_per_gpu, ScalingY::tokens_per_s})
            CHECK(data.y(run, y) == longer.y(same, y));
        CHECK(data.y(run, ScalingY::days) == data.y(run.tokens_per_s_per_gpu, run.gpus, ScalingY::days));
    }
}

TEST_CASE("the curve after a repair holds its plan, so that its memory never rises with more GPUs",
          "[figures]") {
    const auto deepseek = [](std::initializer_list<std::pair<P, Value>> values) {
        Scenario out = Scenario::first_launch();
        out.model = out.catalogue->find(PresetKind::model, "deepseek-v3");
        for (const auto& [id, value] : values) out.give(id, value);
        return out;
    };
    const Scenario large = deepseek({{P::gpus, 256}, {P::sequence_length, 4096}, {P::micro_batch, 1}});
    const Answer now = answer(large);
    REQUIRE(now.valid());
    REQUIRE_FALSE(now.fits());
    std::vector<Repair> all = repairs(large);
    Repair plan;  // like the best of all plans
    plan.works = true;
    plan.planned = deepseek({{P::gpus, 256},
                             {P::sequence_length, 4096},
                             {P::micro_batch, 1},
                             {P::accumulation, 32},
                             {P::pipeline_parallel, 16},
                             {P::expert_tensor_parallel, 8},
                             {P::sharding, Sharding::zero1},
                             {P::recompute, 1}});
    REQUIRE(answer(plan.planned).valid());
    all.push_back(plan);
    std::size_t drawn = 0;
    for (const Repair& repair : all) {
        if (!repair.works) continue;
        INFO(repair.label);
        ScalingData data = scaling_data(now);
        show_repair(data, &repair);
        CHECK(data.repaired.size() > 1);
        double last = std::numeric_limits<double>::infinity();
        for (const CurvePoint& point : data.repaired) {
            if (!point.valid) continue;
            INFO(point.x);
            CHECK(point.peak_memory <= last * (1 + 1e-9));
            last = point.peak_memory;
            ++drawn;
        }
    }
    CHECK(drawn > 10);
}

TEST_CASE("a run without a published MFU is drawn at the MFU of its own settings", "[figures]") {
    Problems ignored;
    const auto& runs = shipped_runs();
    const auto run = std::ranges::find(runs, "megatron21-0002", &MeasuredRun::id);
    REQUIRE(run != runs.end());
    REQUIRE(run->mfu == 0);
    const Answer own = answer(scenario_of(*run, Catalogue::shipped(), ignored));
    REQUIRE(own.valid());
    const double mfu = run->tokens_per_s_per_gpu * own.compiled.flops_per_token / own.compiled.peak;
    for (const double sequence : {1024.0, 8192.0}) {
        const ScalingData data = scaling_data(answer(edited(own.scenario, P::sequence_length, sequence)));
        const auto point = std::ranges::find(data.measured, run->id, &MeasuredPoint::name);
        CAPTURE(sequence);
        REQUIRE(point != data.measured.end());
        CHECK_FALSE(point->mfu_published);
        CHECK(data.y(*point, ScalingY::mfu) == Approx(mfu).epsilon(1e-12));
    }
}

TEST_CASE("a scenario that does not fit shows no rates except on request", "[figures]") {
    const Answer subject = too_long();
    FigureRequest asked = request("waterfall");
    const auto empty = read_csv(render_figure(asked, subject, FigureFormat::csv).toStdString());
    CHECK(empty[1].fields[2].empty());
    CHECK(empty[1].fields.back() == "does-not-fit");
    asked.hypothetical = true;
    CHECK_FALSE(
        read_csv(render_figure(asked, subject, FigureFormat::csv).toStdString())[1].fields[2].empty());
    asked.plot = "scaling";
    const QString words =
        read_svg(render_figure(asked, subject, FigureFormat::svg)).texts.join(QLatin1Char(' '));
    CHECK(words.contains(QStringLiteral("HYPOTHETICAL")));
}

TEST_CASE("curves are called hypothetical where memory is insufficient, on the screen, too", "[figures]") {
    LiveScaling live;
    const auto texts = [&] {
        CHECK(live.plot.figure().data().current.x == 64);  // updates the figure
        live.canvas->replot();
        QBuffer buffer;
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(live.canvas->size());
        QCPPainter painter(&generator);
        painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching);
        live.canvas->toPainter(&painter, live.canvas->width(), live.canvas->height());
        painter.end();
        return read_svg(buffer.data()).texts;
    };
    REQUIRE(live.model.answer().fits());
    const QString words = QStringLiteral("hypothetical, does not fit");
    for (const QSize size : {QSize(543, 562), QSize(400, 330), QSize(900, 600)}) {
        CAPTURE(size.width());
        live.plot.resize(size);
        QApplication::processEvents();
        CHECK(texts().contains(QStringLiteral("does not fit")));
        CHECK_FALSE(texts().contains(words));
        live.plot.show_hypothetical(true);
        CHECK(texts().contains(words));
        CHECK_FALSE(texts().contains(QStringLiteral("does not fit")));
        live.plot.show_hypothetical(false);
    }
}

TEST_CASE("the current dot lies on the weak curve", "[figures]") {
    LiveScaling live;
    for (const double gpus : {64.0, 8.0, 1000.0, 16384.0}) {
        live.model.edit(P::gpus, gpus);
        const QPointF dot = live.plot.figure().current_dot();
        const ScalingData& data = live.plot.figure().data();
        const auto point = std::ranges::find(data.curves.weak, dot.x(), &CurvePoint::x);
        CAPTURE(gpus);
        REQUIRE(point != data.curves.weak.end());
        CHECK(dot.y() == Approx(data.y(*point, ScalingY::mfu)).epsilon(1e-12));
    }
}

TEST_CASE("axes stay fixed during a gesture and adjust after it", "[figures]") {
    LiveScaling live;
    live.plot.findChild<QComboBox*>(QStringLiteral("scaling/y"))
        ->setCurrentIndex(static_cast<int>(ScalingY::tokens_per_s_per_gpu));
    const AxisRange before = live.plot.figure().y_range();
    live.model.begin_gesture(P::peak_flops);
    live.model.drag(P::peak_flops, 4000e12);
    CHECK(live.plot.figure().y_range().to == before.to);
    live.model.end_gesture();
    CHECK(live.plot.figure().y_range().to > before.to);

    live.plot.findChild<QComboBox*>(QStringLiteral("scaling/y"))
        ->setCurrentIndex(static_cast<int>(ScalingY::mfu));
    // The MFU starts at 0 and fits the data.
    const ScalingData& data = live.plot.figure().data();
    double most = 0;
    for (const CurvePoint& point : data.curves.weak) {
        if (point.fits()) most = std::max(most, point.band_high / data.full_rate);
    }
    CHECK(live.plot.figure().y_range().from == 0);
    CHECK(live.plot.figure().y_range().to >= most);
    CHECK(live.plot.figure().y_range().to < 1);
}

TEST_CASE("the dot can be dragged, and a double click sets it", "[figures]") {
    LiveScaling live;
    const QSignalSpy began(&live.model, &LiveModel::gesture_began);
    QTest::mousePress(live.canvas, Qt::LeftButton, {}, live.at(64));
    REQUIRE(began.count() == 1);
    QTest::mouseMove(live.canvas, live.at(256));
    QTest::mouseMove(live.canvas, live.at(512));
    QTest::mouseRelease(live.canvas, Qt::LeftButton, {}, live.at(512));
    const double gpus = live.model.answer().settings[P::gpus];
    CHECK(gpus > 450);
    CHECK(gpus < 580);
    CHECK(std::fmod(gpus, 8) == 0);

    QTest::mousePress(live.canvas, Qt::LeftButton, {}, live.at(16));
    CHECK(began.count() == 1);  // too far from the dot
    QTest::mouseDClick(live.canvas, Qt::LeftButton, {}, live.at(16));
    CHECK(live.model.answer().settings[P::gpus] == 16);
    CHECK(live.plot.accessibleDescription().contains(QStringLiteral("16 GPUs")));
}

TEST_CASE("a sweep's dot is the scenario's own value", "[figures]") {
    const Answer subject = first();
    QCustomPlot canvas;
    SweepFigure figure(canvas);
    figure.set_data(sweep_data(subject, {}, {}));
    figure.refit({800, 500});
    CHECK(figure.current_dot(0).x() == 2048);
    CHECK(figure.current_dot(0).y() == Approx(100 * subject.estimate.mfu));
    const auto& points = figure.data().series.front().points;
    const auto own = std::ranges::find(points, 2048.0, &SweepPoint::x);
    REQUIRE(own != points.end());
    CHECK(own->value[0] == Approx(subject.estimate.mfu).epsilon(1e-12));
}

TEST_CASE("the axis of tokens/s/GPU is shown only if it holds for every curve", "[figures]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    auto* plot = desk.find<QCustomPlot>("scaling/plot");
    const auto shows_axis = [&] {
        QApplication::processEvents();
        const auto words = drawn_words(*plot);
        return plot->yAxis2->visible() &&
               std::ranges::count(words, QStringLiteral("tokens/s/GPU"), &DrawnWord::text) == 1;
    };
    CHECK(shows_axis());
    desk.choose(ActionId::pin);
    model.edit(P::gpus, 128);
    CHECK(shows_axis());
    model.edit(P::sequence_length, 1024);
    CHECK_FALSE(shows_axis());
    desk.choose(ActionId::unpin_all);
    CHECK(shows_axis());
}

TEST_CASE("options that have no effect on memory are disabled while it is shown instead of rates",
          "[figures]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    const auto enabled = [&] {
        QApplication::processEvents();
        std::vector<bool> out{desk.find<QComboBox>("scaling/y")->isEnabled()};
        for (const char* name : {"scaling/ideal", "scaling/band", "scaling/measured"})
            out.push_back(desk.find<QCheckBox>(name)->isEnabled());
        return out;
    };
    CHECK(enabled() == std::vector<bool>(4, true));
    model.edit(P::sequence_length, 32768);
    REQUIRE_FALSE(model.answer().fits());
    CHECK(enabled() == std::vector<bool>(4, false));
    for (const auto& word : drawn_words(*desk.find<QCustomPlot>("scaling/plot")))
        CHECK_FALSE(word.text.startsWith(QStringLiteral("knee")));
    model.edit(P::sequence_length, 2048);
    CHECK(enabled() == std::vector<bool>(4, true));
}

// The name of a curve is nearer to it than to every other curve.
TEST_CASE("scaling: no name of a curve is at another curve", "[figures]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.pick(QStringLiteral("picker/model"), QStringLiteral("model/deepseek-v3"));
    for (const QSize size : {QSize(1024, 700), QSize(1440, 900)}) {
        desk.window.resize(size);
        for (const double gpus : {256.0, 1024.0, 2048.0}) {
            model.edit(P::gpus, gpus);
            QApplication::processEvents();
            auto* plot = desk.find<QCustomPlot>("scaling/plot");
            auto* tab = desk.window.findChild<ScalingPlot*>();
            plot->replot();
            const ScalingData& data = tab->figure().data();
            const auto away = [&](const Curve& curve, const QRectF& box) {
                return distance_to_curve(
                    *plot, curve,
                    [&](const CurvePoint& point) { return data.y(point, tab->figure().options().y); }, box);
            };
            INFO(gpus << " GPUs, " << size.width() << " px");
            constexpr double kLed = 20;  // px, from which a line leads to the curve
            const QRectF weak = tab->box_of(Term::weak);
            const QRectF strong = tab->box_of(Term::strong);
            if (!weak.isEmpty() && away(data.curves.weak, weak) < kLed)
                CHECK(away(data.curves.weak, weak) < away(data.curves.strong, weak));
            if (!strong.isEmpty() && away(data.curves.strong, strong) < kLed)
                CHECK(away(data.curves.strong, strong) < away(data.curves.weak, strong));
        }
    }
}
