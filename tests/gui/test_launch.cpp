// Tests launch settings in the window: they follow the scenario, can be copied and saved, and can be
// imported.
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTextDocumentFragment>
#include <QUndoStack>
#include <algorithm>

#include "app/openable.h"
#include "evidence/runs.h"
#include "files/view.h"
#include "launch/launch.h"
#include "planner/plan.h"
#include "support/desk.h"
#include "support/folder.h"
#include "support/logs.h"
#include "widgets/panels/launch_view.h"
#include "widgets/plots/plans/plans_plot.h"
#include "widgets/plots/validation/validation_plot.h"
#include "widgets/text.h"

namespace shardscope::testing {
namespace {

struct LaunchDesk : Desk {
    explicit LaunchDesk(Dialogs dialogs = Dialogs::native()) : Desk(std::move(dialogs)) {}

    LaunchView* view = opened_once();
    QTabBar* tools = find<QTabBar>("launch/tools");

    // The view is created when it is first opened.
    LaunchView* opened_once() {
        ask();
        auto* out = find<LaunchView>("launch");
        out->close();
        window.activateWindow();
        QApplication::processEvents();
        return out;
    }
    void ask() {
        window.activateWindow();
        QApplication::processEvents();
        QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier);
        QApplication::processEvents();
    }
    void choose_tool(const char* label) {
        for (int i = 0; i < tools->count(); ++i) {
            if (tools->tabText(i) == QLatin1String(label)) tools->setCurrentIndex(i);
        }
        QApplication::processEvents();
    }
    QString shown() { return find<QPlainTextEdit>("launch/text")->toPlainText(); }
    QString notes() { return QTextDocumentFragment::fromHtml(text("launch/notes")).toPlainText(); }
};

}  // namespace

TEST_CASE("launch: the window shows the command's output and follows the scenario", "[launch]") {
    LaunchDesk desk;
    CHECK_FALSE(desk.view->isVisible());
    desk.ask();
    REQUIRE(desk.view->isVisible());
    CHECK_FALSE(desk.view->isModal());
    CHECK(desk.tools->count() == static_cast<int>(launch_formats().size()));
    for (const LaunchFormat* format : launch_formats()) {
        desk.choose_tool(std::string(format->label).c_str());
        CHECK(&desk.view->tool() == format);
        const LaunchText launch =
            format->write_as(desk.window.model().answer(), desk.view->file_name().toStdString());
        CHECK(desk.shown().toStdString() == launch.text);
        CHECK(desk.text("launch/command").endsWith(QString::fromStdString(launch.command)));
        for (const std::string& note : launch.notes)
            CHECK(desk.notes().contains(QString::fromStdString(note)));
    }
    desk.choose_tool("Megatron-LM");
    desk.type("training.micro_batch", QStringLiteral("4"));
    CHECK(desk.shown().contains(QStringLiteral("--micro-batch-size 4 ")));
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.shown().contains(QStringLiteral("--micro-batch-size 2 ")));
    CHECK(desk.notes().contains(QStringLiteral("Megatron-Core")));
    // It also follows while a slider is dragged.
    desk.drag("training.sequence_length", 0.5, 0.7, 4);
    const double sequence = desk.window.model().answer().settings[P::sequence_length];
    CHECK(desk.shown().contains(QStringLiteral("--seq-length %1 ").arg(sequence)));
    QTest::keyClick(desk.view, Qt::Key_Escape);
    CHECK_FALSE(desk.view->isVisible());
    // Reopened, it shows the current scenario.
    desk.type("training.micro_batch", QStringLiteral("8"));
    desk.ask();
    desk.choose_tool("Megatron-LM");
    CHECK(desk.shown().contains(QStringLiteral("--micro-batch-size 8 ")));
}

TEST_CASE("launch: it opens with the tool for the scenario's software", "[launch]") {
    LaunchDesk desk;
    Scenario scenario = desk.window.model().scenario();
    scenario.give(P::software, parse(P::software, "megatron-core").value);
    desk.window.model().replace(scenario, QStringLiteral("x"));
    desk.ask();
    CHECK(desk.view->tool().name == "megatron");
}

