// Tests that automatic plans are fair: they do the same job, and are never worse than a point that the window
// draws for it.
#include <QCheckBox>
#include <QLabel>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>
#include <catch2/catch.hpp>
#include <map>

#include "app/plan_news.h"
#include "support/desk.h"
#include "widgets/chart/option_row.h"
#include "widgets/live_model.h"
#include "widgets/plots/plot_kind.h"
#include "widgets/plots/scaling/scaling_plot.h"

using namespace shardscope;
using namespace shardscope::testing;

TEST_CASE("G21: automatic plans hold the global batch, and no drawn curve of the same job is better",
          "[gui][auto]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    const double batch = model.answer().settings[P::global_batch];
    CHECK(model.scenario().hold() == Hold::per_gpu_batch);
    desk.choose(ActionId::plan_automatic);
    CHECK(model.scenario().hold() == Hold::global_batch);
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    CHECK(model.answer().settings[P::global_batch] == batch);
    CHECK(desk.text("message/text").startsWith("Plan changed: "));
    // The first message has the width of its box, so that its text is not cut.
    const auto* words = desk.find<QLabel>("message/text");
    CHECK(words->height() >= words->heightForWidth(words->width()));
    CHECK(words->width() > 300);

    auto* plot = desk.window.findChild<ScalingPlot*>();
    REQUIRE(plot);
    REQUIRE(QTest::qWaitFor([&] { return !plot->pending(); }, kBackgroundTimeout));
    const ScalingData& data = plot->figure().data();
    CHECK(data.plan == CurvePlan::replanned);
    const double own = model.answer().estimate.mfu;
    std::size_t compared = 0;
    for (const Curve* curve : {&data.curves.weak, &data.curves.strong}) {
        for (const CurvePoint& point : *curve) {
            if (point.x != data.current.x || !point.fits()) continue;
            CHECK(point.mfu <= own * (1 + 1e-12));
            ++compared;
        }
    }
    CHECK(compared == 2);
    // The weak curve goes on beyond the GPUs that the present batch could use.
    CHECK(data.curves.weak.back().x > batch);
}

TEST_CASE("an option that becomes available appears in its row, or else in \"More\"", "[gui][auto]") {
    OptionRow row;
    auto* first = row.add_check(QStringLiteral("first"), QStringLiteral("First"), true);
    auto* second = row.add_check(QStringLiteral("second"), QStringLiteral("Second"), true);
    second->setEnabled(false);
    row.resize(row.sizeHint());
    row.show();
    QApplication::processEvents();
    REQUIRE(first->isVisible());
    REQUIRE_FALSE(second->isVisible());
    second->setEnabled(true);
    CHECK(second->isVisible());
    second->setEnabled(false);
    row.resize(row.sizeHint().width() - 10, row.height());
    QApplication::processEvents();
    auto* more = row.findChild<QToolButton*>();
    REQUIRE_FALSE(more->isVisible());
    second->setEnabled(true);
    CHECK(more->isVisible());

    Desk desk;
    desk.window.resize(1920, 1080);
    desk.choose(ActionId::plan_automatic);
    REQUIRE(QTest::qWaitFor([&] { return !desk.window.model().planning(); }, kBackgroundTimeout));
    CHECK(desk.find<QCheckBox>("scaling/anew")->isVisible());
}

TEST_CASE("a change of an automatic plan is shown, and only then", "[gui][auto]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.choose(ActionId::plan_automatic);
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    const Plan before = plan_of(model.answer().settings);
    desk.find<QWidget>("message")->hide();
    desk.type("training.sequence_length", "8k");
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    const Plan after = plan_of(model.answer().settings);
    REQUIRE(before != after);
    CHECK(desk.text("message/text") ==
          "Plan changed: " + plan_change(before, after, model.scenario().automatic));
    CHECK(desk.find<QWidget>("message")->isVisible());
    // An input that leaves the plan as it is.
    desk.find<QWidget>("message")->hide();
    desk.type("cluster.price_per_gpu_hour", "3");
    CHECK(desk.find<QWidget>("message")->isHidden());
    // An unrelated scenario has a plan of its own, which is no change.
    model.load(SavedScenario(with_auto(edited(Scenario::first_launch(), P::sequence_length, 16384),
                                       P::micro_batch, true)),
               QStringLiteral("Open"));
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    REQUIRE(plan_of(model.answer().settings) != after);
    CHECK(desk.find<QWidget>("message")->isHidden());
    // Undo returns to the first job, and an edit of it is compared with that job's plan.
    model.undo_stack()->undo();
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    CHECK(desk.find<QWidget>("message")->isHidden());
    CHECK(plan_of(model.answer().settings) == after);
}

TEST_CASE("Auto says once that it holds the global batch, and Undo takes that back", "[gui][auto]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    const auto planned = [&] {
        return QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout);
    };
    const auto says_it = [&] {
        return desk.find<QWidget>("message")->isVisible() &&
               desk.text("message/text").contains("The global batch (128) is held");
    };
    REQUIRE(model.scenario().hold() == Hold::per_gpu_batch);
    desk.click("training.micro_batch/auto");
    REQUIRE(planned());
    CHECK(model.scenario().hold() == Hold::global_batch);
    CHECK(says_it());
    // A second automatic parameter changes nothing about it.
    desk.slider("training.recompute");
    desk.find<QAbstractButton>("training.recompute/auto")->click();
    REQUIRE(planned());
    CHECK_FALSE(says_it());
    desk.choose(ActionId::undo);
    desk.choose(ActionId::undo);
    CHECK(model.scenario().hold() == Hold::per_gpu_batch);
    CHECK(model.scenario().automatic.none());
    CHECK_FALSE(says_it());
}

