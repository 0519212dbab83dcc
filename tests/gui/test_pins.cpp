// Tests pins: the table of scenarios, the comparison in the headline, and that nothing is lost.
#include <qcustomplot.h>

#include <QAbstractButton>
#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QUndoStack>
#include <algorithm>
#include <catch2/catch.hpp>

#include "evidence/measured.h"
#include "support/desk.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/drawing.h"
#include "widgets/drawn_words.h"
#include "widgets/panels/scenario_grid.h"
#include "widgets/panels/scenario_line.h"
#include "widgets/panels/scenario_mark.h"
#include "widgets/panels/scenario_table.h"
#include "widgets/plots/scaling/scaling_plot.h"

using namespace shardscope;
using shardscope::testing::Desk;

namespace {

using Column = ScenarioColumn;

struct PinDesk : Desk {
    LiveModel& model = window.model();
    ScenarioGrid* grid = find<ScenarioGrid>("scenarios/table");

    QString cell(int row, Column column) const {
        return grid->model()->index(row, static_cast<int>(column)).data().toString();
    }
    [[nodiscard]] QRect box(int row, Column column) const {
        return grid->visualRect(grid->model()->index(row, static_cast<int>(column)));
    }
    [[nodiscard]] QPoint tag(int row) const {
        const QRect cell = box(row, Column::scenario);
        return tag_box(cell.left() + 12, cell).center().toPoint();
    }
    void click(const QPoint& at) {
        QTest::mouseClick(grid->viewport(), Qt::LeftButton, {}, at);
        QApplication::processEvents();
    }
    void drag_tag(int from, int to) {
        QWidget* view = grid->viewport();
        QTest::mousePress(view, Qt::LeftButton, {}, tag(from));
        for (const QPoint& at : {tag(from) + QPoint(3, 6), (tag(from) + tag(to)) / 2, tag(to)}) {
            QMouseEvent move(QEvent::MouseMove, QPointF(at), view->mapToGlobal(QPointF(at)), Qt::NoButton,
                             Qt::LeftButton, {});
            QApplication::sendEvent(view, &move);
        }
        QTest::mouseRelease(view, Qt::LeftButton, {}, tag(to));
        QApplication::processEvents();
    }
    void press_p() {
        QTest::keyClick(&window, Qt::Key_P);
        QApplication::processEvents();
    }
    // Adds pins B (as at first launch) and C (512 GPUs at 200 Gbit/s); A then has a sequence length of 4,096.
    void pin_two() {
        press_p();
        model.edit(P::gpus, 512);
        model.edit(P::inter_node_bandwidth, 25e9);
        press_p();
        model.start_with(Scenario::first_launch(model.catalogue()));
        model.edit(P::sequence_length, 4096);
        QApplication::processEvents();
    }
};

}  // namespace

TEST_CASE("pins: each has a row with its differences from the current scenario in words", "[pins]") {
    PinDesk desk;
    CHECK(desk.grid->model()->rowCount() == 1);
    CHECK(desk.grid->isHidden());  // one line until something is pinned
    desk.pin_two();
    CHECK_FALSE(desk.grid->isHidden());
    REQUIRE(desk.grid->model()->rowCount() == 3);
    CHECK(desk.cell(0, Column::scenario).toStdString() == desk.model.scenario().title());
    CHECK(desk.cell(0, Column::differs).isEmpty());
    CHECK(desk.cell(1, Column::differs) == QStringLiteral("sequence length 2,048"));
    CHECK(desk.cell(2, Column::differs) ==
          QStringLiteral("512 GPUs · inter-node bandwidth 200 Gbit/s · sequence length 2,048"));
    const Answer& pinned = desk.model.pins()[1].answer;
    CHECK(desk.cell(2, Column::mfu) + QStringLiteral(" %") ==
          QString::fromStdString(text_of(Output::mfu, pinned)));
    CHECK(desk.cell(2, Column::verdict) == QStringLiteral("fits"));
    CHECK(shardscope::testing::first_number(desk.cell(2, Column::step)) ==
          Approx(pinned.estimate.step.total * 1e3).epsilon(2e-3));
    CHECK(shardscope::testing::first_number(desk.cell(2, Column::network)) ==
          Approx(pinned.estimate.exposed_communication() * 1e3).epsilon(6e-3));
    // Headings are those of the outputs, with the unit of the column.
    const auto heading = [&](Column column) {
        return desk.grid->model()->headerData(static_cast<int>(column), Qt::Horizontal).toString();
    };
    CHECK(heading(Column::memory) == QStringLiteral("Peak memory, GiB"));
    CHECK(heading(Column::mfu) == QStringLiteral("MFU, %"));
    CHECK(heading(Column::step) == QStringLiteral("Step time, ms"));
    CHECK(heading(Column::days) == QStringLiteral("Days"));
    CHECK_FALSE(desk.find<QLabel>("scenarios/hint")->isVisible());
}

