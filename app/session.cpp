#include "app/session.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>

#include "system/file_io.h"

namespace shardscope {
namespace {

const QString kTheme = QStringLiteral("theme");
const QString kLanguage = QStringLiteral("language");
const QString kGeometry = QStringLiteral("geometry");
const QString kArrangement = QStringLiteral("arrangement");
const QString kFolder = QStringLiteral("folder");
const QString kRecent = QStringLiteral("recent");
const QString kFirstUse = QStringLiteral("first-use");
constexpr qsizetype kMostRecent = 8;

// Removes the temporary files of QSettings that killed programs left: it writes FILE.XXXXXX, with six random
// letters, and renames it. QSettings holds this lock while it writes. A name without capitals may be a user's
// ("backup"), so it stays.
void remove_leftovers_of_settings(const QString& file) {
    QLockFile lock(file + QStringLiteral(".lock"));
    if (!lock.tryLock()) return;
    const QFileInfo settings(file);
    constexpr qsizetype kLetters = 6;
    QDir folder = settings.dir();
    for (const QString& name :
         folder.entryList({settings.fileName() + QStringLiteral(".??????")}, QDir::Files)) {
        const QStringView random = QStringView(name).last(kLetters);
        const bool letters = std::ranges::all_of(random, [](QChar c) { return c.isLetter(); });
        const bool capitals = std::ranges::any_of(random, [](QChar c) { return c.isUpper(); });
        if (letters && capitals) folder.remove(name);
    }
}

}  // namespace

Session::Session() {
    const QDir folder = QFileInfo(settings_.fileName()).dir();
    // A failure is not reported, because the user did not request this folder.
    QDir().mkpath(folder.path());
    for (int number = 1;; ++number) {
        const QString suffix = number == 1 ? QString() : QStringLiteral("-%1").arg(number);
        file_ = folder.filePath(QStringLiteral("last%1.shardscope-session.json").arg(suffix));
        lock_ = std::make_unique<QLockFile>(file_ + QStringLiteral(".lock"));
        // The age of a lock does not matter: QLockFile ignores the lock of a program that no longer runs, and
        // the lock of a running program may be old.
        lock_->setStaleLockTime(0);
        if (lock_->tryLock() || lock_->error() != QLockFile::LockFailedError) break;
    }
    remove_leftovers(file_.toStdString());
    remove_leftovers_of_settings(settings_.fileName());
}

ThemeManager::Choice Session::theme() const {
    const QString name = settings_.value(kTheme).toString();
    if (name == QLatin1String("light")) return ThemeManager::Choice::light;
    if (name == QLatin1String("dark")) return ThemeManager::Choice::dark;
    return ThemeManager::Choice::system;
}

void Session::set_theme(ThemeManager::Choice choice) {
    const char* names[] = {"system", "light", "dark"};
    settings_.setValue(kTheme, QString::fromLatin1(names[static_cast<int>(choice)]));
}

QString Session::language() const { return settings_.value(kLanguage).toString(); }
void Session::set_language(const QString& code) { settings_.setValue(kLanguage, code); }

QByteArray Session::geometry() const { return settings_.value(kGeometry).toByteArray(); }
void Session::set_geometry(const QByteArray& geometry) { settings_.setValue(kGeometry, geometry); }

QVariant Session::arrangement(const QString& part) const {
    return settings_.value(kArrangement + QLatin1Char('/') + part);
}
void Session::set_arrangement(const QString& part, const QVariant& value) {
    const QString key = kArrangement + QLatin1Char('/') + part;
    if (value.isValid()) settings_.setValue(key, value);
    else settings_.remove(key);
}

QString Session::folder() const {
    return settings_.value(kFolder, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation))
        .toString();
}
void Session::set_folder(const QString& folder) { settings_.setValue(kFolder, folder); }

QString Session::scenarios(Problems& problems) const {
    if (!QFileInfo::exists(file_)) return {};
    return QString::fromStdString(read_text(file_.toStdString(), problems));
}

bool Session::set_scenarios(const QString& text, Problems& problems) {
    return write_file_atomically(file_.toStdString(), text.toStdString(), problems, Durability::program_end);
}

QString Session::set_aside() {
    const QFileInfo file(file_);
    const QString aside = file.dir().filePath(QStringLiteral("unreadable-") + file.fileName());
    return move_file(file_.toStdString(), aside.toStdString()) ? aside : QString();
}

QStringList Session::recent() const { return settings_.value(kRecent).toStringList(); }
void Session::add_recent(const QString& file) {
    QStringList files = recent();
    files.removeAll(file);
    files.prepend(file);
    while (files.size() > kMostRecent) files.removeLast();
    settings_.setValue(kRecent, files);
}

bool Session::first_use() const { return settings_.value(kFirstUse, true).toBool(); }
void Session::set_first_use(bool on) { settings_.setValue(kFirstUse, on); }

}  // namespace shardscope
