// Tests the command line of the window with typed words: each command is listed with what it will do, and is
// one undo step.
#include <QLineEdit>
#include <QTest>
#include <QTreeWidget>
#include <QUndoStack>
#include <algorithm>
#include <catch2/catch.hpp>

#include "app/command_line/command_line.h"
#include "explore/solve.h"
#include "support/desk.h"
#include "widgets/drawing.h"
#include "widgets/live_model.h"
#include "widgets/panels/solve_panel.h"
#include "widgets/rows/parameter_field.h"
#include "widgets/text.h"

using namespace shardscope;
using namespace shardscope::testing;

namespace {

struct Line {
    explicit Line(Dialogs dialogs = Dialogs::native()) : desk(std::move(dialogs)) { open(); }
    void open() {
        QTest::keyClick(&desk.window, Qt::Key_K, Qt::ControlModifier);
        REQUIRE(field().hasFocus());
    }
    QLineEdit& field() { return *desk.find<QLineEdit>("controls/search"); }
    CommandLine& line() { return *desk.find<CommandLine>("commands"); }
    void type(const QString& words) {
        open();
        field().clear();
        QTest::keyClicks(&field(), words);
        QApplication::processEvents();
    }
    void run(const QString& words) {
        type(words);
        QTest::keyClick(&field(), Qt::Key_Return);
        QApplication::processEvents();
    }
    const WindowCommand& first(const QString& words) {
        type(words);
        INFO(words.toStdString());
        REQUIRE_FALSE(line().commands().empty());
        return line().commands().front();
    }
    int steps() { return desk.window.model().undo_stack()->index(); }
    const Settings& settings() { return desk.window.model().answer().settings; }

    Desk desk;
};

}  // namespace

TEST_CASE("a typed number of GPUs is set where the automatic plan can spread the batch",
          "[gui][command-line]") {
    Line it;
    it.desk.window.model().set_all_automatic(true);
    CHECK(it.first("gpus 512").text.contains(QStringLiteral("512")));
    it.run("gpus 512");
    CHECK(it.settings()[P::gpus] == 512);
    CHECK(it.settings()[P::global_batch] == 128);
}

TEST_CASE("G17: typed words set values and take presets, each as one undo step", "[gui][command-line]") {
    Line it;
    it.run("h200");
    CHECK(it.desk.window.model().scenario().cluster->name == "dgx-h200");
    CHECK(it.steps() == 1);
    it.run("seq 32k");
    CHECK(it.settings()[P::sequence_length] == 32768);
    CHECK(it.steps() == 2);
    it.run("gpus 512");
    CHECK(it.settings()[P::gpus] == 512);
    CHECK(it.steps() == 3);
    it.run("inter-node bandwidth 175 Gbit/s");
    CHECK(it.settings()[P::inter_node_bandwidth] == 175e9 / 8);
    it.run("hidden size = 6,144");
    CHECK(it.settings()[P::hidden_size] == 6144);
    it.run("zero2");
    CHECK(it.settings()[P::sharding] == static_cast<double>(Sharding::zero2));
    it.run("tp auto");
    CHECK(it.desk.window.model().scenario().automatic[index(P::tensor_parallel)]);
    CHECK(it.steps() == 7);
    // Undo works from the empty field.
    it.open();
    CHECK(it.field().text().isEmpty());
    for (int i = 0; i < 7; ++i) QTest::keyClick(&it.field(), Qt::Key_Z, Qt::ControlModifier);
    CHECK(it.steps() == 0);
    CHECK(it.settings()[P::gpus] == 64);
}

TEST_CASE("a GPU takes the cluster with the shortest name of those that have it", "[gui][command-line]") {
    Line it;
    it.run("gb200");
    CHECK_FALSE(it.desk.window.model().scenario().cluster->name.starts_with("azure"));
    it.run("h100");
    CHECK(it.desk.window.model().scenario().cluster->name == "dgx-h100");
}