TEST_CASE("pins: the numbers of a column have the same decimals, and the text names the values", "[pins]") {
    PinDesk desk;
    desk.press_p();
    desk.model.edit(P::gpus, 8192);
    desk.press_p();
    desk.model.edit(P::inter_node_bandwidth, 1.25e9);
    QApplication::processEvents();
    constexpr int kRows = 3;
    REQUIRE(desk.grid->model()->rowCount() == kRows);
    const auto decimals = [&](int row, Column column) {
        const QString text = desk.cell(row, column);
        return text.contains(QLatin1Char('.')) ? text.size() - text.indexOf(QLatin1Char('.')) - 1 : 0;
    };
    for (const Column column : {Column::memory, Column::mfu, Column::rate, Column::step, Column::network,
                                Column::days, Column::per_joule}) {
        INFO(column_title(column).toStdString());
        for (int row = 1; row < kRows; ++row) CHECK(decimals(row, column) == decimals(0, column));
    }
    // 9.45 days need two decimals.
    CHECK(decimals(0, Column::days) == 2);
    CHECK(desk.cell(1, Column::days) + QStringLiteral(" days") ==
          QString::fromStdString(text_of(Output::training_days, desk.model.pins()[0].answer)));
}

TEST_CASE("pins: the current row and the differences follow a drag, pinned numbers stay", "[pins]") {
    PinDesk desk;
    desk.pin_two();
    const QString pinned = desk.cell(2, Column::rate);
    const QString before = desk.cell(0, Column::rate);
    desk.drag("cluster.inter_node_bandwidth", 0.6, 0.1, 10);
    CHECK(desk.cell(0, Column::rate) != before);
    CHECK(desk.cell(0, Column::rate).toStdString() ==
          format(desk.estimate().tokens_per_s_per_gpu, Quantity::rate, false));
    CHECK(desk.cell(2, Column::rate) == pinned);
    CHECK(desk.cell(1, Column::differs) ==
          QStringLiteral("inter-node bandwidth 400 Gbit/s · sequence length 2,048"));
}

TEST_CASE("pins: a scenario that does not fit shows its memory and no rate", "[pins]") {
    PinDesk desk;
    desk.model.edit(P::sequence_length, 16384);
    desk.press_p();
    desk.model.edit(P::sequence_length, 2048);
    CHECK(desk.cell(1, Column::verdict) == QStringLiteral("does not fit"));
    CHECK(desk.cell(1, Column::wall) == QStringLiteral("memory"));
    CHECK(shardscope::testing::first_number(desk.cell(1, Column::memory)) > 79);
    for (const Column column :
         {Column::mfu, Column::rate, Column::step, Column::network, Column::days, Column::per_joule})
        CHECK(desk.cell(1, column) == QStringLiteral("–"));
    // There is no rate to compare with, and the headline shows that.
    CHECK(desk.text("headline/mfu-caption") == QStringLiteral("MFU – vs B"));
    CHECK(desk.text("headline/step-time-caption") == QStringLiteral("step"));
}