TEST_CASE("launch: the copied and the saved text are the shown text", "[launch]") {
    const QTemporaryDir folder;
    QString target = folder.filePath(QStringLiteral("run.sh"));
    QString suggestion;
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file = [&](QWidget*, const QString&, const QString& suggested, const QString&) {
        suggestion = suggested;
        return target;
    };
    LaunchDesk desk(dialogs);
    desk.ask();
    desk.choose_tool("Megatron-LM");
    QTest::mouseClick(desk.find<QPushButton>("launch/copy"), Qt::LeftButton);
    CHECK(QApplication::clipboard()->text() == desk.shown());
    QTest::mouseClick(desk.find<QPushButton>("launch/save"), Qt::LeftButton);
    // The suggestion is the scenario's name, which is also in the command.
    CHECK(suggestion.endsWith(QStringLiteral("/mpt-13b-on-64-h100-sxm-80-gb.sh")));
    CHECK(desk.text("launch/command").contains(QStringLiteral("bash mpt-13b-on-64-h100-sxm-80-gb.sh ")));
    QFile file(target);
    REQUIRE(file.open(QIODevice::ReadOnly));
    CHECK(QString::fromUtf8(file.readAll()) == desk.shown());
    const auto proposed = [&](const char* tool, const std::string& name) {
        Scenario named = desk.window.model().scenario();
        named.name = name;
        desk.window.model().replace(named, QStringLiteral("x"));
        desk.choose_tool(tool);
        return desk.view->file_name();
    };
    CHECK(proposed("torchtitan", "Llama 3.1 405B on 16,384 H100") ==
          QStringLiteral("llama-3.1-405b-on-16384-h100.toml"));
    CHECK(proposed("DeepSpeed", "  ../a\tb: c? ") == QStringLiteral("a-b-c.json"));
    CHECK(proposed("Megatron-LM", "…") == QStringLiteral("train.sh"));
    // A program imports this file.
    const auto& formats = launch_formats();
    const auto fsdp = std::find(formats.begin(), formats.end(), &kFsdp2);
    CHECK(proposed(std::string((*fsdp)->label).c_str(), "7B, long") == QStringLiteral("wrap_7b_long.py"));
}

TEST_CASE("launch: for a model that a tool cannot train there is nothing to copy", "[launch]") {
    LaunchDesk desk;
    desk.pick("picker/model", QStringLiteral("model/resnet-50"));
    desk.ask();
    desk.choose_tool("Megatron-LM");
    CHECK(desk.shown().isEmpty());
    CHECK(desk.notes().contains(QStringLiteral("list of operators")));
    CHECK_FALSE(desk.find<QPushButton>("launch/copy")->isEnabled());
    desk.choose_tool("DeepSpeed");
    CHECK(desk.find<QPushButton>("launch/copy")->isEnabled());
}

TEST_CASE("launch: a run's file becomes the scenario on the current cluster, in one step", "[launch]") {
    const Folder folder;
    const auto write = [&](const char* name, const char* text) {
        return QString::fromStdString(folder.write(name, text));
    };
    LaunchDesk desk;
    LiveModel& model = desk.window.model();
    desk.type("cluster.inter_node_bandwidth", QStringLiteral("100"));
    const Scenario before = model.scenario();
    const int steps = model.undo_stack()->count();
    desk.drop(write("job.toml",
                    "[job]\ndump_folder = \"x\"\n[model]\nname = \"llama3\"\nflavor = \"8B\"\n"
                    "[training]\nlocal_batch_size = 3\nseq_len = 4096\n"));
    CHECK(model.scenario().model->name == "llama-3-8b");
    CHECK(model.answer().settings[P::micro_batch] == 3);
    CHECK(model.answer().settings[P::inter_node_bandwidth] == 100e9 / 8);
    CHECK(model.undo_stack()->count() == steps + 1);
    CHECK(desk.text("message/text").contains(QStringLiteral("Not used: job.")));
    model.undo_stack()->undo();
    CHECK(model.scenario() == before);

    CHECK(desk.window.documents().open(
        write("run.sh",
              "torchrun --nnodes 2 --nproc-per-node 8 p.py --num-layers 24 \\\n"
              " --hidden-size 2048 --num-attention-heads 16 --seq-length 1024 \\\n"
              " --micro-batch-size 4 --bf16\n")));
    CHECK(model.answer().settings[P::layers] == 24);
    CHECK(model.answer().settings[P::gpus] == 16);
    // An unusable file is reported with reason and line, and changes nothing.
    const Scenario now = model.scenario();
    CHECK_FALSE(desk.window.documents().open(
        write("bad.toml", "[model]\nname = \"llama3\"\nflavor = \"9B\"\n[training]\n")));
    CHECK(model.scenario() == now);
    CHECK(desk.text("message/text").startsWith(QStringLiteral("bad.toml:3:model.flavor")));
}

