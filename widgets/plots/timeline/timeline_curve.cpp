#include "widgets/plots/timeline/timeline_curve.h"

#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "widgets/chart/figure_parts.h"

namespace shardscope {
namespace {

// The values of a curve in one pixel column.
struct PixelColumn {
    double x = 0;
    double first = 0, least = 0, most = 0, last = 0;  // bytes
};

std::vector<PixelColumn> columns_of(const std::vector<MemoryPoint>& points, const CurveView& view) {
    const QRectF& area = view.area;
    std::vector<PixelColumn> out;
    const auto put = [&](double pixel, double bytes) {
        if (out.empty() || out.back().x != pixel) out.push_back({pixel, bytes, bytes, bytes, bytes});
        PixelColumn& column = out.back();
        column.least = std::min(column.least, bytes);
        column.most = std::max(column.most, bytes);
        column.last = bytes;
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
    return out;
}

// Returns the area below the curve. Where it rises and falls in every pixel column, only the largest values
// are used: the line covers the rest, and Qt's rasterizer is slow with thousands of edges side by side.
QPolygonF area_below(const std::vector<PixelColumn>& columns, const CurveView& view) {
    QPolygonF out;
    const auto is_beside = [&](std::size_t a, std::size_t b) { return columns[b].x - columns[a].x <= 1; };
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const PixelColumn& column = columns[i];
        if (i == 0 || !is_beside(i - 1, i)) out << QPointF(column.x, view.y_of(column.first));
        out << QPointF(column.x, view.y_of(column.most));
        if (i + 1 == columns.size() || !is_beside(i, i + 1)) out << QPointF(column.x, view.y_of(column.last));
    }
    out << QPointF(columns.back().x, view.area.bottom()) << QPointF(columns.front().x, view.area.bottom());
    return out;
}

}  // namespace

double CurveView::y_of(double bytes) const {
    return area.bottom() - std::min(1.0, bytes / top) * area.height();
}

void paint_memory_curve(QPainter& painter, const std::vector<MemoryPoint>& points, bool fullest,
                        const CurveView& view) {
    const std::vector<PixelColumn> columns = columns_of(points, view);
    QPolygonF line;
    for (const PixelColumn& column : columns) {
        for (const double bytes : {column.first, column.most, column.least, column.last})
            line << QPointF(column.x, view.y_of(bytes));
    }
    if (line.size() < 2) return;
    painter.setRenderHint(QPainter::Antialiasing);
    if (fullest) {
        const QPolygonF ground = area_below(columns, view);
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
