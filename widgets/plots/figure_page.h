// One exported page: title, figure, caption and footer, painted on whatever medium.
#pragma once

#include <QSize>

#include "widgets/plots/figure_export.h"

class QCPPainter;

namespace shardscope {

void paint_page(QCPPainter& painter, const FigureRequest& request, const Answer& answer);
// The page's title, for the file's metadata.
QString page_title(const FigureRequest& request, const Answer& answer);

}  // namespace shardscope
