// Paints the track of a slider. Its colour shows MFU, a hatch marks values that do not fit, and a notch marks
// a change of the wall.
#pragma once

#include "explore/track.h"

class QPainter;
class QRectF;

namespace shardscope {

struct Theme;

struct TrackPicture {
    const Track* held = nullptr;       // with the current plan
    const Track* replanned = nullptr;  // re-planned at each point, painted below; nullptr: none
    bool stale = false;                // the re-planned track belongs to an earlier scenario, or is a guess
    bool guess = false;                // no hatch where this plan does not fit, as a better one may
    bool mirrored = false;             // right to left
};

// Each column of a track is a device pixel of the groove, or a cell. Only the triangles of the notches are
// painted outside the groove, above it.
void paint_track(QPainter& painter, const QRectF& groove, const TrackPicture& picture, const Theme& theme);

}  // namespace shardscope
