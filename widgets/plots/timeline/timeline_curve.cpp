#include "widgets/plots/timeline/timeline_curve.h"

#include <QPaintEngine>
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

bool are_beside(const PixelColumn& left, const PixelColumn& right) { return right.x - left.x <= 1; }

// Returns the curve. Where it rises and falls in every pixel column, the line passes through the range of
// each column once, from the end that is nearer.
QPolygonF line_of(const std::vector<PixelColumn>& columns, const CurveView& view) {
    QPolygonF out;
    double before = 0;  // bytes at the end of the line
    const auto put = [&](const PixelColumn& column, double bytes) {
        out << QPointF(column.x, view.y_of(bytes));
        before = bytes;
    };
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const PixelColumn& column = columns[i];
        const bool dense = i > 0 && i + 1 < columns.size() && are_beside(columns[i - 1], column) &&
                           are_beside(column, columns[i + 1]);
        if (dense) {
            const bool from_most = std::fabs(column.most - before) < std::fabs(column.least - before);
            put(column, from_most ? column.most : column.least);
            put(column, from_most ? column.least : column.most);
        } else {
            for (const double bytes : {column.first, column.most, column.least, column.last})
                put(column, bytes);
        }
    }
    return out;
}

// Returns the area below the curve, in parts that are at most `width` px wide. Where the curve rises and
// falls in every pixel column, only the largest values are used, because the line covers the rest.
std::vector<QPolygonF> areas_below(const std::vector<PixelColumn>& columns, const CurveView& view,
                                   double width) {
    std::vector<QPolygonF> out;
    double from = 0;
    const auto close = [&](double to) {
        out.back() << QPointF(to, view.area.bottom()) << QPointF(from, view.area.bottom());
    };
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const PixelColumn& column = columns[i];
        const bool ends = i + 1 == columns.size();
        if (out.empty() || column.x - from >= width) {
            // The next part begins where this one ends.
            if (!out.empty()) {
                out.back() << QPointF(column.x, view.y_of(column.first));
                close(column.x);
            }
            from = column.x;
            out.emplace_back();
        }
        QPolygonF& part = out.back();
        if (i == 0 || !are_beside(columns[i - 1], column)) part << QPointF(column.x, view.y_of(column.first));
        part << QPointF(column.x, view.y_of(column.most));
        if (ends || !are_beside(column, columns[i + 1])) part << QPointF(column.x, view.y_of(column.last));
        if (ends) close(column.x);
    }
    return out;
}

}  // namespace

double CurveView::y_of(double bytes) const {
    return area.bottom() - std::min(1.0, bytes / top) * area.height();
}

void paint_memory_curve(QPainter& painter, const std::vector<MemoryPoint>& points, bool fullest,
                        const CurveView& view) {
    const std::vector<PixelColumn> columns = columns_of(points, view);
    const QPolygonF line = line_of(columns, view);
    if (line.size() < 2) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    if (fullest) {
        draw_dense_line(painter, line, view.theme->memory_rate);
    } else {
        painter.setPen(line_pen(view.theme->muted, 0.6));
        painter.drawPolyline(line);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void tint_below_curve(QPainter& painter, const std::vector<MemoryPoint>& points, const CurveView& view) {
    const std::vector<PixelColumn> columns = columns_of(points, view);
    if (columns.size() < 2) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tint(view.theme->memory_rate, 0.16, view.theme->pane));
    // The time of Qt's rasterizer grows with the square of the number of edges in a line of pixels. In files
    // one polygon has no seams.
    const bool pixels = painter.paintEngine()->type() == QPaintEngine::Raster;
    for (const QPolygonF& part : areas_below(columns, view, pixels ? 32 : view.area.width() + 1))
        painter.drawPolygon(part);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace shardscope
