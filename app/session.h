// Stores what the window remembers between starts: geometry, theme, language, folder, scenarios, recent
// files, and whether the program is used for the first time. The scenarios are in a separate file, because
// they are saved during every drag, and QSettings waits for the disk.
//
// Each running program has its own file of scenarios. A second program that runs at the same time uses a
// second file. The next second program uses that file again.
#pragma once

#include <QByteArray>
#include <QLockFile>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <QVariant>
#include <memory>

#include "text/problem.h"
#include "widgets/theme/theme.h"

namespace shardscope {

class Session {
  public:
    Session();
    [[nodiscard]] ThemeManager::Choice theme() const;
    void set_theme(ThemeManager::Choice choice);
    [[nodiscard]] QString language() const;  // empty: the system's language
    void set_language(const QString& code);
    [[nodiscard]] QByteArray geometry() const;
    void set_geometry(const QByteArray& geometry);
    // How the user has arranged a part of the window; an invalid value if the part is as it is at first.
    [[nodiscard]] QVariant arrangement(const QString& part) const;
    void set_arrangement(const QString& part, const QVariant& value);
    [[nodiscard]] QString folder() const;  // of the last file opened or saved
    void set_folder(const QString& folder);
    // Returns the saved scenarios as the text of a session file; empty at first. Adds a problem and returns
    // an empty text where the file cannot be read.
    [[nodiscard]] QString scenarios(Problems& problems) const;
    // Returns false and adds a problem where the file cannot be written; the file is then unchanged.
    bool set_scenarios(const QString& text, Problems& problems);
    // Renames the file, so that the next call of set_scenarios does not replace it. Returns its new path;
    // empty where it cannot be renamed.
    [[nodiscard]] QString set_aside();
    [[nodiscard]] QStringList recent() const;
    void add_recent(const QString& file);
    // True until something has been dragged, pinned or undone for the first time.
    [[nodiscard]] bool first_use() const;
    void set_first_use(bool on);

  private:
    QSettings settings_;
    QString file_;                     // with the scenarios
    std::unique_ptr<QLockFile> lock_;  // on `file_` while this program runs
};

}  // namespace shardscope
