// The coloured background of the Walls map: MFU as colours, and hatches where scenarios do not fit.
#pragma once

#include <QImage>
#include <QLineF>
#include <QList>
#include <QRectF>

#include "widgets/plots/walls/walls_data.h"
#include "widgets/theme/theme.h"

namespace shardscope {

// Returns an image of the MFU colours. It has the hatch's background colour where the scenario does not fit,
// and the pane's colour where the two values are not valid together.
QImage walls_image(const WallsData& data, const WallsPart& part, const QSize& pixels, const Theme& theme);
// Returns the hatch lines over `frame`, clipped to the area that does not fit.
QList<QLineF> walls_hatch(const WallsData& data, const WallsPart& part, const QRectF& frame, double pitch);

}  // namespace shardscope
