// Tests the scaling plot: its curves, marks and axes, and the plot as an input.
#include <qcustomplot.h>

#include <QApplication>
#include <QBuffer>
#include <QCheckBox>
#include <QComboBox>
#include <QSignalSpy>
#include <QSvgGenerator>
#include <QTest>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "evidence/runs.h"
#include "support/desk.h"
#include "support/figures.h"
#include "support/svg.h"
#include "text/csv.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/drawn_words.h"
#include "widgets/live_model.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/scaling/scaling_plot.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

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

TEST_CASE("measured runs are drawn at their own MFU for every sequence length of the scenario", "[figures]") {
    // Returns the MFU of a run by its name, as in the CSV.
    const auto measured = [](const Answer& subject) {
        std::map<std::string, double> out;
        for (const auto& row :
             read_csv(render_figure(plot_request("scaling"), subject, FigureFormat::csv).toStdString())) {
            if (row.fields[16].starts_with("mosaic-")) out[row.fields[16]] = std::stod(row.fields[14]);
        }
        return out;
    };
    const auto usual = measured(first_answer());
    REQUIRE(usual.size() >= 5);
    CHECK(usual.at("mosaic-0027") == Approx(31.68).epsilon(1e-12));
    CHECK(usual.at("mosaic-0030") == Approx(39.86).epsilon(1e-12));
    for (const MeasuredRun& run : shipped_runs()) {
        if (usual.contains(run.id)) CHECK(usual.at(run.id) == Approx(100 * run.mfu).epsilon(1e-12));
    }
    CHECK(measured(too_long_answer()) == usual);
    CHECK(read_svg(render_figure(plot_request("scaling"), first_answer(), FigureFormat::svg))
              .texts.contains(QStringLiteral("measured 39.9 %")));

    const ScalingData data = scaling_data(first_answer());
    const ScalingData longer = scaling_data(too_long_answer());
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
