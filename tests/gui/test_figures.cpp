// Tests figures: every plot in every format, and the contents of the files.
#include <qcustomplot.h>

#include <QImage>
#include <QRegularExpression>
#include <algorithm>
#include <catch2/catch.hpp>

#include "files/scenario_file.h"
#include "support/figures.h"
#include "support/svg.h"
#include "text/csv.h"
#include "widgets/carried_scenario.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/scaling/scaling_plot.h"
#include "widgets/plots/sweep/sweep_figure.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

const std::vector<std::string> kPlots{"scaling", "walls", "memory", "waterfall", "sweep"};

}  // namespace

TEST_CASE("every plot is drawn in every format, with the same bytes each time", "[figures]") {
    const std::string plot =
        GENERATE("scaling", "walls", "memory", "waterfall", "sweep", "plans", "validation");
    const bool fits = GENERATE(true, false);
    const Answer subject = fits ? first_answer() : too_long_answer();
    REQUIRE(subject.fits() == fits);
    for (const auto format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png, FigureFormat::csv}) {
        QString problem;
        const QByteArray bytes = render_figure(plot_request(plot), subject, format, &problem);
        CAPTURE(plot, fits, static_cast<int>(format));
        CHECK(problem.isEmpty());
        CHECK(bytes.size() > 100);
        CHECK(bytes == render_figure(plot_request(plot), subject, format));
    }
}

TEST_CASE("a figure that cannot be made gives the reason", "[figures]") {
    QString problem;
    CHECK(render_figure(plot_request("walls-of-jericho"), first_answer(), FigureFormat::svg, &problem)
              .isEmpty());
    CHECK(problem.contains(QStringLiteral("walls-of-jericho")));
    FigureRequest empty_axis = plot_request("sweep");
    empty_axis.options = SweepOptions{.axes = {{P::gpus, {}}}};
    problem.clear();
    CHECK(render_figure(empty_axis, first_answer(), FigureFormat::csv, &problem).isEmpty());
    CHECK_FALSE(problem.isEmpty());
}

TEST_CASE("an SVG is valid XML with its words as text", "[figures]") {
    for (const std::string& plot : kPlots) {
        const Svg svg = read_svg(render_figure(plot_request(plot), first_answer(), FigureFormat::svg));
        CAPTURE(plot);
        CHECK(svg.parses);
        const QString all = svg.texts.join(QLatin1Char(' '));
        CHECK(all.contains(QStringLiteral("MPT-13B")));
        CHECK(all.contains(QStringLiteral("64 ")));
        CHECK(all.contains(QStringLiteral("Shardscope")));
    }
    const Svg scaling = read_svg(render_figure(plot_request("scaling"), first_answer(), FigureFormat::svg));
    CHECK(scaling.texts.contains(QStringLiteral("GPUs")));
    CHECK(scaling.texts.contains(QStringLiteral("does not fit")));
    // The labels mark where the network begins, and where more GPUs gain little.
    CHECK(scaling.texts.contains(QStringLiteral("one node")));
    CHECK(scaling.texts.filter(QRegularExpression(QStringLiteral("^knee at [0-9,]+ GPUs$"))).size() == 1);
    // The map's contours are labelled with their values.
    const Svg walls = read_svg(render_figure(plot_request("walls"), first_answer(), FigureFormat::svg));
    CHECK(walls.texts.filter(QRegularExpression(QStringLiteral("^[1-5]0 %$"))).size() >= 2);
}

TEST_CASE("an axis of less than a decade has labels", "[figures]") {
    const Scenario scenario = Scenario::first_launch();
    FigureRequest sweep = plot_request("sweep");
    Problems problems;
    sweep.options =
        SweepOptions{.axes = commands::parse_axes(scenario, {"sequence_length=2100:4000:8:log"}, problems)};
    REQUIRE(problems.empty());
    const QStringList texts = read_svg(render_figure(sweep, first_answer(), FigureFormat::svg)).texts;
    CHECK(texts.contains(QStringLiteral("2,500")));
    CHECK(texts.contains(QStringLiteral("3,000")));
}

TEST_CASE("no line of a vector figure goes far beyond the frame", "[figures]") {
    // SVG ignores clipping, so a line beyond the frame would cross the caption.
    const QByteArray svg = render_figure(plot_request("sweep"), too_long_answer(), FigureFormat::svg);
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

TEST_CASE("figures of memory and step use the whole width of the page", "[figures]") {
    FigureRequest asked = plot_request(GENERATE("memory", "waterfall"));
    asked.scale = 1;
    QImage page;
    REQUIRE(page.loadFromData(render_figure(asked, first_answer(), FigureFormat::png), "PNG"));
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
        const QByteArray json = carried_scenario(render_figure(plot_request("memory"), subject, format));
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
    const Answer subject = first_answer();
    const auto rows =
        read_csv(render_figure(plot_request("scaling"), subject, FigureFormat::csv).toStdString());
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

    FigureRequest sweep = plot_request("sweep");
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

TEST_CASE("a scenario that does not fit shows no rates except on request", "[figures]") {
    const Answer subject = too_long_answer();
    FigureRequest asked = plot_request("waterfall");
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

TEST_CASE("a sweep's dot is the scenario's own value", "[figures]") {
    const Answer subject = first_answer();
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
