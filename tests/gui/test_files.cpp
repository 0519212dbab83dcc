// Tests files that come into the window: opened, dropped or opened again, and what survives the end of the
// program.
#include <QCheckBox>
#include <QClipboard>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QSettings>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QUndoStack>
#include <QWindow>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>
#include <vector>

#include "app/side_panels.h"
#include "files/session_file.h"
#include "files/view.h"
#include "studies/study.h"
#include "support/desk.h"
#include "system/file_io.h"
#include "system/file_system.h"
#include "widgets/carried_scenario.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/table_choices.h"
#include "widgets/plots/validation/validation_plot.h"

namespace shardscope::testing {
namespace {

QString write(const QTemporaryDir& folder, const QString& name, const QByteArray& text) {
    QFile file(folder.filePath(name));
    REQUIRE(file.open(QIODevice::WriteOnly));
    REQUIRE(file.write(text) == text.size());
    return file.fileName();
}

// Starts the program with that file and with settings in a separate home.
void start(QProcess& program, const QTemporaryDir& home, const QString& file) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home.path());
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(SHARDSCOPE_PROGRAM), {file});
    REQUIRE(program.waitForStarted());
}

constexpr const char* kHeader =
    "id,model,layers,hidden,ffn_hidden,heads,vocab,gpu,gpus,sequence,micro_batch,global_batch,sharding,"
    "step_time_s\n";

}  // namespace

TEST_CASE("files: recent files open again from the menu, the newest first", "[files]") {
    const QTemporaryDir folder;
    const QString one = write(folder, QStringLiteral("one.json"), R"({"name": "One"})");
    const QString two = write(folder, QStringLiteral("two.json"), R"({"cluster": {"gpus": 128}})");
    Desk desk;
    REQUIRE(desk.window.documents().open(one));
    REQUIRE(desk.window.documents().open(two));
    auto* recent = desk.find<QMenu>("menu/recent");
    auto* file = qobject_cast<QMenu*>(recent->parent());
    REQUIRE(file != nullptr);
    Q_EMIT file->aboutToShow();
    REQUIRE(recent->actions().size() >= 2);
    CHECK(recent->actions().at(0)->text() == QStringLiteral("two.json"));
    CHECK(recent->actions().at(1)->text() == QStringLiteral("one.json"));
    recent->actions().at(1)->trigger();
    CHECK(desk.window.model().scenario().name == "One");
    // A file that no longer exists is reported, and nothing changes.
    REQUIRE(QFile::remove(two));
    Q_EMIT file->aboutToShow();
    recent->actions().at(1)->trigger();
    CHECK(desk.window.model().scenario().name == "One");
    CHECK(desk.text("message/text").contains(QStringLiteral("two.json")));
}

TEST_CASE("files: for an unknown file the message lists what can be opened", "[files]") {
    const QTemporaryDir folder;
    Desk desk;
    const Scenario before = desk.window.model().scenario();
    desk.drop(write(folder, QStringLiteral("notes.txt"), "milk, bread\n"));
    CHECK(desk.window.model().scenario() == before);
    const QString shown = desk.text("message/text");
    CHECK(shown.startsWith(QStringLiteral("notes.txt")));
    CHECK(shown.contains(QStringLiteral("a log of nccl-tests")));
    CHECK(shown.contains(QStringLiteral("a table of measured runs")));
    CHECK(shown.contains(QStringLiteral("settings of torchtitan, Megatron-LM or DeepSpeed")));
}