TEST_CASE("pins: a click on a letter chooses the pin for the headline's comparison", "[pins]") {
    PinDesk desk;
    desk.pin_two();
    CHECK(desk.text("headline/mfu-caption").endsWith(QStringLiteral("vs B")));
    const Scenario before = desk.model.scenario();
    desk.click(desk.tag(2));
    CHECK(desk.text("headline/mfu-caption").endsWith(QStringLiteral("vs C")));
    CHECK(desk.model.scenario() == before);
    CHECK(desk.text("headline/training-days").endsWith(QStringLiteral("days")));
    CHECK(desk.text("headline/training-days-caption").endsWith(QStringLiteral(" %")));
    CHECK(desk.find<QLabel>("headline/training-days")->isVisible());
    // Compares throughput and step with C, computed from the estimates.
    const Estimate& now = desk.estimate();
    const Estimate& then = desk.model.pin_of('C')->answer.estimate;
    const auto change = [](double a, double b) { return std::lround((a / b - 1) * 100); };
    CHECK(desk.text("headline/tokens-per-s-per-gpu-caption")
              .endsWith(
                  QString::number(std::labs(change(now.tokens_per_s_per_gpu, then.tokens_per_s_per_gpu))) +
                  QStringLiteral(" %")));
    CHECK(desk.text("headline/step-time-caption")
              .endsWith(QString::number(std::labs(change(now.step.total, then.step.total))) +
                        QStringLiteral(" %")));
    // The keyboard does the same: the row of B, Space.
    desk.grid->setFocus();
    desk.grid->setCurrentIndex(desk.grid->model()->index(1, 0));
    QTest::keyClick(desk.grid, Qt::Key_Space);
    CHECK(desk.text("headline/mfu-caption").endsWith(QStringLiteral("vs B")));
    // When the chosen pin is removed, the first of the others is compared.
    desk.model.unpin('B');
    CHECK(desk.text("headline/mfu-caption").endsWith(QStringLiteral("vs C")));
}

TEST_CASE("pins: a click or Enter makes a pin the current scenario, and one undo goes back", "[pins]") {
    PinDesk desk;
    desk.pin_two();
    const Scenario before = desk.model.scenario();
    desk.click(desk.box(2, Column::scenario).center());
    CHECK(desk.model.scenario() == desk.model.pin_of('C')->answer.scenario);
    CHECK(desk.cell(2, Column::differs) == QStringLiteral("same settings"));
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.model.scenario() == before);
    desk.grid->setFocus();
    desk.grid->setCurrentIndex(desk.grid->model()->index(1, 3));
    QTest::keyClick(desk.grid, Qt::Key_Return);
    CHECK(desk.model.scenario() == desk.model.pin_of('B')->answer.scenario);
    CHECK(desk.model.pins().size() == 2);
}

TEST_CASE("pins: × or Delete removes one, and undo brings it back", "[pins]") {
    PinDesk desk;
    desk.pin_two();
    const Scenario kept = desk.model.pin_of('B')->answer.scenario;
    desk.click(desk.box(1, Column::unpin).center());
    REQUIRE(desk.model.pins().size() == 1);
    CHECK(desk.model.pin_of('B') == nullptr);
    desk.window.action(ActionId::undo)->trigger();
    REQUIRE(desk.model.pin_of('B') != nullptr);
    CHECK(desk.model.pin_of('B')->answer.scenario == kept);
    CHECK(desk.model.compared()->letter == 'B');
    desk.grid->setFocus();
    desk.grid->setCurrentIndex(desk.grid->model()->index(2, 0));
    QTest::keyClick(desk.grid, Qt::Key_Delete);
    CHECK(desk.model.pin_of('C') == nullptr);
    desk.window.action(ActionId::unpin_all)->trigger();
    CHECK(desk.model.pins().empty());
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.model.pins().size() == 1);
    // A free letter is used again, in its place.
    desk.press_p();
    REQUIRE(desk.model.pins().size() == 2);
    CHECK(desk.model.pins()[0].letter == 'B');
    CHECK(desk.model.pins()[1].letter == 'C');
}

TEST_CASE("pins: a letter dragged onto another exchanges the two", "[pins]") {
    PinDesk desk;
    desk.pin_two();
    const Scenario a = desk.model.scenario();
    const Scenario b = desk.model.pin_of('B')->answer.scenario;
    const Scenario c = desk.model.pin_of('C')->answer.scenario;
    desk.drag_tag(1, 2);
    CHECK(desk.model.pin_of('B')->answer.scenario == c);
    CHECK(desk.model.pin_of('C')->answer.scenario == b);
    CHECK(desk.model.scenario() == a);
    desk.drag_tag(2, 0);
    CHECK(desk.model.scenario() == b);
    CHECK(desk.model.pin_of('C')->answer.scenario == a);
    CHECK(desk.model.pin_of('C')->answer.estimate.mfu == answer(a).estimate.mfu);
    // One undo restores it, and nothing is lost on the way.
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.model.scenario() == a);
    CHECK(desk.model.pin_of('C')->answer.scenario == b);
    desk.window.action(ActionId::redo)->trigger();
    CHECK(desk.model.scenario() == b);
    CHECK(desk.model.pin_of('C')->answer.scenario == a);
    // The exchange of two pins is an undo step as well.
    desk.window.action(ActionId::undo)->trigger();
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.model.pin_of('B')->answer.scenario == b);
    CHECK(desk.model.pin_of('C')->answer.scenario == c);
}

