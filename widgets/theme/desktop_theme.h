// Tells the ThemeManager whether the desktop is dark, at start and whenever it changes: as the desktop's
// settings portal says (GNOME, KDE, Xfce and others), or where there is none as the platform's palette does.
#pragma once

#include <QObject>

class QDBusVariant;

namespace shardscope {

class DesktopTheme : public QObject {
    Q_OBJECT
    Q_MOC_INCLUDE(<QDBusVariant>)
  public:
    // After ThemeManager::choose. Nothing is waited for: the portal's answer comes while the window is there.
    explicit DesktopTheme(QObject* parent = nullptr);

    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    Q_SLOT void take_setting(const QString& space, const QString& key, const QDBusVariant& value);
    void ask_portal();
    void take_scheme(const QVariant& value);

    bool portal_says_ = false;  // the palette is not asked then
};

}  // namespace shardscope