TEST_CASE("files: a table of runs is compared beside the public runs", "[files]") {
    const QTemporaryDir folder;
    const QString table =
        write(folder, QStringLiteral("ours.csv"),
              QByteArray(kHeader) +
                  "a,LLaMA-2-7B,32,4096,11008,32,32000,h100-sxm-80gb,64,4096,2,512,zero3,6\n"
                  "b,LLaMA-2-7B,32,4096,11008,32,32000,NoSuchGPU,64,4096,2,512,zero3,6\n");
    Desk desk;
    auto* validation = desk.find<ValidationPlot>("validation");
    const std::size_t shipped = validation->figure().data().points.size();
    const FamilySummary all = validation->figure().data().all;
    const Scenario before = desk.window.model().scenario();
    desk.drop(table);
    CHECK(desk.find<QTabWidget>("tabs")->currentWidget() == validation);
    CHECK(desk.window.model().scenario() == before);
    // The unreadable row is named, and the other one is shown.
    CHECK(desk.text("message/text").contains(QStringLiteral("ours.csv:3")));
    CHECK(desk.text("message/text").contains(QStringLiteral("NoSuchGPU")));
    const ValidationData& data = validation->figure().data();
    REQUIRE(data.points.size() == shipped + 1);
    const ValidationPoint& point = data.points.back();
    CHECK(point.run->id == "a");
    CHECK(point.measured_step == 6);
    REQUIRE(data.families[point.family].own);
    CHECK(data.families[point.family].name == "ours.csv");
    CHECK(data.families[point.family].summary.mean_abs_error == Approx(std::fabs(point.error)));
    // They do not count as public runs.
    CHECK(data.all.n == all.n);
    CHECK(data.all.mean_abs_error == all.mean_abs_error);
    CHECK(std::ranges::count_if(data.families, &ValidationFamily::own) == 1);

    // Exports contain the shown runs.
    const QString figure = folder.filePath(QStringLiteral("validation.csv"));
    REQUIRE(desk.window.plots().export_plot(QStringLiteral("validation"), figure));
    QFile csv(figure);
    REQUIRE(csv.open(QIODevice::ReadOnly));
    CHECK(csv.readAll().contains("\na,ours.csv,LLaMA-2-7B,"));

    // The corrected table replaces the first one.
    desk.drop(write(folder, QStringLiteral("ours.csv"),
                    QByteArray(kHeader) +
                        "a,LLaMA-2-7B,32,4096,11008,32,32000,h100-sxm-80gb,64,4096,2,512,zero3,6\n"
                        "b,LLaMA-2-7B,32,4096,11008,32,32000,h100-sxm-80gb,128,4096,2,1024,zero3,6\n"));
    CHECK(validation->figure().data().points.size() == shipped + 2);
    CHECK_FALSE(desk.find<QWidget>("message")->isVisible());

    // A table may have any name.
    desk.drop(write(
        folder, QStringLiteral("all"),
        QByteArray(kHeader) + "a,LLaMA-2-7B,32,4096,11008,32,32000,h100-sxm-80gb,64,4096,2,512,zero3,6\n"));
    const ValidationData& more = validation->figure().data();
    CHECK(more.points.size() == shipped + 3);
    CHECK(more.points.back().family < more.families.size());

    // A table without a readable row changes nothing.
    desk.drop(write(folder, QStringLiteral("empty.csv"), kHeader));
    CHECK(validation->figure().data().points.size() == shipped + 3);
    CHECK(desk.text("message/text").contains(QStringLiteral("empty.csv")));
}

TEST_CASE("files: sessions, models and figures of every kind are opened where they are dropped", "[files]") {
    const QTemporaryDir folder;
    const Scenario first = Scenario::first_launch(commands::catalogue());
    Scenario drawn = edited(first, P::gpus, 128);
    drawn.name = "Drawn";
    for (const auto& [name, format] : {std::pair{"a.svg", FigureFormat::svg},
                                       {"a.pdf", FigureFormat::pdf},
                                       {"a.png", FigureFormat::png}}) {
        INFO(name);
        Desk desk;
        FigureRequest request;
        request.plot = "scaling";
        desk.drop(write(folder, QLatin1String(name), render_figure(request, answer(drawn), format)));
        CHECK(desk.window.model().scenario().name == "Drawn");
        CHECK(desk.window.model().answer().settings[P::gpus] == 128);
    }
    Desk desk;
    const SavedSession session{
        SavedScenario(drawn),
        {{'B', SavedScenario(first)}, {'C', SavedScenario(edited(first, P::gpus, 256))}},
        'C'};
    desk.drop(write(folder, QStringLiteral("both.json"), QByteArray::fromStdString(write_session(session))));
    CHECK(desk.window.model().pins().size() == 2);
    CHECK(desk.window.model().compared()->letter == 'C');
    desk.drop(
        write(folder, QStringLiteral("config.json"),
              R"({"model_type": "gpt2", "n_embd": 1600, "n_layer": 48, "n_head": 25, "n_positions": 1024,
                        "vocab_size": 50257})"));
    CHECK(desk.window.model().answer().settings[P::layers] == 48);
    CHECK(desk.window.model().answer().settings[P::gpus] == 128);
}

