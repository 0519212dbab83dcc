// What the window remembers between starts: geometry, theme, language, folder, the scenarios as they were
// left, recent files, whether the program is new to this person. One table of settings, and beside it the
// session as a file of its own: it is written in every drag, for which settings are too slow (they wait for
// the disk).
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>

#include "widgets/theme/theme.h"

namespace shardscope {

class Session {
  public:
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
    [[nodiscard]] QStringList recent() const;
    void add_recent(const QString& file);
    // Until something was dragged, pinned or undone for the first time.
    [[nodiscard]] bool first_use() const;
    void set_first_use(bool on);

  private:
    [[nodiscard]] QString session_file() const;

    QSettings settings_;
};

}  // namespace shardscope
