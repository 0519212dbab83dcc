// Kills the program at random moments of drags, saves, imports and undo. The next start must restore a state
// that is at most one gesture old, and every saved file must be whole.
#include <fcntl.h>
#include <QDeadlineTimer>
#include <QDirIterator>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "files/session_file.h"
#include "support/desk.h"
#include "support/random.h"
#include "support/stock.h"
#include "system/file_io.h"
#include "system/file_system.h"

namespace shardscope::testing {
namespace {

constexpr const char* kKilledFolder = "SHARDSCOPE_KILLS_FOLDER";  // the folder of the killed program
constexpr const char* kKilledSeed = "SHARDSCOPE_KILLS_VICTIM_SEED";
constexpr const char* kKillsTest = "kills: a killed program is restored to a state at most one gesture old";

constexpr const char* kKilledCall = "SHARDSCOPE_KILLS_VICTIM_CALL";  // "": it is killed from outside

// Kills the program before or after the n-th call that changes a file or a folder.
class DyingFiles : public FileSystem {
    template <typename Call>
    auto with_death(Call&& call) {
        const bool last = --left_ == 0;
        if (last && before_) std::raise(SIGKILL);
        const auto result = call();
        if (last) std::raise(SIGKILL);
        return result;
    }

  public:
    DyingFiles(int n, bool before) : left_(n), before_(before) { replace_file_system(this); }
    ~DyingFiles() override { replace_file_system(nullptr); }
    DyingFiles(const DyingFiles&) = delete;
    DyingFiles& operator=(const DyingFiles&) = delete;

    int open(const char* path, int flags, ::mode_t mode) override {
        if ((flags & O_CREAT) == 0) return FileSystem::open(path, flags, mode);
        return with_death([&] { return FileSystem::open(path, flags, mode); });
    }
    ::ssize_t write(int descriptor, const void* from, std::size_t size) override {
        // Half of the last write is done, so that a partial file may exist.
        const std::size_t taken = left_ == 1 ? (size + 1) / 2 : size;
        return with_death([&] { return FileSystem::write(descriptor, from, taken); });
    }
    int fchmod(int descriptor, ::mode_t mode) override {
        return with_death([&] { return FileSystem::fchmod(descriptor, mode); });
    }
    int link(const char* from, const char* to) override {
        return with_death([&] { return FileSystem::link(from, to); });
    }
    int rename(const char* from, const char* to) override {
        return with_death([&] { return FileSystem::rename(from, to); });
    }
    int unlink(const char* path) override {
        return with_death([&] { return FileSystem::unlink(path); });
    }

  private:
    int left_;
    bool before_;
};

// ---- The program that is killed ----------------------------------------------

// Uses the window without end. Its journal, on standard output, has a line for:
//   state SESSION   a state that differs from the last one; before it can be written to the session file
//   start           the session is restored
//   begin NAME      a gesture
//   save BASE64     what is about to be saved
//   end             of the gesture
//   lost TEXT       the session could not be restored
class KilledProgram : public QObject {
  public:
    KilledProgram(const QString& folder, std::uint64_t seed)
        : folder_(folder), random_(seed), desk_(dialogs(), Start::restored) {
        const QDir stock(QDir(folder).filePath(QStringLiteral("stock")));
        for (const QString& name : stock.entryList(QDir::Files, QDir::Name)) {
            if (!name.contains(QStringLiteral(".shardscope-part"))) stock_ << stock.filePath(name);
        }
        qApp->installEventFilter(this);
    }

    [[noreturn]] void work() {
        write_state();
        if (const auto* message = desk_.find<QWidget>("message"); message->isVisible())
            write("lost", desk_.text("message/text").toUtf8());
        write("start");
        const int call = qEnvironmentVariableIntValue(kKilledCall);
        if (call > 0) dying_.emplace(call, random_.percent(50));
        while (true) {
            gesture();
            write_state();
            write("end");
            // Like a person, it sometimes pauses.
            if (random_.percent(30)) QTest::qWait(random_.below(40));
        }
    }

    // A timer writes the session, so its state is in the journal before.
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Timer) write_state();
        return QObject::eventFilter(watched, event);
    }

  private:
    Dialogs dialogs() {
        Dialogs out = Dialogs::native();
        out.open_file = [this](QWidget*, const QString&, const QString&, const QString&) {
            return random_.of(stock_);
        };
        out.save_file = [this](QWidget*, const QString&, const QString& suggestion, const QString&) {
            const QString name = suggestion.endsWith(QStringLiteral(".svg"))
                                     ? QStringLiteral("figure.svg")
                                     : QStringLiteral("saved-%1.json").arg(random_.below(3));
            return QDir(folder_).filePath(name);
        };
        return out;
    }