TEST_CASE("a GPU's usual machine comes before machines of public runs, and a common GPU before rare ones",
          "[gui][command-line]") {
    Line it;
    it.type("a100");
    QStringList names;
    for (const WindowCommand& command : it.line().commands()) names << command.name;
    REQUIRE(names.size() == 9);
    CHECK(names.first() == "gpu/a100-sxm-80gb");
    CHECK(names.indexOf("gpu/a100-pcie-80gb") < names.indexOf("cluster/dgx-a100-40gb"));
    CHECK(names.contains("cluster/dgx-a100-80gb"));
    CHECK_FALSE(names.contains("cluster/ibm-a100"));
    // The list says in which machine the GPU is.
    CHECK(it.line().commands().front().effect.contains("DGX A100 80 GB · "));
    it.run("a100");
    CHECK(it.desk.window.model().scenario().cluster->name == "dgx-a100-80gb");
}

TEST_CASE("a value with a unit is offered for the inputs that have the unit", "[gui][command-line]") {
    Line it;
    const auto sets = [&](const char* words, P id, const char* text) {
        INFO(words);
        const WindowCommand& first = it.first(QString::fromUtf8(words));
        CHECK(first.name == "set/" + text_of(parameter(id).key));
        CHECK(first.text.toStdString() == text);
    };
    sets("200 gbit/s", P::inter_node_bandwidth, "Inter-node bandwidth 200 Gbit/s");
    sets("200 Gbps", P::inter_node_bandwidth, "Inter-node bandwidth 200 Gbit/s");
    sets("300 GB/s", P::intra_node_bandwidth, "Intra-node bandwidth 300 GB/s");
    sets("96 gib", P::memory, "GPU memory 96.0 GiB");
    sets("80gb", P::memory, "GPU memory 74.5 GiB");
    sets("4.8 TB/s", P::memory_bandwidth, "Memory bandwidth 4.8 TB/s");
    sets("2 PFLOPS", P::peak_flops, "Peak FLOPS 2,000 TFLOP/s");
    sets("8k", P::sequence_length, "Sequence length 8,192");
    // A number of parameters is the name of a model.
    CHECK(it.first("70b").name.startsWith("model/"));
    it.run("200 gbit/s");
    CHECK(it.settings()[P::inter_node_bandwidth] == 25e9);
    CHECK(it.steps() == 1);
}

TEST_CASE("each GPU is offered by its name, with its cluster or in its usual node", "[gui][command-line]") {
    Line it;
    it.run("2048 gpus");
    it.run("h800");
    const LiveModel& model = it.desk.window.model();
    REQUIRE(model.scenario().cluster);
    CHECK(model.scenario().cluster->name == "deepseek-h800");
    CHECK(it.settings()[P::intra_node_bandwidth] == 200e9);
    CHECK(it.settings()[P::inter_node_bandwidth] == 50e9);
    const int steps = it.steps();
    // No shipped cluster has this GPU.
    CHECK(it.first("v100").text.contains(QStringLiteral("V100")));
    it.run("v100");
    CHECK(model.scenario().cluster == nullptr);
    REQUIRE(model.scenario().gpu);
    CHECK(model.scenario().gpu->name == "v100-sxm-32gb");
    CHECK(model.answer().valid());
    CHECK(it.steps() == steps + 1);
    for (const Preset* gpu : commands::catalogue().all(PresetKind::gpu)) {
        it.type(text_of(gpu->title));
        INFO(gpu->name);
        CHECK(std::ranges::any_of(it.line().commands(), [&](const WindowCommand& command) {
            return command.name == QStringLiteral("gpu/") + text_of(gpu->name);
        }));
    }
}