TEST_CASE("pins: undo and redo keep a pin that got the letter of another one in the meantime", "[pins]") {
    PinDesk desk;
    desk.press_p();
    const Scenario old = desk.model.pin_of('B')->answer.scenario;
    const auto names = [&] {
        std::string out;
        for (const Pin& pin : desk.model.pins()) out += pin.answer.scenario == old ? "old " : "new ";
        return out;
    };
    desk.model.edit(P::gpus, 512);
    const Scenario current = desk.model.scenario();
    SECTION("unpin") {
        desk.model.unpin('B');
        desk.press_p();
        desk.window.action(ActionId::undo)->trigger();
        CHECK(names() == "new old ");
        desk.window.action(ActionId::redo)->trigger();
        CHECK(names() == "new ");
        desk.window.action(ActionId::undo)->trigger();
        CHECK(names() == "new old ");
    }
    SECTION("the exchange with the current scenario") {
        desk.model.swap('A', 'B');
        REQUIRE(desk.model.scenario() == old);
        desk.model.edit(P::sequence_length, 4096);
        desk.model.unpin('B');
        desk.press_p();
        const Scenario fresh = desk.model.pin_of('B')->answer.scenario;
        desk.window.action(ActionId::undo)->trigger();
        desk.window.action(ActionId::undo)->trigger();
        desk.window.action(ActionId::undo)->trigger();
        CHECK(desk.model.scenario() == current);
        CHECK(desk.model.pin_of('B')->answer.scenario == fresh);
        CHECK(desk.model.pin_of('C')->answer.scenario == old);
    }
    SECTION("the swap of two pins") {
        desk.press_p();
        desk.model.edit(P::sequence_length, 4096);
        desk.model.swap('B', 'C');
        CHECK(names() == "new old ");
        desk.model.unpin('B');
        desk.press_p();
        const Scenario fresh = desk.model.pin_of('B')->answer.scenario;
        desk.window.action(ActionId::undo)->trigger();
        desk.window.action(ActionId::undo)->trigger();
        CHECK(desk.model.pin_of('B')->answer.scenario == fresh);
        CHECK(desk.model.pins().size() == 3);
    }
}

TEST_CASE("pins: the menu of a row contains all its commands", "[pins]") {
    PinDesk desk;
    desk.pin_two();
    const auto choose = [&](int row, const char* entry) {
        QContextMenuEvent asked(QContextMenuEvent::Mouse, desk.box(row, Column::differs).center(),
                                desk.grid->viewport()->mapToGlobal(desk.box(row, Column::differs).center()));
        QApplication::sendEvent(desk.grid->viewport(), &asked);
        auto* menu = desk.grid->findChild<QMenu*>(QString(), Qt::FindDirectChildrenOnly);
        REQUIRE(menu);
        auto* action = menu->findChild<QAction*>(QLatin1String(entry));
        INFO(entry);
        REQUIRE(action);
        action->trigger();
        menu->close();
        QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QApplication::processEvents();
    };
    const Scenario b = desk.model.pin_of('B')->answer.scenario;
    choose(2, "compare");
    CHECK(desk.model.compared()->letter == 'C');
    choose(1, "swap/C");
    CHECK(desk.model.pin_of('C')->answer.scenario == b);
    choose(2, "take-up");
    CHECK(desk.model.scenario() == b);
    choose(2, "unpin");
    CHECK(desk.model.pins().size() == 1);
}

