// What the window remembers between starts: geometry, theme, folder, the scenario as it was left, recent
// files. One table of settings.
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
    [[nodiscard]] QByteArray geometry() const;
    void set_geometry(const QByteArray& geometry);
    [[nodiscard]] QString folder() const;  // of the last file opened or saved
    void set_folder(const QString& folder);
    // The scenario as it was left, as a file's text; empty at first.
    [[nodiscard]] QString scenario() const;
    void set_scenario(const QString& text);
    [[nodiscard]] QStringList recent() const;
    void add_recent(const QString& file);

  private:
    QSettings settings_;
};

}  // namespace shardscope
