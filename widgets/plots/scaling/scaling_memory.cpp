// Paints the memory of a GPU against its limits, where the scaling plot shows memory.
#include <algorithm>
#include <cmath>

#include "widgets/drawing.h"
#include "widgets/plots/scaling/scaling_parts.h"

namespace shardscope {

// Paints the model states below the working memory.
void ScalingFigure::Parts::paint_memory(QCPPainter& painter) const {
    const QRectF area = frame();
    QPolygonF sharded;
    QPolygonF all;
    for (const CurvePoint& point : data.curves.weak) {
        if (!point.valid) continue;
        const auto at = [&](double bytes) {
            return drawn_at(x(), y(), point.x, std::min(bytes / kGiB, y().range().upper), painter);
        };
        sharded.append(at(point.sharded_memory));
        all.append(at(point.peak_memory));
    }
    if (all.size() < 2) return;
    const auto between = [](const QPolygonF& upper, QPolygonF lower) {
        std::reverse(lower.begin(), lower.end());
        return upper + lower;
    };
    const QPolygonF floor{QPointF(sharded.front().x(), area.bottom()),
                          QPointF(sharded.back().x(), area.bottom())};
    painter.setPen(Qt::NoPen);
    const auto fill = [&](const QPolygonF& shape, const QColor& color) {
        constexpr double kPale = 0.45;
        painter.setBrush(tint(color, kPale, theme->pane));
        painter.drawPolygon(shape);
    };
    fill(between(sharded, floor), theme->optimizer);
    fill(between(all, sharded), theme->activations);
}

// Hatches what lies above the limit, and draws the limits of the scenario and of its pins.
void ScalingFigure::Parts::paint_excess(QCPPainter& painter) const {
    const QRectF area = frame();
    const double limit = std::clamp(y().coordToPixel(data.capacity / kGiB), area.top(), area.bottom());
    for (const AxisRange& stretch : unfit()) {
        const double left = std::max(area.left(), x().coordToPixel(stretch.from));
        const double right = std::min(area.right(), x().coordToPixel(stretch.to));
        if (right > left)
            hatch_over(painter, QRectF(left, area.top(), right - left, limit - area.top()), *theme,
                       theme->hatch_line, 8, 1);
    }
    for (const ScalingLimit& one : limits()) {
        painter.setPen(line_pen(one.name.color, 1.5, {4, 3}));
        painter.drawLine(one.line);
    }
}

// The limits that lie inside the frame: those of pins on other GPUs, that of the scenario, and the one after
// a repair.
std::vector<ScalingLimit> ScalingFigure::Parts::limits() const {
    const QRectF area = frame();
    std::vector<ScalingLimit> out;
    const auto add = [&](double bytes, const QColor& color, const QString& words) {
        const double at = std::round(y().coordToPixel(bytes / kGiB)) + 0.5;
        if (at < area.top() || at > area.bottom()) return;
        out.push_back({QLineF(area.left(), at, area.right(), at), {words, fonts.small_bold, color}});
    };
    const auto usable = [](double bytes) { return tr("usable %1").arg(shown(bytes, Quantity::bytes)); };
    for (const PinLimit& pinned :
         limits_of_pins(ghosts, data.capacity, [](const Ghost& one) { return one.data.capacity; }))
        add(pinned.value, pin_color(*theme, pinned.letter),
            pinned.letters + QStringLiteral(": ") + usable(pinned.value));
    add(data.capacity, theme->text, usable(data.capacity));
    if (data.repair_raises_limit()) {
        const QString repair = tr("after: %1").arg(text_of(data.repair));
        constexpr double kBeside = 12;  // px
        const bool has_room = text_width(fonts.small_bold, repair) <= area.width() - kBeside;
        add(data.repaired_capacity, theme->muted,
            has_room ? repair : tr("after: %1").arg(usable(data.repaired_capacity)));
    }
    return out;
}

}  // namespace shardscope
