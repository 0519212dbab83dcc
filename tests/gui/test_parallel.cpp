// Tests plans with tensor, context, expert and pipeline parallelism on the real main window, through real
// events.
#include <QTest>
#include <QUndoStack>
#include <algorithm>
#include <cmath>

#include "support/desk.h"
#include "text/csv.h"
#include "widgets/panels/memory_bar.h"
#include "widgets/panels/waterfall.h"
#include "widgets/panels/why_panel.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/figure_words.h"
#include "widgets/plots/scaling/scaling_plot.h"
#include "widgets/plots/scaling/scaling_words.h"
#include "widgets/plots/sweep/sweep_words.h"
#include "widgets/rows/parameter_slider.h"

using namespace shardscope;
using shardscope::testing::Desk;
using shardscope::testing::first_number;

namespace {

constexpr const char* kLlama = R"({"model": {"preset": "llama-3-70b"},
    "cluster": {"preset": "dgx-h100", "gpus": 512},
    "training": {"sequence_length": 8192, "tensor_parallel": 4, "pipeline_parallel": 4, "virtual_stages": 5,
                 "context_parallel": 2, "sequence_parallel": true, "micro_batch": 1, "accumulation": 64,
                 "sharding": "zero1"}})";
constexpr const char* kGpt3 = R"({"model": {"preset": "gpt-3-175b"},
    "cluster": {"preset": "dgx-a100-80gb", "gpus": 1024},
    "training": {"sequence_length": 2048, "tensor_parallel": 8, "pipeline_parallel": 8, "micro_batch": 1,
                 "accumulation": 64, "sharding": "zero1"}})";
constexpr const char* kExperts = R"({"model": {"preset": "mistral-7b", "experts": 8, "experts_per_token": 2},
    "cluster": {"preset": "dgx-h100", "gpus": 128},
    "training": {"sequence_length": 4096, "tensor_parallel": 2, "context_parallel": 2, "expert_parallel": 8,
                 "pipeline_parallel": 4, "micro_batch": 1, "accumulation": 16, "sharding": "zero1",
                 "recompute": "selective", "offload": "optimizer"}})";

constexpr std::array kDegrees{P::tensor_parallel, P::context_parallel, P::pipeline_parallel,
                              P::expert_parallel, P::virtual_stages};

Scenario read(const char* json) {
    Problems problems;
    Scenario scenario = read_scenario(json, commands::catalogue(), "", problems);
    REQUIRE(problems.empty());
    REQUIRE(answer(scenario).valid());
    return scenario;
}

double replica_gpus(const Settings& s) {
    return s[P::tensor_parallel] * s[P::context_parallel] * s[P::pipeline_parallel];
}

class ParallelDesk : public Desk {
  public:
    explicit ParallelDesk(const char* json) { open(json); }

    void open(const char* json) {
        window.model().start_with(read(json));
        // Work after the frame, and the layout that follows, need further rounds of the event loop.
        for (int i = 0; i < 3; ++i) QApplication::processEvents();
    }
    const Settings& settings() { return window.model().answer().settings; }
    double term(StepTerm which) { return estimate().step.term(which); }
    Waterfall& waterfall() { return *find<Waterfall>("waterfall"); }
    WaterfallGeometry waterfall_now() {
        return waterfall_geometry(waterfall().rect(), waterfall().data(), waterfall().font());
    }
    bool has_row(StepTerm which) {
        const auto rows = waterfall_now().rows;
        return std::ranges::find(rows, which, &WaterfallGeometry::Row::term) != rows.end();
    }
    ParameterRow& row(P id) {
        slider(std::string(parameter(id).key));
        return *window.findChild<ControlsPanel*>()->row(id);
    }
};

}  // namespace