TEST_CASE("the list says what a command will do, and whether it is possible", "[gui][command-line]") {
    Line it;
    const WindowCommand set = it.first("seq 4096");
    CHECK(set.name == "set/training.sequence_length");
    CHECK(set.text == "Sequence length 4,096");
    Scenario changed = edited(it.desk.window.model().answer().scenario, P::sequence_length, 4096);
    const QString then = QString::number(100 * answer(changed).estimate.mfu, 'f', 1);
    CHECK(set.effect.contains("now 2,048"));
    CHECK(set.effect.contains(then));
    CHECK(it.first("seq 4096k").effect.contains("does not fit"));
    // A value that is not valid here becomes the nearest one, which the list says before.
    CHECK(it.first("heads 41").effect.contains("nearest to 41"));
    // A text that is no value is explained, and cannot be run.
    const WindowCommand wrong = it.first("gpus many");
    CHECK(wrong.effect.contains("many"));
    CHECK_FALSE(wrong.run);
    it.run("gpus many");
    CHECK(it.steps() == 0);
    CHECK(it.field().text() == "gpus many");
    // An action that is disabled cannot be run.
    const WindowCommand redo = it.first("redo");
    CHECK(redo.name == "action/redo");
    CHECK_FALSE(redo.run);
    it.type("nothing has this name");
    CHECK(it.line().commands().empty());
    CHECK(it.line().isHidden());
}

TEST_CASE("in a small window the list drops the facts for which it has no room", "[gui][command-line]") {
    Line it;
    it.desk.window.resize(1024, 700);
    QApplication::processEvents();
    it.type("h200");
    constexpr double kAroundText = 10;  // px at each side of a cell's text
    const auto& list = *it.desk.find<QTreeWidget>("commands/list");
    REQUIRE(list.topLevelItemCount() > 0);
    bool dropped = false;
    for (int row = 0; row < list.topLevelItemCount(); ++row) {
        const QString shown = list.topLevelItem(row)->text(1);
        const QString whole = it.line().commands()[static_cast<std::size_t>(row)].effect;
        INFO(shown.toStdString());
        CHECK(whole.startsWith(shown));
        if (shown == whole) continue;
        dropped = true;
        CHECK(whole.mid(shown.size()).startsWith(kBetweenParts));
        // There is no room for the next part.
        const qsizetype next = whole.indexOf(kBetweenParts, shown.size() + kBetweenParts.size());
        CHECK(text_width(list.font(), whole.left(next)) > list.columnWidth(1) - 2 * kAroundText);
    }
    CHECK(dropped);
    CHECK(static_cast<const QAbstractItemView&>(list).sizeHintForColumn(1) <= list.columnWidth(1));
}

TEST_CASE("software that is not known is predicted as other software and keeps its name",
          "[gui][command-line]") {
    Line it;
    const WindowCommand unknown = it.first("software megatorn-core");
    CHECK(unknown.text == "Software megatorn-core");
    CHECK(unknown.effect.contains("Is “megatron-core” meant?"));
    it.run("software megatorn-core");
    CHECK(it.steps() == 1);
    CHECK(it.desk.window.model().scenario().software_name == "megatorn-core");
    CHECK(written(P::software, it.settings()[P::software]) == "other");
    // The name of a program stands for its stack.
    it.run("software megatron-lm");
    CHECK(it.steps() == 2);
    CHECK(it.desk.window.model().scenario().software_name.empty());
    CHECK(written(P::software, it.settings()[P::software]) == "megatron-core");
}

TEST_CASE("parameters are found by the words that people use for them", "[gui][command-line]") {
    Line it;
    const auto shows = [&](const char* words, P id) {
        INFO(words);
        CHECK(it.first(words).name == "show/" + QString::fromStdString(std::string(parameter(id).key)));
    };
    shows("VRAM", P::memory);
    shows("InfiniBand", P::inter_node_bandwidth);
    shows("NVLink", P::intra_node_bandwidth);
    // Of equal matches the walls come first.
    shows("bandwidth", P::inter_node_bandwidth);
    shows("context length", P::sequence_length);
    shows("gradient accumulation", P::accumulation);
    shows("activation checkpointing", P::recompute);
    it.run("VRAM");
    CHECK(it.desk.find<QLineEdit>("cluster.gpu.memory/field")->hasFocus());
    CHECK(it.steps() == 0);
}

