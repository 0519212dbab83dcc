// What the window remembers between starts: geometry, theme, language, folder, the scenarios as they were
// left, recent files, whether the program is new to this person. One table of settings, and beside it the
// session as a file of its own: it is written in every drag, for which settings are too slow (they wait for
// the disk).
//
// Each running program has a session of its own: beside one that runs already, the next keeps another file,
// and takes it up again when it is the second one the next time.
#pragma once

#include <QByteArray>
#include <QLockFile>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <memory>

#include "text/problem.h"
#include "widgets/theme/theme.h"

namespace shardscope {

class Session {
  public:
    Session();
    [[nodiscard]] ThemeManager::Choice theme() const;
    void set_theme(ThemeManager::Choice choice);
    [[nodiscard]] QString language() const;  // empty: the system's
    void set_language(const QString& code);
    [[nodiscard]] QByteArray geometry() const;
    void set_geometry(const QByteArray& geometry);
    [[nodiscard]] QString folder() const;  // of the last file opened or saved
    void set_folder(const QString& folder);
    // The scenarios as they were left, as the text of a session file; empty at first. Adds a problem and
    // returns an empty text where the file cannot be read.
    [[nodiscard]] QString scenarios(Problems& problems) const;
    // Returns false and adds a problem where the file cannot be written; it is then as it was.
    bool set_scenarios(const QString& text, Problems& problems);
    // Renames the file, so that the next call of set_scenarios does not replace it. Returns its new path;
    // empty where it cannot be renamed.
    [[nodiscard]] QString set_aside();
    [[nodiscard]] QStringList recent() const;
    void add_recent(const QString& file);
    // Until something was dragged, pinned or undone for the first time.
    [[nodiscard]] bool first_use() const;
    void set_first_use(bool on);

  private:
    QSettings settings_;
    QString file_;                     // the scenarios'
    std::unique_ptr<QLockFile> lock_;  // on it, as long as this program runs
};

}  // namespace shardscope