TEST_CASE("degrees are dragged over valid values, and one undo restores the plan", "[parallel]") {
    const char* json = GENERATE(kLlama, kGpt3, kExperts);
    const Hold hold = GENERATE(Hold::per_gpu_batch, Hold::global_batch);
    ParallelDesk desk(json);
    desk.window.model().start_with(with_hold(read(json), hold));
    const Scenario start = desk.window.model().scenario();
    QUndoStack& undo = *desk.window.model().undo_stack();
    for (const P id : kDegrees) {
        const std::string key(parameter(id).key);
        INFO(key);
        if (!desk.slider(key)->isEnabled()) continue;
        const double before = desk.settings()[id];
        std::string broken;
        bool moved = false;
        const auto watch = QObject::connect(&desk.window.model(), &LiveModel::changed, [&] {
            const Answer& now = desk.window.model().answer();
            moved = moved || now.settings[id] != before;
            if (!now.valid()) broken = now.problems.front().text();
            else if (std::fmod(now.settings[P::gpus], replica_gpus(now.settings)) != 0)
                broken = "GPUs are no multiple of a copy's";
        });
        // Drags to the other end, over every value between.
        const bool down = before == desk.row(id).slider()->scale().high();
        desk.drag(key, down ? 1 : 0, down ? 0 : 1, 60);
        CHECK(broken == "");
        CHECK(moved);
        CHECK(undo.count() == 1);
        CHECK(desk.text("headline/mfu").toStdString() == text_of(Output::mfu, desk.window.model().answer()));
        QTest::keyClick(&desk.window, Qt::Key_Z, Qt::ControlModifier);
        QObject::disconnect(watch);
        CHECK(desk.window.model().scenario() == start);
        CHECK_FALSE(undo.canUndo());
        undo.clear();
    }
}

TEST_CASE("headline, waterfall and its axis show the same step", "[parallel]") {
    const char* json = GENERATE(kLlama, kGpt3, kExperts);
    ParallelDesk desk(json);
    for (const QSize size : {QSize(1440, 900), QSize(1024, 700)}) {
        desk.window.resize(size);
        QApplication::processEvents();
        const Answer& now = desk.window.model().answer();
        CHECK(desk.text("headline/step-time").toStdString() == text_of(Output::step_time, now));
        const WaterfallData& data = desk.waterfall().data();
        double sum = 0;
        for (const double term : data.terms) sum += term;
        CHECK(sum == Approx(now.estimate.step.total).epsilon(1e-12));
        const WaterfallGeometry g = desk.waterfall_now();
        CHECK(g.rows.back().exposed.right() == g.total.right());
        // There is a row for every term that takes time, and always one for the network; all of them are
        // inside the panel.
        std::size_t rows = 0;
        for (std::size_t i = 0; i < kStepTerms; ++i)
            rows += data.terms[i] > 0 || static_cast<StepTerm>(i) == StepTerm::network ? 1 : 0;
        CHECK(g.rows.size() == rows);
        CHECK(g.axis_y < desk.waterfall().height());
        const QFontMetricsF metrics(scaled_font(desk.waterfall().font(), kSmall));
        CHECK(g.row_height >= metrics.capHeight() + 3);
        for (const auto& row : g.rows) {
            const QString label = QString::fromUtf8(label_of(row.term).data());
            CHECK(metrics.horizontalAdvance(label) < g.left - 8);
        }
    }
}

TEST_CASE("a pipeline adds a row for the bubble, and a click explains it", "[parallel]") {
    ParallelDesk desk(kGpt3);
    CHECK(desk.has_row(StepTerm::bubble));
    CHECK(desk.has_row(StepTerm::tensor_network));
    CHECK_FALSE(desk.has_row(StepTerm::expert_network));
    desk.type("training.pipeline_parallel", QStringLiteral("1"));
    CHECK_FALSE(desk.has_row(StepTerm::bubble));
    CHECK_FALSE(desk.has_row(StepTerm::stage_network));
    QTest::keyClick(&desk.window, Qt::Key_Z, Qt::ControlModifier);
    CHECK(desk.has_row(StepTerm::bubble));

    // In every plan a click on any row's bar opens its formula, its values and its source.
    for (const char* json : {kGpt3, kExperts, kLlama}) {
        desk.open(json);
        const WaterfallGeometry g = desk.waterfall_now();
        for (const auto& row : g.rows) {
            const QPoint at(static_cast<int>(g.left) - 20, static_cast<int>(row.y));
            QTest::mouseClick(&desk.waterfall(), Qt::LeftButton, {}, at);
            QApplication::processEvents();
            const Output id = output_of(row.term);
            INFO(output(id).path);
            CHECK(desk.find<WhyPanel>("why")->current() == Subject::of(id));
            CHECK(desk.text("why/title").toStdString() == "Why: " + std::string(output(id).label));
            CHECK_FALSE(desk.text("why/formula").isEmpty());
            CHECK_FALSE(desk.text("why/source").isEmpty());
            CHECK(desk.text("why/result").toStdString() == "= " + text_of(id, desk.window.model().answer()));
        }
    }
}