TEST_CASE("files: a file dropped over a field is opened, and the field stays unchanged", "[files]") {
    const QTemporaryDir folder;
    Desk desk;
    desk.slider("training.micro_batch");  // scrolls it into view
    // The events come as from the desktop, and the window finds the widget below the pointer.
    const auto let_go = [&](const QWidget& over, const QMimeData& dropped) {
        const QPoint at = over.mapTo(&desk.window, over.rect().center());
        REQUIRE(desk.window.childAt(at) == &over);
        QDragEnterEvent enter(at, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(desk.window.windowHandle(), &enter);
        CHECK(enter.isAccepted());
        QDropEvent drop(QPointF(at), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(desk.window.windowHandle(), &drop);
        QApplication::processEvents();
        return desk.window.model().scenario().name;
    };
    for (const char* name : {"training.micro_batch/field", "controls/search", "measured/field"}) {
        INFO(name);
        desk.window.action(ActionId::measured_run)->trigger();
        QApplication::processEvents();
        const auto* field = desk.find<QLineEdit>(QLatin1String(name));
        const QString before = field->text();
        QMimeData text;
        text.setText(QStringLiteral(R"({"name": "Text over %1"})").arg(QLatin1String(name)));
        CHECK(let_go(*field, text) == std::string("Text over ") + name);
        CHECK(field->text() == before);
        QMimeData file;
        file.setUrls(
            {QUrl::fromLocalFile(write(folder, QStringLiteral("file.json"), R"({"name": "File"})"))});
        CHECK(let_go(*field, file) == "File");
        CHECK(field->text() == before);
    }
}

TEST_CASE("files: of several dropped files all readable ones are opened, and the others are named",
          "[files]") {
    const QTemporaryDir folder;
    const QString row =
        QStringLiteral("a,LLaMA-2-7B,32,4096,11008,32,32000,h100-sxm-80gb,64,4096,2,512,zero3,6\n");
    const QString one = write(folder, QStringLiteral("one.json"), R"({"name": "One"})");
    const QString two = write(folder, QStringLiteral("two.json"), R"({"name": "Two"})");
    const QString bad = write(folder, QStringLiteral("bad.json"), R"({"training": {"micro_batch": -3}})");
    const QString notes = write(folder, QStringLiteral("notes.txt"), "milk, bread\n");
    const QString table = write(folder, QStringLiteral("ours.csv"), QByteArray(kHeader) + row.toUtf8());
    Desk desk;
    auto* validation = desk.find<ValidationPlot>("validation");
    const std::size_t shipped = validation->figure().data().points.size();
    desk.drop({bad, notes, one, table, two});
    CHECK(validation->figure().data().points.size() == shipped + 1);
    CHECK(desk.window.model().scenario().name == "One");
    const QString shown = desk.text("message/text");
    INFO(shown.toStdString());
    CHECK(shown.contains(QStringLiteral("bad.json")));
    CHECK(shown.contains(QStringLiteral("notes.txt")));
    CHECK(shown.endsWith(QStringLiteral("not opened: two.json")));
}

TEST_CASE("files: Save writes a scenario back to its own file, and to no other", "[files]") {
    const QTemporaryDir folder;
    const QByteArray one = R"({"name": "One"})";
    const QByteArray two = R"({"name": "Two", "cluster": {"gpus": 128}})";
    QString asked;
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file = [&](QWidget*, const QString&, const QString& suggestion, const QString&) {
        asked = suggestion;
        return QString();
    };
    Desk desk(dialogs);
    const auto content = [](const QString& path) {
        QFile file(path);
        REQUIRE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    };
    const auto save = [&] {
        asked.clear();
        desk.window.action(ActionId::save)->trigger();
    };
    const QString a = write(folder, QStringLiteral("a.json"), one);
    const QString b = write(folder, QStringLiteral("b.json"), two);
    REQUIRE(desk.window.documents().open(a));
    // A scenario from elsewhere has no file.
    desk.find<QAction>(
            "scenario/" +
            QString::fromStdString(desk.window.model().catalogue().all(PresetKind::scenario).front()->name))
        ->trigger();
    save();
    CHECK_FALSE(asked.isEmpty());
    CHECK(content(a) == one);
    // After undo the first scenario has its own file again.
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.window.model().scenario().name == "One");
    save();
    CHECK(asked.isEmpty());
    CHECK(content(a).contains("\"One\""));
    // The same holds for a study, for pasted text and for two files.
    const QByteArray saved = content(a);
    desk.window.documents().open_study(*commands::catalogue().all(PresetKind::study).front());
    save();
    CHECK_FALSE(asked.isEmpty());
    desk.window.action(ActionId::undo)->trigger();
    QApplication::clipboard()->setText(QString::fromUtf8(two));
    desk.window.action(ActionId::paste)->trigger();
    save();
    CHECK_FALSE(asked.isEmpty());
    desk.window.action(ActionId::undo)->trigger();
    REQUIRE(desk.window.documents().open(b));
    desk.window.action(ActionId::undo)->trigger();
    CHECK(desk.window.model().scenario().name == "One");
    save();
    CHECK(asked.isEmpty());
    CHECK(content(a) == saved);
    CHECK(content(b) == two);
    // With a table opened beside it, the scenario keeps its file.
    desk.drop(write(
        folder, QStringLiteral("ours.csv"),
        QByteArray(kHeader) + "a,LLaMA-2-7B,32,4096,11008,32,32000,h100-sxm-80gb,64,4096,2,512,zero3,6\n"));
    save();
    CHECK(asked.isEmpty());
}

TEST_CASE("files: a file is not overwritten without a question because an ending was added", "[files]") {
    const QTemporaryDir folder;
    const auto [id, ending] = GENERATE(
        table<ActionId, QString>({{ActionId::save_as, QStringLiteral(".shardscope.json")},
                                  {ActionId::save_session, QStringLiteral(".shardscope-session.json")}}));
    std::vector<QString> answers;
    QStringList suggestions;
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file = [&](QWidget*, const QString&, const QString& suggestion, const QString&) {
        suggestions << suggestion;
        return answers.at(static_cast<std::size_t>(suggestions.size()) - 1);
    };
    Desk desk(dialogs);
    const auto save = [&, id = id](std::vector<QString> names) {
        answers = std::move(names);
        suggestions.clear();
        desk.window.action(id)->trigger();
    };
    const QString job = write(folder, QStringLiteral("job") + ending, "mine");
    // The dialog has only asked about "job", so it opens again with the whole name, to ask about that.
    save({folder.filePath(QStringLiteral("job")), QString()});
    REQUIRE(suggestions.size() == 2);
    CHECK(suggestions[1] == job);
    CHECK(QFileInfo(job).size() == 4);
    save({folder.filePath(QStringLiteral("job")), job});
    CHECK(suggestions.size() == 2);
    CHECK(QFileInfo(job).size() > 4);
    // Text after a point is not always an ending.
    save({folder.filePath(QStringLiteral("llama-3.1"))});
    CHECK(QFile::exists(folder.filePath(QStringLiteral("llama-3.1") + ending)));
    save({folder.filePath(QStringLiteral("other.JSON"))});
    CHECK(QFile::exists(folder.filePath(QStringLiteral("other.JSON"))));
}

TEST_CASE("files: of data dropped from a browser the text is used, and only local files are opened",
          "[files]") {
    const QTemporaryDir folder;
    Desk desk;
    const auto drop = [&](QMimeData& dropped) {
        QDragEnterEvent enter({400, 300}, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&desk.window, &enter);
        QDropEvent event(QPointF(400, 300), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&desk.window, &event);
        QApplication::processEvents();
    };
    const QUrl link(QStringLiteral("https://example.org/one.json"));
    QMimeData text;
    text.setUrls({link});
    text.setText(QStringLiteral(R"({"name": "Dropped"})"));
    drop(text);
    CHECK(desk.window.model().scenario().name == "Dropped");
    // A link without text is reported as a link.
    QMimeData bare;
    bare.setUrls({link});
    drop(bare);
    CHECK(desk.window.model().scenario().name == "Dropped");
    CHECK(desk.text("message/text").contains(QStringLiteral("the dropped text")));
    QMimeData both;
    both.setUrls({link, QUrl::fromLocalFile(write(folder, QStringLiteral("a.json"), R"({"name": "File"})"))});
    drop(both);
    CHECK(desk.window.model().scenario().name == "File");
    CHECK_FALSE(desk.find<QWidget>("message")->isVisible());
}

TEST_CASE("files: Save asks for a name after another scenario was chosen", "[files]") {
    const QTemporaryDir folder;
    int asked = 0;
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file = [&](QWidget*, const QString&, const QString&, const QString&) {
        ++asked;
        return QString();
    };
    Desk desk(dialogs);
    LiveModel& model = desk.window.model();
    const auto job = [&] {
        QFile file(folder.filePath(QStringLiteral("job.json")));
        REQUIRE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    };
    // The other scenario is pinned as B.
    QTest::keyClick(&desk.window, Qt::Key_P);
    REQUIRE(desk.window.documents().open(write(folder, QStringLiteral("job.json"), R"({"name": "Job"})")));
    const QByteArray before = job();
    const QString step = desk.window.model().undo_stack()->undoText();
    SECTION("a public run") {
        desk.show_tab(QStringLiteral("Validation"));
        auto* plot = desk.find<ValidationPlot>("validation");
        REQUIRE_FALSE(plot->figure().data().points.empty());
        plot->setFocus();
        QTest::keyClick(plot, Qt::Key_Right);
        QTest::keyClick(plot, Qt::Key_Return);
    }
    SECTION("a pin taken up") { model.make_current('B'); }
    SECTION("a pin in exchange") { model.swap('A', 'B'); }
    REQUIRE(model.scenario().name != "Job");
    model.edit(P::gpus, 128);
    desk.window.action(ActionId::save)->trigger();
    CHECK(asked == 1);
    CHECK(job() == before);
    // After undo to the file's own scenario, Save writes to the file again.
    while (model.undo_stack()->undoText() != step) desk.window.action(ActionId::undo)->trigger();
    REQUIRE(model.scenario().name == "Job");
    desk.window.action(ActionId::save)->trigger();
    CHECK(asked == 1);
    CHECK(job() != before);
    CHECK(job().contains("\"Job\""));
}

TEST_CASE("files: a user's scenario preset finds the presets beside its file", "[files]") {
    const QTemporaryDir folder;
    write(folder, QStringLiteral("mine.json"),
          R"({"format": "shardscope-preset", "version": 1, "kind": "cluster", "name": "mine",
              "title": "Mine", "values": {"gpu": "h100-sxm-80gb"}})");
    write(folder, QStringLiteral("job.json"), R"({"format": "shardscope-scenario", "version": 1,
        "cluster": {"preset": "mine.json", "gpus": 16}})");
    Problems problems;
    Catalogue catalogue = Catalogue::with_folder(folder.path().toStdString(), problems);
    REQUIRE(problems.empty());
    Session session;
    MainWindow window(catalogue, session);
    window.show();
    auto* entry = window.findChild<QAction*>(QStringLiteral("scenario/job"));
    REQUIRE(entry);
    entry->trigger();
    CHECK(window.findChild<QLabel*>(QStringLiteral("message/text"))->text().isEmpty());
    REQUIRE(window.model().scenario().cluster);
    CHECK(window.model().scenario().cluster->name == "mine");
    // It has no title, so its name is used.
    CHECK(window.model().undo_stack()->undoText() == QStringLiteral("Load job"));
    keep(session, {});
}

