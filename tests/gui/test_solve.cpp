// Tests Solve for, through real events on the real main window; golden tasks G1, G6 and G12.
#include <QAbstractButton>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "explain/output.h"
#include "support/desk.h"
#include "support/pdf.h"
#include "widgets/live_model.h"
#include "widgets/panels/solve_panel.h"

using namespace shardscope;
using shardscope::testing::Desk;
using shardscope::testing::kBackgroundTimeout;

namespace {

struct SolveDesk : Desk {
    using Desk::Desk;
    SolvePanel* panel = window.findChild<SolvePanel*>();

    void open() {
        QTest::keyClick(&window, Qt::Key_S);
        settle();
    }
    void settle() {
        REQUIRE(QTest::qWaitFor([this] { return !panel->pending() && !window.model().planning(); },
                                kBackgroundTimeout));
        QApplication::processEvents();
    }
    void click(const QString& name) {
        QTest::mouseClick(find<QAbstractButton>(name), Qt::LeftButton);
        settle();
    }
    template <typename Id>
    void choose_id(const QString& name, Id id) {
        auto* box = find<QComboBox>(name);
        box->setCurrentIndex(box->findData(static_cast<int>(id)));
        settle();
    }
    double setting(P id) { return window.model().answer().settings[id]; }
    Verdict verdict_at(P id, double value) {
        return answer(edited(window.model().scenario(), id, value)).estimate.verdict;
    }
};

}  // namespace

TEST_CASE("solve: opening it folds no group of the controls", "[solve]") {
    SolveDesk desk;
    auto* group = desk.find<QAbstractButton>("group/model");
    for (const int height : {900, 700, 640}) {
        desk.window.resize(1440, height);
        group->setChecked(true);
        desk.open();
        REQUIRE(desk.panel->isVisible());
        CHECK(group->isChecked());
        desk.click(QStringLiteral("solve/close"));
        CHECK(group->isChecked());
    }
}

TEST_CASE("G1: DGX H100, Llama 3 70B, the fewest GPUs that fit are exported as PDF", "[golden][solve]") {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("scaling.pdf"));
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file = [&](QWidget*, const QString&, const QString&, const QString&) { return file; };
    SolveDesk desk(dialogs);
    desk.pick(QStringLiteral("picker/cluster"), QStringLiteral("cluster/dgx-h100"));
    desk.pick(QStringLiteral("picker/model"), QStringLiteral("model/llama-3-70b"));
    desk.open();
    desk.click(QStringLiteral("solve/chip/fewest-gpus"));
    // With the current plan nothing fits, and the reason has numbers; one click chooses another plan.
    CHECK(desk.text("solve/result").contains(QStringLiteral("activations alone need")));
    CHECK(desk.text("solve/result").contains(QStringLiteral("16,384")));
    // The headline names the same number.
    const QString need =
        desk.text("solve/result").section(QStringLiteral("alone need "), 1).section(' ', 0, 1);
    CHECK(std::ranges::any_of(wall_sentences(desk.window.model().answer()).details,
                              [&](const std::string& detail) { return text_of(detail).contains(need); }));
    const double batch = desk.setting(P::global_batch);
    desk.click(QStringLiteral("solve/way/0"));
    // An automatic plan is for the same job.
    CHECK(desk.setting(P::global_batch) == batch);
    CHECK(desk.window.model().scenario().hold() == Hold::global_batch);
    const double gpus = desk.setting(P::gpus);
    CHECK(std::fmod(gpus, 8) == 0);
    CHECK(desk.estimate().verdict == Verdict::fits);
    CHECK(desk.verdict_at(P::gpus, gpus) == Verdict::fits);
    CHECK(desk.verdict_at(P::gpus, gpus - 8) != Verdict::fits);
    // A second search then finds the answer.
    CHECK(desk.text("solve/result").contains(QStringLiteral("smallest")));

    desk.show_tab(QStringLiteral("Scaling"));
    desk.export_plot();
    REQUIRE(QTest::qWaitFor([&] { return QFile::exists(file); },
                            kBackgroundTimeout));  // each point has a new plan
    const QString words = shardscope::testing::text_of_pdf(file);
    INFO(words.toStdString());
    CHECK(words.contains(QStringLiteral("Llama370B")));
    CHECK(words.contains(QStringLiteral("%1×H100").arg(static_cast<int>(gpus))));
}

TEST_CASE("solve: an answer that changes the global batch says so", "[solve]") {
    SolveDesk desk;
    desk.open();
    desk.click(QStringLiteral("solve/chip/fewest-gpus"));
    const QString found = desk.text("solve/result");
    INFO(found.toStdString());
    REQUIRE(found.contains(QStringLiteral("smallest")));
    const double gpus = testing::first_number(found);
    const double batch = desk.setting(P::global_batch);
    REQUIRE(gpus < desk.setting(P::gpus));
    const double then = batch * gpus / desk.setting(P::gpus);
    CHECK(found.contains(QStringLiteral("Global batch %1 → %2.").arg(batch).arg(then)));
    // With the batch held there is no sentence.
    desk.window.model().hold(Hold::global_batch);
    desk.settle();
    CHECK_FALSE(desk.text("solve/result").contains(QStringLiteral("Global batch")));
}

