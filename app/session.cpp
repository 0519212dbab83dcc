#include "app/session.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include "files/scenario_file.h"

namespace shardscope {
namespace {

const QString kTheme = QStringLiteral("theme");
const QString kLanguage = QStringLiteral("language");
const QString kGeometry = QStringLiteral("geometry");
const QString kFolder = QStringLiteral("folder");
const QString kScenarios = QStringLiteral("scenario");  // where earlier versions kept the session
const QString kRecent = QStringLiteral("recent");
const QString kFirstUse = QStringLiteral("first-use");
constexpr qsizetype kMostRecent = 8;

}  // namespace

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

QString Session::folder() const {
    return settings_.value(kFolder, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation))
        .toString();
}
void Session::set_folder(const QString& folder) { settings_.setValue(kFolder, folder); }

QString Session::session_file() const {
    return QFileInfo(settings_.fileName()).dir().filePath(QStringLiteral("last.shardscope-session.json"));
}

QString Session::scenarios() const {
    QFile file(session_file());
    if (file.open(QIODevice::ReadOnly)) return QString::fromUtf8(file.readAll());
    return settings_.value(kScenarios).toString();
}

void Session::set_scenarios(const QString& text) {
    // Nobody asked for it: where it cannot be written, there is nothing to say.
    Problems unwritten;
    const QString file = session_file();
    QDir().mkpath(QFileInfo(file).path());
    if (write_whole(file.toStdString(), text.toStdString(), unwritten) && settings_.contains(kScenarios))
        settings_.remove(kScenarios);
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
