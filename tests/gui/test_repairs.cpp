// Tests the strip of repairs below the headline.
#include <QAbstractButton>
#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <QUndoStack>
#include <catch2/catch.hpp>

#include "explore/repair.h"
#include "support/desk.h"
#include "support/panels.h"
#include "widgets/drawing.h"
#include "widgets/panels/repair_button.h"
#include "widgets/panels/repair_strip.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

// The strip of repairs alone, as wide as in a usual window.
struct Strip {
    Strip() { strip->resize(1068, strip->sizeHint().height()); }
    // Makes the scenario too large, and returns the repair that changes the micro-batch.
    QAbstractButton* needed() {
        overflow(model);
        QApplication::processEvents();
        auto* repair = strip->findChild<QAbstractButton*>(QStringLiteral("repair/training.micro_batch"));
        REQUIRE(repair);
        return repair;
    }

    LiveModel model{Catalogue::shipped()};
    QWidget window;
    RepairStrip* strip = new RepairStrip(model, &window);
};

}  // namespace

TEST_CASE("a repair needs one click and makes the scenario fit") {
    Strip it;
    LiveModel& model = it.model;
    RepairStrip* strip = it.strip;
    QAbstractButton* repair = it.needed();
    REQUIRE(repair->isEnabled());
    repair->click();
    CHECK(model.answer().fits());
    QApplication::processEvents();
    // Then the change that raises the MFU most is offered, if there is one.
    const std::optional<Repair> fix = best_fix(model.answer());
    const auto* caption = strip->findChild<QLabel*>(QStringLiteral("repairs/caption"));
    REQUIRE(caption);
    CHECK(caption->text() == QStringLiteral("Next best fix"));
    for (const auto* button : strip->findChildren<QAbstractButton*>()) {
        if (!button->isHidden() && button->objectName().startsWith(QStringLiteral("repair/")))
            CHECK(button->text().toStdString() == fix.value().label);
    }
}

TEST_CASE("the row of repairs offers what raises the MFU of a scenario that fits") {
    Strip it;
    LiveModel& model = it.model;
    RepairStrip* strip = it.strip;
    model.edit(P::recompute, 1);
    QApplication::processEvents();
    const std::optional<Repair> fix = best_fix(model.answer());
    REQUIRE(fix.has_value());
    CHECK_FALSE(strip->has_best());  // Ctrl+R repairs what does not fit
    auto* button = strip->findChild<QAbstractButton*>(QStringLiteral("repair/") +
                                                      text_of(parameter(fix->id.value()).key));
    REQUIRE(button);
    CHECK_FALSE(button->isHidden());
    const double before = model.answer().estimate.mfu;
    button->click();
    CHECK(model.answer().estimate.mfu > before);
    // During a drag the offer follows the scenario.
    model.begin_gesture(P::inter_node_bandwidth);
    model.drag(P::inter_node_bandwidth, 10e9);
    QApplication::processEvents();
    REQUIRE(model.answer().fits());
    const std::optional<Repair> now = best_fix(model.answer());
    REQUIRE(now.has_value());
    const auto* follows = strip->findChild<QAbstractButton*>(QStringLiteral("repair/") +
                                                             text_of(parameter(now->id.value()).key));
    REQUIRE(follows);
    CHECK_FALSE(follows->isHidden());
    CHECK(follows->text() == text_of(now->label));
    // A fix beside an automatic plan needs a search.
    model.set_automatic(P::recompute, true);
    model.drag(P::inter_node_bandwidth, 20e9);
    QApplication::processEvents();
    for (const auto* other : strip->findChildren<QAbstractButton*>()) CHECK(other->isHidden());
    model.end_gesture();
}

TEST_CASE("a risky scenario is offered repairs, and Ctrl+R makes it safe") {
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.type("cluster.gpu.memory", QStringLiteral("37 GiB"));
    REQUIRE(model.answer().estimate.verdict == Verdict::risky);
    auto* strip = desk.window.findChild<RepairStrip*>();
    REQUIRE(QTest::qWaitFor([&] { return !strip->pending(); }, kBackgroundTimeout));
    CHECK(desk.text("repairs/caption") == QStringLiteral("Repairs"));
    REQUIRE(desk.window.action(ActionId::best_repair)->isEnabled());
    QTest::keySequence(&desk.window, QKeySequence(QStringLiteral("Ctrl+R")));
    CHECK(model.answer().estimate.verdict == Verdict::fits);
    QTest::keySequence(&desk.window, QKeySequence::Undo);
    CHECK(model.answer().estimate.verdict == Verdict::risky);
}

TEST_CASE("a repair with a long name is shown whole, in two lines") {
    RepairButton button;
    Repair plan;
    plan.label = "Best plan: TP 8 SP, PP 4×2 interleaved, ZeRO-1, micro-batch 1 × 32, recompute selective";
    plan.result = "fits, 70.1 GiB, MFU 41.3 %";
    plan.works = true;
    button.set_repair(plan, true);
    const int whole = button.sizeHint().width();
    button.set_longest(0.6 * whole);
    const int two_lines = button.sizeHint().width();
    CHECK(two_lines < whole);
    // Both lines together have room for the whole text.
    CHECK(2 * two_lines > whole);
}