    static void write(const char* what, const QByteArray& rest = {}) {
        QByteArray line(what);
        if (!rest.isEmpty()) line += ' ' + rest;
        line += '\n';
        std::fwrite(line.data(), 1, static_cast<std::size_t>(line.size()), stdout);
        std::fflush(stdout);
    }
    void write_state() {
        const SavedSession now = desk_.window.workspace().session();
        const QByteArray text = QByteArray::fromStdString(write_session(now, false)).trimmed();
        if (text == last_) return;
        last_ = text;
        write("state", text);
    }
    void trigger(ActionId id) {
        if (desk_.window.action(id)->isEnabled()) desk_.window.action(id)->trigger();
        QApplication::processEvents();
    }

    void gesture() {
        static const std::vector<std::string> kKeys{"cluster.gpus",
                                                    "cluster.inter_node_bandwidth",
                                                    "cluster.gpu.memory",
                                                    "model.layers",
                                                    "model.hidden_size",
                                                    "training.sequence_length",
                                                    "training.global_batch",
                                                    "training.micro_batch",
                                                    "training.tensor_parallel"};
        static const std::vector<QString> kTexts{
            QStringLiteral("1"),  QStringLiteral("2"),  QStringLiteral("8"),   QStringLiteral("128"),
            QStringLiteral("4k"), QStringLiteral("-3"), QStringLiteral("abc"), QStringLiteral("512")};
        LiveModel& model = desk_.window.model();
        const int which = random_.below(100);
        if (which < 35) {
            write("begin", "drag");
            drag(random_.of(kKeys));
        } else if (which < 47) {
            write("begin", "type");
            desk_.type(random_.of(kKeys), random_.of(kTexts));
        } else if (which < 60) {
            write("begin", "undo");
            trigger(ActionId::undo);
        } else if (which < 65) {
            write("begin", "redo");
            trigger(ActionId::redo);
        } else if (which < 77) {
            write("begin", "save");
            const SavedScenario now = desk_.window.workspace().readable(model.scenario());
            write("save", QByteArray::fromStdString(write_scenario(now)).toBase64());
            trigger(random_.percent(30) ? ActionId::save_as : ActionId::save);
        } else if (which < 80) {
            write("begin", "save-session");
            write("save",
                  QByteArray::fromStdString(write_session(desk_.window.workspace().session())).toBase64());
            trigger(ActionId::save_session);
        } else if (which < 90) {
            write("begin", "import");
            if (random_.percent(50)) trigger(ActionId::open);
            else desk_.drop(random_.of(stock_));
        } else if (which < 94) {
            write("begin", "pin");
            if (random_.percent(70)) trigger(ActionId::pin);
            else if (random_.percent(50)) trigger(ActionId::unpin_all);
            else if (!model.pins().empty()) model.swap('A', random_.of(model.pins()).letter);
        } else if (which < 97) {
            write("begin", "tab");
            trigger(random_.percent(50) ? ActionId::next_plot : ActionId::previous_plot);
        } else if (which < 99) {
            write("begin", "export");
            trigger(ActionId::export_plot);
            desk_.find<QAbstractButton>(QStringLiteral("export/save"))->click();
        } else {
            write("begin", "new");
            trigger(ActionId::new_scenario);
        }
    }

    void drag(const std::string& key) {
        QWidget* slider = desk_.slider(key);
        const auto at = [&](double share) {
            return QPoint(8 + static_cast<int>(share * (slider->width() - 16)), slider->height() / 2);
        };
        const double from = random_.share();
        const double to = random_.share();
        const int steps = 3 + random_.below(30);
        QTest::mousePress(slider, Qt::LeftButton, {}, at(from));
        for (int i = 1; i <= steps; ++i) {
            const QPointF point(at(from + (to - from) * i / steps));
            QMouseEvent move(QEvent::MouseMove, point, slider->mapToGlobal(point), Qt::NoButton,
                             Qt::LeftButton, {});
            QApplication::sendEvent(slider, &move);
            QApplication::processEvents();
        }
        QTest::mouseRelease(slider, Qt::LeftButton, {}, at(to));
        QApplication::processEvents();
    }

    QString folder_;
    QStringList stock_;
    Random random_;
    Desk desk_;
    QByteArray last_;
    std::optional<DyingFiles> dying_;
};

// ---- The one who kills -------------------------------------------------------

struct Journal {
    bool started = false;
    bool in_gesture = false;
    QByteArray gesture;  // the last one that began
    QByteArray restored;
    QByteArray lost;
    // All states since the beginning of the last finished gesture.
    std::vector<QByteArray> recent;
    std::size_t finished = 0;  // the number of them at its end
    std::vector<QByteArray> saved;

