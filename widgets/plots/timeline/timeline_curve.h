// Paints the memory of one stage over the time of a step as a line. The area below the line of the fullest
// stage is tinted.
#pragma once

#include <QRectF>
#include <functional>
#include <vector>

#include "explore/timeline.h"
#include "widgets/theme/theme.h"

class QPainter;

namespace shardscope {

struct CurveView {
    std::function<double(double seconds)> pixel_of;
    QRectF area;
    double top = 1;  // bytes at its upper edge
    const Theme* theme;
    [[nodiscard]] double y_of(double bytes) const;
};
void paint_memory_curve(QPainter& painter, const std::vector<MemoryPoint>& points, bool fullest,
                        const CurveView& view);
// Tints the area below the line. The tint is opaque, so that the grid is drawn after it.
void tint_below_curve(QPainter& painter, const std::vector<MemoryPoint>& points, const CurveView& view);

}  // namespace shardscope
