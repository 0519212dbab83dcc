// The mark of a wall: a letter on a square in the wall's colour.
#pragma once

#include <QString>

#include "estimate/estimate.h"

class QPainter;
class QRectF;

namespace shardscope {

struct Theme;

// Returns the letter of a wall: compute C, inter-node N, intra-node I, memory M, memory bandwidth B, latency
// L, link to the host H; "=" if no wall dominates.
QString wall_letter(Wall wall);
// Paints the mark so that it fills the area.
void paint_wall_mark(QPainter& painter, const QRectF& area, Wall wall, const Theme& theme);

}  // namespace shardscope
