#include "widgets/panels/scenario_mark.h"

#include <QPainter>
#include <cmath>

#include "text/pin_letters.h"
#include "widgets/chart/figure_parts.h"
#include "widgets/drawing.h"

namespace shardscope {

QRectF tag_box(double left, const QRectF& row) {
    return {left, std::round(row.center().y() - kTag / 2), kTag, kTag};
}

void draw_scenario_mark(QPainter& painter, double left, const QRectF& row, char letter, bool compared,
                        const Theme& theme, const QFont& font) {
    const QRectF tag = tag_box(left, row);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (letter == kMeasuredRun) {
        draw_user_run(painter, tag.center(), theme);
        painter.restore();
        return;
    }
    const bool current = letter == kCurrentScenario;
    const QColor color = current ? theme.text : pin_color(theme, letter);
    draw_tag(painter, tag, letter, color, scaled_font(font, kSmall, true));
    if (compared) {
        painter.setPen(QPen(theme.text, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(tag.adjusted(-2.25, -2.25, 2.25, 2.25), 4.5, 4.5);
    }
    painter.setPen(current ? line_pen(color, 2.2) : line_pen(color, 2, pin_dash(letter)));
    painter.drawLine(QPointF(tag.right() + 5, tag.center().y()),
                     QPointF(left + kMarkWidth - 2, tag.center().y()));
    painter.restore();
}

}  // namespace shardscope
