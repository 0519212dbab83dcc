// The words on the Walls map: a tag for every region, and room for the others.
#pragma once

#include <QColor>
#include <QList>
#include <QRectF>
#include <QString>
#include <vector>

#include "widgets/plots/figure_parts.h"
#include "widgets/plots/walls_data.h"

namespace shardscope {

// A tag in the pane's colour: text, with a square of what it names at its left.
struct WallsTag {
    enum class Kind { wall, does_not_fit, nothing };
    Kind kind = Kind::wall;
    Wall wall = Wall::compute;
    QString text;
    QRectF box;
};
// One for each region with room for it, in the region's widest place and off `taken`.
std::vector<WallsTag> walls_tags(const WallsData& data, const QRectF& frame, const QFont& font,
                                 const QList<QRectF>& taken);
void draw_plate(QPainter& painter, const QRectF& box, const QColor& color);
void draw_walls_tag(QPainter& painter, const WallsTag& tag, const Theme& theme, const QFont& font);
// The scenario's or a pin's tag: text on its own colour.
QSizeF size_of_point_tag(const QString& text, const QFont& font);
void draw_point_tag(QPainter& painter, const QRectF& box, const QString& text, const QColor& ground,
                    const QColor& ink, const QFont& font);

}  // namespace shardscope
