#include "widgets/panels/glyph_button.h"

#include <QPainter>
#include <array>

#include "widgets/theme/theme.h"

namespace shardscope {

GlyphButton::GlyphButton(Glyph glyph, const QString& name, const QString& object_name, QWidget* parent)
    : QToolButton(parent), glyph_(glyph) {
    setObjectName(object_name);
    setAccessibleName(name);
    setToolTip(name);
    setFixedSize(20, 22);
}

void GlyphButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = current_theme();
    if (underMouse() && isEnabled()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.line);
        painter.drawRoundedRect(rect(), 3, 3);
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
    }
    painter.setPen(
        QPen(isEnabled() ? theme.text : theme.line, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF c = QRectF(rect()).center();
    if (glyph_ == cross) {
        painter.drawLine(c + QPointF(-4, -4), c + QPointF(4, 4));
        painter.drawLine(c + QPointF(-4, 4), c + QPointF(4, -4));
        return;
    }
    const double direction = glyph_ == left ? -1 : 1;
    const std::array<QPointF, 3> chevron{c + QPointF(-2 * direction, -5), c + QPointF(3 * direction, 0),
                                         c + QPointF(-2 * direction, 5)};
    painter.drawPolyline(chevron.data(), static_cast<int>(chevron.size()));
}

}  // namespace shardscope