TEST_CASE("files: a last session that cannot be read is kept aside and reported", "[files]") {
    Session session;
    keep(session, QStringLiteral(R"({"format": "shardscope-session", "version": 1,
        "scenarios": [{"model": {"preset": "from-the-future"}}], "current": 0})"));
    MainWindow window(commands::catalogue(), session);
    window.documents().restore();
    const QString shown = window.findChild<QLabel*>(QStringLiteral("message/text"))->text();
    CHECK(shown.contains(QStringLiteral("from-the-future")));
    const QString aside = shown.mid(shown.indexOf(QStringLiteral("kept in ")) + 8).chopped(1);
    QFile file(aside);
    INFO(aside.toStdString());
    REQUIRE(file.open(QIODevice::ReadOnly));
    CHECK(file.readAll().contains("from-the-future"));
    keep(session, {});
}

TEST_CASE("files: a user's study is open again at the next start", "[files]") {
    const QTemporaryDir folder;
    QFile shipped(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/presets/studies/scaling-trends.json"));
    REQUIRE(shipped.open(QIODevice::ReadOnly));
    const QString file = write(folder, QStringLiteral("mine.json"), shipped.readAll());
    Session session;
    Problems problems;
    // Each start has a new catalogue, which contains the shipped studies.
    const auto start = [&] {
        return Catalogue::with_folder(folder.filePath("none").toStdString(), problems);
    };
    {
        Catalogue catalogue = start();
        MainWindow window(catalogue, session);
        window.show();
        REQUIRE(window.documents().open(file));
        REQUIRE(window.findChild<SidePanels*>()->study());
        window.documents().autosave();
    }
    Catalogue catalogue = start();
    MainWindow window(catalogue, session);
    window.documents().restore();
    const std::optional<Study>& study = window.findChild<SidePanels*>()->study();
    REQUIRE(study);
    CHECK(study->preset->path == file.toStdString());
    keep(session, {});
}

TEST_CASE("files: a saved scenario can be read even if an edit has made a pin of the view invalid",
          "[files]") {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("saved.json"));
    Dialogs dialogs = Dialogs::native();
    dialogs.save_file = [&](QWidget*, const QString&, const QString&, const QString&) { return file; };
    Desk desk(dialogs);
    Catalogue& catalogue = commands::catalogue();
    const Preset* study = catalogue.find(PresetKind::study, "characterization-model-parallel");
    REQUIRE(study);
    desk.window.documents().open_study(*study);
    // Its pins split the heads into 4 and 8, which do not divide 14 heads.
    desk.type("model.hidden_size", QStringLiteral("1344"));
    Problems unreadable;
    const SavedScenario& edited_study = desk.window.model().scenario();
    pins_of(edited_study.view, edited_study, catalogue, unreadable);
    REQUIRE_FALSE(unreadable.empty());

    Problems problems;
    desk.window.documents().autosave();
    const SavedSession kept = read_session(kept_in(desk.session).toStdString(), catalogue, {}, problems);
    CHECK(problems.empty());
    CHECK(kept.pins.size() == desk.window.model().pins().size());
    CHECK(kept.view.study == study->name);
    desk.window.action(ActionId::save)->trigger();
    const std::string saved = read_text(file.toStdString(), problems);
    const Scenario read = read_scenario(saved, catalogue, {}, problems);
    CHECK(problems.empty());
    CHECK(resolve(read)[P::hidden_size] == 1344);
    desk.window.action(ActionId::copy)->trigger();
    read_scenario(QApplication::clipboard()->text().toStdString(), catalogue, {}, problems);
    CHECK(problems.empty());
    const QString figure = folder.filePath(QStringLiteral("figure.svg"));
    REQUIRE(desk.window.plots().export_plot(QStringLiteral("scaling"), figure));
    QFile svg(figure);
    REQUIRE(svg.open(QIODevice::ReadOnly));
    read_scenario(carried_scenario(svg.readAll()).toStdString(), catalogue, {}, problems);
    CHECK(problems.empty());
    keep(desk.session, {});
}

