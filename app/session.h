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
    // The scenarios as they were left, as the text of a session file; empty at first.
    [[nodiscard]] QString scenarios() const;
    void set_scenarios(const QString& text);
    // Of the file they are in.
    [[nodiscard]] QString file_name() const;
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