TEST_CASE("a typed language is chosen for the next start", "[gui][command-line]") {
    Line it;
    const WindowCommand german = it.first("deutsch");
    CHECK(german.name == QStringLiteral("language/de"));
    CHECK(german.text == QStringLiteral("Language Deutsch"));
    CHECK(german.effect == QStringLiteral("the language of the window from the next start"));
    CHECK(it.first("german").name == german.name);
    it.run("deutsch");
    CHECK(it.desk.session.language() == QStringLiteral("de"));
    CHECK(it.desk.text("message/text").contains(QStringLiteral("Deutsch")));
    CHECK(it.first("deutsch").effect == QStringLiteral("is chosen already"));
    it.run("english");
    CHECK(it.desk.session.language() == QStringLiteral("en"));
    CHECK(it.steps() == 0);
    it.desk.session.set_language({});
}

TEST_CASE("arrow keys choose among the commands, and Esc closes the list", "[gui][command-line]") {
    Line it;
    it.type("h200");
    REQUIRE(it.line().commands().size() > 1);
    const auto& commands = it.line().commands();
    const auto other = std::find_if(commands.begin() + 1, commands.end(), [](const WindowCommand& command) {
        return command.name.startsWith(QStringLiteral("cluster/"));
    });
    REQUIRE(other != commands.end());
    const QString second = other->name;
    for (auto steps = other - commands.begin(); steps > 0; --steps)
        QTest::keyClick(&it.field(), Qt::Key_Down);
    QTest::keyClick(&it.field(), Qt::Key_Return);
    CHECK("cluster/" + QString::fromStdString(it.desk.window.model().scenario().cluster->name) == second);
    it.type("h200");
    QTest::keyClick(&it.field(), Qt::Key_Escape);
    CHECK(it.field().text().isEmpty());
    CHECK(it.line().isHidden());
    // A click runs the command under the pointer.
    it.type("h200");
    auto* list = it.desk.find<QTreeWidget>("commands/list");
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualItemRect(list->topLevelItem(0)).center());
    CHECK(it.desk.window.model().scenario().cluster->name == "dgx-h200");
    // The list covers the panes beside the field and moves nothing.
    const auto place = [&](const char* name) {
        const auto* widget = it.desk.find<QWidget>(name);
        return QRect(widget->mapTo(&it.desk.window, QPoint()), widget->size());
    };
    const QRect tabs = place("tabs");
    const QRect headline = place("headline");
    it.type("a");
    CHECK(it.line().isVisible());
    CHECK(it.line().parentWidget()->rect().contains(it.line().geometry()));
    CHECK(place("tabs") == tabs);
    CHECK(place("headline") == headline);
}

TEST_CASE("after a command the focus is where it was, and letters are shortcuts again",
          "[gui][command-line]") {
    Line it;
    LiveModel& model = it.desk.window.model();
    it.run("seq 4096");
    CHECK(it.settings()[P::sequence_length] == 4096);
    CHECK(it.field().text().isEmpty());
    CHECK_FALSE(it.field().hasFocus());
    REQUIRE(QApplication::focusWidget() != nullptr);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_P);
    CHECK(model.pins().size() == 1);
    CHECK(it.field().text().isEmpty());

    auto* canvas = it.desk.find<QWidget>("scaling/plot");
    canvas->setFocus();
    it.type("h200");
    auto* list = it.desk.find<QTreeWidget>("commands/list");
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualItemRect(list->topLevelItem(0)).center());
    CHECK(canvas->hasFocus());
    // A command that cannot be run leaves the words for a correction.
    it.run("gpus many");
    CHECK(it.field().hasFocus());
    CHECK(it.field().text() == "gpus many");
}

