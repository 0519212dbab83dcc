// Tells the ThemeManager whether the desktop is dark and whether it wants less motion, at start and whenever
// that changes: as the desktop's settings portal says (GNOME, KDE, Xfce and others). Where there is none, the
// platform's palette says what is dark.
#pragma once

#include <QObject>

class QDBusVariant;
class QVariant;

namespace shardscope {

class DesktopTheme : public QObject {
    Q_OBJECT
    Q_MOC_INCLUDE(<QDBusVariant>)
  public:
    // After ThemeManager::choose. Nothing is waited for: the portal's answer comes while the window is there.
    explicit DesktopTheme(QObject* parent = nullptr);

    // A setting as the portal has it, named by its namespace and key; others than those asked for are none of
    // ours.
    void take(const QString& space, const QString& key, const QVariant& value);

    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    Q_SLOT void take_setting(const QString& space, const QString& key, const QDBusVariant& value);
    void ask_portal();
    void take_scheme(unsigned scheme);

    bool portal_says_ = false;  // the palette is not asked then
    bool less_motion_ = false;  // the desktops' common setting
    bool animations_ = true;    // GNOME's own, older than the common one
};

}  // namespace shardscope
