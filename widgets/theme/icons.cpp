#include "widgets/theme/icons.h"

#include <QColor>
#include <QFile>
#include <QPainter>
#include <QPixmap>

namespace shardscope {

QIcon tinted_icon(const QString& name, const QColor& color) {
    constexpr int kSize = 16;
    constexpr int kScale = 2;  // sharp on screens of twice the density
    const QString path = QStringLiteral(":/icons/") + name + QStringLiteral(".svg");
    if (!QFile::exists(path)) return {};
    QPixmap pixmap = QIcon(path).pixmap(QSize(kSize, kSize) * kScale);
    QPainter painter(&pixmap);
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(pixmap.rect(), color);
    painter.end();
    pixmap.setDevicePixelRatio(kScale);
    return QIcon(pixmap);
}

}  // namespace shardscope