    void take(const QByteArray& line) {
        const qsizetype space = line.indexOf(' ');
        const QByteArray what = space < 0 ? line : line.first(space);
        const QByteArray rest = space < 0 ? QByteArray() : line.sliced(space + 1);
        if (what == "state") {
            recent.push_back(rest);
        } else if (what == "start") {
            started = true;
            restored = recent.back();
            recent = {restored};
            finished = 1;
        } else if (what == "begin") {
            gesture = rest;
            in_gesture = true;
        } else if (what == "save") {
            saved.push_back(QByteArray::fromBase64(rest));
        } else if (what == "lost") {
            lost = rest;
        } else if (what == "end") {
            // The state at the beginning of the gesture is the oldest that may be restored.
            recent.erase(recent.begin(), recent.begin() + static_cast<std::ptrdiff_t>(finished) - 1);
            finished = recent.size();
            in_gesture = false;
        }
    }
};

// A gesture in which the program is killed, and the longest time from its beginning to the kill.
struct KillMoment {
    const char* gesture;
    int microseconds;
};
const std::vector<KillMoment> kKillMoments{{"drag", 300000},       {"type", 30000},   {"undo", 30000},
                                           {"redo", 30000},        {"save", 4000},    {"save", 30000},
                                           {"save-session", 8000}, {"import", 50000}, {"pin", 20000},
                                           {"tab", 30000},         {"export", 30000}};

QByteArray content_of(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::map<QString, QByteArray> files_below(const QString& folder) {
    std::map<QString, QByteArray> out;
    for (QDirIterator at(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories); at.hasNext();) {
        const QString path = at.next();
        out[path] = content_of(path);
    }
    return out;
}

bool is_whole_svg(const QByteArray& text) {
    QXmlStreamReader reader(text);
    while (!reader.atEnd()) reader.readNext();
    return !reader.hasError();
}

// Returns whether it is a file that should have replaced another one when the program was killed.
bool is_left_over(const QString& path) {
    const QString name = QFileInfo(path).fileName();
    static const QRegularExpression names(
        QStringLiteral("\\.shardscope-(part|old)\\d|\\.conf\\.(?=[a-z]*[A-Z])[A-Za-z]{6}$"));
    return names.match(name).hasMatch();
}

}  // namespace

