// One lane of the timeline: a stage's intervals as boxes, where there is room for boxes. Closer together they
// run into each other, pixel column by pixel column; closer still a few pixels show what share of them each
// activity takes, so that area always is time.
#pragma once

#include <QColor>
#include <QFont>
#include <QRectF>
#include <functional>
#include <vector>

#include "explore/timeline.h"
#include "widgets/plots/plot_data.h"
#include "widgets/theme/theme.h"

class QPainter;

namespace shardscope {

// How the lane is looked at.
struct LaneView {
    std::function<double(double seconds)> pixel_of;
    Stretch shown;  // s
    const Theme* theme;
    QFont font;        // of numbers in boxes
    int folded = 0;    // micro-batches that a folded interval stands for
    bool cut = false;  // there is a pipeline, whose passes are numbered
};

bool is_communication(Activity activity);
QColor colour_of(const Interval& interval, const Theme& theme);

// Whether passes are too narrow, as far as one looks, to be told apart.
bool is_crowded(const std::vector<Interval>& compute, const LaneView& view);
void paint_lane(QPainter& painter, const QRectF& box, const std::vector<Interval>& intervals, bool crowded,
                const LaneView& view);

}  // namespace shardscope