TEST_CASE("a degree that can only be one is disabled and gives the reason", "[parallel]") {
    ParallelDesk desk(R"({"cluster": {"gpus": 64}})");
    ParameterRow& experts = desk.row(P::expert_parallel);
    CHECK_FALSE(experts.slider()->isEnabled());
    CHECK(experts.toolTip().contains(QStringLiteral("the model has no experts")));
    ParameterRow& virtual_stages = desk.row(P::virtual_stages);
    CHECK_FALSE(virtual_stages.slider()->isEnabled());
    CHECK(virtual_stages.toolTip().contains(QStringLiteral("only one pipeline stage")));
    // A typed value is refused with the same words.
    desk.type("training.expert_parallel", QStringLiteral("8"));
    CHECK(desk.settings()[P::expert_parallel] == 1);
    CHECK(experts.message().contains(QStringLiteral("the model has no experts")));

    desk.type("training.pipeline_parallel", QStringLiteral("4"));
    CHECK(virtual_stages.slider()->isEnabled());
    CHECK_FALSE(virtual_stages.toolTip().contains(QStringLiteral("Only")));
    desk.open(kExperts);
    CHECK(experts.slider()->isEnabled());
    CHECK_FALSE(experts.toolTip().contains(QStringLiteral("Only")));

    // 3 does not divide 40 heads.
    desk.open(R"({"cluster": {"gpus": 96}})");
    desk.type("training.tensor_parallel", QStringLiteral("3"));
    CHECK(desk.row(P::tensor_parallel).message().contains(QStringLiteral("does not divide the 40 heads")));
}

TEST_CASE("the memory bar names the fullest stage", "[parallel]") {
    ParallelDesk desk(kLlama);
    const auto& bar = *desk.find<MemoryBar>("memory-bar");
    const MemoryUse& use = desk.estimate().memory;
    const QString stage = QStringLiteral("stage %1 of 4").arg(use.stage + 1);
    CHECK(stage_words(bar.data().stage, bar.data().stages) == stage);
    CHECK(bar.accessibleDescription().contains(stage));
    CHECK(memory_caption(desk.window.model().answer()).contains(stage));
    desk.open("{}");
    CHECK_FALSE(bar.accessibleDescription().contains(QStringLiteral("stage")));
    CHECK_FALSE(memory_caption(desk.window.model().answer()).contains(QStringLiteral("stage")));
}

TEST_CASE("captions describe how a plan splits the model, and only if it does", "[parallel]") {
    const QString llama = setting_sentence(answer(read(kLlama)));
    for (const char* words : {"ZeRO-1", "tensor and sequence parallel 4", "context parallel 2",
                              "pipeline parallel 4", "5 virtual stages", "interleaved schedule"}) {
        INFO(words);
        CHECK(llama.contains(QLatin1String(words)));
    }
    CHECK_FALSE(llama.contains(QStringLiteral("expert")));
    const QString experts = setting_sentence(answer(read(kExperts)));
    CHECK(experts.contains(QStringLiteral("expert parallel 8")));
    CHECK(experts.contains(QStringLiteral("1F1B schedule")));
    CHECK(experts.contains(QStringLiteral("offload optimizer")));

    const Answer first = answer(Scenario::first_launch());
    const QString words = setting_sentence(first);
    CHECK(
        words.contains(QStringLiteral("Plan: ZeRO-3, micro-batch 2, accumulation 1, global batch 128, "
                                      "sequence 2,048, bf16, recompute none, "
                                      "Flash attention.")));
    CHECK(scaling_caption(scaling_data(first)).contains(QStringLiteral("2 sequences per GPU; ")));
    const QString cut = scaling_caption(scaling_data(answer(read(kLlama))));
    CHECK(cut.contains(QStringLiteral("64 sequences per model replica of 32 GPUs")));
    CHECK(cut.contains(QStringLiteral("The plan needs at least 32 GPUs.")));
}