TEST_CASE("kills: a killed program is restored to a state at most one gesture old", "[kills]") {
    if (qEnvironmentVariableIsSet(kKilledFolder)) {
        const std::uint64_t event_seed = qEnvironmentVariable(kKilledSeed).toULongLong();
        KilledProgram(qEnvironmentVariable(kKilledFolder), event_seed).work();
    }
    const int kills = number_from("SHARDSCOPE_KILLS", 5);
    const int seed = number_from("SHARDSCOPE_KILLS_SEED", 1);
    const QTemporaryDir home;
    const QString folder = home.filePath(QStringLiteral("work"));
    REQUIRE(QDir().mkpath(folder + QStringLiteral("/stock")));
    copy_stock(folder + QStringLiteral("/stock"), false);
    Random random(static_cast<std::uint64_t>(seed));
    std::vector<QByteArray> allowed;  // what the next start may restore; none: anything
    std::map<QString, QByteArray> files = files_below(folder);
    std::set<QString> left_over;
    int before_start = 0;
    int in_gestures = 0;
    int newest = 0;
    int parts = 0;
    std::map<QByteArray, int> interrupted;
    // The last start only shows what the last kill left.
    for (int kill = 0; kill <= kills; ++kill) {
        INFO("seed " << seed << ", kill " << kill << " of " << kills);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QLatin1String(kKilledFolder), folder);
        environment.insert(QLatin1String(kKilledSeed), QString::number(1000000LL * seed + kill));
        for (const char* kind : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"})
            environment.insert(QLatin1String(kind), home.filePath(QLatin1String(kind)));
        // Sometimes the kill comes during the start; otherwise at a random time after it, often in a gesture
        // of the chosen kind.
        const bool early = kill < kills && random.percent(5);
        const KillMoment& kill_moment = random.of(kKillMoments);
        const bool waits_for_gesture = random.percent(70);
        // A third of the kills happen inside the program's own writing, at a call that changes a file.
        const int call = kill < kills && !early && random.percent(33) ? 1 + random.below(60) : 0;
        environment.insert(QLatin1String(kKilledCall), QString::number(call));
        QProcess program;
        program.setProcessEnvironment(environment);
        program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        program.start(QApplication::applicationFilePath(), {QLatin1String(kKillsTest)});
        REQUIRE(program.waitForStarted(kBackgroundTimeout));

        QDeadlineTimer moment(early ? random.below(400) : kBackgroundTimeout);
        QDeadlineTimer gesture_timeout(QDeadlineTimer::Forever);
        Journal journal;
        QByteArray unread;
        QByteArray last_line;
        const auto read = [&] {
            unread += program.readAllStandardOutput();
            for (qsizetype end = 0; (end = unread.indexOf('\n')) >= 0; unread.remove(0, end + 1)) {
                last_line = unread.first(end);
                journal.take(last_line);
                if (early || call > 0) continue;
                if (last_line == "start") {
                    const int wait = kill < kills ? random.below(700) : 0;
                    constexpr int kLongestWait = 3000;  // ms
                    if (waits_for_gesture && kill < kills) gesture_timeout.setRemainingTime(wait);
                    moment.setRemainingTime(waits_for_gesture && kill < kills ? kLongestWait : wait);
                } else if (gesture_timeout.hasExpired() &&
                           last_line == QByteArray("begin ") + kill_moment.gesture) {
                    gesture_timeout = QDeadlineTimer(QDeadlineTimer::Forever);
                    moment.setPreciseRemainingTime(0, random.below(kill_moment.microseconds) * 1000LL);
                }
            }
        };
        while (!moment.hasExpired() && program.state() == QProcess::Running) {
            // A busy loop waits for the last millisecond.
            program.waitForReadyRead(
                static_cast<int>(moment.remainingTime() > 1 ? moment.remainingTime() - 1 : 0));
            read();
        }
        INFO("last it wrote: " << last_line.toStdString());
        REQUIRE((program.state() == QProcess::NotRunning) == (call > 0));
        if (call == 0) program.kill();
        REQUIRE((program.state() == QProcess::NotRunning || program.waitForFinished(kBackgroundTimeout)));
        read();
        REQUIRE(program.exitStatus() == QProcess::CrashExit);
        REQUIRE((early || journal.started));

        // Checks the restored state, and determines what the next start may restore.
        if (journal.started) {
            CHECK(journal.lost.toStdString() == std::string());
            if (!allowed.empty()) {
                INFO("restored: " << journal.restored.toStdString());
                INFO("newest: " << allowed.back().toStdString());
                INFO("oldest: " << allowed.front().toStdString());
                const auto found = std::ranges::find(allowed.rbegin(), allowed.rend(), journal.restored);
                REQUIRE(found != allowed.rend());
                if (found == allowed.rbegin()) ++newest;
            }
            allowed = journal.recent;
        } else {
            ++before_start;
        }
        if (kill < kills && journal.in_gesture) {
            ++in_gestures;
            ++interrupted[journal.gesture];
        }

        // Every file is the old one or the new one.
        std::map<QString, QByteArray> now = files_below(folder);
        for (const auto& [path, text] : now) {
            if (is_left_over(path)) continue;
            INFO(path.toStdString());
            if (path.endsWith(QStringLiteral(".svg"))) {
                CHECK(is_whole_svg(text));
            } else if (text != files[path]) {
                INFO(text.toStdString());
                CHECK(std::ranges::find(journal.saved, text) != journal.saved.end());
            }
        }
        // Temporary files are removed at the next start, or beside a saved file at the next save.
        std::set<QString> still;
        for (const QString& place : {folder, home.filePath(QStringLiteral("XDG_CONFIG_HOME"))}) {
            for (const auto& [path, text] : files_below(place)) {
                if (!is_left_over(path)) continue;
                INFO(path.toStdString());
                const bool seen = left_over.count(path) != 0;
                if (journal.started && place != folder) CHECK_FALSE(seen);
                still.insert(path);
                parts += seen ? 0 : 1;
            }
        }
        left_over = still;
        files = std::move(now);
    }
    for (const auto& [path, text] : files) {
        // This also holds beside a file that was new.
        const QString saved = is_left_over(path) ? path.first(path.lastIndexOf(u".shardscope-")) : path;
        Problems problems;
        CHECK(write_file_atomically(saved.toStdString(), text.toStdString(), problems));
    }
    for (const auto& [path, text] : files_below(folder)) {
        INFO(path.toStdString());
        CHECK_FALSE(is_left_over(path));
    }
    std::printf(
        "%d kills (seed %d): %d while it started, %d within a gesture; restored the newest state %d times; "
        "%d part files on the way\n",
        kills, seed, before_start, in_gestures, newest, parts);
    for (const auto& [name, count] : interrupted) std::printf("  %s %d", name.constData(), count);
    std::printf("\n");
}

}  // namespace shardscope::testing