TEST_CASE("pins: F2 renames a scenario, and the name is stored", "[pins]") {
    PinDesk desk;
    desk.pin_two();
    desk.window.activateWindow();
    desk.grid->setFocus();
    desk.grid->setCurrentIndex(desk.grid->model()->index(1, 4));
    QTest::keyClick(desk.grid, Qt::Key_F2);
    auto* field = desk.grid->viewport()->findChild<QLineEdit*>();
    REQUIRE(field);
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("Plain"));
    QTest::keyClick(field, Qt::Key_Return);
    QApplication::processEvents();
    CHECK(desk.cell(1, Column::scenario) == QStringLiteral("Plain"));
    CHECK(desk.model.pins().size() == 2);  // the P was a letter of the name
    desk.model.rename('A', QStringLiteral("Mine"));
    CHECK(desk.cell(0, Column::scenario) == QStringLiteral("Mine"));
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.cell(0, Column::scenario).toStdString() == desk.model.scenario().title());
    CHECK(desk.model.scenario().name.empty());
    CHECK(desk.model.undo_stack()->undoText() == QStringLiteral("Rename B"));
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.cell(1, Column::scenario) != QStringLiteral("Plain"));
    desk.window.action(ActionId::redo)->trigger();
    CHECK(desk.cell(1, Column::scenario) == QStringLiteral("Plain"));
}

TEST_CASE("pins: the switch for differences hides columns with equal values", "[pins]") {
    PinDesk desk;
    auto* only = desk.find<QCheckBox>("scenarios/differences-only");
    CHECK_FALSE(only->isEnabled());
    desk.press_p();
    REQUIRE(only->isEnabled());
    const auto hidden = [&](Column column) { return desk.grid->isColumnHidden(static_cast<int>(column)); };
    CHECK_FALSE(hidden(Column::wall));
    desk.model.edit(P::price_per_gpu_hour, 2);
    only->click();
    // Only the price differs, which no column shows.
    CHECK(hidden(Column::wall));
    CHECK(hidden(Column::mfu));
    CHECK_FALSE(hidden(Column::differs));
    CHECK(desk.cell(1, Column::differs).startsWith(QStringLiteral("price per GPU hour")));
    desk.model.edit(P::gemm_efficiency, 0.5);
    CHECK_FALSE(hidden(Column::mfu));
    CHECK(hidden(Column::memory));
    only->click();
    CHECK_FALSE(hidden(Column::memory));
}

TEST_CASE("pins: a low window shows a single line with the same functions, which can be expanded", "[pins]") {
    PinDesk desk;
    desk.pin_two();
    auto* table = desk.find<ScenarioTable>("scenarios");
    auto* line = desk.find<ScenarioLine>("scenarios/line");
    CHECK(desk.grid->isVisible());
    CHECK_FALSE(line->isVisible());
    desk.window.resize(1024, 700);
    QApplication::processEvents();
    CHECK_FALSE(desk.grid->isVisible());
    CHECK(line->isVisible());
    CHECK(table->height() <= 32);
    CHECK(line->accessibleDescription().contains(desk.cell(2, Column::mfu)));
    // The first mark is that of the current scenario; a click on it changes nothing.
    const Scenario before = desk.model.scenario();
    QTest::mouseClick(line, Qt::LeftButton, {}, {10, line->height() / 2});
    CHECK(desk.model.scenario() == before);
    int at = line->width();
    for (int x = 0; x < line->width() && desk.model.compared()->letter == 'B'; x += 4) {
        QTest::mouseClick(line, Qt::LeftButton, {}, {x, line->height() / 2});
        at = x;
    }
    CHECK(desk.model.compared()->letter == 'C');
    QTest::mouseClick(line, Qt::LeftButton, {}, {at + 30, line->height() / 2});
    CHECK(desk.model.scenario() == desk.model.pin_of('C')->answer.scenario);

    desk.find<QAbstractButton>("scenarios/fold")->click();
    QApplication::processEvents();
    CHECK(desk.grid->isVisible());
    CHECK_FALSE(line->isVisible());
    // A table folded by hand in a high window stays folded.
    desk.window.resize(1440, 900);
    QApplication::processEvents();
    CHECK(desk.grid->isVisible());
    desk.find<QAbstractButton>("scenarios/fold")->click();
    desk.window.resize(1440, 880);
    QApplication::processEvents();
    CHECK(line->isVisible());
}

TEST_CASE("pins: there are at most six, and every column is readable", "[pins]") {
    PinDesk desk;
    for (const double gpus : {8.0, 16.0, 32.0, 128.0, 256.0, 512.0, 1024.0}) {
        desk.model.edit(P::gpus, gpus);
        desk.press_p();
    }
    CHECK(desk.model.pins().size() == kMostPins);
    CHECK(desk.grid->model()->rowCount() == 7);
    QApplication::processEvents();
    CHECK(desk.grid->viewport()->rect().contains(desk.box(6, Column::mfu)));
    for (int c = 0; c < static_cast<int>(kScenarioColumns); ++c) {
        if (desk.grid->isColumnHidden(c)) continue;
        const QString heading = desk.grid->model()->headerData(c, Qt::Horizontal).toString();
        INFO(heading.toStdString());
        CHECK(desk.grid->horizontalHeader()->fontMetrics().horizontalAdvance(heading) <=
              desk.grid->columnWidth(c) - 12);
    }
    CHECK(desk.box(0, Column::unpin).right() < desk.grid->viewport()->width());
}

