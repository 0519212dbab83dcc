// How a scenario is recognised: its letter on its colour and its line's dash; a measured run has a diamond.
#pragma once

#include <QFont>
#include <QRectF>

class QPainter;

namespace shardscope {

struct Theme;

inline constexpr char kCurrentScenario = 'A';
inline constexpr char kMeasuredRun = 0;  // has no letter
inline constexpr double kMarkWidth = 46;

// Where the letter's tag is when the mark begins at `left`, in a row as high as `row`.
QRectF tag_box(double left, const QRectF& row);
// Tag and dash; `compared` rings the tag of the pin that the headline compares with.
void draw_scenario_mark(QPainter& painter, double left, const QRectF& row, char letter, bool compared,
                        const Theme& theme, const QFont& font);

}  // namespace shardscope
