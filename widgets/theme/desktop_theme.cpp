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
const QString kSpace = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");

}  // namespace

DesktopTheme::DesktopTheme(QObject* parent) : QObject(parent) {
    qApp->installEventFilter(this);
    // Even to reach the bus takes its time: after the window's first picture.
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
    bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), {kSpace, kKey},
                QStringLiteral("ssv"), this, SLOT(take_setting(QString, QString, QDBusVariant)));
    QDBusMessage question =
        QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    question << kSpace << kKey;
    const auto* waiting = new QDBusPendingCallWatcher(bus.asyncCall(question), this);
    connect(waiting, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
        const QDBusPendingReply<QDBusVariant> reply = *done;
        if (!reply.isError()) take_scheme(reply.value().variant());
        done->deleteLater();
    });
}

void DesktopTheme::take_setting(const QString& space, const QString& key, const QDBusVariant& value) {
    if (space == kSpace && key == kKey) take_scheme(value.variant());
}

void DesktopTheme::take_scheme(const QVariant& value) {
    // `Read` wraps the value twice.
    const QVariant inner = value.canConvert<QDBusVariant>() ? value.value<QDBusVariant>().variant() : value;
    enum Scheme : unsigned { none, dark, light };
    const unsigned scheme = inner.toUInt();
    portal_says_ = scheme == dark || scheme == light;
    if (portal_says_) ThemeManager::instance().set_desktop_dark(scheme == dark);
    else ThemeManager::instance().read_desktop_palette();
}

}  // namespace shardscope
