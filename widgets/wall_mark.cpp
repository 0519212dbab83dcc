#include "widgets/wall_mark.h"

#include <QPainter>

#include "text/translate.h"
#include "widgets/text.h"
#include "widgets/theme/theme.h"

namespace shardscope {

QString wall_letter(Wall wall) {
    switch (wall) {
        case Wall::memory: return QStringLiteral("M");
        case Wall::compute: return QStringLiteral("C");
        case Wall::memory_bandwidth: return QStringLiteral("B");
        case Wall::intra_node: return QStringLiteral("I");
        case Wall::inter_node: return QStringLiteral("N");
        case Wall::latency: return QStringLiteral("L");
        case Wall::host_link: return QStringLiteral("H");
        case Wall::balanced: break;
    }
    return QStringLiteral("=");
}

void paint_wall_mark(QPainter& painter, const QRectF& area, Wall wall, const Theme& theme) {
    painter.save();
    // Memory means that the scenario does not fit, which is ink in all places.
    const bool memory = wall == Wall::memory;
    const QColor fill = memory ? theme.text : wall == Wall::balanced ? theme.muted : theme.of(wall);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(area, 2, 2);
    QFont face = painter.font();
    face.setBold(true);
    face.setPixelSize(std::max(8, static_cast<int>(area.height() * 0.62)));
    painter.setFont(face);
    painter.setPen(fill.lightnessF() > 0.5 ? Theme::light().text : QColor(Qt::white));
    painter.drawText(area, Qt::AlignCenter, wall_letter(wall));
    painter.restore();
}

}  // namespace shardscope
