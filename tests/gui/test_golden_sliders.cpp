// The golden tasks of the window with sliders first, through real events. G17, G18, G21, G22 and G24 are in
// test_command_line, test_ruler, test_auto, test_help and test_difference.
#include <QAbstractButton>
#include <QComboBox>
#include <QFile>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <catch2/catch.hpp>

#include "explore/repair.h"
#include "planner/plan.h"
#include "support/desk.h"
#include "support/logs.h"
#include "support/svg.h"
#include "support/wheel.h"
#include "widgets/live_model.h"
#include "widgets/panels/control_group.h"
#include "widgets/panels/controls_panel.h"
#include "widgets/panels/memory_bar.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/scaling/scaling_plot.h"
#include "widgets/rows/parameter_row.h"
#include "widgets/rows/track_slider.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

struct SliderDesk : Desk {
    TrackSlider& track(P id) {
        slider(std::string(parameter(id).key));
        return *find<TrackSlider>(QString::fromStdString(std::string(parameter(id).key)) + "/slider");
    }
    double value(P id) { return window.model().answer().settings[id]; }
    void drag_to(P id, double wanted) {
        TrackSlider& slider = track(id);
        const QPointF to = slider.pointOf(wanted);
        QTest::mousePress(&slider, Qt::LeftButton, {}, slider.pointOf(value(id)).toPoint());
        QMouseEvent move(QEvent::MouseMove, to, slider.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(&slider, &move);
        QTest::mouseRelease(&slider, Qt::LeftButton, {}, to.toPoint());
        QApplication::processEvents();
    }
};

void write(const QString& name, const std::string& text) {
    QFile file(name);
    REQUIRE(file.open(QIODevice::WriteOnly));
    REQUIRE(file.write(QByteArray::fromStdString(text)) == static_cast<qint64>(text.size()));
}

}  // namespace

TEST_CASE("G15: a screen of 1366×768 shows all seven walls, the x axis and the right edge of the window",
          "[golden]") {
    SliderDesk desk;
    // What a title bar of 40 px and borders of 4 px leave.
    const QSize free(1366 - 8, 768 - 40);
    CHECK(desk.window.minimumSizeHint().width() <= free.width());
    CHECK(desk.window.minimumSizeHint().height() <= free.height());
    desk.window.resize(free);
    for (int pass = 0; pass < 3; ++pass) QApplication::processEvents();
    CHECK(desk.window.size() == free);
    auto* controls = desk.find<ControlsPanel>("controls");
    for (const P id : kWallParameters) {
        const ParameterRow* row = controls->row(id);
        REQUIRE(row);
        INFO(parameter(id).key);
        CHECK(row->visibleRegion().boundingRect().height() == row->height());
        CHECK(row->slider()->groove().width() >= 200);
    }
    const auto* canvas = desk.find<QWidget>("scaling/plot");
    CHECK(canvas->visibleRegion().boundingRect() == canvas->rect());
    CHECK_FALSE(desk.find<QWidget>("why")->isVisible());
}

TEST_CASE("G16: a drag reaches 175 Gbit/s and a width of 6,144 exactly, and keys and wheel lead back",
          "[golden]") {
    SliderDesk desk;
    desk.drag_to(P::inter_node_bandwidth, 175e9 / 8);
    CHECK(desk.value(P::inter_node_bandwidth) == 175e9 / 8);
    desk.drag_to(P::hidden_size, 6144);
    CHECK(desk.value(P::hidden_size) == 6144);
    CHECK(desk.window.model().undo_stack()->count() == 2);
    // Published widths do not hold the pointer where their neighbours have pixels of their own.
    for (double width = 5120; width <= 6656; width += 128) {
        desk.drag_to(P::hidden_size, width);
        CHECK(desk.value(P::hidden_size) == width);
    }
    desk.drag_to(P::hidden_size, 6144);
    for (const P id : {P::inter_node_bandwidth, P::hidden_size}) {
        TrackSlider& slider = desk.track(id);
        slider.setFocus();
        const double start = desk.value(id);
        INFO(parameter(id).key);
        for (const auto& [there, back] :
             {std::pair{Qt::Key_Right, Qt::Key_Left}, std::pair{Qt::Key_PageUp, Qt::Key_PageDown}}) {
            QTest::keyClick(&slider, there);
            CHECK(desk.value(id) > start);
            QTest::keyClick(&slider, back);
            CHECK(desk.value(id) == start);
        }
        CHECK(turn_wheel(slider, 120));
        CHECK(desk.value(id) > start);
        CHECK(turn_wheel(slider, -120));
        CHECK(desk.value(id) == start);
    }
}

