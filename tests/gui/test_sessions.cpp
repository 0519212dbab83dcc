// Tests what survives the end of the program: the session, after a normal end, during a drag and after a
// kill.
#include <QCheckBox>
#include <QClipboard>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QSettings>
#include <QTabWidget>
#include <QTemporaryDir>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>

#include "app/side_panels.h"
#include "files/session_file.h"
#include "files/view.h"
#include "studies/study.h"
#include "support/desk.h"
#include "system/file_io.h"
#include "system/file_system.h"
#include "widgets/carried_scenario.h"
#include "widgets/plots/table_choices.h"

namespace shardscope::testing {
namespace {

// Starts the program with that file and with settings in a separate home.
void start(QProcess& program, const QTemporaryDir& home, const QString& file) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home.path());
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(SHARDSCOPE_PROGRAM), {file});
    REQUIRE(program.waitForStarted());
}

}  // namespace

TEST_CASE("sessions: a last session that cannot be read is kept aside and reported", "[sessions]") {
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

TEST_CASE("sessions: a user's study is open again at the next start", "[sessions]") {
    const QTemporaryDir folder;
    QFile shipped(QStringLiteral(SHARDSCOPE_SOURCE_DIR "/presets/studies/scaling-trends.json"));
    REQUIRE(shipped.open(QIODevice::ReadOnly));
    const QString file = write_file_in(folder, QStringLiteral("mine.json"), shipped.readAll());
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

TEST_CASE("sessions: a saved scenario can be read even if an edit has made a pin of the view invalid",
          "[sessions]") {
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

TEST_CASE("sessions: the session survives a kill of the program", "[sessions]") {
    const QTemporaryDir home;
    const QString scenario = write_file_in(home, QStringLiteral("run.json"),
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
TEST_CASE("sessions: a program started with a file keeps the last session's pins", "[sessions]") {
    const QTemporaryDir home;
    const QString scenario =
        write_file_in(home, QStringLiteral("run.json"), R"({"name": "The file", "cluster": {"gpus": 256}})");
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

TEST_CASE("sessions: a second program beside the first has a session of its own", "[sessions]") {
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

TEST_CASE("sessions: a start removes what a killed program left of its settings, and nothing else",
          "[sessions]") {
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

TEST_CASE("sessions: every change is in the session file at once", "[sessions]") {
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

TEST_CASE("sessions: the session is written in the background during a drag, and at once after it",
          "[sessions]") {
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
TEST_CASE("sessions: a drag survives a kill of the program", "[sessions]") {
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
                  {QString::fromStdString(Catch::getResultCapture().getCurrentTestName())});
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
