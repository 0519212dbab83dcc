// Tests that the window writes and reads without damage while one call to the file system after another
// fails, until all succeed: the old files are whole, no other file remains, and the window shows the reason.
#include <QFile>
#include <QTemporaryDir>
#include <cerrno>
#include <functional>
#include <map>
#include <system_error>
#include <vector>

#include "support/desk.h"
#include "support/failing_files.h"
#include "support/folder.h"

namespace shardscope::testing {
namespace {

using Contents = std::map<std::string, std::string>;

// Returns the contents of all files below the folder, including hidden ones.
Contents contents_of(const QTemporaryDir& folder) {
    Contents out;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path().toStdString())) {
        const std::string name = fs::relative(entry.path(), folder.path().toStdString()).string();
        out[name] = entry.is_directory() ? std::string("a folder") : read_file(entry.path());
    }
    return out;
}

// Returns whether it is a temporary file that exists while another is written.
bool is_left_over(const std::string& name) {
    return name.find(".shardscope-part") != std::string::npos ||
           name.find(".shardscope-old") != std::string::npos;
}

// One way in which the window writes. `run` returns whether the window reports success.
struct Way {
    const char* name;
    const char* file;
    std::function<bool(Desk& desk, const QString& file)> run;
};

const std::vector<Way>& ways() {
    const auto exported = [](const char* plot) {
        return [plot](Desk& desk, const QString& file) {
            return desk.window.plots().export_plot(QString::fromLatin1(plot), file);
        };
    };
    const auto reported = [](Desk& desk, const QString& file) {
        return desk.window.plots().export_report(file);
    };
    static const std::vector<Way> all{
        {"save", "job.json",
         [](Desk& desk, const QString& file) { return desk.window.documents().save(file); }},
        {"save the session", "job.shardscope-session.json",
         [](Desk& desk, const QString& file) { return desk.window.documents().save_session(file); }},
        {"save launch settings", "train.sh",
         [](Desk& desk, const QString& file) {
             return desk.window.documents().write_file(file, "torchrun\n");
         }},
        {"export as SVG", "memory.svg", exported("memory")},
        {"export as PDF", "memory.pdf", exported("memory")},
        {"export as PNG", "memory.png", exported("memory")},
        {"export the table", "memory.csv", exported("memory")},
        {"report as HTML", "report.html", reported},
        {"report as Markdown with its figures", "report.md", reported},
    };
    return all;
}

}  // namespace

TEST_CASE("faults: if any call fails while the window writes, the old file is whole and the reason is shown",
          "[faults]") {
    Desk desk;
    const Scenario scenario = desk.window.model().scenario();
    for (const Way& way : ways()) {
        for (const int error : {ENOSPC, EIO}) {
            bool passed = false;
            for (std::size_t n = 1; !passed; ++n) {
                REQUIRE(n < 400);
                const QTemporaryDir folder;
                const QString path = folder.filePath(QString::fromLatin1(way.file));
                // A report with figures starts without an old file, a single file with one.
                const bool alone = !std::string(way.file).ends_with(".md");
                if (alone) {
                    QFile file(path);
                    REQUIRE(file.open(QIODevice::WriteOnly));
                    file.write("old");
                }
                const Contents before = contents_of(folder);
                bool written = false;
                std::string failed;
                {
                    const FailingFiles failing(n, error);
                    // The window writes at once; a report is written in the background and ends in the event
                    // loop.
                    written = way.run(desk, path);
                    if (written && !QFile::exists(path))
                        written = QTest::qWaitFor([&] { return QFile::exists(path); }, kBackgroundTimeout);
                    failed = failing.failed();
                }
                passed = failed.empty();
                const std::string message = desk.text("message/text").toStdString();
                CAPTURE(way.name, error, n, failed, message);
                CHECK(desk.window.model().scenario() == scenario);
                Contents after = contents_of(folder);
                if (written) {
                    CHECK(after.at(way.file) != "old");
                    // Only a file that cannot be removed remains.
                    if (failed != "unlink")
                        for (const auto& [name, text] : after) CHECK_FALSE(is_left_over(name));
                } else {
                    CHECK((after == before));
                    CHECK(message.find(std::generic_category().message(error)) != std::string::npos);
                    CHECK(message.find(folder.path().toStdString()) != std::string::npos);
                }
                if (passed) CHECK(written);
            }
        }
    }
}