TEST_CASE("the tool tip of a repair covers neither its button nor the tabs and the plot below it") {
    Desk desk;
    overflow(desk.window.model());
    auto* strip = desk.window.findChild<RepairStrip*>();
    REQUIRE(QTest::qWaitFor([&] { return !strip->pending(); }, kBackgroundTimeout));
    int shown = 0;
    for (const QSize size : {QSize(1366, 768), QSize(1024, 700)}) {
        desk.window.resize(size);
        QApplication::processEvents();
        for (auto* button : strip->findChildren<RepairButton*>()) {
            if (!button->isVisible()) continue;
            const QPoint at = button->rect().center();
            QHelpEvent help(QEvent::ToolTip, at, button->mapToGlobal(at));
            QApplication::sendEvent(button, &help);
            const QWidget* tip = shown_tool_tip();
            REQUIRE(tip != nullptr);
            CHECK(tip->geometry().bottom() < button->mapToGlobal(QPoint()).y());
            ++shown;
        }
    }
    CHECK(shown > 2);
    QToolTip::hideText();
}

TEST_CASE("a hidden repair that still receives a key changes nothing") {
    Strip it;
    LiveModel& model = it.model;
    QAbstractButton* repair = it.needed();
    // The focus is on the button while another window is active.
    repair->setFocus();
    model.undo_stack()->undo();
    QApplication::processEvents();
    REQUIRE(model.answer().fits());
    REQUIRE(repair->isHidden());
    const Scenario before = model.scenario();
    repair->click();
    CHECK(model.scenario() == before);
}

TEST_CASE("repairs: after a click the focus stays in the strip", "[window]") {
    Desk desk;
    desk.type("training.micro_batch", QStringLiteral("8"));
    desk.type("training.sequence_length", QStringLiteral("8192"));
    auto* strip = desk.find<RepairStrip>("repairs");
    const auto settle = [&] {
        QApplication::processEvents();
        REQUIRE(QTest::qWaitFor([&] { return !strip->pending() && !desk.window.model().planning(); },
                                kBackgroundTimeout));
        QApplication::processEvents();
    };
    settle();
    REQUIRE(strip->has_best());
    for (auto* button : strip->findChildren<RepairButton*>()) {
        if (!button->isVisible() || !button->isEnabled()) continue;
        QTest::mouseClick(button, Qt::LeftButton);
        break;
    }
    CHECK(desk.window.model().answer().fits());
    settle();
    const QWidget* focus = QApplication::focusWidget();
    REQUIRE(focus != nullptr);
    INFO(focus->objectName().toStdString());
    CHECK((focus == strip || strip->isAncestorOf(focus)));
}

TEST_CASE("repairs: the open menu keeps its entries when the repairs change", "[window]") {
    Desk desk;
    desk.type("training.micro_batch", QStringLiteral("8"));
    desk.type("training.sequence_length", QStringLiteral("8192"));
    desk.window.resize(1024, 640);
    const auto searched = [&] {
        QApplication::processEvents();
        return QTest::qWaitFor([&] { return !desk.find<RepairStrip>("repairs")->pending(); },
                               kBackgroundTimeout);
    };
    REQUIRE(searched());
    auto* more = desk.find<QToolButton>("repairs/more");
    REQUIRE(more->isVisible());
    more->menu()->popup(more->mapToGlobal(QPoint()));
    const QPointer<QAction> first(more->menu()->actions().value(0));
    REQUIRE(first);
    const QString text = first->text();
    desk.window.model().edit(P::micro_batch, 7);
    REQUIRE(searched());
    REQUIRE(first);
    CHECK(first->text() == text);
    // The next time it has those of the new scenario.
    more->menu()->close();
    more->menu()->popup(more->mapToGlobal(QPoint()));
    CHECK_FALSE(first);
    CHECK_FALSE(more->menu()->isEmpty());
    more->menu()->close();
}

TEST_CASE("a fix that may run out of memory is offered, marked, if no other helps") {
    LiveModel model(Catalogue::shipped());
    int risky = 0;
    for (double memory = 40; memory <= 80; memory += 1) {
        model.edit(P::memory, memory * kGiB);
        const std::optional<Repair> fix = best_fix(model.answer());
        if (!fix || !model.answer().fits()) continue;
        CHECK(fix->mfu > model.answer().estimate.mfu);
        CHECK(fix->works);
        risky += fix->risky ? 1 : 0;
        if (fix->risky) CHECK(fix->result.starts_with("risky"));
    }
    CHECK(risky > 0);
}

TEST_CASE("a fix that may run out of memory says that each is risky, and Ctrl+R prefers one that is not") {
    Desk desk;
    LiveModel& model = desk.window.model();
    const auto settle = [&] {
        QApplication::processEvents();
        REQUIRE(QTest::qWaitFor([&] { return !desk.find<RepairStrip>("repairs")->pending(); },
                                kBackgroundTimeout));
        QApplication::processEvents();
    };
    int risky = 0;
    for (double memory = 40; memory <= 80 && risky == 0; memory += 1) {
        model.edit(P::memory, memory * kGiB);
        if (!model.answer().fits()) continue;
        const std::optional<Repair> fix = best_fix(model.answer());
        if (!fix || !fix->risky) continue;
        settle();
        CHECK(desk.text("repairs/note") == QStringLiteral("each is risky"));
        ++risky;
    }
    CHECK(risky == 1);
    model.edit(P::micro_batch, 1);
    model.edit(P::recompute, 1);
    settle();
    CHECK(desk.text("repairs/note") != QStringLiteral("each is risky"));

    // Where the first in rank is risky, the key takes another.
    for (double length = 4096; length <= 32768; length += 512) {
        const Scenario broken =
            edited(Scenario::first_launch(commands::catalogue()), P::sequence_length, length);
        const std::vector<Repair> offered = repairs(broken);
        if (offered.empty() || !offered.front().risky || best_of(offered)->risky) continue;
        model.start_with(broken);
        settle();
        QTest::keyClick(&desk.window, Qt::Key_R, Qt::ControlModifier);
        CHECK(desk.estimate().verdict == Verdict::fits);
        break;
    }
}
