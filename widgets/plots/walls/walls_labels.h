// The labels on the Walls map: a tag for every region, and tags for the scenario and the pins.
#pragma once

#include <QColor>
#include <QList>
#include <QRectF>
#include <QString>
#include <vector>

#include "widgets/chart/figure_parts.h"
#include "widgets/plots/walls/walls_data.h"

namespace shardscope {

// A tag in the pane's colour: text, with a square in the colour of what it names at its left.
struct WallsTag {
    enum class Kind { wall, does_not_fit, nothing };
    Kind kind = Kind::wall;
    Wall wall = Wall::compute;
    QString text;
    QRectF box;
};
// Returns a tag for each region with room for it, at the region's widest place and off `taken`.
std::vector<WallsTag> walls_tags(const WallsData& data, const WallsPart& part, const QRectF& frame,
                                 const QFont& font, const QList<QRectF>& taken);
void draw_plate(QPainter& painter, const QRectF& box, const QColor& color);
void draw_walls_tag(QPainter& painter, const WallsTag& tag, const Theme& theme, const QFont& font);
// The tag of the scenario or a pin: text on its own colour.
QSizeF size_of_point_tag(const QString& text, const QFont& font);
void draw_point_tag(QPainter& painter, const QRectF& box, const QString& text, const QColor& ground,
                    const QColor& ink, const QFont& font);

}  // namespace shardscope
