// Tests automatic plan parameters in the window: the planned values follow a drag.
#include <QAbstractButton>
#include <QAction>
#include <QElapsedTimer>
#include <QUndoStack>

#include "planner/planner.h"
#include "support/desk.h"
#include "support/scenarios.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// Returns a job for which the search of the whole plan takes longer than a frame.
Scenario large_job() {
    Scenario scenario = with_model(Scenario::first_launch(commands::catalogue()),
                                   *commands::catalogue().find(PresetKind::model, "llama-3-70b"));
    for (const auto& [id, value] : std::initializer_list<std::pair<P, Value>>{
             {P::gpus, 512}, {P::micro_batch, 1}, {P::global_batch, 1024}, {P::sequence_length, 8192}})
        scenario.give(id, value);
    return scenario;
}

void wait_for_plan(Desk& desk) {
    REQUIRE(QTest::qWaitFor([&] { return !desk.window.model().planning(); }, 30000));
}

// Makes its whole plan automatic and starts the search.
Scenario start_planning(LiveModel& model) {
    Scenario job = large_job();
    job.automatic = default_free_parameters();
    model.start_with(job);
    REQUIRE(model.planning());
    return job;
}

}  // namespace

TEST_CASE("planning: every plan row has an auto button, and a small search answers at once", "[gui]") {
    Desk desk;
    for (const P id : kPlanParameters) {
        desk.slider(std::string(parameter(id).key));
        desk.find<QAbstractButton>(QString::fromUtf8(parameter(id).key.data()) + QStringLiteral("/auto"));
    }
    desk.type("training.global_batch", QStringLiteral("1024"));
    const double before = desk.estimate().mfu;
    desk.find<QAbstractButton>(QStringLiteral("training.micro_batch/auto"))->click();
    desk.find<QAbstractButton>(QStringLiteral("training.recompute/auto"))->click();
    CHECK_FALSE(desk.window.model().planning());
    CHECK(desk.estimate().mfu >= before);
    // More memory raises the MFU while it is dragged.
    const double small = desk.estimate().mfu;
    desk.type("cluster.gpu.memory", QStringLiteral("160 GiB"));
    CHECK(desk.estimate().mfu > small);
    CHECK(desk.estimate().verdict == Verdict::fits);
}

TEST_CASE("planning: the whole plan is searched in the background, and the last plan stays until then",
          "[gui]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    model.start_with(large_job());
    const Plan locked_plan = plan_of(model.answer().settings);
    desk.window.action(ActionId::plan_automatic)->trigger();
    REQUIRE(model.planning());
    CHECK(plan_of(model.answer().settings) == locked_plan);
    CHECK(desk.text(QStringLiteral("headline/mfu-caption")).contains(QStringLiteral("last plan")));
    wait_for_plan(desk);
    CHECK(plan_of(model.answer().settings) != locked_plan);
    CHECK(desk.estimate().verdict == Verdict::fits);
    CHECK_FALSE(desk.text(QStringLiteral("headline/mfu-caption")).contains(QStringLiteral("last plan")));
    // A separate search finds the same.
    const Answer alone = answer(planned(model.scenario()));
    CHECK(alone.estimate.mfu == desk.estimate().mfu);

    // When locked, the planned values are the scenario's own; one undo makes them automatic again.
    const double found = desk.estimate().mfu;
    desk.window.action(ActionId::plan_lock)->trigger();
    CHECK_FALSE(model.planning());
    CHECK(model.scenario().automatic.none());
    CHECK(desk.estimate().mfu == found);
    desk.window.action(ActionId::undo)->trigger();
    CHECK(model.scenario().automatic == default_free_parameters());
    desk.window.action(ActionId::undo)->trigger();
    CHECK(model.scenario() == large_job());
    CHECK_FALSE(model.planning());
}

TEST_CASE("planning: of two quick changes only the plan of the newest arrives", "[gui]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    start_planning(model);
    std::vector<double> delivered;
    QObject::connect(&model, &LiveModel::changed, &desk.window, [&] {
        if (!model.planning()) delivered.push_back(model.answer().settings[P::inter_node_bandwidth]);
    });
    model.edit(P::inter_node_bandwidth, 12.5e9);
    model.edit(P::inter_node_bandwidth, 100e9);
    wait_for_plan(desk);
    CHECK(delivered == std::vector<double>{100e9});
    CHECK(model.answer().estimate.mfu == answer(planned(model.scenario())).estimate.mfu);
}