TEST_CASE("what the user sets by hand is no change of the automatic plan", "[gui][auto]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    model.set_automatic(P::recompute, true);
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    desk.find<QWidget>("message")->hide();
    desk.type("training.tensor_parallel", "2");
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    REQUIRE(model.answer().settings[P::tensor_parallel] == 2);
    if (desk.find<QWidget>("message")->isVisible())
        CHECK_FALSE(desk.text("message/text").contains("Tensor parallel"));
}

TEST_CASE("a changed plan is shown once at the end of a drag", "[gui][auto]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.choose(ActionId::plan_automatic);
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    const Plan before = plan_of(model.answer().settings);
    desk.find<QWidget>("message")->hide();
    model.begin_gesture(P::sequence_length);
    for (const double length : {4096., 8192., 16384.}) {
        model.drag(P::sequence_length, length);
        REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
        CHECK(desk.find<QWidget>("message")->isHidden());
    }
    model.end_gesture();
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    const Plan after = plan_of(model.answer().settings);
    REQUIRE(before != after);
    CHECK(desk.text("message/text") ==
          "Plan changed: " + plan_change(before, after, model.scenario().automatic));
}

TEST_CASE("the message about a changed plan leaves with the next change of the scenario", "[gui][auto]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.choose(ActionId::plan_automatic);
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    auto* message = desk.find<QWidget>("message");
    REQUIRE(message->isVisible());
    desk.type("cluster.price_per_gpu_hour", "3");  // leaves the plan as it is
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    CHECK(message->isHidden());
}

TEST_CASE("a message about what was done leaves by itself, unless the pointer is on it", "[gui][window]") {
    Desk desk;
    auto* message = desk.find<QWidget>("message");
    for (int i = 0; i < 7; ++i) desk.choose(ActionId::pin);
    REQUIRE(message->isVisible());
    auto* end = message->findChild<QTimer*>(QString(), Qt::FindDirectChildrenOnly);
    REQUIRE(end->isActive());
    message->setAttribute(Qt::WA_UnderMouse);
    end->setInterval(1);
    CHECK_FALSE(QTest::qWaitFor([&] { return message->isHidden(); }, 50));
    message->setAttribute(Qt::WA_UnderMouse, false);
    CHECK(QTest::qWaitFor([&] { return message->isHidden(); }, kBackgroundTimeout));
    CHECK_FALSE(end->isActive());
}

TEST_CASE("differences of plans are written in the order of the plan's parameters", "[gui][auto]") {
    Plan before{};
    Plan after{};
    before[P::tensor_parallel] = 1;
    after[P::tensor_parallel] = 4;
    before[P::sharding] = static_cast<double>(Sharding::zero3);
    after[P::sharding] = static_cast<double>(Sharding::zero2);
    const ParameterSet all = ParameterSet().set();
    CHECK(plan_change(before, after, all) ==
          QString::fromUtf8("Tensor parallel 1 → 4, Sharding ZeRO-3 → ZeRO-2"));
    CHECK(plan_change(before, before, all).isEmpty());
    // What the user has set is no news.
    CHECK(plan_change(before, after, ParameterSet(all).reset(index(P::tensor_parallel))) ==
          QString::fromUtf8("Sharding ZeRO-3 → ZeRO-2"));
}

TEST_CASE("pins are re-planned like the scenario, or both are held", "[gui][auto]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.choose(ActionId::plan_automatic);
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    desk.choose(ActionId::pin);
    model.edit(P::inter_node_bandwidth, 100e9 / 8);
    REQUIRE(QTest::qWaitFor([&] { return !model.planning(); }, kBackgroundTimeout));
    auto* plot = desk.window.findChild<ScalingPlot*>();
    // Returns the MFU of the pin's weak curve over the GPUs.
    const auto curve = [&] {
        const FigureRequest request = with_computed_data(plot->request(), model.answer());
        const PlotTable table = table_of(kScalingKind, request, model.answer());
        const auto column = [&](const char* name) {
            return static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin());
        };
        std::map<double, double> out;
        for (const auto& row : table.rows) {
            const QString mfu = QString::fromStdString(row.at(column("mfu_weak[%]")));
            if (row.front() == "B" && !mfu.isEmpty())
                out[QString::fromStdString(row.at(column("gpus[1]"))).toDouble()] = mfu.toDouble();
        }
        return out;
    };
    const std::map<double, double> fresh = curve();
    desk.find<QCheckBox>("scaling/anew")->click();
    const std::map<double, double> held = curve();
    int better = 0;
    int compared = 0;
    for (const auto& [gpus, mfu] : held) {
        if (!fresh.contains(gpus)) continue;
        ++compared;
        INFO(gpus << " GPUs");
        CHECK(fresh.at(gpus) >= mfu * (1 - 1e-12));
        better += fresh.at(gpus) > mfu * (1 + 1e-6) ? 1 : 0;
    }
    CHECK(compared > 4);
    CHECK(better > 0);
}
