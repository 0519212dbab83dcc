// One exported page: title, figure, caption and footer, painted on whatever medium.
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
// The page's title, for the file's metadata.
QString page_title(const FigureRequest& request, const Answer& answer);

// For the plots' own painting. One font for all figures, in pixels and without hinting, so that the bytes
// depend on no machine's settings.
QFont page_font();
void paint_plot(QCPPainter& painter, const QRectF& area, QCustomPlot& plot);
// One of the window's own panels, enlarged: they are made for a narrow column of `natural` size.
void paint_panel(QCPPainter& painter, const QRectF& area, const QSizeF& natural,
                 const std::function<void(QPainter&, const QRectF&)>& paint);

}  // namespace shardscope