TEST_CASE("G19: Llama 2 70B on A100 40 GB gets repairs by their MFU, and a plot of memory", "[golden]") {
    SliderDesk desk;
    LiveModel& model = desk.window.model();
    model.apply_cluster(*model.catalogue().find(PresetKind::cluster, "dgx-a100-40gb"));
    model.apply_model(*model.catalogue().find(PresetKind::model, "llama-2-70b"));
    QApplication::processEvents();
    REQUIRE_FALSE(model.answer().fits());
    CHECK(desk.find<ScalingPlot>("scaling")->figure().options().y == ScalingY::memory);

    auto* strip = desk.find<QWidget>("repairs");
    REQUIRE(strip->isVisible());
    std::vector<QAbstractButton*> buttons;
    REQUIRE(QTest::qWaitFor(
        [&] {
            buttons.clear();
            for (auto* button : strip->findChildren<QAbstractButton*>()) {
                if (button->objectName().startsWith(QStringLiteral("repair/"))) buttons.push_back(button);
            }
            return !buttons.empty() && buttons.front()->isEnabled() &&
                   !buttons.front()->accessibleName().contains(QStringLiteral("searching"));
        },
        kBackgroundTimeout));
    // None ranks below another with a higher MFU.
    double best = 0;
    double last = 1;
    for (const Repair& repair : repairs(locked(model.answer().scenario))) {
        if (!repair.works) break;
        INFO(repair.label);
        CHECK(repair.mfu <= last);
        last = repair.mfu;
        best = std::max(best, repair.mfu);
    }
    REQUIRE(best > 0);
    QTest::mouseClick(buttons.front(), Qt::LeftButton);
    QApplication::processEvents();
    CHECK(model.answer().fits());
    CHECK(model.answer().estimate.mfu >= best);
}

TEST_CASE("G20: after pinning H100, A100 does the same job, with both limits and both letters in exports",
          "[golden]") {
    SliderDesk desk;
    LiveModel& model = desk.window.model();
    const Settings before = model.answer().settings;
    const double limit = model.answer().estimate.memory.capacity;
    desk.choose(ActionId::pin);
    desk.pick(QStringLiteral("picker/cluster"), QStringLiteral("cluster/dgx-a100-40gb"));
    const Settings& now = model.answer().settings;
    for (const P id : {P::global_batch, P::sequence_length, P::training_tokens, P::gpus}) {
        INFO(parameter(id).key);
        CHECK(now[id] == before[id]);
    }
    CHECK(model.pins().front().answer.settings[P::global_batch] == now[P::global_batch]);

    const MemoryBarData memory = memory_bar_data(model.answer(), model.pins());
    REQUIRE(memory.ghosts.size() == 1);
    CHECK(memory.ghosts.front().capacity == limit);
    CHECK(memory.capacity < limit);
    for (const char* name : {"scaling", "memory", "waterfall"}) {
        INFO(name);
        FigureRequest request;
        request.plot = name;
        request.pins = model.pins();
        const QStringList texts = read_svg(render_figure(request, model.answer(), FigureFormat::svg)).texts;
        CHECK(texts.filter(QStringLiteral("B")).contains(QStringLiteral("B")));
        CHECK(texts.join(QLatin1Char(' ')).contains(QStringLiteral("Pinned: B")));
    }
}

TEST_CASE("G23: a script and its log give the scenario, the measured run and its causes", "[golden]") {
    const QTemporaryDir folder;
    write(folder.filePath("train.sh"),
          "torchrun --nnodes 8 --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
          "--ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups 8 "
          "--seq-length 8192 --micro-batch-size 1 --global-batch-size 256 --tensor-model-parallel-size 2 "
          "--sequence-parallel --swiglu --normalization RMSNorm --bf16 --use-distributed-optimizer "
          "--overlap-grad-reduce --untie-embeddings-and-output-weights --vocab-size 128256 "
          "--position-embedding-type rope\n");
    write(folder.filePath("train.log"), megatron_log());
    SliderDesk desk;
    LiveModel& model = desk.window.model();
    desk.drop(folder.filePath("train.sh"));
    CHECK(model.answer().settings[P::gpus] == 64);
    CHECK(model.answer().settings[P::tensor_parallel] == 2);
    const Plan written = plan_of(model.answer().settings);
    desk.drop(folder.filePath("train.log"));
    QApplication::processEvents();
    // The log names no GPU; the form proposes the current cluster.
    QTest::mouseClick(desk.find<QPushButton>("log-form/open"), Qt::LeftButton);
    QApplication::processEvents();
    CHECK(plan_of(model.answer().settings) == written);
    CHECK(model.answer().settings[P::sequence_length] == 8192);
    const auto measured = model.scenario().view.measured;
    REQUIRE(measured);
    CHECK(measured->value == 4);
    REQUIRE(desk.find<QWidget>("measured")->isVisible());
    CHECK(desk.text("measured/result").contains(QLatin1Char('%')));
    std::vector<QPushButton*> causes;
    for (auto* button : desk.find<QWidget>("measured")->findChildren<QPushButton*>()) {
        if (button->objectName().startsWith(QStringLiteral("measured/cause/"))) causes.push_back(button);
    }
    REQUIRE_FALSE(causes.empty());
    const double error = model.answer().estimate.step.total / 4 - 1;
    QTest::mouseClick(causes.front(), Qt::LeftButton);
    QApplication::processEvents();
    CHECK(std::fabs(model.answer().estimate.step.total / 4 - 1) < std::fabs(error));
}
