// Paints an exported page on any paint device: title, figure, caption and footer. Caption and footer
// are printed with at least 7 pt, unless a given height leaves no room for that.
#pragma once

#include <QFont>
#include <QRectF>
#include <functional>

#include "widgets/plots/figure_export.h"

class QCPPainter;
class QCustomPlot;
class QPainter;

namespace shardscope {

void paint_page(QCPPainter& painter, const FigureRequest& request, const Answer& answer);
// Returns the height of a page whose height is not given: texts and figure of the usual proportions.
int height_of_page(const FigureRequest& request, const Answer& answer);
// Returns the page's title, for the file's metadata.
QString page_title(const FigureRequest& request, const Answer& answer);

// The plots' own painting code uses the following functions. All figures have one font, sized in pixels and
// without hinting, so that the bytes of a file do not depend on the machine's settings.
QFont page_font();
void paint_plot(QCPPainter& painter, const QRectF& area, QCustomPlot& plot);
// Paints one of the window's panels enlarged, over the whole of `area`. The panels are designed for a narrow
// column of `natural` size.
void paint_panel(QCPPainter& painter, const QRectF& area, const QSizeF& natural,
                 const std::function<void(QPainter&, const QRectF&)>& paint);

}  // namespace shardscope