TEST_CASE("launch: a training log becomes the scenario that it states, with its measured run, in one step",
          "[launch]") {
    const Folder folder;
    const QString log = QString::fromStdString(folder.write("train.log", torchtitan_log()));
    LaunchDesk desk;
    LiveModel& model = desk.window.model();
    const SavedScenario before = model.scenario();
    const int steps = model.undo_stack()->count();
    desk.drop(log);
    REQUIRE(model.scenario().model);
    CHECK(model.scenario().model->name == "llama-3-8b");
    CHECK(model.answer().settings[P::gpus] == 8);
    CHECK(model.answer().settings[P::recompute] == 1);
    const std::optional<Measurement> measured = model.scenario().view.measured;
    REQUIRE(measured);
    CHECK(measured->kind == MeasuredKind::step_time);
    CHECK(measured->value == Approx(16 * 8192.0 / 8 / 6003.5).epsilon(1e-6));
    CHECK(measured->gpus == 8);
    CHECK(
        desk.text("message/text").contains(QStringLiteral("torchtitan, the median of 6 of 7 logged steps")));
    CHECK(model.undo_stack()->count() == steps + 1);
    model.undo_stack()->undo();
    CHECK(model.scenario() == before);
}

TEST_CASE("launch: several dropped logs are measured runs in Validation, and the first is the scenario",
          "[launch]") {
    const Folder folder;
    const auto file = [&](const char* name, const std::string& text) {
        return QString::fromStdString(folder.write(name, text));
    };
    std::string longer = torchtitan_log();
    const std::string from = "sequence length 8192";
    longer.replace(longer.find(from), from.size(), "sequence length 4096");
    LaunchDesk desk;
    LiveModel& model = desk.window.model();
    auto* validation = desk.find<ValidationPlot>("validation");
    const std::size_t shipped = validation->figure().data().points.size();
    const SavedScenario before = model.scenario();
    // A log without steps and a log of Megatron-LM, which names no GPU, among them.
    desk.drop(
        {file("first.log", torchtitan_log()), file("second.log", longer), file("third.log", megatron_log())});
    const auto& points = validation->figure().data().points;
    REQUIRE(points.size() == shipped + 3);
    CHECK(validation->isVisible());
    REQUIRE(model.scenario().model);
    CHECK(model.scenario().model->name == "llama-3-8b");
    const std::optional<Measurement> measured = model.scenario().view.measured;
    REQUIRE(measured);
    CHECK(measured->value == Approx(16 * 8192.0 / 8 / 6003.5).epsilon(1e-6));
    const QString message = desk.text("message/text");
    INFO(message.toStdString());
    CHECK(message.contains(QStringLiteral("The runs of 3 training logs are in Validation")));
    CHECK(message.contains(QStringLiteral("first.log")));
    CHECK_FALSE(message.contains(QStringLiteral("not opened")));
    model.undo_stack()->undo();
    CHECK(model.scenario() == before);
    // A log that cannot be used is named, and the others stay.
    std::string broken = megatron_log();
    const std::string heads = "num_attention_heads";
    broken.replace(broken.find("32", broken.find(heads)), 2, "x2");
    desk.drop({file("broken.log", broken), file("first.log", torchtitan_log()), file("second.log", longer)});
    CHECK(validation->figure().data().points.size() == shipped + 2);
    CHECK(desk.text("message/text").contains(QStringLiteral("broken.log")));
    CHECK(model.answer().settings[P::gpus] == 8);
}

TEST_CASE("launch: a form asks for what a log does not state, and keeps the run until it can be opened",
          "[launch]") {
    const Folder folder;
    const QString log = QString::fromStdString(folder.write("megatron.log", megatron_log()));
    LaunchDesk desk;
    LiveModel& model = desk.window.model();
    const SavedScenario before = model.scenario();
    const int steps = model.undo_stack()->count();
    const auto drop = [&] {
        desk.drop(log);
        QApplication::processEvents();
        return desk.find<QDialog>("log-form");
    };
    // The log names no GPU; the form proposes the current cluster, and Esc gives up.
    QDialog* form = drop();
    REQUIRE(form->isVisible());
    auto* cluster = form->findChild<QComboBox*>(QStringLiteral("log-form/cluster.preset"));
    REQUIRE(cluster);
    REQUIRE(before.cluster);
    CHECK(cluster->currentData().toString().toStdString() == before.cluster->name);
    CHECK(form->findChildren<QLineEdit*>(QRegularExpression(QStringLiteral("^log-form/"))).isEmpty());
    QTest::keyClick(form, Qt::Key_Escape);
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    CHECK(model.scenario() == before);
    CHECK_FALSE(desk.window.findChild<QDialog*>(QStringLiteral("log-form")));

    form = drop();
    cluster = form->findChild<QComboBox*>(QStringLiteral("log-form/cluster.preset"));
    cluster->setFocus();
    cluster->setCurrentIndex(cluster->findData(QStringLiteral("dgx-a100-80gb")));
    QTest::mouseClick(form->findChild<QPushButton*>(QStringLiteral("log-form/open")), Qt::LeftButton);
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    CHECK_FALSE(desk.window.findChild<QDialog*>(QStringLiteral("log-form")));
    REQUIRE(model.scenario().cluster);
    CHECK(model.scenario().cluster->name == "dgx-a100-80gb");
    CHECK(model.scenario().model->name == "llama-3-8b");
    CHECK(model.answer().settings[P::gpus] == 64);
    CHECK(model.scenario().view.measured.has_value());
    CHECK(model.undo_stack()->count() == steps + 1);
    model.undo_stack()->undo();
    CHECK(model.scenario() == before);
}