TEST_CASE("scaling curves keep the plan", "[parallel]") {
    const char* json = GENERATE(kLlama, kGpt3, kExperts);
    ParallelDesk desk(json);
    auto& plot = *desk.find<ScalingPlot>("scaling");
    const ScalingData& data = plot.figure().data();
    REQUIRE_FALSE(data.curves.weak.empty());
    REQUIRE_FALSE(data.curves.strong.empty());
    const Settings& before = desk.settings();
    const Scenario weak = with_hold(desk.window.model().scenario(), Hold::per_gpu_batch);
    for (const CurvePoint& point : data.curves.weak) {
        const Answer there = answer(edited(weak, P::gpus, point.x));
        REQUIRE(there.valid());
        CHECK(there.settings[P::gpus] == point.x);
        for (const P id : kDegrees) CHECK(there.settings[id] == before[id]);
        CHECK(there.estimate.mfu == Approx(point.mfu).epsilon(1e-12));
    }
    CHECK(data.fewest_gpus() >= replica_gpus(before));
    CHECK(plot.figure().current_dot().x() == before[P::gpus]);
    CHECK(plot.figure().current_dot().y() == Approx(desk.estimate().mfu).epsilon(1e-12));
    // The closed form lies above, even without the costs of parallelism; a roof that reaches 100 % is shown.
    CHECK(data.ideal_y(data.current, ScalingY::mfu) > data.y(data.current, ScalingY::mfu));
    // Only gathered weights have a threshold with which tokens can be compared.
    CHECK_FALSE(desk.find<QWidget>("headline/threshold")->isVisible());
    CHECK(desk.find<QWidget>("headline/tokens-per-gpu")->isVisible());
    CHECK(
        desk.find<QWidget>("headline/tokens-per-gpu")->toolTip().contains(QStringLiteral("tensor-parallel")));
    desk.open("{}");
    CHECK(desk.find<QWidget>("headline/threshold")->toolTip().contains(QStringLiteral("gather")));
}

TEST_CASE("each of the three verdicts has its chip", "[parallel]") {
    ParallelDesk desk(kGpt3);
    const double peak = desk.estimate().memory.peak / (1024.0 * 1024.0 * 1024.0);
    const auto with_memory = [&](double share) {
        desk.type("cluster.gpu.memory", QStringLiteral("%1 GiB").arg(peak * share, 0, 'f', 3));
        return desk.text("headline/verdict");
    };
    CHECK(with_memory(1.2) == QStringLiteral("FITS"));
    CHECK(with_memory(1.01) == QStringLiteral("RISKY"));
    CHECK_FALSE(desk.text("headline/mfu").startsWith(QStringLiteral("–")));
    CHECK(with_memory(0.8) == QStringLiteral("DOES NOT FIT"));
    CHECK(desk.text("headline/mfu").startsWith(QStringLiteral("–")));
    CHECK_FALSE(desk.waterfall().data().has_time);
}

TEST_CASE("a sweep over tensor parallelism contains its valid degrees", "[parallel]") {
    const Answer subject = answer(read(kGpt3));
    FigureRequest request;
    request.plot = "sweep";
    std::vector<Axis> axes{default_axis(subject.scenario, P::tensor_parallel, 20)};
    request.options = SweepOptions{.axes = axes};
    const auto rows = read_csv(render_figure(request, subject, FigureFormat::csv).toStdString());
    REQUIRE(rows.size() == 1 + axes.front().values.size());
    CHECK(rows.front().fields.front() == "training.tensor_parallel[1]");
    const double gpus = subject.settings[P::gpus];
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const double degree = std::stod(rows[i].fields.front());
        CHECK(std::fmod(96, degree) == 0);
        CHECK(std::fmod(gpus, degree * 8) == 0);
        CHECK(rows[i].fields.back() != "invalid");
    }
    CHECK(render_figure(request, subject, FigureFormat::svg).contains("Tensor parallel"));
    // There are no values between two degrees, so no line connects them.
    const QString words = sweep_caption(sweep_data(subject, axes, {}));
    CHECK_FALSE(words.contains(QStringLiteral("cross")));
    axes.push_back({P::pipeline_parallel, {4, 8}});
    CHECK(sweep_caption(sweep_data(subject, axes, {})).contains(QStringLiteral("other marks")));
}
