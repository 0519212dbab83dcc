// Paints one lane of the timeline: a stage's intervals as boxes if they are wide enough. The colours of
// narrower intervals are averaged in every pixel column. If most passes are narrower still, every few pixels
// show the fraction of the time that each activity takes, so that area is always proportional to time.
#pragma once

#include <QColor>
#include <QFont>
#include <QRectF>
#include <functional>
#include <vector>

#include "explore/timeline.h"
#include "widgets/theme/theme.h"

class QPainter;

namespace shardscope {

// The visible part of a lane, and its style.
struct LaneView {
    std::function<double(double seconds)> pixel_of;
    AxisRange shown;  // s
    const Theme* theme;
    QFont font;        // of numbers in boxes
    int omitted = 0;   // micro-batches that an omitted interval replaces
    bool cut = false;  // there is a pipeline, whose passes are numbered
};

bool is_communication(Activity activity);
QColor color_of(const Interval& interval, const Theme& theme);

// Returns whether the passes in the visible part are too narrow to be distinguished.
bool is_crowded(const std::vector<Interval>& compute, const LaneView& view);
void paint_lane(QPainter& painter, const QRectF& box, const std::vector<Interval>& intervals, bool crowded,
                const LaneView& view);

}  // namespace shardscope
