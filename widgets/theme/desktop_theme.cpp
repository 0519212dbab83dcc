#include "widgets/theme/desktop_theme.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QEvent>

#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");

struct Setting {
    QString space;
    QString key;
    bool operator==(const Setting&) const = default;
};
const Setting kScheme{QStringLiteral("org.freedesktop.appearance"), QStringLiteral("color-scheme")};
const Setting kMotion{QStringLiteral("org.freedesktop.appearance"), QStringLiteral("reduced-motion")};
const Setting kAnimations{QStringLiteral("org.gnome.desktop.interface"), QStringLiteral("enable-animations")};

}  // namespace

DesktopTheme::DesktopTheme(QObject* parent) : QObject(parent) {
    qApp->installEventFilter(this);
    // Connecting to the bus takes time, so it happens after the window's first frame.
    QMetaObject::invokeMethod(this, &DesktopTheme::ask_portal, Qt::QueuedConnection);
}

bool DesktopTheme::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ThemeChange && watched->isWindowType() && !portal_says_)
        ThemeManager::instance().read_desktop_palette();
    return QObject::eventFilter(watched, event);
}

void DesktopTheme::ask_portal() {
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    for (const Setting& setting : {kScheme, kMotion, kAnimations}) {
        bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"),
                    {setting.space, setting.key}, QStringLiteral("ssv"), this,
                    SLOT(apply_setting(QString, QString, QDBusVariant)));
        QDBusMessage request =
            QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
        request << setting.space << setting.key;
        const auto* waiting = new QDBusPendingCallWatcher(bus.asyncCall(request), this);
        connect(waiting, &QDBusPendingCallWatcher::finished, this,
                [this, setting](QDBusPendingCallWatcher* done) {
                    const QDBusPendingReply<QDBusVariant> reply = *done;
                    // A desktop without this setting answers with an error.
                    if (!reply.isError()) apply_setting(setting.space, setting.key, reply.value());
                    done->deleteLater();
                });
    }
}

void DesktopTheme::apply_setting(const QString& space, const QString& key, const QDBusVariant& value) {
    const QVariant outer = value.variant();
    // `Read` wraps the value twice.
    take(space, key, outer.canConvert<QDBusVariant>() ? outer.value<QDBusVariant>().variant() : outer);
}

void DesktopTheme::take(const QString& space, const QString& key, const QVariant& value) {
    const Setting setting{space, key};
    if (setting == kScheme) apply_scheme(value.toUInt());
    if (setting == kMotion) less_motion_ = value.toUInt() == 1;
    if (setting == kAnimations) animations_ = value.toBool();
    ThemeManager::instance().set_reduces_motion(less_motion_ || !animations_);
}

void DesktopTheme::apply_scheme(unsigned scheme) {
    enum Scheme : unsigned { none, dark, light };
    portal_says_ = scheme == dark || scheme == light;
    if (portal_says_) ThemeManager::instance().set_desktop_dark(scheme == dark);
    else ThemeManager::instance().read_desktop_palette();
}

}  // namespace shardscope
