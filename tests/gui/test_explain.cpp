// Tests Why from anywhere in the window: by a click on a number, or by one key for the focused widget.
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>

#include "support/desk.h"
#include "widgets/panels/scenario_row.h"
#include "widgets/panels/table_view.h"
#include "widgets/panels/waterfall.h"
#include "widgets/plots/operators/operators_plot.h"

using namespace shardscope;
using shardscope::testing::Desk;
using shardscope::testing::kBackgroundTimeout;

namespace {

// Returns the last requested subject.
Subject asked(const QSignalSpy& spy) {
    return spy.isEmpty() ? Subject{} : spy.last().front().value<Subject>();
}

}  // namespace

TEST_CASE("why: a click explains a parameter's name, the band, the wall's share or the current row",
          "[why]") {
    Desk desk;
    QSignalSpy spy(&desk.window.model(), &LiveModel::explanation_requested);
    auto* row = desk.find<QWidget>("cluster.inter_node_bandwidth");
    auto* name = row->findChild<QLabel*>(QString(), Qt::FindDirectChildrenOnly);
    QTest::mouseClick(name, Qt::LeftButton);
    CHECK(asked(spy) == Subject::of(P::inter_node_bandwidth));
    CHECK(desk.text("why/title").contains(QStringLiteral("Inter-node")));
    QTest::mouseClick(desk.find<QLabel>("headline/likely-caption"), Qt::LeftButton);
    CHECK(asked(spy) == Subject::of(Output::mfu));
    QTest::mouseClick(desk.find<QLabel>("headline/why"), Qt::LeftButton);
    CHECK(asked(spy) == Subject::of(Output::wall));

    QTest::keyClick(&desk.window, Qt::Key_P);
    auto* grid = desk.find<QTableView>("scenarios/table");
    const auto cell = [&](int line, ScenarioColumn column) {
        return grid->visualRect(grid->model()->index(line, static_cast<int>(column))).center();
    };
    spy.clear();
    QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, cell(0, ScenarioColumn::memory));
    CHECK(asked(spy) == Subject::of(Output::peak_memory));
    // A click on a pin's row still makes the pin the current scenario.
    spy.clear();
    QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, cell(1, ScenarioColumn::memory));
    CHECK(spy.isEmpty());
}

TEST_CASE("why: one key explains the focused widget", "[why]") {
    Desk desk;
    QSignalSpy spy(&desk.window.model(), &LiveModel::explanation_requested);
    const auto press = [&] {
        desk.window.action(ActionId::explain)->trigger();
        return asked(spy);
    };
    // Without such a focus the subject is that of the current plot.
    CHECK(press() == Subject::of(Output::mfu));
    desk.find<QLabel>("headline/step-time")->setFocus();
    CHECK(press() == Subject::of(Output::step_time));
    desk.find<QWidget>("training.micro_batch/field")->setFocus();
    CHECK(press() == Subject::of(P::micro_batch));
    auto* memory = desk.find<QWidget>("memory-bar");
    memory->setFocus();
    QTest::keyClick(memory, Qt::Key_Down);
    const Subject term = press();
    CHECK(term.kind == Subject::Kind::output);
    CHECK_FALSE(term == Subject::of(Output::peak_memory));
    // With the mouse the subject is below the pointer.
    auto* waterfall = desk.window.findChild<Waterfall*>();
    const QPointF total = waterfall->rows().back().box.center();
    CHECK(waterfall->subject_at(total) == Subject::of(Output::step_time));
    CHECK_FALSE(waterfall->subject_at(waterfall->rows().front().box.center()) ==
                Subject::of(Output::step_time));

    desk.show_tab(QStringLiteral("Operators"));
    auto* list = desk.find<QTableView>("operators/list");
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Down);
    QTest::keyClick(list, Qt::Key_Down);
    CHECK(press().kind == Subject::Kind::op);
    CHECK(desk.text("why/title").startsWith(QStringLiteral("Why: ")));
}

TEST_CASE("why: a click on a rate of the wall or on a lever opens its explanation", "[why]") {
    Desk desk;
    QTest::mouseClick(desk.find<QLabel>("headline/sentence"), Qt::LeftButton);
    auto* why = desk.find<QWidget>("why");
    const QString title = desk.text("why/title");
    bool opened = false;
    for (auto* row : why->findChildren<QWidget*>()) {
        if (!row->isVisible() || !row->accessibleName().startsWith(QStringLiteral("memory bandwidth")))
            continue;
        QTest::mouseClick(row, Qt::LeftButton);
        opened = true;
        break;
    }
    REQUIRE(opened);
    CHECK(desk.text("why/title") != title);
    CHECK(desk.text("why/title").contains(QStringLiteral("Memory bandwidth")));
}

TEST_CASE("memory bar and step each have a table, an export and a menu", "[why]") {
    Desk desk;
    for (const auto& [panel, plot] :
         {std::pair{"memory-bar", "memory"}, std::pair{"waterfall", "waterfall"}}) {
        INFO(panel);
        auto* view = desk.find<QWidget>(panel);
        view->setFocus();
        desk.window.action(ActionId::show_table)->trigger();
        REQUIRE(QTest::qWaitFor([&] { return !desk.window.findChildren<TableView*>().isEmpty(); },
                                kBackgroundTimeout));
        auto* table = desk.window.findChild<TableView*>();
        CHECK(table->isVisible());
        CHECK(table->findChild<QTableView*>(QStringLiteral("table"))->model()->rowCount() > 3);
        delete table;

        QContextMenuEvent event(QContextMenuEvent::Mouse, view->rect().center(),
                                view->mapToGlobal(view->rect().center()));
        QApplication::sendEvent(view, &event);
        auto* menu = desk.window.findChild<QMenu*>(QLatin1String(plot) + QStringLiteral("/menu"));
        REQUIRE(menu != nullptr);
        // Why, table and export, and behind a line two copies.
        REQUIRE(menu->actions().size() == 6);
        CHECK(menu->actions().at(0)->text().startsWith(QStringLiteral("Why: ")));
        menu->actions().at(1)->trigger();
        REQUIRE(QTest::qWaitFor([&] { return !desk.window.findChildren<TableView*>().isEmpty(); },
                                kBackgroundTimeout));
        delete desk.window.findChild<TableView*>();
        delete menu;
    }
}