TEST_CASE("G23: a script's model keeps its name and its numbers when the run's log is opened",
          "[golden][launch]") {
    const Folder folder;
    LaunchDesk desk;
    LiveModel& model = desk.window.model();
    desk.drop(QString::fromStdString(
        folder.write("run.sh",
                     "torchrun --nnodes 8 --nproc-per-node 8 p.py --num-layers 32 \\\n"
                     " --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 \\\n"
                     " --micro-batch-size 2 --use-distributed-optimizer --global-batch-size 256 --bf16\n")));
    const QString name = QStringLiteral("32 layers of 4,096");
    const auto check_named = [&] {
        for (const QString& shown :
             {desk.window.windowTitle(), desk.find<PresetPicker>("picker/model")->accessibleName()}) {
            INFO(shown.toStdString());
            CHECK(shown.contains(name));
            CHECK_FALSE(shown.contains(QStringLiteral("(modified)")));
        }
        CHECK(text_of(model.scenario().title()).startsWith(name));
    };
    check_named();
    // No preset's runs are measured runs of this model.
    CHECK(comparable_runs(model.answer()).empty());
    // The file of the scenario keeps the name, and a new width changes it.
    Problems problems;
    Catalogue catalogue = Catalogue::with_folder("", problems);
    const SavedScenario read = read_scenario(write_scenario(model.scenario()), catalogue, {}, problems);
    CHECK(problems.empty());
    CHECK(read.model_name == name.toStdString());
    CHECK(edited(model.scenario(), P::layers, 12).model_name == "12 layers of 4,096");

    desk.type("cluster.inter_node_bandwidth", QStringLiteral("200"));
    const Settings before = model.answer().settings;
    const double parameters = desk.estimate().parameters;
    const double mfu = desk.estimate().mfu;
    // The lines of the steps alone state neither model nor cluster. The form proposes those of the scenario.
    std::string log;
    for (int step = 10; step <= 120; step += 10) log += megatron_step(step, 4000);
    desk.drop(QString::fromStdString(folder.write("run.log", log)));
    QApplication::processEvents();
    auto* form = desk.find<QDialog>("log-form");
    auto* list = form->findChild<QComboBox*>(QStringLiteral("log-form/model.preset"));
    REQUIRE(list);
    CHECK(list->currentText() == name);
    QTest::mouseClick(form->findChild<QPushButton*>(QStringLiteral("log-form/open")), Qt::LeftButton);
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    REQUIRE_FALSE(desk.window.findChild<QDialog*>(QStringLiteral("log-form")));
    CHECK(model.scenario().view.measured.has_value());
    CHECK(desk.estimate().parameters == parameters);
    CHECK(desk.estimate().mfu == mfu);
    CHECK(model.answer().settings[P::inter_node_bandwidth] == before[P::inter_node_bandwidth]);
    CHECK(model.answer().settings[P::global_batch] == before[P::global_batch]);
    check_named();
    // A preset from the list replaces the model and its name.
    desk.pick(QStringLiteral("picker/model"), QStringLiteral("model/llama-3-8b"));
    CHECK(model.scenario().model_name.empty());
    CHECK_FALSE(desk.window.windowTitle().contains(name));
}

