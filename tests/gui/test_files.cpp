// Tests files that come into the window: opened, dropped or opened again, and written back.
#include <QClipboard>
#include <QFile>
#include <QFileInfo>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QUndoStack>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "files/session_file.h"
#include "files/view.h"
#include "support/desk.h"
#include "widgets/plots/figure_export.h"
#include "widgets/plots/table_choices.h"
#include "widgets/plots/validation/validation_plot.h"

namespace shardscope::testing {
namespace {

constexpr const char* kHeader =
    "id,model,layers,hidden,ffn_hidden,heads,vocab,gpu,gpus,sequence,micro_batch,global_batch,sharding,"
    "step_time_s\n";

}  // namespace

TEST_CASE("files: recent files open again from the menu, the newest first", "[files]") {
    const QTemporaryDir folder;
    const QString one = write_file_in(folder, QStringLiteral("one.json"), R"({"name": "One"})");
    const QString two = write_file_in(folder, QStringLiteral("two.json"), R"({"cluster": {"gpus": 128}})");
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
    desk.drop(write_file_in(folder, QStringLiteral("notes.txt"), "milk, bread\n"));
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
        write_file_in(folder, QStringLiteral("ours.csv"),
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
    desk.drop(write_file_in(
        folder, QStringLiteral("ours.csv"),
        QByteArray(kHeader) + "a,LLaMA-2-7B,32,4096,11008,32,32000,h100-sxm-80gb,64,4096,2,512,zero3,6\n"
                              "b,LLaMA-2-7B,32,4096,11008,32,32000,h100-sxm-80gb,128,4096,2,1024,zero3,6\n"));
    CHECK(validation->figure().data().points.size() == shipped + 2);
    CHECK_FALSE(desk.find<QWidget>("message")->isVisible());

    // A table may have any name.
    desk.drop(write_file_in(
        folder, QStringLiteral("all"),
        QByteArray(kHeader) + "a,LLaMA-2-7B,32,4096,11008,32,32000,h100-sxm-80gb,64,4096,2,512,zero3,6\n"));
    const ValidationData& more = validation->figure().data();
    CHECK(more.points.size() == shipped + 3);
    CHECK(more.points.back().family < more.families.size());

    // A table without a readable row changes nothing.
    desk.drop(write_file_in(folder, QStringLiteral("empty.csv"), kHeader));
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
        desk.drop(write_file_in(folder, QLatin1String(name), render_figure(request, answer(drawn), format)));
        CHECK(desk.window.model().scenario().name == "Drawn");
        CHECK(desk.window.model().answer().settings[P::gpus] == 128);
    }
    Desk desk;
    const SavedSession session{
        SavedScenario(drawn),
        {{'B', SavedScenario(first)}, {'C', SavedScenario(edited(first, P::gpus, 256))}},
        'C'};
    desk.drop(write_file_in(folder, QStringLiteral("both.json"),
                            QByteArray::fromStdString(write_session(session))));
    CHECK(desk.window.model().pins().size() == 2);
    CHECK(desk.window.model().compared()->letter == 'C');
    desk.drop(write_file_in(
        folder, QStringLiteral("config.json"),
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
            {QUrl::fromLocalFile(write_file_in(folder, QStringLiteral("file.json"), R"({"name": "File"})"))});
        CHECK(let_go(*field, file) == "File");
        CHECK(field->text() == before);
    }
}

TEST_CASE("files: of several dropped files all readable ones are opened, and the others are named",
          "[files]") {
    const QTemporaryDir folder;
    const QString row =
        QStringLiteral("a,LLaMA-2-7B,32,4096,11008,32,32000,h100-sxm-80gb,64,4096,2,512,zero3,6\n");
    const QString one = write_file_in(folder, QStringLiteral("one.json"), R"({"name": "One"})");
    const QString two = write_file_in(folder, QStringLiteral("two.json"), R"({"name": "Two"})");
    const QString bad =
        write_file_in(folder, QStringLiteral("bad.json"), R"({"training": {"micro_batch": -3}})");
    const QString notes = write_file_in(folder, QStringLiteral("notes.txt"), "milk, bread\n");
    const QString table =
        write_file_in(folder, QStringLiteral("ours.csv"), QByteArray(kHeader) + row.toUtf8());
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
    const QString a = write_file_in(folder, QStringLiteral("a.json"), one);
    const QString b = write_file_in(folder, QStringLiteral("b.json"), two);
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
    desk.drop(write_file_in(
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
    const QString job = write_file_in(folder, QStringLiteral("job") + ending, "mine");
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
    both.setUrls(
        {link, QUrl::fromLocalFile(write_file_in(folder, QStringLiteral("a.json"), R"({"name": "File"})"))});
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
    REQUIRE(desk.window.documents().open(
        write_file_in(folder, QStringLiteral("job.json"), R"({"name": "Job"})")));
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
    write_file_in(folder, QStringLiteral("mine.json"),
                  R"({"format": "shardscope-preset", "version": 1, "kind": "cluster", "name": "mine",
              "title": "Mine", "values": {"gpu": "h100-sxm-80gb"}})");
    write_file_in(folder, QStringLiteral("job.json"), R"({"format": "shardscope-scenario", "version": 1,
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

}  // namespace shardscope::testing