TEST_CASE("pins: a drag shortens no text while the table has enough width", "[pins]") {
    PinDesk desk;
    desk.press_p();
    const auto check_row = [&] {
        for (const Column column : {Column::scenario, Column::verdict, Column::memory, Column::mfu,
                                    Column::rate, Column::step, Column::days}) {
            if (desk.grid->isColumnHidden(static_cast<int>(column))) continue;
            const bool bold =
                !desk.model.answer().fits() && (column == Column::verdict || column == Column::memory);
            const QString text = desk.cell(0, column);
            // The padding, and the mark before a name.
            const double around = column == Column::scenario ? 12 + kMarkWidth + 6 + 8 : 16;
            INFO(text.toStdString());
            CHECK(QFontMetricsF(scaled_font(desk.grid->font(), 1, bold)).horizontalAdvance(text) + around <=
                  desk.box(0, column).width());
        }
        CHECK(desk.box(0, Column::unpin).right() < desk.grid->viewport()->width());
    };
    desk.model.begin_gesture(P::gpus);
    for (const double gpus : {16.0, 1024.0, 16384.0, 8.0}) {
        desk.model.drag(P::gpus, gpus);
        check_row();
    }
    desk.model.end_gesture();
    desk.model.begin_gesture(P::sequence_length);
    desk.model.drag(P::sequence_length, 16384);
    REQUIRE_FALSE(desk.model.answer().fits());
    check_row();
    desk.model.end_gesture();
    check_row();
}

TEST_CASE("pins: a measured run has a row, and a pin's run a place on the validation plot", "[pins]") {
    PinDesk desk;
    SavedView view = desk.model.scenario().view;
    view.measured = Measurement{MeasuredKind::tokens_per_s_per_gpu, 4500, 64};
    desk.model.replace_view(view, QStringLiteral("run"));
    REQUIRE(desk.grid->model()->rowCount() == 2);
    CHECK(desk.cell(1, Column::verdict) == QStringLiteral("ran"));
    CHECK(desk.cell(1, Column::rate) == QStringLiteral("4,500"));
    CHECK(desk.cell(1, Column::differs) == QStringLiteral("same settings"));
    // The step is 128 sequences of 2,048 tokens on 64 GPUs at 4,500 tokens/s each.
    CHECK(desk.cell(1, Column::step) == QStringLiteral("910"));
    CHECK(desk.cell(1, Column::memory) == QStringLiteral("–"));
    desk.model.edit(P::gpus, 128);
    CHECK(desk.cell(1, Column::differs) == QStringLiteral("64 GPUs"));
    desk.press_p();
    auto* plot = desk.find<QWidget>("validation");
    desk.find<QTabWidget>("tabs")->setCurrentWidget(plot);
    QApplication::processEvents();
    CHECK(plot->accessibleDescription().contains(QStringLiteral("Run of pin B")));
}

TEST_CASE("session: it is saved, opened in one undo step, and restored with pins, letters and choice",
          "[pins]") {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("three.json"));
    PinDesk desk;
    desk.pin_two();
    desk.model.compare_with('C');
    const SavedSession saved = desk.model.session();
    REQUIRE(desk.window.documents().save_session(file));

    desk.model.unpin_all();
    desk.model.start_with(Scenario::first_launch(desk.model.catalogue()));
    desk.press_p();
    const Scenario other = desk.model.scenario();
    REQUIRE(desk.window.documents().open(file));
    REQUIRE(desk.model.pins().size() == 2);
    CHECK(desk.model.scenario() == saved.current);
    CHECK(desk.model.compared()->letter == 'C');
    CHECK(desk.model.pin_of('C')->answer.scenario == saved.pins[1].scenario);
    CHECK(desk.cell(2, Column::differs) ==
          QStringLiteral("512 GPUs · inter-node bandwidth 200 Gbit/s · sequence length 2,048"));
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.model.scenario() == other);
    REQUIRE(desk.model.pins().size() == 1);
    CHECK(desk.model.compared()->letter == 'B');
    desk.window.action(ActionId::redo)->trigger();
    CHECK(desk.model.pins().size() == 2);

    // Closing stores the session, and the next window restores it.
    desk.window.close();
    Session& session = desk.session;
    MainWindow next(commands::catalogue(), session);
    next.documents().restore();
    CHECK(next.model().scenario() == saved.current);
    REQUIRE(next.model().pins().size() == 2);
    CHECK(next.model().compared()->letter == 'C');
    CHECK_FALSE(next.action(ActionId::undo)->isEnabled());
    // An earlier version stored one scenario alone.
    testing::keep(session, QString::fromStdString(write_scenario(saved.pins[1].scenario)));
    MainWindow old(commands::catalogue(), session);
    old.documents().restore();
    CHECK(old.model().scenario() == saved.pins[1].scenario);
    CHECK(old.model().pins().empty());
    testing::keep(session, {});
}

