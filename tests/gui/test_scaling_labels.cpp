// Tests the names and words in the scaling plot: each is beside what it names, and nothing crosses it.
#include <qcustomplot.h>

#include <QApplication>
#include <QBuffer>
#include <QImage>
#include <QSvgGenerator>
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <optional>

#include "support/desk.h"
#include "support/figures.h"
#include "support/german.h"
#include "support/svg.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/drawing.h"
#include "widgets/drawn_words.h"
#include "widgets/live_model.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/scaling/scaling_plot.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

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

}  // namespace

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
        QStringList texts = read_svg(render_figure(plot_request("scaling"), shown, FigureFormat::svg)).texts;
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
    const QStringList fitting = words(first_answer());
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
        ScalingData data = scaling_data(too_long_answer());
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