TEST_CASE("G6: it finds the longest sequence that fits, and the next does not fit", "[golden][solve]") {
    SolveDesk desk;
    desk.open();
    desk.click(QStringLiteral("solve/chip/longest-sequence"));
    const int steps = desk.window.model().undo_stack()->index();
    desk.click(QStringLiteral("solve/apply/0"));
    const double tokens = desk.setting(P::sequence_length);
    CHECK(tokens > 2048);
    CHECK(desk.estimate().verdict == Verdict::fits);
    CHECK(desk.verdict_at(P::sequence_length, tokens + 1) != Verdict::fits);
    // It is one named undo step.
    CHECK(desk.window.model().undo_stack()->index() == steps + 1);
    CHECK(desk.window.model().undo_stack()->undoText().startsWith(QStringLiteral("Solve: Sequence")));
    QTest::keySequence(&desk.window, QKeySequence::Undo);
    desk.settle();
    CHECK(desk.setting(P::sequence_length) == 2048);
}

TEST_CASE("G12: the keyboard alone doubles the sequence twice, pins, solves and undoes all",
          "[golden][solve]") {
    SolveDesk desk;
    const Scenario start = desk.window.model().scenario();
    // From the search, a key leads to the slider of the only row found.
    QTest::keyClick(&desk.window, Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("sequence"));
    for (int i = 0; i < 20 && QApplication::focusWidget()->objectName() !=
                                  QStringLiteral("training.sequence_length/slider");
         ++i)
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    REQUIRE(QApplication::focusWidget()->objectName() == QStringLiteral("training.sequence_length/slider"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Up);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Up);
    QApplication::processEvents();
    const double longer = desk.setting(P::sequence_length);
    CHECK(longer > 2048);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_P);
    REQUIRE(desk.window.model().pins().size() == 1);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_S);
    desk.settle();
    const auto tab_to = [&desk](const QString& name) {
        for (int i = 0; i < 60 && QApplication::focusWidget()->objectName() != name; ++i)
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        REQUIRE(QApplication::focusWidget()->objectName() == name);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
        desk.settle();
    };
    tab_to(QStringLiteral("solve/chip/largest-micro-batch"));
    tab_to(QStringLiteral("solve/apply/0"));
    CHECK(desk.setting(P::micro_batch) > 2);
    CHECK(desk.estimate().verdict == Verdict::fits);
    CHECK(desk.verdict_at(P::micro_batch, desk.setting(P::micro_batch) + 1) != Verdict::fits);
    for (int i = 0; i < 10 && desk.window.model().undo_stack()->canUndo(); ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
        desk.settle();
    }
    CHECK(desk.window.model().scenario() == start);
    CHECK(desk.window.model().pins().size() == 1);
    QTest::keyClick(desk.find<QComboBox>("solve/output"), Qt::Key_Escape);
    CHECK_FALSE(desk.panel->isVisible());
}

TEST_CASE("solve: a typed target gets its answer, and every end of the intervals that meet it", "[solve]") {
    SolveDesk desk;
    desk.open();
    desk.choose_id(QStringLiteral("solve/output"), Output::mfu);
    desk.choose_id(QStringLiteral("solve/input"), P::inter_node_bandwidth);
    auto* field = desk.find<QLineEdit>("solve/value");
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("30"));
    QTest::keyClick(field, Qt::Key_Return);
    desk.settle();
    CHECK(desk.text("solve/result").contains(QStringLiteral("MFU ≥ 30.0 %")));
    desk.click(QStringLiteral("solve/apply/0"));
    CHECK(desk.estimate().mfu == Approx(0.3).epsilon(1e-6));

    // The target is a share of the ceiling, then one that cannot be reached.
    desk.click(QStringLiteral("solve/chip/ceiling"));
    CHECK(field->text() == QStringLiteral("95.0 % of best"));
    CHECK(desk.text("solve/result").contains(QStringLiteral("of the best")));
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("90 %"));
    QTest::keyClick(field, Qt::Key_Return);
    desk.settle();
    CHECK(desk.text("solve/result").contains(QStringLiteral("MFU is at most")));
    CHECK(desk.window.findChild<QAbstractButton*>(QStringLiteral("solve/apply/0")) == nullptr);
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("much"));
    QTest::keyClick(field, Qt::Key_Return);
    desk.settle();
    CHECK(field->property("refused").toBool());
}

TEST_CASE("solve: the answer follows the scenario, even during a search", "[solve]") {
    SolveDesk desk;
    desk.open();
    desk.click(QStringLiteral("solve/chip/largest-micro-batch"));
    const QString before = desk.text("solve/result");
    desk.type("training.sequence_length", QStringLiteral("512"));
    desk.settle();
    CHECK(desk.text("solve/result") != before);
    // Of two quick changes only the last one's answer is shown.
    desk.window.model().edit(P::sequence_length, 256);
    desk.window.model().edit(P::sequence_length, 2048);
    desk.settle();
    CHECK(desk.text("solve/result") == before);
}

TEST_CASE("solve: a window may close during a search", "[solve]") {
    SolveDesk desk;
    Scenario scenario = desk.window.model().scenario();
    for (const P id : {P::micro_batch, P::recompute, P::tensor_parallel, P::pipeline_parallel})
        scenario = with_auto(scenario, id, true);
    desk.window.model().replace(scenario, QStringLiteral("automatic"));
    QTest::keyClick(&desk.window, Qt::Key_S);
    desk.find<QAbstractButton>("solve/chip/bandwidth")->click();
    CHECK(desk.panel->isVisible());
}
