// The coloured ground of the Walls map: MFU as colours, what does not fit hatched.
#pragma once

#include <QImage>
#include <QLineF>
#include <QList>
#include <QRectF>

#include "widgets/plots/walls_data.h"
#include "widgets/theme/theme.h"

namespace shardscope {

// MFU in its colours, the hatch's ground where it does not fit, the pane where nothing exists.
QImage walls_image(const WallsData& data, const QSize& pixels, const Theme& theme);
// The hatch's lines over `frame`, cut to what does not fit.
QList<QLineF> walls_hatch(const WallsData& data, const QRectF& frame, double pitch);

}  // namespace shardscope