TEST_CASE("commands pin, show plots, solve and export", "[gui][command-line]") {
    QString suggested;
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file = [&](QWidget*, const QString&, const QString& suggestion, const QString&) {
        suggested = suggestion;
        return QString();
    };
    Line it(dialogs);
    it.run("pin");
    CHECK(it.desk.window.model().pins().size() == 1);
    it.run("timeline");
    CHECK(it.desk.find<QTabWidget>("tabs")->currentWidget()->objectName() == "timeline");
    it.run("export pdf");
    it.desk.click(QStringLiteral("export/save"));
    CHECK(suggested.endsWith("/timeline.pdf"));
    it.run("report md");
    CHECK(suggested.endsWith("/report.md"));
    CHECK(it.steps() == 0);

    it.run("solve fits");
    auto* solve = it.desk.find<SolvePanel>("solve");
    CHECK(solve->isVisible());
    REQUIRE(QTest::qWaitFor([&] { return it.steps() == 1 && !solve->pending(); }, kBackgroundTimeout));
    const double fewest = it.settings()[P::gpus];
    CHECK(fewest < 64);
    CHECK(it.desk.window.model().answer().fits());
    const Scenario& solved = it.desk.window.model().answer().scenario;
    for (double fewer = 1; fewer < fewest; ++fewer) {
        const Answer less = answer(edited(solved, P::gpus, fewer));
        CHECK((less.settings[P::gpus] >= fewest || less.estimate.verdict != Verdict::fits));
    }
    CHECK(it.desk.window.model().undo_stack()->undoText().startsWith("Solve: "));
}

TEST_CASE("the list says which value a search will set, and labels the numbers of presets",
          "[gui][command-line]") {
    Line it;
    const LiveModel& model = it.desk.window.model();
    const Target fits;
    const Solution expected = shardscope::solve({model.scenario(), P::gpus, fits});
    REQUIRE(expected.found());
    const WindowCommand& solve = it.first("solve fits");
    INFO(solve.effect.toStdString());
    CHECK(solve.effect.contains(text_of(format(P::gpus, expected.value))));
    CHECK(solve.effect.contains(text_of("now 64")));
    const WindowCommand& cluster = it.first("dgx h200");
    CHECK(cluster.effect.contains("In a node 450 GB/s"));
    CHECK(cluster.effect.contains("Inter-node 400 Gbit/s"));
    // Nothing is elided while the window has room.
    it.desk.window.resize(1920, 1000);
    it.type("dgx h200");
    auto* list = it.desk.find<QTreeWidget>("commands/list");
    const QTreeWidgetItem* row = list->topLevelItem(0);
    const int needed = QFontMetrics(list->font()).horizontalAdvance(row->text(1));
    CHECK(list->columnWidth(1) > needed);
}

TEST_CASE("a solved question is set once, with the exact target", "[gui][command-line]") {
    Line it;
    LiveModel& model = it.desk.window.model();
    auto* solve = it.desk.find<SolvePanel>("solve");
    Question question{model.answer().scenario, P::inter_node_bandwidth, {}};
    Problems problems;
    question.target = parse_target("mfu>=35.2345%", problems);
    REQUIRE(problems.empty());
    const Solution expected = shardscope::solve(question);
    REQUIRE(expected.found());
    REQUIRE(expected.value != it.settings()[P::inter_node_bandwidth]);
    it.run("solve mfu>=35.2345% by inter-node");
    REQUIRE(QTest::qWaitFor([&] { return it.steps() == 1 && !solve->pending(); }, kBackgroundTimeout));
    CHECK(it.settings()[P::inter_node_bandwidth] == expected.value);
    // The panel shows a rounded target, and an edit of the scenario keeps the exact one.
    CHECK(it.desk.find<QLineEdit>("solve/value")->text() == "35.2 %");
    it.desk.type("training.sequence_length", "4k");
    question.scenario = model.answer().scenario;
    REQUIRE(QTest::qWaitFor([&] { return !solve->pending(); }, kBackgroundTimeout));
    CHECK(it.steps() == 2);  // the solution of another scenario is offered, not set
    const Solution next = shardscope::solve(question);
    if (next.found()) {
        CHECK(it.desk.text("solve/result")
                  .contains(QString::fromStdString(format(P::inter_node_bandwidth, next.value))));
    }
}

