#include "widgets/theme/icons.h"

#include <QColor>
#include <QFile>
#include <QPainter>
#include <QPixmap>

#include "widgets/theme/theme.h"

namespace shardscope {
namespace {

QPixmap tinted(const QString& path, const QColor& color) {
    constexpr int kSize = 16;
    constexpr int kScale = 2;  // sharp on screens of twice the density
    QPixmap pixmap = QIcon(path).pixmap(QSize(kSize, kSize) * kScale);
    QPainter painter(&pixmap);
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(pixmap.rect(), color);
    painter.end();
    pixmap.setDevicePixelRatio(kScale);
    return pixmap;
}

}  // namespace

QIcon tinted_icon(const QString& name, const QColor& color) {
    const QString path = QStringLiteral(":/icons/") + name + QStringLiteral(".svg");
    if (!QFile::exists(path)) return {};
    QIcon icon(tinted(path, color));
    icon.addPixmap(tinted(path, current_theme().on_accent), QIcon::Selected);
    return icon;
}

}  // namespace shardscope
