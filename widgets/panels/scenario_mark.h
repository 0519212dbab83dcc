// The mark of a scenario: a tag with its letter in its colour, and its line with its dash pattern. A measured
// run has a diamond.
#pragma once

#include <QFont>
#include <QRectF>

class QPainter;

namespace shardscope {

struct Theme;

inline constexpr char kMeasuredRun = 0;  // has no letter
inline constexpr double kMarkWidth = 46;

// Returns the box of the letter's tag in a row, if the mark begins at `left`.
QRectF tag_box(double left, const QRectF& row);
// Draws tag and line. `compared` adds a ring, for the pin that the headline is compared with.
void draw_scenario_mark(QPainter& painter, double left, const QRectF& row, char letter, bool compared,
                        const Theme& theme, const QFont& font);

}  // namespace shardscope
