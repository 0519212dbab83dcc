// Reports to the ThemeManager whether the desktop is dark and whether it requests reduced motion, at start
// and on every change. The source is the desktop's settings portal (GNOME, KDE, Xfce and others). Without a
// portal, the platform's palette decides whether the desktop is dark.
#pragma once

#include <QObject>

class QDBusVariant;
class QVariant;

namespace shardscope {

class DesktopTheme : public QObject {
    Q_OBJECT
    Q_MOC_INCLUDE(<QDBusVariant>)
  public:
    // Must be called after ThemeManager::choose. The constructor does not wait for the portal, whose answer
    // arrives when the window is already visible.
    explicit DesktopTheme(QObject* parent = nullptr);

    // Applies a setting of the portal, which is identified by its namespace and key. Settings that were not
    // requested are ignored.
    void take(const QString& space, const QString& key, const QVariant& value);

    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    Q_SLOT void apply_setting(const QString& space, const QString& key, const QDBusVariant& value);
    void ask_portal();
    void apply_scheme(unsigned scheme);

    bool portal_says_ = false;  // the portal reports light or dark, so the palette is not used
    bool less_motion_ = false;  // the setting that desktops have in common
    bool animations_ = true;    // GNOME's own setting, older than the common one
};

}  // namespace shardscope
