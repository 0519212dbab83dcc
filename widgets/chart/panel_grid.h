// The layout of scenarios side by side: panels of equal size with the same axes, each with its scenario's
// letter and name.
#pragma once

#include <QPainter>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include "widgets/chart/figure_parts.h"

namespace shardscope {

// A frame that is lower than this is hard to read; px.
inline constexpr double kLowFrame = 38;

struct PanelGrid {
    int columns = 1;
    int rows = 1;
};
// Returns the columns and rows of panels in a plot of `size` for which the frames are most legible: a little
// wider than high, and none very small. Each panel has `frames` frames, one below the other; `around` is the
// space that it needs besides them.
PanelGrid panel_grid(int panels, int frames, const QSizeF& size, const QSizeF& around);

// A panel's title is its scenario's letter and name, in one line, or in two if `width` is too narrow.
int lines_of_panel_title(const QString& name, double width, const FigureFonts& fonts);
double height_of_panel_title(int lines, const FigureFonts& fonts);
// Draws as much of the name as `row` has room for.
void draw_panel_title(QPainter& painter, const QRectF& row, char letter, const QString& name,
                      const Theme& theme, const FigureFonts& fonts);

// Returns a scenario's colour: the text colour for A, the pin's colour for pins.
QColor scenario_color(const Theme& theme, char letter);

}  // namespace shardscope
