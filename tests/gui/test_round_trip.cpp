// Golden round trip in the window: a dropped script and its log, the residual, a better plan found, its
// script opened again as the same scenario.
#include <QDialog>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabBar>

#include "app/openable.h"
#include "files/view.h"
#include "launch/launch.h"
#include "support/desk.h"
#include "support/folder.h"
#include "support/logs.h"
#include "widgets/panels/launch_view.h"

namespace shardscope::testing {
namespace {

QString write(const Folder& folder, const char* name, const std::string& text) {
    return QString::fromStdString(folder.write(name, text));
}

// Drops a script and its log, whose steps take 4 s, lets the plan be chosen, and opens its script.
void check_round_trip(const std::string& script, const std::string& log, std::string_view preset) {
    const Folder folder;
    Desk desk;
    LiveModel& model = desk.window.model();
    desk.drop(write(folder, "run.sh", script));
    REQUIRE(model.scenario().model);
    CHECK(model.scenario().model->name == preset);
    const double predicted = model.answer().estimate.step.total;

    // The log names no GPU: the form proposes the current cluster.
    desk.drop(write(folder, "train.log", log));
    QApplication::processEvents();
    auto* form = desk.find<QDialog>("log-form");
    QTest::mouseClick(form->findChild<QPushButton*>(QStringLiteral("log-form/open")), Qt::LeftButton);
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    const std::optional<Measurement> measured = model.scenario().view.measured;
    REQUIRE(measured);
    CHECK(measured->value == Approx(4.0));
    CHECK(model.answer().estimate.step.total == Approx(predicted));
    // The panel shows the measurement against the prediction, in per cent.
    CHECK(desk.text("measured/result").contains(QLatin1Char('%')));

    desk.window.activateWindow();
    QApplication::processEvents();
    const double mfu = model.answer().estimate.mfu;
    for (const char* words :
         {"micro-batch auto", "recompute auto", "tp auto", "sharding auto", "ep auto", "pp auto"}) {
        QTest::keyClick(&desk.window, Qt::Key_K, Qt::ControlModifier);
        QTest::keyClicks(desk.find<QLineEdit>("controls/search"), QLatin1String(words));
        QApplication::processEvents();
        QTest::keyClick(desk.find<QLineEdit>("controls/search"), Qt::Key_Return);
    }
    while (model.planning()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    for (const P id : {P::micro_batch, P::recompute, P::tensor_parallel, P::sharding, P::expert_parallel,
                       P::pipeline_parallel}) {
        INFO(parameter(id).key);
        CHECK(model.scenario().automatic[index(id)]);
    }
    REQUIRE(model.answer().valid());
    CHECK(model.answer().estimate.mfu > mfu);

    QTest::keyClick(&desk.window, Qt::Key_J, Qt::ControlModifier);
    QApplication::processEvents();
    auto* tools = desk.find<QTabBar>("launch/tools");
    for (int i = 0; i < tools->count(); ++i)
        if (tools->tabText(i) == QStringLiteral("Megatron-LM")) tools->setCurrentIndex(i);
    QApplication::processEvents();
    const std::string better = desk.find<QPlainTextEdit>("launch/text")->toPlainText().toStdString();
    const Answer planned = model.answer();
    desk.drop(write(folder, "better.sh", better));
    CHECK_FALSE(model.scenario().automatic[index(P::tensor_parallel)]);
    CHECK(model.answer().estimate.step.total == planned.estimate.step.total);
    for (const P id : {P::micro_batch, P::recompute, P::tensor_parallel, P::sharding, P::expert_parallel,
                       P::pipeline_parallel, P::virtual_stages, P::schedule, P::global_batch, P::gpus,
                       P::layers, P::experts, P::vocab_size, P::sequence_length}) {
        INFO(parameter(id).key);
        CHECK(model.answer().settings[id] == planned.settings[id]);
    }
}

}  // namespace

TEST_CASE("round trip: a dropped script and its log, a better plan, and its script opened again",
          "[gui][golden]") {
    check_round_trip(megatron_script(), megatron_log(), "llama-3-8b");
}

TEST_CASE("round trip: the script and the log of a model with experts, and a better plan's script",
          "[gui][golden]") {
    check_round_trip(expert_script(), expert_log(), "mixtral-8x7b");
}

}  // namespace shardscope::testing