TEST_CASE(
    "faults: if any call fails while a file is opened, nothing changes and the message gives the reason",
    "[faults]") {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("job.json"));
    {
        QFile file(path);
        REQUIRE(file.open(QIODevice::WriteOnly));
        file.write(R"({"name": "from the file"})");
    }
    for (const int error : {EIO, EACCES, EMFILE}) {
        bool passed = false;
        for (std::size_t n = 1; !passed; ++n) {
            REQUIRE(n < 40);
            Desk desk;
            const Scenario scenario = desk.window.model().scenario();
            bool opened = false;
            std::string failed;
            {
                const FailingFiles failing(n, error);
                opened = desk.window.documents().open(path);
                failed = failing.failed();
            }
            passed = failed.empty();
            const std::string message = desk.text("message/text").toStdString();
            CAPTURE(error, n, failed, message);
            if (opened) {
                CHECK(desk.window.model().scenario().name == "from the file");
            } else {
                CHECK(desk.window.model().scenario() == scenario);
                CHECK(message.find("job.json") != std::string::npos);
                CHECK(message.find(std::generic_category().message(error)) != std::string::npos);
            }
            if (passed) CHECK(opened);
        }
    }
}

TEST_CASE("faults: a session that cannot be written is reported once, and the last one stays whole",
          "[faults]") {
    Desk desk;
    desk.window.documents().autosave();
    const QString kept = kept_in(desk.session);
    for (const int error : {ENOSPC, EIO, EDQUOT}) {
        bool passed = false;
        for (std::size_t n = 1; !passed; ++n) {
            REQUIRE(n < 40);
            desk.window.documents().autosave();
            const QString old = kept_in(desk.session);
            std::string failed;
            desk.find<QWidget>("message")->hide();
            desk.window.model().edit(P::sequence_length, 1024.0 * static_cast<double>(n + 8));
            {
                const FailingFiles failing(n, error);
                desk.window.documents().autosave();
                failed = failing.failed();
            }
            passed = failed.empty();
            const std::string message = desk.text("message/text").toStdString();
            CAPTURE(error, n, failed, message);
            if (kept_in(desk.session) == old) {
                CHECK_FALSE(passed);
                CHECK(desk.find<QWidget>("message")->isVisible());
                CHECK(message.find("cannot be kept for the next start") != std::string::npos);
                CHECK(message.find(std::generic_category().message(error)) != std::string::npos);
            }
        }
    }
    keep(desk.session, {});
}

TEST_CASE("faults: a last session that cannot be read is set aside, not replaced", "[faults]") {
    const QString mine = QStringLiteral(R"({"name": "of the last window"})");
    for (const int error : {EIO, EACCES}) {
        bool passed = false;
        for (std::size_t n = 1; !passed; ++n) {
            REQUIRE(n < 20);
            Desk desk;
            keep(desk.session, mine);
            QString lost;
            std::string failed;
            {
                const FailingFiles failing(n, error);
                lost = desk.window.documents().restore();
                failed = failing.failed();
            }
            passed = failed.empty();
            CAPTURE(error, n, failed, lost.toStdString());
            if (lost.isEmpty()) {
                CHECK(desk.window.model().scenario().name == "of the last window");
            } else {
                CHECK(lost.contains(QString::fromStdString(std::generic_category().message(error))));
                desk.window.documents().autosave();
                const QString aside = lost.mid(lost.indexOf(QStringLiteral("kept in ")) + 8).chopped(1);
                CHECK(QString::fromStdString(read_file(aside.toStdString())) == mine);
                CHECK(QFile::remove(aside));
            }
            if (passed) CHECK(lost.isEmpty());
            keep(desk.session, {});
        }
    }
}

}  // namespace shardscope::testing
