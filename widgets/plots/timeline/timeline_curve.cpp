#include "widgets/plots/timeline/timeline_curve.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "widgets/chart/figure_parts.h"

namespace shardscope {

double CurveView::y_of(double bytes) const {
    return area.bottom() - std::min(1.0, bytes / top) * area.height();
}

void paint_memory_curve(QPainter& painter, const std::vector<MemoryPoint>& points, bool fullest,
                        const CurveView& view) {
    const QRectF& area = view.area;
    // Each pixel column has only its first, smallest, largest and last value.
    QPolygonF line;
    double column = -1;
    double least = 0;
    double most = 0;
    double last = 0;
    const auto close = [&] {
        if (column < 0) return;
        line << QPointF(column, view.y_of(most)) << QPointF(column, view.y_of(least))
             << QPointF(column, view.y_of(last));
    };
    const auto put = [&](double pixel, double bytes) {
        if (pixel != column) {
            close();
            column = pixel;
            line << QPointF(pixel, view.y_of(bytes));
            least = most = bytes;
        }
        least = std::min(least, bytes);
        most = std::max(most, bytes);
        last = bytes;
    };
    const MemoryPoint* before = nullptr;
    for (const MemoryPoint& point : points) {
        const double pixel = view.pixel_of(point.time);
        if (before) {
            const double from = view.pixel_of(before->time);
            const auto between = [&](double edge) {
                return before->bytes + (point.bytes - before->bytes) * (edge - from) / (pixel - from);
            };
            if (from < area.left() && pixel > area.left()) put(area.left(), between(area.left()));
            if (from < area.right() && pixel > area.right()) put(area.right(), between(area.right()));
        }
        if (pixel >= area.left() && pixel <= area.right()) put(std::round(pixel), point.bytes);
        before = &point;
    }
    close();
    if (line.size() < 2) return;
    painter.setRenderHint(QPainter::Antialiasing);
    if (fullest) {
        QPolygonF ground = line;
        ground << QPointF(line.last().x(), area.bottom()) << QPointF(line.first().x(), area.bottom());
        QColor fill = view.theme->memory_rate;
        fill.setAlphaF(0.16F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawPolygon(ground);
    }
    painter.setBrush(Qt::NoBrush);
    if (fullest) {
        draw_dense_line(painter, line, view.theme->memory_rate);
    } else {
        painter.setPen(line_pen(view.theme->muted, 0.6));
        painter.drawPolyline(line);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace shardscope