TEST_CASE("files: the session survives a kill of the program", "[files]") {
    const QTemporaryDir home;
    const QString scenario = write(home, QStringLiteral("run.json"),
                                   R"({"name": "Half an hour's work", "cluster": {"gpus": 256}})");
    QProcess program;
    start(program, home, scenario);
    QFile kept(home.filePath(QStringLiteral("Shardscope/last.shardscope-session.json")));
    const auto text = [&] {
        const QByteArray now = kept.open(QIODevice::ReadOnly) ? kept.readAll() : QByteArray();
        kept.close();
        return QString::fromUtf8(now);
    };
    const bool written =
        QTest::qWaitFor([&] { return text().contains(QStringLiteral("Half an hour")); }, kBackgroundTimeout);
    program.kill();
    REQUIRE(program.waitForFinished());
    REQUIRE(written);
    CHECK(program.exitStatus() == QProcess::CrashExit);
    Problems problems;
    const SavedSession session = read_session(text().toStdString(), commands::catalogue(), {}, problems);
    CHECK(problems.empty());
    CHECK(session.current.name == "Half an hour's work");
    CHECK(resolve(session.current)[P::gpus] == 256);
}

// A user opens a scenario in the file manager after a crash.
TEST_CASE("files: a program started with a file keeps the last session's pins", "[files]") {
    const QTemporaryDir home;
    const QString scenario =
        write(home, QStringLiteral("run.json"), R"({"name": "The file", "cluster": {"gpus": 256}})");
    const Scenario first = Scenario::first_launch(commands::catalogue());
    SavedSession last{SavedScenario(first), {{'B', SavedScenario(edited(first, P::gpus, 512))}}, 'B'};
    REQUIRE(QDir(home.path()).mkpath(QStringLiteral("Shardscope")));
    const QString file = home.filePath(QStringLiteral("Shardscope/last.shardscope-session.json"));
    Problems problems;
    REQUIRE(write_file_atomically(file.toStdString(), write_session(last, false), problems));
    QProcess program;
    start(program, home, scenario);
    const auto kept = [&] {
        QFile now(file);
        return now.open(QIODevice::ReadOnly) ? now.readAll().toStdString() : std::string();
    };
    const bool written =
        QTest::qWaitFor([&] { return kept().find("The file") != std::string::npos; }, kBackgroundTimeout);
    program.kill();
    REQUIRE(program.waitForFinished());
    REQUIRE(written);
    const SavedSession session = read_session(kept(), commands::catalogue(), {}, problems);
    CHECK(problems.empty());
    CHECK(session.current.name == "The file");
    REQUIRE(session.pins.size() == 1);
    CHECK(session.pins.front().scenario == last.pins.front().scenario);
}

TEST_CASE("files: a second program beside the first has a session of its own", "[files]") {
    Session first;
    keep(first, QStringLiteral("the first one's"));
    {
        Session second;
        keep(second, QStringLiteral("the second one's"));
        CHECK(kept_in(first) == QStringLiteral("the first one's"));
        CHECK(kept_in(second) == QStringLiteral("the second one's"));
    }
    // The next second program finds it again.
    Session again;
    CHECK(kept_in(again) == QStringLiteral("the second one's"));
    keep(again, {});
    keep(first, {});
}

TEST_CASE("files: a start removes what a killed program left of its settings, and nothing else", "[files]") {
    const QFileInfo settings(QSettings().fileName());
    REQUIRE(QDir().mkpath(settings.path()));
    const auto beside = [&](const char* ending) { return settings.filePath() + QLatin1String(ending); };
    const QString left = beside(".eehsXX");
    const QString kept = beside(".backup");
    for (const QString& name : {left, kept}) {
        QFile file(name);
        REQUIRE(file.open(QIODevice::WriteOnly));
    }
    const Session start;
    CHECK_FALSE(QFileInfo::exists(left));
    CHECK(QFileInfo::exists(kept));
    CHECK(QFile::remove(kept));
}

TEST_CASE("files: every change is in the session file at once", "[files]") {
    Desk desk;
    const auto kept = [&] {
        Problems problems;
        SavedSession session =
            read_session(kept_in(desk.session).toStdString(), commands::catalogue(), {}, problems);
        CHECK(problems.empty());
        return session;
    };
    desk.type("cluster.gpus", QStringLiteral("128"));
    CHECK(resolve(kept().current)[P::gpus] == 128);
    QTest::keySequence(&desk.window, QKeySequence::Undo);
    QApplication::processEvents();
    CHECK(resolve(kept().current)[P::gpus] == 64);
    QTest::keyClick(&desk.window, Qt::Key_P);
    QApplication::processEvents();
    CHECK(kept().pins.size() == 1);
    desk.drag("cluster.gpus", 0.2, 0.6, 5);
    CHECK(kept().current == desk.window.model().scenario());
    // The state of the view is stored, too.
    desk.show_tab(QStringLiteral("Sweep"));
    QApplication::processEvents();
    // A plot is drawn later, in the event loop.
    const auto soon = [](auto&& holds) { return QTest::qWaitFor(holds); };
    CHECK(soon([&] { return kept().view.plot == "sweep"; }));
    auto* x = desk.find<QComboBox>("sweep/x");
    x->setFocus();
    QTest::keyClick(x, Qt::Key_Down);
    QApplication::processEvents();
    REQUIRE(input_of(*x) != P::sequence_length);
    CHECK(soon([&] { return kept().view.x == input_of(*x); }));
    auto* beside = desk.find<QCheckBox>("sweep/side_by_side");
    QTest::mouseClick(beside, Qt::LeftButton, {}, QPoint(8, beside->height() / 2));
    QApplication::processEvents();
    REQUIRE(beside->isChecked());
    CHECK(soon([&] { return kept().view.side_by_side; }));
    keep(desk.session, {});
}

namespace {

// Counts the files that the window's own thread and other threads put in their places.
class CountedFiles : public FileSystem {
  public:
    CountedFiles() { replace_file_system(this); }
    ~CountedFiles() override { replace_file_system(nullptr); }
    CountedFiles(const CountedFiles&) = delete;
    CountedFiles& operator=(const CountedFiles&) = delete;
    int rename(const char* from, const char* to) override {
        ++(std::this_thread::get_id() == window_ ? by_window : by_others);
        return FileSystem::rename(from, to);
    }
    std::atomic<int> by_window{0};
    std::atomic<int> by_others{0};

  private:
    std::thread::id window_ = std::this_thread::get_id();
};

}  // namespace

TEST_CASE("files: the session is written in the background during a drag, and at once after it", "[files]") {
    Desk desk;
    QApplication::processEvents();
    CountedFiles files;
    QWidget* slider = desk.slider("cluster.gpus");
    QTest::mousePress(slider, Qt::LeftButton, {}, QPoint(20, slider->height() / 2));
    int moves = 0;
    const auto drag_on = [&] {
        const QPoint point(20 + ++moves % (slider->width() / 2), slider->height() / 2);
        QMouseEvent move(QEvent::MouseMove, QPointF(point), slider->mapToGlobal(QPointF(point)), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(slider, &move);
    };
    REQUIRE(QTest::qWaitFor(
        [&] {
            drag_on();
            return files.by_others > 1;
        },
        kBackgroundTimeout));
    CHECK(files.by_window == 0);
    QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(slider->width() / 2, slider->height() / 2));
    QApplication::processEvents();
    CHECK(files.by_window > 0);
    Problems problems;
    CHECK(read_session(kept_in(desk.session).toStdString(), commands::catalogue(), {}, problems).current ==
          desk.window.model().scenario());
    CHECK(problems.empty());
    keep(desk.session, {});
}

// The test starts itself again, to be killed with the mouse button held down.
TEST_CASE("files: a drag survives a kill of the program", "[files]") {
    constexpr const char* kVictim = "SHARDSCOPE_TESTS_VICTIM";
    if (qEnvironmentVariableIsSet(kVictim)) {
        Desk desk;
        QTest::mouseClick(desk.find<QTabWidget>("tabs")->tabBar(), Qt::LeftButton, {},
                          desk.find<QTabWidget>("tabs")->tabBar()->tabRect(2).center());
        QWidget* slider = desk.slider("cluster.gpus");
        QTest::mousePress(slider, Qt::LeftButton, {}, QPoint(20, slider->height() / 2));
        for (int x = 20; x < slider->width() * 3 / 4; ++x) {
            const QPoint point(x, slider->height() / 2);
            QMouseEvent move(QEvent::MouseMove, QPointF(point), slider->mapToGlobal(QPointF(point)),
                             Qt::NoButton, Qt::LeftButton, {});
            QApplication::sendEvent(slider, &move);
            QApplication::processEvents();
        }
        // The value is where the handle rests, and is written within a tenth of a second, which a kill may
        // cost.
        const bool written = QTest::qWaitFor(
            [&] {
                Problems problems;
                const SavedSession kept =
                    read_session(kept_in(desk.session).toStdString(), commands::catalogue(), {}, problems);
                return kept.current == desk.window.model().scenario();
            },
            kBackgroundTimeout);
        std::printf("written %d gesture %d gpus %s\n", written, desk.window.model().in_gesture(),
                    qPrintable(desk.find<QLineEdit>("cluster.gpus/field")->text()));
        std::fflush(stdout);
        std::raise(SIGKILL);
    }
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QLatin1String(kVictim), QStringLiteral("1"));
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(QApplication::applicationFilePath(),
                  {QStringLiteral("files: a drag survives a kill of the program")});
    REQUIRE(program.waitForFinished(kBackgroundTimeout));
    CHECK(program.exitStatus() == QProcess::CrashExit);
    const QString shown = QString::fromUtf8(program.readAllStandardOutput());
    INFO(shown.toStdString());
    REQUIRE(shown.contains(QStringLiteral("written 1 gesture 1")));
    const QString gpus = shown.section(QStringLiteral("gpus "), 1).trimmed();

    Desk again;
    CHECK(again.find<QLineEdit>("cluster.gpus/field")->text() != gpus);
    again.window.documents().restore();
    QApplication::processEvents();
    CHECK(again.find<QLineEdit>("cluster.gpus/field")->text() == gpus);
    CHECK(again.find<QTabWidget>("tabs")->currentIndex() == 2);
    keep(again.session, {});
}

}  // namespace shardscope::testing