TEST_CASE("a drag or another question withdraws the command to set a solution", "[gui][command-line]") {
    Line it;
    LiveModel& model = it.desk.window.model();
    auto* solve = it.desk.find<SolvePanel>("solve");
    // The solution arrives through the event loop, which does not run before the gesture begins.
    it.type("solve fits");
    QTest::keyClick(&it.field(), Qt::Key_Return);
    model.begin_gesture(P::sequence_length);
    model.drag(P::sequence_length, 1024);
    model.end_gesture();
    const double gpus = model.answer().settings[P::gpus];
    REQUIRE(QTest::qWaitFor([&] { return !solve->pending(); }, kBackgroundTimeout));
    QApplication::processEvents();
    CHECK(model.answer().settings[P::gpus] == gpus);
    CHECK(it.steps() == 1);
}

TEST_CASE("an invalid scenario can be corrected by a command", "[gui][command-line]") {
    Line it;
    LiveModel& model = it.desk.window.model();
    Scenario broken = Scenario::first_launch();
    broken.give(P::tensor_parallel, 3);
    model.start_with(broken);
    REQUIRE_FALSE(model.answer().valid());
    const WindowCommand set = it.first("tensor parallel 2");
    CHECK(set.name == "set/training.tensor_parallel");
    CHECK(set.effect.contains("MFU"));
    it.run("tensor parallel 2");
    CHECK(model.answer().valid());
    CHECK(it.settings()[P::tensor_parallel] == 2);
}

TEST_CASE("commands are found by the words that the list shows", "[gui][command-line]") {
    Line it;
    CHECK(it.first("cluster h200").name == "cluster/dgx-h200");
    CHECK(it.first("plot timeline").name == "plot/timeline");
    CHECK(it.first("gpus:512").text == "GPUs 512");
    CHECK(it.first("help glossary").name == "help/glossary");
    // A pattern of layers is no value for a line of words.
    it.type("layer pattern full");
    for (const WindowCommand& command : it.line().commands()) CHECK_FALSE(command.name.startsWith("set/"));
    // A term opens its section of the glossary.
    it.type("help elasticity");
    REQUIRE_FALSE(it.line().commands().empty());
    CHECK(it.line().commands().front().name == "help/term/2");
}

TEST_CASE("the chosen command stays chosen when the scenario changes, and is read aloud",
          "[gui][command-line]") {
    Line it;
    const QString description = it.field().accessibleDescription();
    it.type("h200");
    QTest::keyClick(&it.field(), Qt::Key_Down);
    const auto* list = it.desk.find<QTreeWidget>("commands/list");
    const QString chosen = list->currentItem()->text(0);
    REQUIRE(chosen != list->topLevelItem(0)->text(0));
    CHECK(it.field().accessibleDescription().startsWith(chosen + ": "));
    it.desk.window.model().edit(P::sequence_length, 4096);
    CHECK(list->currentItem()->text(0) == chosen);
    it.field().clear();
    CHECK(it.field().accessibleDescription() == description);
}

TEST_CASE("the list says that a prediction holds the present plan", "[gui][command-line]") {
    Line it;
    it.desk.choose(ActionId::plan_automatic);
    REQUIRE(QTest::qWaitFor([&] { return !it.desk.window.model().planning(); }, kBackgroundTimeout));
    CHECK(it.first("seq 4096").effect.contains("with the present plan"));
}
