// Tests the whole run in the headline: its values, what is hidden first, and an MFU set by hand.
#include <QAbstractButton>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "support/desk.h"
#include "widgets/panels/headline.h"
#include "widgets/panels/run_label.h"
#include "widgets/plots/plans/plans_data.h"
#include "widgets/plots/scaling/scaling_data.h"
#include "widgets/plots/scaling/scaling_figure.h"
#include "widgets/plots/scaling/scaling_plot.h"

using namespace shardscope;
using shardscope::testing::Desk;
using shardscope::testing::first_number;

namespace {

constexpr std::array kItems{"headline/gpu-hours", "headline/cost", "headline/energy",
                            "headline/training-tokens", "headline/goodput"};

// Checks that everything shown in the line lies inside the headline, whole and side by side.
void check_not_cut(Desk& desk) {
    const auto* headline = desk.find<QWidget>("headline");
    int end = -1;
    for (const char* name : kItems) {
        const auto* label = desk.find<RunLabel>(QLatin1String(name));
        if (!label->isVisible()) continue;
        INFO(name << ": " << label->text().toStdString());
        const QRect box(label->mapTo(headline, QPoint(0, 0)), label->size());
        CHECK(headline->rect().contains(box));
        CHECK(label->width() + 1 >= label->natural_width());
        CHECK(box.left() > end);
        end = box.right();
    }
    CHECK(desk.find<QWidget>("headline/training-days")->isVisible());
    const auto* sentence = desk.find<QWidget>("headline/sentence");
    const auto* days = desk.find<QWidget>("headline/training-days");
    CHECK(days->mapTo(headline, QPoint(0, days->height())).y() <=
          sentence->mapTo(headline, QPoint(0, 0)).y() + 1);
}

}  // namespace

TEST_CASE("run line: it shows days, GPU hours and energy, cost with a price, and goodput with failures",
          "[run]") {
    Desk desk;
    const auto shows = [&](const char* name) { return desk.find<QWidget>(QLatin1String(name))->isVisible(); };
    const auto text_in_headline = [&](Output id) {
        return QString::fromStdString(text_of(id, desk.window.model().answer()));
    };
    CHECK(desk.text("headline/training-days") == text_in_headline(Output::training_days));
    CHECK(desk.text("headline/energy") == text_in_headline(Output::energy));
    CHECK(first_number(desk.text("headline/gpu-hours")) == first_number(text_in_headline(Output::gpu_hours)));
    CHECK_FALSE(shows("headline/cost"));
    CHECK_FALSE(shows("headline/goodput"));
    const double before = desk.estimate().run.seconds;

    desk.type("cluster.price_per_gpu_hour", QStringLiteral("2.5"));
    CHECK(shows("headline/cost"));
    CHECK(first_number(desk.text("headline/cost")) ==
          Approx(2.5 * desk.estimate().run.gpu_hours).epsilon(1e-3));

    desk.type("assumptions.mtbf_hours_per_gpu", QStringLiteral("5000"));
    desk.type("assumptions.restart_time", QStringLiteral("10 min"));
    CHECK(desk.estimate().run.goodput < 1);
    CHECK(shows("headline/goodput"));
    CHECK(desk.text("headline/goodput").endsWith(text_in_headline(Output::goodput)));
    CHECK(desk.estimate().run.seconds == Approx(before / desk.estimate().run.goodput));
    CHECK(desk.text("headline/training-days") == text_in_headline(Output::training_days));
    check_not_cut(desk);

    // Each change is one named step, and undo leads back to the beginning.
    desk.window.action(ActionId::undo)->trigger();
    desk.window.action(ActionId::undo)->trigger();
    CHECK_FALSE(shows("headline/goodput"));
    CHECK(desk.estimate().run.seconds == before);
}

TEST_CASE("run line: every value has an explanation", "[run]") {
    Desk desk;
    desk.type("cluster.price_per_gpu_hour", QStringLiteral("2"));
    desk.type("assumptions.mtbf_hours_per_gpu", QStringLiteral("5000"));
    QSignalSpy asked(&desk.window.model(), &LiveModel::explanation_requested);
    constexpr std::array expected{Output::gpu_hours, Output::cost, Output::energy, Output::tokens_needed,
                                  Output::goodput};
    for (std::size_t i = 0; i < kItems.size(); ++i) {
        auto* label = desk.find<QLabel>(QLatin1String(kItems[i]));
        INFO(kItems[i]);
        REQUIRE(label->isVisible());
        CHECK_FALSE(label->accessibleName().isEmpty());
        QTest::mouseClick(label, Qt::LeftButton);
        REQUIRE(asked.count() == static_cast<int>(i) + 1);
        CHECK(asked.last().at(0).value<Subject>() == Subject::of(expected[i]));
        QApplication::processEvents();
        const std::string result = text_of(expected[i], desk.window.model().answer());
        CHECK(desk.text("why/result").toStdString() == "= " + result);
    }
}