TEST_CASE("session: a bad file changes nothing and gives the place", "[pins]") {
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("bad.json")));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write(R"({"format": "shardscope-session", "version": 1,
                   "scenarios": [{}, {"training": {"micro_batch": -3}}], "current": 0})");
    file.close();
    PinDesk desk;
    desk.press_p();
    const Scenario before = desk.model.scenario();
    CHECK_FALSE(desk.window.documents().open(file.fileName()));
    CHECK(desk.model.scenario() == before);
    CHECK(desk.model.pins().size() == 1);
    CHECK(desk.text("message/text").contains(QStringLiteral("/scenarios/1/training/micro_batch")));
    CHECK_FALSE(desk.window.action(ActionId::undo)->isEnabled());
}

TEST_CASE("pins: the line of three scenarios names them all where there is room", "[pins]") {
    PinDesk desk;
    desk.pin_two();
    auto* line = desk.find<ScenarioLine>("scenarios/line");
    desk.window.resize(1024, 700);
    QApplication::processEvents();
    REQUIRE(line->isVisible());
    const auto words = drawn_words(static_cast<QWidget&>(*line));
    const auto named = std::ranges::count_if(
        words, [](const auto& word) { return word.text.startsWith(QStringLiteral("MPT-13B")); });
    CHECK(named == 3);
    for (const auto& word : words) CHECK(word.box.right() <= line->width());
}

TEST_CASE("pins: in a small window no tag covers a mark, and no letter touches another", "[pins]") {
    PinDesk desk;
    desk.window.resize(1366, 728);
    // The marks of the first two almost coincide where memory is shown.
    for (const double length : {2048.0, 2304.0, 4096.0}) {
        desk.model.edit(P::sequence_length, length);
        desk.press_p();
    }
    desk.model.edit(P::sequence_length, 16384);
    QApplication::processEvents();
    REQUIRE_FALSE(desk.model.answer().fits());
    REQUIRE(desk.model.pins().size() == 3);

    const auto words = drawn_words(*desk.find<QCustomPlot>("scaling/plot"));
    const auto stop = desk.find<ScalingPlot>("scaling")->figure().ruler_stop(QPointF(64, 0));
    REQUIRE(stop);
    for (const Pin& pin : desk.model.pins()) {
        const QString letter{QLatin1Char(pin.letter)};
        const auto tag = std::ranges::find(words, letter, &DrawnWord::text);
        REQUIRE(tag != words.end());
        const QRectF box(tag->box.center() - QPointF(kTag / 2, kTag / 2), QSizeF(kTag, kTag));
        for (const RulerReading& reading : stop->readings) {
            if (!reading.name.contains(QStringLiteral("pin"))) continue;
            INFO(letter.toStdString() << " over " << reading.name.toStdString());
            CHECK_FALSE(box.contains(QPointF(stop->x, reading.y)));
        }
    }

    const auto in_bar = drawn_words(*desk.find<QWidget>("memory-bar"));
    std::vector<QRectF> letters;
    for (const DrawnWord& word : in_bar) {
        if (word.text.size() == 1 && word.text.front() >= QLatin1Char('A') &&
            word.text.front() <= QLatin1Char('D'))
            letters.push_back(word.box);
    }
    REQUIRE(letters.size() == 4);
    for (std::size_t i = 1; i < letters.size(); ++i) CHECK(letters[i].left() > letters[i - 1].right() + 1);
}