TEST_CASE("planning: the plan follows a drag whose frames are shorter than a search", "[gui]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    start_planning(model);
    const Plan before = plan_of(model.answer().settings);
    model.begin_gesture(P::inter_node_bandwidth);
    // Every pass of the loop is a frame; without a pause a search would be restarted before its end.
    const bool follows = [&] {
        QElapsedTimer timer;
        timer.start();
        for (int frame = 0; timer.elapsed() < kBackgroundTimeout; ++frame) {
            model.drag(P::inter_node_bandwidth, (40 + frame % 20) * 1e9);
            QApplication::processEvents();
            if (!(plan_of(model.answer().settings) == before)) return true;
        }
        return false;
    }();
    CHECK(follows);
    CHECK(model.planning());
    model.end_gesture();
    wait_for_plan(desk);
    CHECK(model.answer().estimate.mfu == answer(planned(model.scenario())).estimate.mfu);
}

TEST_CASE("planning: a pin added during a search for a plan gets that plan", "[gui]") {
    Desk desk;
    LiveModel& model = desk.window.model();
    const Scenario job = start_planning(model);
    const Plan before = plan_of(model.answer().settings);
    QTest::keyClick(&desk.window, Qt::Key_P);
    REQUIRE(model.pins().size() == 1);
    const auto pinned = [&] { return plan_of(model.pins().front().answer.settings); };
    REQUIRE(pinned() == before);
    const Answer found = answer(planned(job));
    REQUIRE(plan_of(found.settings) != before);
    SECTION("the scenario stays") {
        model.rename('B', QStringLiteral("Mine"));
        wait_for_plan(desk);
    }
    SECTION("the scenario moves on") {
        model.edit(P::inter_node_bandwidth, 12.5e9);
        model.rename('B', QStringLiteral("Mine"));
        wait_for_plan(desk);
        REQUIRE(QTest::qWaitFor([&] { return pinned() != before; }, kBackgroundTimeout));
    }
    SECTION("it is unpinned meanwhile") {
        model.rename('B', QStringLiteral("Mine"));
        model.unpin('B');
        wait_for_plan(desk);
        desk.window.action(ActionId::undo)->trigger();
        REQUIRE(model.pins().size() == 1);
        REQUIRE(QTest::qWaitFor([&] { return pinned() != before; }, kBackgroundTimeout));
    }
    CHECK(pinned() == plan_of(found.settings));
    CHECK(model.pins().front().answer.estimate.mfu == found.estimate.mfu);
    CHECK(model.pins().front().answer.scenario.name == "Mine");
    CHECK(model.pins().front().answer.scenario.automatic == job.automatic);
}

TEST_CASE("planning: a window may be closed during a search for a plan", "[gui]") {
    {
        Desk desk;
        Scenario job = large_job();
        job.automatic = default_free_parameters();
        desk.window.model().start_with(job);
        REQUIRE(desk.window.model().planning());
    }
    SUCCEED("nothing is delivered to what is gone");
}

TEST_CASE("planning: where no plan fits, the tracks show the values for which one does", "[gui]") {
    Desk desk;
    Scenario small = Scenario::first_launch(commands::catalogue());
    small = with_model(small, *commands::catalogue().find(PresetKind::model, "llama-3-70b"));
    small.cluster = commands::catalogue().find(PresetKind::cluster, "polaris");
    small.give(P::gpus, 4);
    desk.window.model().start_with(small);
    desk.window.action(ActionId::plan_automatic)->trigger();
    wait_for_plan(desk);
    REQUIRE(desk.estimate().verdict == Verdict::does_not_fit);
    // With the plan held more GPUs do not help: the states of a plan that shards over too few GPUs fill each
    // of them.
    const auto usable = [&] {
        auto* more = desk.window.findChild<QAbstractButton*>(QStringLiteral("repair/cluster.gpus"));
        return more && more->isEnabled();
    };
    REQUIRE(QTest::qWaitFor(usable, kBackgroundTimeout));
    desk.find<QAbstractButton>(QStringLiteral("repair/cluster.gpus"))->click();
    QApplication::processEvents();
    wait_for_plan(desk);
    CHECK(desk.estimate().verdict == Verdict::fits);
    CHECK(desk.window.model().answer().settings[P::gpus] > 4);
}
