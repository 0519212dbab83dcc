#include "widgets/rows/row_buttons.h"

#include <QPainter>
#include <QPainterPath>

#include "widgets/theme/theme.h"

namespace shardscope {

PaintedButton::PaintedButton(QWidget* parent) : QAbstractButton(parent) {
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
}

void PaintedButton::paint_focus(QPainter& painter) const {
    if (!hasFocus()) return;
    painter.setPen(QPen(current_theme().accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
}

AutoButton::AutoButton(Look look, QWidget* parent) : PaintedButton(parent), look_(look) {
    setCheckable(true);
}

void AutoButton::paintEvent(QPaintEvent*) {
    const Theme& theme = current_theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool on = isChecked();
    const bool chip = look_ == Look::chip;
    painter.setPen(QPen(on ? theme.accent : underMouse() || chip ? theme.border : theme.line, 1));
    painter.setBrush(on ? theme.accent : theme.raised);
    const double radius = chip ? height() / 2.0 : 3;
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    if (on || chip) {
        painter.setPen(on ? theme.on_accent : theme.text);
        painter.setFont(scaled_font(font(), kSmall));
        painter.drawText(rect(), Qt::AlignCenter, text());
    } else {
        paint_padlock(painter, theme.muted);
    }
    if (hasFocus() && on) {
        painter.setPen(QPen(theme.on_accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(2.5, 2.5, -2.5, -2.5), 2, 2);
    } else {
        paint_focus(painter);
    }
}

void AutoButton::paint_padlock(QPainter& painter, const QColor& colour) const {
    const double size = height() * 0.5;
    const QPointF c = QRectF(rect()).center();
    const QRectF body(c.x() - size * 0.42, c.y() - size * 0.05, size * 0.84, size * 0.58);
    QPainterPath shackle;
    const QRectF arc(c.x() - size * 0.26, c.y() - size * 0.52, size * 0.52, size * 0.52);
    shackle.moveTo(arc.left(), body.top());
    shackle.lineTo(arc.left(), arc.center().y());
    shackle.arcTo(arc, 180, -180);
    shackle.lineTo(arc.right(), body.top());
    painter.setPen(QPen(colour, 1.2));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(shackle);
    painter.drawRoundedRect(body, 1, 1);
}

void ResetDot::paintEvent(QPaintEvent*) {
    const Theme& theme = current_theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(underMouse() ? theme.text : theme.accent);
    painter.drawEllipse(QRectF(rect()).center(), 4, 4);
    paint_focus(painter);
}

}  // namespace shardscope