TEST_CASE("launch: the form shows why a value cannot be used", "[launch]") {
    LaunchDesk desk;
    LiveModel& model = desk.window.model();
    const SavedScenario before = model.scenario();
    // A Trainer's state has steps and nothing else.
    QString log = QStringLiteral("{\"log_history\": [");
    for (int i = 1; i <= 30; ++i)
        log += QStringLiteral("{\"step\": %1, \"loss\": 2.0, \"epoch\": 0.1},").arg(10 * i);
    log += QStringLiteral(
        "{\"step\": 300, \"train_runtime\": 600.0, \"train_steps_per_second\": 0.5, "
        "\"train_samples_per_second\": 32.0, \"epoch\": 0.1}], \"global_step\": 300}");
    REQUIRE(desk.window.documents().open_text(
        {log.toStdString(), QStringLiteral("state"), QStringLiteral("step"), QString()}));
    QApplication::processEvents();
    auto* form = desk.find<QDialog>("log-form");
    auto* gpus = form->findChild<QLineEdit*>(QStringLiteral("log-form/gpus"));
    REQUIRE(gpus);
    CHECK(gpus->text().toDouble() == model.answer().settings[P::gpus]);
    gpus->setFocus();
    gpus->selectAll();
    QTest::keyClicks(gpus, QStringLiteral("eight"));
    QTest::keyClick(gpus, Qt::Key_Return);
    REQUIRE(form->isVisible());
    CHECK(form->findChild<QLabel*>(QStringLiteral("log-form/problem"))
              ->text()
              .contains(QStringLiteral("eight")));
    CHECK(model.scenario() == before);
    gpus->selectAll();
    QTest::keyClicks(gpus, QStringLiteral("8"));
    QTest::keyClick(gpus, Qt::Key_Return);
    INFO(form->findChild<QLabel*>(QStringLiteral("log-form/problem"))->text().toStdString());
    CHECK(model.answer().settings[P::gpus] == 8);
    CHECK(model.scenario().view.measured.has_value());
}

TEST_CASE("launch: the form changes nothing that the log states", "[launch]") {
    LaunchDesk desk;
    LiveModel& model = desk.window.model();
    const SavedScenario before = model.scenario();
    // 64 GPUs cannot share 32 sequences without model parallelism.
    std::string log = "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/64\n";
    for (int i = 0; i < 8; ++i)
        log += written("global_batch_size: 32 | global_step: %d | train_step_timing in s: 6.1\n", i);
    REQUIRE(desk.window.documents().open_text(
        {log, QStringLiteral("nemo.log"), QStringLiteral("step"), QString()}));
    QApplication::processEvents();
    auto* form = desk.find<QDialog>("log-form");
    auto* cluster = form->findChild<QComboBox*>(QStringLiteral("log-form/cluster.preset"));
    REQUIRE(cluster);
    cluster->setCurrentIndex(cluster->findData(QStringLiteral("dgx-b200")));
    auto* micro_batch = form->findChild<QLineEdit*>(QStringLiteral("log-form/micro_batch"));
    REQUIRE(micro_batch);
    micro_batch->setText(QStringLiteral("1"));
    QTest::mouseClick(form->findChild<QPushButton*>(QStringLiteral("log-form/open")), Qt::LeftButton);
    REQUIRE(form->isVisible());
    const QString problem = form->findChild<QLabel*>(QStringLiteral("log-form/problem"))->text();
    INFO(problem.toStdString());
    CHECK(problem.contains(QStringLiteral("gpus 64 (line 1), global_batch 32 (line 9)")));
    CHECK(model.scenario() == before);
}

TEST_CASE("launch: it shows the plan chosen in Plans without making it the scenario's", "[launch]") {
    LaunchDesk desk;
    desk.show_tab(QStringLiteral("Plans"));
    auto* plans = desk.find<PlansPlot>("plans");
    REQUIRE(QTest::qWaitFor([&] { return !plans->pending(); }, kBackgroundTimeout));
    const Scenario before = desk.window.model().scenario();
    plans->setFocus();
    QTest::keyClick(plans, Qt::Key_Right);
    const auto chosen = plans->chosen();
    REQUIRE(chosen.has_value());
    REQUIRE_FALSE(plan_of(resolve(*chosen)) == plan_of(desk.window.model().answer().settings));
    desk.window.action(ActionId::launch_settings)->trigger();
    REQUIRE(desk.view->isVisible());
    CHECK(desk.view->windowTitle().contains(QStringLiteral("chosen plan")));
    const auto text = [&](const Answer& of) {
        return desk.view->tool().write_as(of, desk.view->file_name().toStdString()).text;
    };
    CHECK(desk.shown().toStdString() == text(answer(*chosen)));
    CHECK(desk.shown().toStdString() != text(desk.window.model().answer()));
    CHECK(desk.window.model().scenario() == before);
    // Opened from elsewhere it is again for the current scenario.
    desk.view->close();
    desk.find<QWidget>("training.micro_batch/field")->setFocus();
    desk.window.action(ActionId::launch_settings)->trigger();
    CHECK(desk.view->windowTitle() == QStringLiteral("Launch settings"));
    CHECK(desk.shown().toStdString() == text(desk.window.model().answer()));
}

}  // namespace shardscope::testing