TEST_CASE("run line: nothing is cut at any width, nor where the scenario does not fit", "[run]") {
    Desk desk;
    desk.type("cluster.price_per_gpu_hour", QStringLiteral("2.5"));
    desk.type("assumptions.mtbf_hours_per_gpu", QStringLiteral("5000"));
    desk.type("training.training_tokens", QStringLiteral("15T"));
    for (const QSize size : {QSize(1440, 900), QSize(1200, 800), QSize(1024, 700)}) {
        INFO(size.width());
        desk.window.resize(size);
        QApplication::processEvents();
        check_not_cut(desk);
        // Days, cost and goodput are visible at every size.
        for (const char* name : {"headline/training-days", "headline/cost", "headline/goodput"})
            CHECK(desk.find<QWidget>(QLatin1String(name))->isVisible());
    }
    desk.type("training.micro_batch", QStringLiteral("64"));
    REQUIRE_FALSE(desk.estimate().fits());
    CHECK(desk.text("headline/training-days") == QStringLiteral("–"));
    for (const char* name : {"headline/gpu-hours", "headline/cost", "headline/energy", "headline/goodput"})
        CHECK_FALSE(desk.find<QWidget>(QLatin1String(name))->isVisible());
    check_not_cut(desk);
    desk.find<QAbstractButton>("show-hypothetical")->click();
    QApplication::processEvents();
    CHECK(desk.find<QWidget>("headline/cost")->isVisible());
    CHECK(first_number(desk.text("headline/training-days")) > 0);
    check_not_cut(desk);
}

TEST_CASE("critical batch: the law is chosen in the window, and the days grow with the tokens it requires",
          "[run]") {
    Desk desk;
    const double before = desk.estimate().run.seconds;
    const QString tokens = desk.text("headline/training-tokens");
    desk.choose("training.critical_batch_law", QStringLiteral("kaplan"));
    const TrainingRun& run = desk.estimate().run;
    CHECK(run.seconds == Approx(before * (1 + run.batch / run.critical_batch)));
    CHECK(desk.text("headline/training-tokens") != tokens);
    desk.choose("training.critical_batch_law", QStringLiteral("none"));
    CHECK(desk.estimate().run.seconds == before);
    CHECK(desk.text("headline/training-tokens") == tokens);
}

TEST_CASE("scaling plot: its days are those of the run, with failures and the cost of the batch", "[run]") {
    Desk desk;
    desk.type("assumptions.mtbf_hours_per_gpu", QStringLiteral("2000"));
    desk.choose("training.critical_batch_law", QStringLiteral("kaplan"));
    const ScalingData data = scaling_data(desk.window.model().answer());
    CHECK(data.y(data.current, ScalingY::days) == Approx(desk.estimate().run.seconds / 86400).epsilon(1e-12));
    for (const CurvePoint& point : data.curves.weak) {
        if (!data.shows(point)) continue;
        const Answer there = answer(edited(desk.window.model().scenario(), P::gpus, point.x));
        INFO(point.x);
        CHECK(data.y(point, ScalingY::days) == Approx(there.estimate.run.seconds / 86400).epsilon(1e-9));
    }
}

TEST_CASE("plans: their days and cost include the effect of the batch, and an MFU set by hand is left out",
          "[run]") {
    Desk desk;
    Scenario scenario = desk.window.model().scenario();
    scenario.give(P::price_per_gpu_hour, 2);
    scenario.give(P::critical_batch_law, CriticalBatchLaw::kaplan);
    scenario.give(P::mtbf_hours_per_gpu, 2000);
    scenario.automatic.set(index(P::micro_batch));
    scenario.automatic.set(index(P::recompute));
    Scenario forced = scenario;
    forced.give(P::mfu_override, 0.5);
    for (const Scenario& subject : {scenario, forced}) {
        const SharedPlans plans = plans_data(plans_subject(subject, false), 1);
        REQUIRE(plans->best() != nullptr);
        std::set<double> batches;
        for (const PlanPoint& point : plans->points) {
            if (!point.fits()) continue;
            const Answer alone = answer(plans->scenario_of(point));
            batches.insert(alone.settings[P::global_batch]);
            CHECK(alone.estimate.mfu == alone.estimate.predicted_mfu);
            for (const Output id : kPlanOutputs)
                CHECK(plans->value(id, point, false) == Approx(value_of(id, alone)).epsilon(1e-9));
        }
        CHECK(batches.size() > 1);
    }
    const Answer now = answer(forced);
    const auto dot = plan_dot('A', now, false);
    REQUIRE(dot);
    CHECK(dot->of(Output::mfu) == Approx(now.estimate.predicted_mfu).epsilon(1e-12));
}

TEST_CASE("MFU set by hand: it is marked beside the MFU, with the predicted one, and in the sentence",
          "[run]") {
    Desk desk;
    const QString predicted = desk.text("headline/mfu");
    desk.type("assumptions.mfu_override", QStringLiteral("30"));
    CHECK(first_number(desk.text("headline/mfu")) == 30);
    CHECK(desk.text("headline/mfu-caption") == QStringLiteral("MFU, set by hand"));
    CHECK(desk.text("headline/likely-caption") == QStringLiteral("predicted ") + predicted);
    CHECK(desk.text("headline/more").contains(QStringLiteral("set by hand")));
    CHECK(desk.text("headline/sentence").startsWith(QStringLiteral("Compute is the wall")));
    desk.type("assumptions.mfu_override", QStringLiteral("none"));
    CHECK(desk.text("headline/mfu") == predicted);
    CHECK(desk.text("headline/mfu-caption") == QStringLiteral("MFU"));
    CHECK(desk.text("headline/likely-caption").startsWith(QStringLiteral("likely")));
}

TEST_CASE("run line: one GPU has no ideal threshold", "[run]") {
    Desk desk;
    const auto shown = [&] { return desk.find<QWidget>("headline/threshold")->isVisible(); };
    CHECK(shown());
    desk.window.model().edit(P::gpus, 1);
    REQUIRE(desk.estimate().ideal.threshold_tokens == 0);
    CHECK_FALSE(shown());
}
